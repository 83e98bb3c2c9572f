"""Applies a source's page rules to pages; every page that cannot be read is listed."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from ingest.contract import Page, PageRule, Source, UnexpectedPage, UnknownWord, Vocabulary
from ingest.domain.derive import PageReading


@dataclass
class RuleRun:
    """What reading a set of pages gave."""

    readings: list[PageReading] = field(default_factory=list)
    unexpected: list[UnexpectedPage] = field(default_factory=list)
    pages_read: int = 0
    pages_without_rule: int = 0

    @property
    def unknown_words(self) -> list[tuple[str, Page, UnknownWord]]:
        """Words and symbols that no vocabulary maps, with the source and page they stand on."""
        return [
            (item.source, item.page, word)
            for item in self.readings
            for word in item.reading.unknown_words
        ]


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def rules_for(source: Source, path: str) -> Iterator[PageRule]:
    """The rules of a source that read a page path."""
    for rule in source.rules:
        if any(_compiled(pattern).fullmatch(path) for pattern in rule.paths):
            yield rule


def run_rules(
    sources: Sequence[Source], pages: Iterable[Page], vocabulary: Vocabulary
) -> Iterator[tuple[Page, RuleRun]]:
    """Reads page by page, yielding after each so that progress can be shown."""
    run = RuleRun()
    for page in pages:
        matched = False
        for source in sources:
            for rule in rules_for(source, page.path):
                matched = True
                try:
                    reading = rule.parse(page, vocabulary)
                except UnexpectedPage as error:
                    run.unexpected.append(error)
                    continue
                run.readings.append(
                    PageReading(
                        source=source.name,
                        rule=rule.name,
                        parser=f"{source.name}/{source.parser_version}",
                        page=page,
                        reading=reading,
                    )
                )
        run.pages_read += matched
        run.pages_without_rule += not matched
        yield page, run
