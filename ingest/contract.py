"""What a source is and what it returns: pages in, findings out, nothing else.

A source module is pure: it maps a page to findings. Fetching, storing, comparing and deciding
belong to the core. An unrecognised shape raises ``UnexpectedPage`` and writes nothing; an unknown
symbol or name is listed for review, never guessed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from functools import cached_property

from ingest.reading.document import Document as PageDocument
from ingest.reading.errors import ReadingError
from matrix.domain.aliases import Vocabulary
from matrix.domain.claims import Locator
from matrix.domain.coordinates import Condition, Scope
from matrix.domain.levels import EvidenceKind, Execution, Limit, Tier

__all__ = [
    "Finding",
    "FindingKind",
    "Page",
    "PageRule",
    "Reading",
    "ReadingError",
    "Source",
    "StatementStatus",
    "UnexpectedPage",
    "UnknownWord",
    "Vocabulary",
]


class FindingKind(StrEnum):
    """What a finding is about; only ``compatibility`` findings become claims."""

    COMPATIBILITY = "compatibility"
    REQUIREMENT = "requirement"
    ARTEFACT = "artefact"
    MAINTENANCE = "maintenance"
    LEGEND = "legend"
    VALUE = "value"
    POLICY = "policy"
    PAIRING = "pairing"
    DEPLOYMENT = "deployment"
    BENCHMARK = "benchmark"
    RELEASE = "release"


class StatementStatus(StrEnum):
    """What the page states, in the page's own legend, before it becomes a claim."""

    SUPPORTED = "supported"
    PARTIAL = "partial"
    UNSUPPORTED = "unsupported"
    EXPERIMENTAL = "experimental"
    DEPRECATED = "deprecated"
    REMOVED = "removed"
    PLANNED = "planned"
    WORK_IN_PROGRESS = "work-in-progress"
    DELAYED = "delayed"
    UNKNOWN = "unknown"  # the page itself says that it does not know
    UNTESTED = "untested"  # the page says untested / not verified
    NOT_STATED = "not-stated"  # blank or a sign without meaning
    NOT_APPLICABLE = "not-applicable"
    VIA_PLUGIN = "via-plugin"
    VIA_TRANSFORMERS = "via-transformers"
    INHERITS = "inherits"
    MIXED = "mixed"  # one cell, several statuses: the parts are findings of their own
    NO_ACCELERATION = "no-acceleration"
    KNOWN_ISSUES = "known-issues"
    INFORMAL_NAME = "informal-name"
    DOES_NOT_FIT = "does-not-fit"
    REQUIRES = "requires"
    PINNED = "pinned"
    RANGE = "range"
    VALUE = "value"
    VALIDATED = "validated"
    NONE = "none"  # the page says that there is none
    STALE = "stale"
    LEGEND = "legend"
    POLICY = "policy"
    PUBLISHED = "published"
    RELEASED = "released"
    SKIPPED = "skipped"
    CANDIDATE = "candidate"
    SUPERSEDED = "superseded"
    MAINTAINED = "maintained"
    MAINTENANCE = "maintenance"
    MOVED = "moved"


@dataclass(frozen=True, slots=True)
class Finding:
    """One statement of a page.

    **Shapes**: ``statement`` is a stable key over versions, built from the source's area and
    canonical slugs ("quantization-hardware/awq/nvidia-turing"), never from page words that may be
    renamed. ``names`` are the page's own words per facet ({"quantization": "AWQ"}); ``scope`` is
    what they mean (``None`` while a name is unknown: the finding then waits for review).
    ``footnotes`` carry the page's words for review only; ``note`` is our own sentence and ships.
    ``value`` holds numbers and strings of value/pin/range findings.
    """

    kind: FindingKind
    statement: str
    status: StatementStatus
    raw: str
    locator: Locator
    names: Mapping[str, str] = field(default_factory=dict)
    scope: Scope | None = None
    evidence: EvidenceKind = EvidenceKind.DOCUMENTATION
    tier: Tier = Tier.OFFICIAL
    execution: Execution = Execution.UNSTATED
    limit: Limit | None = None
    note: str = ""
    footnotes: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    links: tuple[str, ...] = ()
    value: str = ""
    since: str = ""  # a version from which the page itself says that it holds
    open_ended: bool = False  # "removed in", "from X on": holds until another statement
    release: str = ""  # set where one page speaks about several releases (release notes)
    parts: tuple[tuple[str, StatementStatus], ...] = ()  # for MIXED: ("x86", SUPPORTED), …


@dataclass(frozen=True, slots=True)
class UnknownWord:
    """A name or symbol that no vocabulary maps; a review item."""

    axis: str
    word: str
    locator: Locator


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything a rule read from one page.

    ``complete_lists`` names enumerations that claim to be complete ("models"); what they omit is
    "not listed", which is a reason for unknown, not a no. ``seen`` counts table cells and prose
    statements looked at, so that drift of coverage shows.
    """

    findings: tuple[Finding, ...]
    unknown_words: tuple[UnknownWord, ...] = ()
    complete_lists: tuple[str, ...] = ()
    seen: int = 0


class UnexpectedPage(Exception):
    """A page whose shape is not recognised: what was expected and the nearest thing found."""

    def __init__(self, *, path: str, expected: str, nearest: str) -> None:
        self.path = path
        self.expected = expected
        self.nearest = nearest
        super().__init__(f"{path}: expected {expected}; nearest thing found: {nearest or 'none'}")


@dataclass(frozen=True)
class Page:
    """One page of one framework at one version, as text.

    **Dates**: ``stated_on`` is the day the page speaks for (release or commit day), or ``None``.
    ``version`` is the label under which it was captured; ``release`` the catalogue release it is
    observed at (empty when it could not be placed).
    """

    framework: str
    version: str
    path: str
    text: str
    url: str = ""
    commit: str = ""
    release: str = ""
    stated_on: date | None = None
    sha256: str = ""

    @cached_property
    def document(self) -> PageDocument:
        """The page's structure: headings, tables, items, paragraphs, footnotes."""
        from ingest.reading import read_page

        return read_page(self.text, path=self.path)


Parse = Callable[[Page, Vocabulary], Reading]


@dataclass(frozen=True, slots=True)
class PageRule:
    """Which pages a parser reads.

    **Shapes**: ``paths`` are regular expressions matched against the whole page path; one page may
    be read by several rules, each writing its own statements.
    """

    name: str
    paths: tuple[str, ...]
    parse: Parse
    title: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """One framework's documentation or code facts: a name and its page rules.

    ``parser_version`` changes whenever a rule reads differently; it is stored with the evidence.
    """

    name: str
    framework: str
    title: str
    rules: tuple[PageRule, ...]
    parser_version: str = "1"
    folder: str = ""  # capture folder name when it differs from the framework slug
