"""The context of the page of domestic accelerators: per vendor its stacks, numbers and gaps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from matrix.accelerators import AxisCount, Stack, Vendor, domestic_vendors
from matrix.asking import UnknownParameter
from matrix.domain.catalogue import Catalogue
from matrix.domain.coordinates import Cell
from matrix.domain.levels import SupportLevel
from matrix.following import Following
from matrix.index import Knowledge
from matrix.pages.asked import Words, reader_for
from matrix.pages.links import cell_url, label_of, node_name, with_query
from matrix.pages.words import LEVEL_SIGNS, Sign, axis_word
from matrix.queries import with_axis

PARAMETERS = ("as_of",)
_MOST_NAMES = 6
_MOST_CONFLICTS = 5


@dataclass(frozen=True, slots=True)
class CountRow:
    """One axis of one stack: how many nodes stand at each level, and where to see them."""

    word: str
    count: AxisCount
    levels: Sequence[tuple[Sign, int]]
    url: str


@dataclass(frozen=True, slots=True)
class StackRow:
    """One stack with its links. **Shapes**: conflicts are (what, address of the cell)."""

    stack: Stack
    parent: str
    devices: Sequence[str]
    counts: Sequence[CountRow]
    conflicts: Sequence[tuple[str, str]]
    more_conflicts: int
    claims_url: str


@dataclass(frozen=True, slots=True)
class VendorRow:
    """One vendor with its stacks; those without any claim are names only."""

    vendor: Vendor
    stacks: Sequence[StackRow]
    silent: Sequence[tuple[str, str]]
    devices: Sequence[str]
    gaps: Sequence[str]


@dataclass(frozen=True, slots=True)
class DomesticPage:
    """Everything on the page."""

    vendors: Sequence[VendorRow]
    as_of: date
    is_today: bool
    revision: int


def read_as_of(words: Words, knowledge: Knowledge) -> date:
    """The asked day. **Raises**: ``InvalidValue``, ``UnknownParameter``."""
    reader = reader_for(knowledge)
    for name in words:
        if name not in PARAMETERS:
            raise UnknownParameter(name=name, accepted=PARAMETERS)
    return reader.read_day("as_of", (words.get("as_of") or [""])[-1]) or reader.today


def build_domestic_page(knowledge: Knowledge, *, as_of: date, today: date) -> DomesticPage:
    """The page. **Queries**: none."""
    vendors = domestic_vendors(knowledge, as_of=as_of)
    return DomesticPage(
        vendors=[_vendor_row(knowledge.catalogue, vendor, as_of, today) for vendor in vendors],
        as_of=as_of,
        is_today=as_of == today,
        revision=knowledge.revision,
    )


def _vendor_row(catalogue: Catalogue, vendor: Vendor, as_of: date, today: date) -> VendorRow:
    pinned = None if as_of == today else as_of
    speaking = [stack for stack in vendor.stacks if stack.claims]
    return VendorRow(
        vendor=vendor,
        stacks=[_stack_row(catalogue, vendor, stack, pinned) for stack in speaking],
        silent=[(s.node.slug, label_of(s.node)) for s in vendor.stacks if not s.claims],
        devices=_names(catalogue, vendor.devices),
        gaps=_gaps(catalogue, vendor, speaking),
    )


def _names(catalogue: Catalogue, slugs: Sequence[str]) -> list[str]:
    return [node_name(catalogue, "hardware", slug) for slug in slugs]


def _stack_row(catalogue: Catalogue, vendor: Vendor, stack: Stack, pinned: date | None) -> StackRow:
    slug, root = stack.node.slug, vendor.node.slug
    conflicts = [
        (
            f"{node_name(catalogue, count.axis, row)} × {node_name(catalogue, 'hardware', column)}",
            cell_url(
                with_axis(with_axis(Cell(framework=slug), "hardware", column), count.axis, row),
                as_of=pinned,
            ),
        )
        for count in stack.counts
        for row, column in count.conflicts
    ]
    day = pinned.isoformat() if pinned else ""
    return StackRow(
        stack=stack,
        parent=node_name(catalogue, "framework", stack.node.parent) if stack.node.parent else "",
        devices=_names(catalogue, stack.devices),
        counts=[_count_row(slug, count, day) for count in stack.counts],
        conflicts=conflicts[:_MOST_CONFLICTS],
        more_conflicts=max(0, len(conflicts) - _MOST_CONFLICTS),
        claims_url=with_query(
            reverse("api-claims"),
            [("framework", slug), ("hardware", root), ("standing", "true"), ("as_of", day)],
        ),
    )


def _count_row(slug: str, count: AxisCount, day: str) -> CountRow:
    return CountRow(
        word=axis_word(count.axis),
        count=count,
        levels=[(LEVEL_SIGNS[level], count.levels[level]) for level in SupportLevel],
        url=with_query(
            reverse("matrix"),
            [
                ("framework", slug),
                ("rows", count.axis),
                ("columns", "hardware"),
                ("rows_level", "any"),
                ("columns_level", "any"),
                ("as_of", day),
            ],
        ),
    )


def _gaps(catalogue: Catalogue, vendor: Vendor, speaking: Sequence[Stack]) -> list[str]:
    """What the claims leave open, in sentences made from counts and names of the catalogue."""
    found = []
    if not speaking:
        found.append(_("No statement names this hardware at all."))
        return found
    if vendor.unnamed_devices:
        names = ", ".join(_names(catalogue, vendor.unnamed_devices[:_MOST_NAMES]))
        n = len(vendor.unnamed_devices)
        found.append(
            ngettext(
                "No statement names %(n)s device of the catalogue: %(names)s.",
                "No statement names %(n)s devices of the catalogue, such as %(names)s.",
                n,
            )
            % {"n": n, "names": names}
        )
    if not any(stack.measured for stack in speaking):
        found.append(_("Nothing was measured: every statement is words or code."))
    unpaired = [label_of(s.node) for s in speaking if s.following and not s.following.follows]
    if unpaired:
        found.append(
            _("Which upstream release is followed is not stated for %(names)s.")
            % {"names": ", ".join(unpaired)}
        )
    due = [label_of(s.node) for s in speaking if s.is_due]
    if due:
        found.append(
            _("Nobody repeated a statement within the re-check limit for %(names)s.")
            % {"names": ", ".join(due)}
        )
    return [*found, *_unknown_gaps(speaking)]


def _unknown_gaps(speaking: Sequence[Stack]) -> list[str]:
    found = []
    for axis, text in (
        ("model", _("No stack states any model for this hardware.")),
        ("quantization", _("No stack states any quantization for this hardware.")),
        ("feature", _("No stack states any feature for this hardware.")),
    ):
        if not any(c.total for stack in speaking for c in stack.counts if c.axis == axis):
            found.append(text)
    unknown = sum(c.levels[SupportLevel.UNKNOWN] for stack in speaking for c in stack.counts)
    if unknown:
        found.append(
            ngettext(
                "%(n)s thing that was named with this hardware has no answer today.",
                "%(n)s things that were named with this hardware have no answer today.",
                unknown,
            )
            % {"n": unknown}
        )
    return found


def following_plain(following: Following | None) -> Mapping[str, object] | None:
    """Which upstream release a stack follows, as plain data."""
    if following is None:
        return None
    return {
        "upstream": following.upstream,
        "version": following.version or None,
        "is_newest_version": following.is_newest,
        "follows": following.follows or None,
        "follows_on": following.follows_on.isoformat() if following.follows_on else None,
        "upstream_newest": following.newest,
        "upstream_newest_on": following.newest_on.isoformat(),
        "behind_days": following.days_behind,
        "behind_releases_count": following.releases_behind,
    }
