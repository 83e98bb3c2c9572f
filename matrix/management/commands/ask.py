"""``manage.py ask FILE``: answers questions in free words, and says how good the answers are."""

import json
from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from matrix.index import current_knowledge
from matrix.questions.answers import answer_question
from matrix.questions.changes import read_changes
from matrix.questions.files import BrokenQuestions, Line, read_questions
from matrix.questions.records import answer_record
from matrix.questions.scoring import (
    Outcome,
    Scored,
    count_by_kind,
    score_answer,
    summary_line,
)


class Command(BaseCommand):
    help = "Answer questions from a JSONL file and compare with the answers the file expects."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="questions, one JSON object a line")
        parser.add_argument("--out", type=Path, help="write answers with deciding claims (JSONL)")
        parser.add_argument("--wrong", action="store_true", help="also list every wrong answer")

    def handle(self, *args: object, **options: object) -> None:
        lines = _read(Path(str(options["file"])))
        knowledge = current_knowledge()
        changes = read_changes(knowledge.index)
        scored = [
            score_answer(
                answer_question(
                    line.question,
                    index=knowledge.index,
                    catalogue=knowledge.catalogue,
                    changes=changes,
                ),
                line.expected,
            )
            for line in lines
        ]
        if options["out"]:
            _write(Path(str(options["out"])), scored)
        self._show_table(scored)
        for item in scored:
            if item.is_false_supported:
                self._show_answer("false supported", item)
            elif options["wrong"] and item.outcome is Outcome.WRONG:
                self._show_answer("wrong", item)
        self.stdout.write(summary_line(scored))

    def _show_table(self, scored: list[Scored]) -> None:
        shown = [Outcome.RIGHT, Outcome.WRONG, Outcome.UNKNOWN]
        table = count_by_kind(scored)
        width = max([len(kind) for kind in table] or [4])
        self.stdout.write(f"{'kind':<{width}}" + "".join(f"{o.value:>9}" for o in shown))
        for kind, counts in table.items():
            self.stdout.write(f"{kind:<{width}}" + "".join(f"{counts[o]:>9}" for o in shown))

    def _show_answer(self, word: str, item: Scored) -> None:
        answer = item.answer
        expected = item.expected.value if item.expected else "-"
        self.stdout.write(
            f"{word}: {answer.question.uid}: said {answer.level}, expected {expected}: "
            f"{answer.question.question}"
        )
        for verdict in answer.verdicts:
            for candidate in verdict.deciding:
                seen = candidate.observation
                self.stdout.write(
                    f"    {candidate.claim.level} by {candidate.claim.statement} "
                    f"({candidate.claim.kind}, {seen.release}, {seen.document.url})"
                )


def _read(path: Path) -> list[Line]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path} cannot be read: {error}") from error
    try:
        return read_questions(text.splitlines(), today=timezone.now().date())
    except BrokenQuestions as error:
        raise CommandError("\n".join([f"{path}: {error}", *error.problems])) from error


def _write(path: Path, scored: list[Scored]) -> None:
    lines = [json.dumps(answer_record(item), ensure_ascii=False) + "\n" for item in scored]
    try:
        path.write_text("".join(lines), encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error}") from error
