"""Question files: one JSON object a line."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from matrix.domain.levels import SupportLevel
from matrix.domain.phrases import Phrase

# The words of question files for levels; both sides are read, the left one is written.
EXPECTED_LEVELS: Mapping[str, SupportLevel] = {
    "supported": SupportLevel.SUPPORTED,
    "conditional": SupportLevel.CONDITIONAL,
    "conditional-with-note": SupportLevel.CONDITIONAL,
    "partial": SupportLevel.PARTIAL,
    "unsupported": SupportLevel.UNSUPPORTED,
    "unknown": SupportLevel.UNKNOWN,
    "not-determined": SupportLevel.UNKNOWN,
}


class BrokenQuestions(ValueError):
    """A question file with lines that cannot be asked; ``problems`` has one sentence for each."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = list(problems)
        super().__init__(f"{len(self.problems)} lines cannot be asked")


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, in people's words. Nothing here says what the answer should be.

    **Dates**: ``as_of`` is the day the question is asked for.
    """

    uid: str
    framework: str
    as_of: date
    framework_version: str = ""
    model: str = ""
    quantization: str = ""
    device: str = ""
    arch: str = ""
    backend: str = ""
    count: int | None = None
    feature: str = ""
    question: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One line: the question, and the expected level where the file states one."""

    question: Question
    expected: SupportLevel | None


def read_questions(lines: Iterable[str], *, today: date) -> list[Line]:
    """The questions of a file; a question without a day is asked for ``today``.

    **Raises**: ``BrokenQuestions`` listing every bad line; no line is asked then.
    """
    found: list[Line] = []
    problems: list[str] = []
    seen: dict[str, int] = {}
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            line = _line(json.loads(text), number, today)
        except ValueError as error:
            problems.append(f"line {number}: {error}")
            continue
        earlier = seen.setdefault(line.question.uid, number)
        if earlier != number:
            problems.append(
                f"line {number}: id {line.question.uid!r} stands already at line {earlier}"
            )
        found.append(line)
    if problems:
        raise BrokenQuestions(problems)
    return found


def _line(raw: Any, number: int, today: date) -> Line:
    if not isinstance(raw, dict):
        raise ValueError(Phrase("is {name}; accepted: a JSON object", name=type(raw).__name__))
    hardware = raw.get("hardware") or {}
    if not isinstance(hardware, dict):
        raise ValueError(
            Phrase("hardware is {hardware!r}; accepted: an object or null", hardware=hardware)
        )
    framework = _text(raw, "framework")
    if not framework:
        raise ValueError(Phrase("framework is missing; accepted: the name of a framework"))
    question = Question(
        uid=_text(raw, "id") or f"line-{number}",
        framework=framework,
        as_of=_day(raw.get("as_of"), today),
        framework_version=_text(raw, "framework_version"),
        model=_text(raw, "model"),
        quantization=_text(raw, "quantization"),
        device=_text(hardware, "device"),
        arch=_text(hardware, "arch"),
        backend=_text(hardware, "backend"),
        count=_count(hardware.get("count")),
        feature=_text(raw, "feature"),
        question=_text(raw, "question"),
        kind=_text(raw, "kind"),
    )
    return Line(question=question, expected=_expected(raw.get("expected_verdict")))


def _text(raw: Mapping[str, Any], name: str) -> str:
    value = raw.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(
            Phrase("{name} is {value!r}; accepted: a text or null", name=name, value=value)
        )
    return value.strip()


def _day(value: Any, today: date) -> date:
    if value is None:
        return today
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        raise ValueError(
            Phrase("as_of is {value!r}; accepted: a day such as 2025-06-30", value=value)
        ) from None


def _count(value: Any) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(
            Phrase("hardware count is {value!r}; accepted: a whole number from 1 on", value=value)
        )
    return value


def _expected(value: Any) -> SupportLevel | None:
    if value is None:
        return None
    if value not in EXPECTED_LEVELS:
        accepted = ", ".join(EXPECTED_LEVELS)
        raise ValueError(
            Phrase(
                "expected_verdict is {value!r}; accepted: {accepted}",
                value=value,
                accepted=accepted,
            )
        )
    return EXPECTED_LEVELS[value]
