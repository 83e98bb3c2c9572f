"""Question files, scores, and the command."""

import io
import json
from datetime import date
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from matrix.domain.catalogue import Catalogue
from matrix.domain.levels import SupportLevel
from matrix.index import forget_knowledge
from matrix.questions.files import BrokenQuestions, read_questions
from matrix.questions.records import answer_record
from matrix.questions.scoring import Outcome, score_answer, summary_line
from tests.matrix.questions.worlds import ask, state

TODAY = date(2026, 11, 30)


def _line(**fields: object) -> str:
    return json.dumps({"id": "a", "framework": "vLLM", "as_of": "2025-11-01", **fields})


def test_a_line_is_read_without_what_it_expects(catalogue: Catalogue) -> None:
    text = _line(
        hardware={"device": "T4", "count": 2}, expected_verdict="conditional-with-note", reason="x"
    )
    line = read_questions([text, ""], today=TODAY)[0]
    assert line.expected is SupportLevel.CONDITIONAL
    assert (line.question.device, line.question.count) == ("T4", 2)
    assert not hasattr(line.question, "expected_verdict")


def test_a_question_without_a_day_is_asked_for_today() -> None:
    assert read_questions([_line(as_of=None)], today=TODAY)[0].question.as_of == TODAY


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "line 1"),
        ("[]", "accepted: a JSON object"),
        ('{"id": "a"}', "framework is missing"),
        (_line(as_of="2025-13-01"), "as_of is '2025-13-01'"),
        (_line(as_of=5), "as_of is 5"),
        (_line(hardware="T4"), "hardware is 'T4'"),
        (_line(hardware={"count": 0}), "hardware count is 0"),
        (_line(hardware={"count": True}), "hardware count is True"),
        (_line(model=7), "model is 7"),
        (_line(expected_verdict="maybe"), "expected_verdict is 'maybe'"),
    ],
)
def test_a_bad_line_is_named_with_what_is_accepted(text: str, said: str) -> None:
    with pytest.raises(BrokenQuestions) as caught:
        read_questions([text], today=TODAY)
    assert said in caught.value.problems[0]


def test_every_bad_line_is_listed_and_an_id_stands_once() -> None:
    with pytest.raises(BrokenQuestions) as caught:
        read_questions(["{", _line(), _line()], today=TODAY)
    assert [problem.split(":")[0] for problem in caught.value.problems] == ["line 1", "line 3"]


@pytest.mark.parametrize(
    ("said", "expected", "outcome"),
    [
        ("supported", SupportLevel.SUPPORTED, Outcome.RIGHT),
        ("supported", SupportLevel.CONDITIONAL, Outcome.WRONG),
        ("partial", SupportLevel.CONDITIONAL, Outcome.RIGHT),
        ("partial", SupportLevel.UNSUPPORTED, Outcome.WRONG),
        ("unsupported", SupportLevel.UNKNOWN, Outcome.WRONG),
        ("unsupported", None, Outcome.UNJUDGED),
    ],
)
def test_answers_are_compared_by_level(
    catalogue: Catalogue, said: str, expected: SupportLevel | None, outcome: Outcome
) -> None:
    claims = [state(said, catalogue=catalogue, hardware="nvidia-turing")]
    scored = score_answer(ask(catalogue, claims, device="T4", backend="CUDA"), expected)
    assert scored.answer.level.value == said
    assert scored.outcome is outcome


@pytest.mark.parametrize(
    ("expected", "outcome"),
    [(SupportLevel.UNKNOWN, Outcome.RIGHT), (SupportLevel.SUPPORTED, Outcome.UNKNOWN)],
)
def test_unknown_is_right_only_where_it_is_expected_and_never_wrong(
    catalogue: Catalogue, expected: SupportLevel, outcome: Outcome
) -> None:
    assert score_answer(ask(catalogue, [], device="T4"), expected).outcome is outcome


def test_the_summary_counts_false_support(catalogue: Catalogue) -> None:
    claims = [state("supported", catalogue=catalogue, hardware="nvidia-turing")]
    answer = ask(catalogue, claims, device="T4", backend="CUDA")
    scored = [
        score_answer(answer, SupportLevel.SUPPORTED),
        score_answer(answer, SupportLevel.UNKNOWN),
    ]
    line = summary_line(scored)
    assert line == "ask: 2 questions, 1 right, 1 wrong, 0 unknown, 1 false supported"


def test_a_record_names_the_deciding_claim_and_its_place(catalogue: Catalogue) -> None:
    claims = [state("supported", catalogue=catalogue, hardware="nvidia-turing")]
    record = answer_record(score_answer(ask(catalogue, claims, device="T4"), None))
    deciding = record["verdicts"][0]["legs"][0]["deciding"][0]
    assert deciding["uid"] == "supported/nvidia-turing@0.11.0"
    assert deciding["locator"] == "row › line 3"
    assert record["verdicts"][0]["query"].startswith("framework=vllm&version=0.11.0")
    assert json.loads(json.dumps(record)) == record


@pytest.mark.django_db
def test_the_command_writes_answers_and_ends_with_the_summary(tmp_path: Path) -> None:
    forget_knowledge()
    questions = tmp_path / "questions.jsonl"
    questions.write_text(_line(expected_verdict="not-determined") + "\n", encoding="utf-8")
    answers = tmp_path / "answers.jsonl"
    out = io.StringIO()
    call_command("ask", str(questions), out=answers, stdout=out)
    last = out.getvalue().strip().splitlines()[-1]
    assert last == "ask: 1 questions, 1 right, 0 wrong, 0 unknown, 0 false supported"
    assert json.loads(answers.read_text(encoding="utf-8"))["id"] == "a"


@pytest.mark.parametrize("content", [b"{\n", b"\xff\xfe\n", None])
def test_a_file_that_cannot_be_asked_ends_with_an_error(
    tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "questions.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(CommandError, match=r"questions\.jsonl"):
        call_command("ask", str(path), stdout=io.StringIO())
