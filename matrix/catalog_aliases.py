"""Names that curators gave to catalogue nodes: kept apart, so that no load loses them."""

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from django.db import transaction

from matrix.convert import load_catalogue
from matrix.domain.aliases import normalise_name
from matrix.domain.catalogue import AREA_OF_AXIS, NODE_AREAS
from matrix.domain.errors import InvalidValue, UnknownName
from matrix.domain.levels import Axis
from matrix.models import NODE_MODELS, CuratedAlias
from matrix.services import raise_revision, write_audit

CURATED_FILE = "curated-aliases.toml"


def area_of_axis(axis: str) -> str:
    """The catalogue area whose names a word of an axis is one of.

    **Raises**: ``InvalidValue`` for signs and other words that are no names of nodes.
    """
    if axis in NODE_AREAS:
        return axis
    areas = {str(known): area for known, area in AREA_OF_AXIS.items() if isinstance(known, Axis)}
    if axis not in areas:
        accepted = ", ".join(sorted({*areas, *NODE_AREAS}))
        raise InvalidValue(name="axis", value=axis, accepted=accepted)
    return areas[axis]


@transaction.atomic
def add_alias(
    *, area: str, word: str, slug: str, actor: str, now: datetime, reason: str = ""
) -> CuratedAlias:
    """Makes a word a name of a node.

    **Raises**: ``UnknownName`` for a slug that no node has, ``InvalidValue`` for a word that means
    something else already.
    """
    table = load_catalogue().vocabulary.table(area)
    if not NODE_MODELS[area].objects.filter(slug=slug).exists():
        raise UnknownName(axis=area, value=slug, nearest=table.nearest(slug))
    known = table.find(word)
    if known and known != (slug,):
        accepted = f"a word that does not mean {', '.join(known)} already"
        raise InvalidValue(name="word", value=word, accepted=accepted)
    alias, created = CuratedAlias.objects.get_or_create(
        area=area,
        word=word,
        defaults={"slug": slug, "reason": reason, "actor": actor, "recorded_at": now},
    )
    if created:
        apply_aliases(area)
        write_audit(
            actor=actor,
            action="add-alias",
            subject=f"{area}:{slug}",
            after={"word": word, "reason": reason},
        )
        raise_revision()
    return alias


def apply_aliases(area: str) -> int:
    """Adds the curated names of an area to its nodes; returns how many nodes that changed.

    A name whose node is gone, or that the files give to another node by now, is left out.
    **Queries**: 2 and 1 for each node that changes.
    """
    model = NODE_MODELS[area]
    wanted: dict[str, list[str]] = {}
    for alias in CuratedAlias.objects.filter(area=area):
        wanted.setdefault(alias.slug, []).append(alias.word)
    if not wanted:
        return 0
    taken = {
        normalise_name(word): row.slug
        for row in model.objects.only("slug", "name", "aliases", "moved")
        for word in (row.slug, row.name, *row.aliases, *row.moved)
    }
    changed = 0
    for row in model.objects.filter(slug__in=list(wanted)):
        fresh = [w for w in wanted[row.slug] if normalise_name(w) not in taken]
        if fresh:
            row.aliases = [*row.aliases, *fresh]
            row.save(update_fields=["aliases"])
            changed += 1
    return changed


def write_aliases(folder: Path, aliases: Iterable[CuratedAlias]) -> int:
    """Writes the curated names as a catalogue file; returns how many. None, no file."""
    path = folder / CURATED_FILE
    rows = sorted(aliases, key=lambda alias: (alias.area, alias.word))
    if not rows:
        path.unlink(missing_ok=True)
        return 0
    parts = ["# Names of sources that curators mapped to nodes; written by export_knowledge.\n"]
    for alias in rows:
        parts.append(
            "[[alias]]\n"
            f"area = {_quoted(alias.area)}\nword = {_quoted(alias.word)}\n"
            f"slug = {_quoted(alias.slug)}\nreason = {_quoted(alias.reason)}\n"
        )
    path.write_text("\n".join(parts), encoding="utf-8")
    return len(rows)


def _quoted(text: str) -> str:
    """A TOML basic string."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c >= " " else f"\\u{ord(c):04x}" for c in escaped) + '"'
