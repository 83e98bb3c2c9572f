"""Applies a source's page rules to pages; every page that cannot be read is listed."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from ingest.contract import (
    Page,
    PageRule,
    ReadingError,
    Source,
    UnexpectedPage,
    UnknownWord,
    Vocabulary,
)
from ingest.domain.derive import PageReading


@dataclass(frozen=True, slots=True)
class Refusal:
    """A rule that could not read a page, and why."""

    source: str
    rule: str
    page: Page
    error: UnexpectedPage
    parser: str = ""

    def __str__(self) -> str:
        return f"{self.page.version} {self.error}"


@dataclass
class RuleRun:
    """What reading a set of pages gave."""

    readings: list[PageReading] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
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

    def accepted_readings(self) -> list[PageReading]:
        """Readings without those of a rule and version of which some page was refused.

        A rule that misses one page of a version cannot tell what that version no longer says.
        """
        refused = {(item.source, item.rule, item.page.version) for item in self.refusals}
        return [
            item
            for item in self.readings
            if (item.source, item.rule, item.page.version) not in refused
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
                _apply(source, rule, page, vocabulary, run)
        run.pages_read += matched
        run.pages_without_rule += not matched
        yield page, run


def _apply(
    source: Source, rule: PageRule, page: Page, vocabulary: Vocabulary, run: RuleRun
) -> None:
    parser = f"{source.name}/{source.parser_version}"
    try:
        reading = rule.parse(page, vocabulary)
    except UnexpectedPage as error:
        run.refusals.append(Refusal(source.name, rule.name, page, error, parser))
    except ReadingError as error:
        refused = UnexpectedPage(
            path=page.path, expected="a page of a readable structure", nearest=str(error)
        )
        run.refusals.append(Refusal(source.name, rule.name, page, refused, parser))
    else:
        run.readings.append(
            PageReading(
                source=source.name,
                rule=rule.name,
                parser=parser,
                page=page,
                reading=reading,
            )
        )
