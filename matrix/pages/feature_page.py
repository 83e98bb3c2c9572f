"""The page of one service feature: what it is, and who says what about it, with the evidence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from django.urls import reverse
from django.utils.functional import Promise

from matrix.domain.catalogue import Catalogue, Node
from matrix.domain.claims import Claim
from matrix.index import Knowledge
from matrix.pages.claim import validity_sentence
from matrix.pages.evidence import Place, claim_marks, condition_line, place_of, scope_lines
from matrix.pages.feature_words import (
    ATTENTION_KERNELS,
    MODEL_PATHS,
    SERVICE_FRAMEWORKS,
    nature_word,
)
from matrix.pages.features import FeatureCell, FeatureColumn, column_of, feature_cell
from matrix.pages.links import label_of, summary_of, with_query

MOST_CLAIMS = 12


@dataclass(frozen=True, slots=True)
class StatedClaim:
    """One standing claim about the feature, with the newest place that says it."""

    uid: str
    level: str
    kind: str
    scope: Sequence[str]
    validity: str
    stated_on: date
    release: str
    place: Place
    note: str
    conditions: Sequence[str]
    marks: Sequence[str | Promise]


@dataclass(frozen=True, slots=True)
class FrameworkSays:
    """What one framework says of the feature now, and its claims, the most general first."""

    column: FeatureColumn
    cell: FeatureCell
    claims: Sequence[StatedClaim]
    total: int
    matrix_url: str


@dataclass(frozen=True, slots=True)
class FeaturePage:
    """Everything on the page of one feature."""

    node: Node
    summary: str
    nature: str
    parent_name: str
    parts: Sequence[tuple[str, str]]
    sources: Sequence[tuple[str, str]]
    frameworks: Sequence[FrameworkSays]
    section_url: str
    as_of: date


def build_feature_page(knowledge: Knowledge, slug: str, *, as_of: date) -> FeaturePage:
    """The page of one feature on a day: what it is, who says what about it, with the evidence."""
    catalogue = knowledge.catalogue
    area = catalogue.area("feature")
    node = area[slug]
    stated = claims_about(knowledge, slug)
    order = [s for s in SERVICE_FRAMEWORKS if s in catalogue.histories]
    order += sorted((s for s in stated if s not in order), key=lambda s: (-len(stated[s]), s))
    known = [catalogue.sources[key] for key in node.sources if key in catalogue.sources]
    return FeaturePage(
        node=node,
        summary=summary_of(node),
        nature=nature_word(node.facts.get("nature")),
        parent_name=label_of(area[node.parent]) if node.parent else "",
        parts=[(child.slug, label_of(child)) for child in area.values() if child.parent == slug],
        sources=[(source.title, source.url) for source in known],
        frameworks=[_says(knowledge, s, slug, stated.get(s, ()), as_of=as_of) for s in order],
        section_url=section_of(slug),
        as_of=as_of,
    )


def section_of(slug: str) -> str:
    """The section page that a feature belongs to besides its own; blank for most."""
    if slug in MODEL_PATHS:
        return reverse("features-model-paths")
    return reverse("features-attention") if slug in ATTENTION_KERNELS else ""


# The knowledge itself is kept beside what was found in it, so that its identity stays its own.
_ByFeature = Mapping[str, Mapping[str, Sequence[Claim]]]
_held: tuple[Knowledge, _ByFeature] | None = None


def claims_about(knowledge: Knowledge, slug: str) -> Mapping[str, Sequence[Claim]]:
    """The standing claims whose scope names the feature, by framework."""
    global _held
    held = _held
    if held is None or held[0] is not knowledge:
        held = _held = (knowledge, _claims_by_feature(knowledge))
    return held[1].get(slug, {})


def _claims_by_feature(knowledge: Knowledge) -> _ByFeature:
    found: dict[str, dict[str, list[Claim]]] = {}
    for claim in knowledge.index.claims():
        if claim.superseded_at is None and claim.withdrawn_at is None:
            for slug in claim.scope.features:
                found.setdefault(slug, {}).setdefault(claim.framework, []).append(claim)
    return found


def _says(
    knowledge: Knowledge, framework: str, slug: str, claims: Sequence[Claim], *, as_of: date
) -> FrameworkSays:
    column = column_of(knowledge.catalogue, framework, as_of=as_of)
    dated = [c for c in claims if any(seen.stated_on <= as_of for seen in c.observations)]
    dated.sort(key=_general_first)
    shown = [stated_claim(knowledge.catalogue, c, as_of=as_of) for c in dated[:MOST_CLAIMS]]
    return FrameworkSays(
        column=column,
        cell=feature_cell(knowledge, column, slug, as_of=as_of),
        claims=shown,
        total=len(dated),
        matrix_url=with_query(
            reverse("matrix"),
            [("framework", framework), ("rows", "version"), ("columns", "hardware"),
             ("feature", slug)],
        ),
    )  # fmt: skip


def _general_first(claim: Claim) -> tuple[int, int, str]:
    """Fewest restrictions first; among equals the newest statement."""
    newest = max(seen.stated_on for seen in claim.observations)
    axes = len(claim.scope.nodes) + len(claim.scope.features) + len(claim.scope.numbers)
    return axes, -newest.toordinal(), claim.uid


def stated_claim(catalogue: Catalogue, claim: Claim, *, as_of: date) -> StatedClaim:
    """The claim with the newest place that says it by the day."""
    seen = [o for o in claim.observations if o.stated_on <= as_of]
    newest = max(seen, key=lambda o: (o.stated_on, o.release))
    return StatedClaim(
        uid=claim.uid,
        level=claim.level.value,
        kind=claim.kind.value,
        scope=scope_lines(catalogue, claim.scope),
        validity=validity_sentence(claim),
        stated_on=newest.stated_on,
        release=newest.release,
        place=place_of(newest.document, newest.locator, reference=claim.reference),
        note=claim.note,
        conditions=[condition_line(c).text for c in claim.conditions],
        marks=claim_marks(claim),
    )
