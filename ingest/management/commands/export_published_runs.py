"""Writes the measured tables of captured pages as runs of class "published"."""

import json
import re
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ingest.captures import BrokenCaptures, read_captures
from ingest.domain.derive import PageReading
from ingest.domain.published_runs import PublishedRun, published_runs
from ingest.domain.run_rules import RuleRun, run_rules
from ingest.sources import SOURCES
from matrix.catalog_files import read_catalogue
from matrix.domain.catalogue import Catalogue

FRAMEWORKS = ("sglang", "tensorrt-llm")


class Command(BaseCommand):
    """One file a page, in the documented JSON of runs; the same pages give the same bytes."""

    help = "Write the measured tables of captured pages as published runs; needs no database."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The folder of captures and that of the runs."""
        parser.add_argument("--from", dest="captures", type=Path, required=True)
        parser.add_argument("--to", type=Path, required=True)

    def handle(self, *args: Any, **options: Any) -> None:
        """Writes the files and says how many runs each holds."""
        catalogue = read_catalogue()
        for framework in FRAMEWORKS:
            for reading in self._readings(options["captures"], framework, catalogue):
                runs = published_runs(
                    reading, framework_name=catalogue.area("framework")[framework].name
                )
                if runs:
                    self._write(options["to"], reading, runs)

    def _readings(self, captures: Path, framework: str, catalogue: Catalogue) -> list[PageReading]:
        """What the framework's sources read from all of its pages."""
        try:
            found = read_captures(captures / framework, framework=framework, catalogue=catalogue)
        except (BrokenCaptures, OSError) as error:
            raise CommandError(f"{captures / framework}: {error}") from error
        sources = [source for source in SOURCES if source.framework == framework]
        read = RuleRun()
        for _page, run in run_rules(sources, found.pages, catalogue.vocabulary):
            read = run
        return read.readings

    def _write(self, folder: Path, reading: PageReading, runs: tuple[PublishedRun, ...]) -> None:
        page = reading.page
        shared = _shared_facts(runs)
        lines = [json.dumps(_plain(run, shared), ensure_ascii=False) for run in runs]
        # A run a line, so that a changed row is a changed line.
        head = json.dumps({"format": "runproof.run", "version": 1, "facts": shared},
                          ensure_ascii=False)[:-1]  # fmt: skip
        text = head + ', "runs": [\n' + ",\n".join(lines) + "\n]}\n"
        stem = re.sub(r"\W+", "-", Path(page.path).stem)
        path = folder / page.framework / f"{page.release or page.version}-{stem}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        self.stdout.write(f"{path.name}: {len(runs)} runs")


def _shared_facts(runs: tuple[PublishedRun, ...]) -> dict[str, object]:
    """The facts that all runs of a page state alike."""
    counts = Counter((name, value) for run in runs for name, value in run.facts.items())
    return dict(sorted(pair for pair, count in counts.items() if count == len(runs)))


def _plain(run: PublishedRun, shared: dict[str, object]) -> dict[str, object]:
    metrics: dict[tuple[str, str], dict[str, float]] = {}
    for metric, definition, stat, value in run.metrics:
        metrics.setdefault((metric, definition), {})[stat] = value
    return {
        "status": "ok",
        "facts": {n: v for n, v in sorted(run.facts.items()) if n not in shared},
        "load": dict(run.load),
        "metrics": [
            {"metric": metric, "definition": definition, "stats": stats}
            for (metric, definition), stats in metrics.items()
        ],
    }
