"""How tests write down what a source found: one line for each finding."""

from collections.abc import Mapping, Sequence
from datetime import date

from ingest.contract import Finding, FindingKind, Page, PageRule, Reading, Source, Vocabulary
from matrix.domain.aliases import build_name_table
from matrix.domain.coordinates import Scope


def vocabulary_of(**axes: Mapping[str, str]) -> Vocabulary:
    """A vocabulary from ``axis={"Spelling": "slug, slug"}``."""
    return Vocabulary(
        tables={
            axis: build_name_table(
                axis, [(word, tuple(slugs.split(", "))) for word, slugs in words.items()]
            )
            for axis, words in axes.items()
        }
    )


def page_of(text: str, *, path: str, version: str = "v1.0.0", framework: str = "any") -> Page:
    """A page as a capture gives it."""
    return Page(
        framework=framework,
        version=version,
        path=path,
        text=text,
        release=version.removeprefix("v"),
        stated_on=date(2025, 1, 1),
    )


def rule_named(source: Source, name: str) -> PageRule:
    """The rule of a source; a name that it does not have fails the test."""
    return next(rule for rule in source.rules if rule.name == name)


def said(reading: Reading) -> list[str]:
    """Every finding as "status statement [scope]", values with what they hold."""
    return [line_of(found) for found in reading.findings]


def line_of(found: Finding) -> str:
    """One finding in one line."""
    line = f"{found.status} {found.statement}"
    if found.kind is not FindingKind.COMPATIBILITY:
        return f"{line} ({found.kind}) = {found.value}" if found.value else f"{line} ({found.kind})"
    return f"{line} [{scope_text(found.scope)}]"


def scope_text(scope: Scope | None) -> str:
    """A scope in one line; "?" while a word of it is unknown."""
    if scope is None:
        return "?"
    parts = []
    for axis, nodes in scope.nodes.items():
        names = [*sorted(nodes.include), *(f"-{slug}" for slug in sorted(nodes.exclude))]
        parts.append(f"{axis}={','.join(names)}")
    if scope.features:
        parts.append(f"features={'+'.join(sorted(scope.features))}")
    for number, span in scope.numbers.items():
        parts.append(f"{number}>={span.minimum:g}" if span.minimum is not None else str(number))
    return " ".join(parts)


def unknown(reading: Reading) -> list[str]:
    """The words that nothing mapped."""
    return [f"{word.axis}: {word.word}" for word in reading.unknown_words]


def places(reading: Reading) -> Sequence[tuple[str, str, int | None]]:
    """Where each finding stands: row, column, line."""
    return [(f.locator.row, f.locator.column, f.locator.line) for f in reading.findings]
