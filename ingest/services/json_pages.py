"""One answer of an interface as its reader gets it, and what a reader says when it is unusable."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ingest.contract import UnexpectedPage
from ingest.domain.feeds.feed import Feed
from ingest.services.listing import UnusableListing
from matrix.domain.catalogue import Catalogue


@dataclass(frozen=True)
class JsonPage:
    """One answer of an interface.

    **Shapes**: ``template`` is the feed's own address of it, so that a reader can tell the
    answers of one feed apart; ``links`` are the addresses of its ``Link`` header by relation.
    """

    feed: Feed
    template: str
    url: str
    value: Any
    snapshot_sha256: str
    retrieved_at: datetime
    links: Mapping[str, str]


# What a reader writes it writes inside the caller's transaction; it returns whether that changed
# anything.
ReadJson = Callable[[JsonPage, Catalogue], bool]


class UnusableAnswer(UnusableListing):
    """An answer of an interface whose shape is another one; the poll fails and nothing changes."""

    code = "unusable-answer"

    def __init__(self, error: UnexpectedPage) -> None:
        super().__init__(error.path, error.nearest)
        self.facts = {"url": error.path, "expected": error.expected, "seen": error.nearest}
        self.args = (f"The answer of {error.path} is {error.nearest}; accepted: {error.expected}.",)
