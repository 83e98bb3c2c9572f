"""``manage.py check_facts FILE… --captures DIR``: hand-set facts against the product's readers."""

import hashlib
import json
from argparse import ArgumentParser
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ingest.captures import FACTS_PATH
from ingest.contract import Page
from ingest.domain.derive import PageReading
from ingest.domain.facts import FactResult, Outcome, compare_fact
from ingest.domain.run_rules import run_rules
from ingest.reading import UndecodablePage, decode_page
from ingest.sources import SOURCES
from matrix.catalog_files import read_catalogue


class Command(BaseCommand):
    help = "Read the pages that hand-set facts name and compare; needs no database."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", type=Path)
        parser.add_argument("--captures", type=Path, required=True)
        parser.add_argument("--framework", action="append", help="only this framework")
        parser.add_argument(
            "--fail-under", type=float, default=None, help="exit 1 below this percentage"
        )

    def handle(self, *args: object, **options: Any) -> None:
        facts = [fact for path in options["files"] for fact in _read_facts(path)]
        wanted = options["framework"] or sorted({s.framework for s in SOURCES})
        chosen = [fact for fact in facts if fact.get("framework") in wanted]
        self._vocabulary = read_catalogue().vocabulary
        results = []
        readings: dict[tuple[str, str], list[PageReading]] = {}
        for fact in chosen:
            place = _place_of(fact)
            if place not in readings:
                readings[place] = self._read(options["captures"], fact, place)
            results.append((fact, compare_fact(fact, readings[place])))
        self._report(results, len(facts) - len(chosen))
        right = sum(r.outcome is Outcome.RIGHT for _, r in results)
        share = options["fail_under"]
        if share is not None and right < share / 100 * len(results):
            raise CommandError(f"{right} of {len(results)} right is below {share} %")

    def _read(
        self, captures: Path, fact: Mapping[str, Any], place: tuple[str, str]
    ) -> list[PageReading]:
        folder, path = place
        framework = str(fact["framework"])
        file = captures / folder
        if not file.is_file():
            file = captures / "vllm_rendered" / str(fact.get("version", "")) / path
        if not file.is_file():
            self.stderr.write(f"{fact.get('id')}: {folder} is not in the captures")
            return []
        data = file.read_bytes()
        try:
            text = decode_page(data)
        except UndecodablePage as error:
            self.stderr.write(f"{folder}: {error}")
            return []
        page = Page(
            framework=framework,
            version=str(fact.get("version", "")),
            path=path,
            text=text,
            commit=str(fact.get("commit") or ""),
            sha256=hashlib.sha256(data).hexdigest(),
        )
        sources = [s for s in SOURCES if s.framework == framework]
        found: list[PageReading] = []
        for _, run in run_rules(sources, [page], self._vocabulary):
            for error in run.unexpected:
                self.stderr.write(str(error))
            found = run.readings
        return found

    def _report(self, results: list[tuple[Mapping[str, Any], FactResult]], skipped: int) -> None:
        by_framework: dict[str, Counter[Outcome]] = defaultdict(Counter)
        for fact, result in results:
            by_framework[str(fact["framework"])][result.outcome] += 1
            if result.outcome is not Outcome.RIGHT:
                self.stdout.write(
                    f"{result.outcome.value}: {result.identifier} {fact['framework']} "
                    f"{result.page} | row {result.row!r} | column {result.column!r} | "
                    f"expected {result.expected} | found {result.found}"
                )
        for framework, counts in sorted(by_framework.items()):
            self.stdout.write(
                f"{framework}: {sum(counts.values())} checked, {counts[Outcome.RIGHT]} right, "
                f"{counts[Outcome.OPPOSITE]} opposite, {counts[Outcome.MISSING]} missing"
            )
        if skipped:
            self.stdout.write(f"{skipped} facts are about frameworks without a source here")
        totals = Counter(result.outcome for _, result in results)
        self.stdout.write(
            f"facts: {len(results)} checked, {totals[Outcome.RIGHT]} right, "
            f"{totals[Outcome.OPPOSITE]} opposite, {totals[Outcome.MISSING]} missing"
        )


def _place_of(fact: Mapping[str, Any]) -> tuple[str, str]:
    """The file below the captures folder, and the page path that rules match."""
    if "facts_file" in fact:
        return str(fact["facts_file"]), FACTS_PATH
    if fact.get("local"):
        return str(fact["local"]), str(fact["page"])
    page = str(fact.get("page", ""))
    return f"{fact['framework']}/{fact['version']}/{page}", page


def _read_facts(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        raise CommandError(f"{path} is no file")
    facts = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            fact = json.loads(line)
        except ValueError as error:
            raise CommandError(f"{path.name}, line {number}: {error}") from error
        if not isinstance(fact, dict) or "framework" not in fact or "status" not in fact:
            raise CommandError(f"{path.name}, line {number}: a fact needs framework and status")
        facts.append(fact)
    return facts
