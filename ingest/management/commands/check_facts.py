"""``manage.py check_facts FILE… --captures DIR``: hand-set facts against the product's readers."""

import hashlib
import json
from argparse import ArgumentParser
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ingest.captures import FACTS_PATH
from ingest.contract import Page, Vocabulary
from ingest.derived import find_derived
from ingest.domain.derive import PageReading
from ingest.domain.facts import FactNames, FactResult, Outcome, compare_fact
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
        captures: Path = options["captures"]
        if not captures.is_dir():
            raise CommandError(f"{captures} is no folder of captures")
        wanted = options["framework"] or _known_frameworks()
        chosen = [fact for fact in facts if fact["framework"] in wanted]
        catalogue = read_catalogue()
        names = FactNames(catalogue)
        readings: dict[tuple[str, str], list[PageReading]] = {}
        results = []
        for fact in chosen:
            place = _place_of(fact)
            if place not in readings:
                readings[place] = self._read(captures, fact, place, catalogue.vocabulary)
            results.append((fact, compare_fact(fact, readings[place], names)))
        self._report(results, len(facts) - len(chosen))
        counts = Counter(result.outcome for _, result in results)
        if counts[Outcome.OPPOSITE]:
            raise CommandError(f"{counts[Outcome.OPPOSITE]} facts are read as the opposite")
        share = options["fail_under"]
        if share is not None and counts[Outcome.RIGHT] < share / 100 * len(results):
            raise CommandError(
                f"{counts[Outcome.RIGHT]} of {len(results)} right is below {share:g} %"
            )

    def _read(
        self,
        captures: Path,
        fact: Mapping[str, Any],
        place: tuple[str, str],
        vocabulary: Vocabulary,
    ) -> list[PageReading]:
        """What every source of the framework reads from the page; nothing when it is not there."""
        local, path = place
        framework = str(fact["framework"])
        version = str(fact.get("version", ""))
        file = _find_file(captures, local, framework=framework, version=version, path=path)
        if file is None:
            self.stderr.write(f"{fact.get('id')}: {local} is not in the captures")
            return []
        data = file.read_bytes()
        try:
            text = decode_page(data)
        except UndecodablePage as error:
            self.stderr.write(f"{local}: {error}")
            return []
        page = Page(
            framework=framework,
            version=version,
            path=path,
            text=text,
            commit=str(fact.get("commit") or ""),
            sha256=hashlib.sha256(data).hexdigest(),
        )
        sources = [s for s in SOURCES if framework in {s.framework, s.folder}]
        found: list[PageReading] = []
        for _, run in run_rules(sources, [page], vocabulary):
            for refusal in run.refusals:
                self.stderr.write(str(refusal))
            found = run.readings
        return found

    def _report(
        self, results: Sequence[tuple[Mapping[str, Any], FactResult]], skipped: int
    ) -> None:
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
                f"{counts[Outcome.OPPOSITE]} opposite, {counts[Outcome.MISSING]} missing; "
                f"{_rates(counts)}"
            )
        if skipped:
            self.stdout.write(f"{skipped} facts are about frameworks without a source here")
        totals = Counter(result.outcome for _, result in results)
        self.stdout.write(
            f"facts: {len(results)} checked, {totals[Outcome.RIGHT]} right, "
            f"{totals[Outcome.OPPOSITE]} opposite, {totals[Outcome.MISSING]} missing"
        )


def _rates(counts: Counter[Outcome]) -> str:
    """Precision: of what was found, how much is right; recall: of all facts, how much was found."""
    checked = sum(counts.values())
    found = checked - counts[Outcome.MISSING]
    right = counts[Outcome.RIGHT]
    precision = f"{right / found:.1%}" if found else "not measurable"
    return f"precision {precision}, recall {right / checked:.1%}"


def _known_frameworks() -> set[str]:
    return {name for s in SOURCES for name in (s.framework, s.folder) if name}


def _place_of(fact: Mapping[str, Any]) -> tuple[str, str]:
    """The file below the captures folder, and the page path that rules match."""
    if "facts_file" in fact:
        return str(fact["facts_file"]), FACTS_PATH
    page = str(fact.get("page", ""))
    if fact.get("local"):
        return str(fact["local"]), page
    return f"{fact['framework']}/{fact.get('version', '')}/{page}", page


def _find_file(
    captures: Path, local: str, *, framework: str, version: str, path: str
) -> Path | None:
    """The captured file, its rendered form, or what was derived from it; never one outside."""
    rendered = captures / f"{framework}_rendered" / version / path
    derived = find_derived(captures, framework=framework, label=version, path=path)
    for file in (captures / local, rendered, derived):
        if file is None or not file.resolve().is_relative_to(captures.resolve()):
            continue
        if file.is_file():
            return file
    return None


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
        if not isinstance(fact, dict) or not {"framework", "status"} <= set(fact):
            raise CommandError(f"{path.name}, line {number}: a fact needs framework and status")
        facts.append(fact)
    return facts
