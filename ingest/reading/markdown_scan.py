"""The state a Markdown page and its containers are scanned with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ingest.reading.builder import PageBuilder, PendingItem, Place
from ingest.reading.inline import Inline
from ingest.reading.inline_markdown import read_inline
from ingest.reading.lines import Line

_DEEPEST = 24
_MOST_CACHED = 20_000


@dataclass(slots=True)
class MarkdownPage:
    """What all blocks of one page share; `run` reads the blocks of one container."""

    builder: PageBuilder
    dialect: str
    refs: dict[str, str]
    run: Callable[[BlockScan], None]
    seen: dict[str, Inline] = field(default_factory=dict)

    def read(self, source: str) -> Inline:
        """Return what inline source shows."""
        shown = self.seen.get(source)
        if shown is None:
            shown = read_inline(source, refs=self.refs, autorefs=self.dialect == "mkdocs")
            if len(self.seen) < _MOST_CACHED:
                self.seen[source] = shown
        return shown

    def scan(self, lines: Sequence[Line], place: Place, item: PendingItem | None = None) -> None:
        """Add the blocks of some lines to the page; what nests too deep is read as text."""
        if not lines:
            return
        scan = BlockScan(self, list(lines), place, item)
        if place.depth > _DEEPEST:
            scan.text = [line for line in lines if line[1].strip()][:200]
            scan.flush()
            return
        self.run(scan)

    def scan_inside(
        self, lines: Sequence[Line], place: Place, item: PendingItem | None = None
    ) -> None:
        """Scan a container's lines one level deeper; its headings end with it."""
        path = list(self.builder.path)
        self.scan(lines, replace(place, depth=place.depth + 1), item)
        if lines:
            self.builder.restore_path(path, line=lines[-1][0] + 1)


@dataclass(slots=True)
class BlockScan:
    """The state of one pass over the lines of one container."""

    page: MarkdownPage
    lines: list[Line]
    place: Place
    item: PendingItem | None = None
    text: list[Line] = field(default_factory=list)
    partners: dict[tuple[int, int], tuple[int, int, int]] | None = None
    unclosed: set[str] = field(default_factory=set)

    @property
    def builder(self) -> PageBuilder:
        """Return the page's builder."""
        return self.page.builder

    def flush(self) -> None:
        """Add the paragraph or item text collected so far."""
        if not self.text:
            return
        line = self.text[0][0]
        raw = "\n".join(text.lstrip(" ") for _, text in self.text).rstrip()
        self.text = []
        shown = self.page.read(raw)
        if self.item is not None:
            item, self.item = self.item, None
            line = item.line
            self.builder.add_item(
                shown,
                raw=raw,
                line=line,
                place=self.place,
                checked=item.checked,
                ordered=item.ordered,
            )
            parents = (*self.place.parents, shown.text)
            self.place = replace(
                self.place, parents=parents, in_list=True, list_depth=self.place.list_depth + 1
            )
        else:
            self.builder.add_paragraph(shown, raw=raw, line=line, place=self.place)
        self.builder.note_definitions(raw, line=line, reader=self.page.read)
