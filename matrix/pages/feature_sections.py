"""Two sections among the features: kernels of attention, and TensorRT-LLM's paths for a model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from django.utils.functional import Promise
from django.utils.translation import get_language

from matrix.domain.catalogue import Catalogue, Node
from matrix.domain.claims import Claim
from matrix.domain.coordinates import Cell
from matrix.domain.levels import Axis, SupportLevel
from matrix.domain.sharing import SharedLegs
from matrix.domain.versions import STABLE_LINE
from matrix.index import Knowledge
from matrix.pages.feature_page import StatedClaim, claims_about, stated_claim
from matrix.pages.feature_words import ATTENTION_KERNELS, MODEL_PATHS, NATURE_NOTES, nature_word
from matrix.pages.features import FeatureCell, FeatureColumn, column_of, feature_cell
from matrix.pages.links import label_of, node_name, summary_of
from matrix.pages.translated import in_words

PATHS_FRAMEWORK = "tensorrt-llm"
RELEASE_COUNT_DAYS = 365


# -- attention kernels ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class KernelUse:
    """One framework's words about a kernel: its level now, and on the hardware its claims name.

    **Shapes**: names of hardware by the level of the kernel on it; where the sources leave it open
    or contradict each other, a name is in none of them.
    """

    column: FeatureColumn
    cell: FeatureCell
    runs_on: Sequence[str]
    conditional_on: Sequence[str]
    refused_on: Sequence[str]
    unrestricted: bool


@dataclass(frozen=True, slots=True)
class KernelRow:
    """One kernel, library, algorithm or layout, and the frameworks that speak about it."""

    slug: str
    name: str
    summary: str
    nature: str
    note: str | Promise
    uses: Sequence[KernelUse]


@dataclass(frozen=True, slots=True)
class KernelsPage:
    """Everything on the page of attention kernels."""

    rows: Sequence[KernelRow]
    as_of: date


def build_kernels_page(knowledge: Knowledge, *, as_of: date) -> KernelsPage:
    """What each attention kernel is, and which framework states it on which hardware."""
    kept = _pages_of(knowledge)
    key = (as_of, get_language())
    if key not in kept:
        if len(kept) >= _MOST_PAGES:
            kept.clear()
        kept[key] = _build_kernels_page(knowledge, as_of=as_of)
    return kept[key]


# The knowledge itself is kept beside what was found in it, so that its identity stays its own.
_Pages = dict[tuple[date, str | None], KernelsPage]
_held: tuple[Knowledge, _Pages] | None = None
_MOST_PAGES = 16


def _pages_of(knowledge: Knowledge) -> _Pages:
    """The pages of kernels built so far of this knowledge."""
    global _held
    held = _held
    if held is None or held[0] is not knowledge:
        held = _held = (knowledge, {})
    return held[1]


def _build_kernels_page(knowledge: Knowledge, *, as_of: date) -> KernelsPage:
    area = knowledge.catalogue.area("feature")
    shared = SharedLegs()
    return KernelsPage(
        rows=[
            _kernel_row(knowledge, area[slug], as_of=as_of, shared=shared)
            for slug in ATTENTION_KERNELS
            if slug in area
        ],
        as_of=as_of,
    )


def _kernel_row(knowledge: Knowledge, node: Node, *, as_of: date, shared: SharedLegs) -> KernelRow:
    stated = claims_about(knowledge, node.slug)
    uses = []
    for framework in sorted(stated, key=lambda slug: (-len(stated[slug]), slug)):
        column = column_of(knowledge.catalogue, framework, as_of=as_of)
        standing = [c for c in stated[framework] if _stands(knowledge.catalogue, c, column, as_of)]
        if standing:
            uses.append(_use(knowledge, node.slug, column, standing, as_of=as_of, shared=shared))
    return KernelRow(
        slug=node.slug,
        name=label_of(node),
        summary=summary_of(node),
        nature=nature_word(node.facts.get("nature")),
        note=NATURE_NOTES.get(node.slug, ""),
        uses=uses,
    )


def _stands(catalogue: Catalogue, claim: Claim, column: FeatureColumn, as_of: date) -> bool:
    """Whether the claim was made by the day and not taken back by the column's release."""
    if column.release is None or all(seen.stated_on > as_of for seen in claim.observations):
        return False
    history = catalogue.histories[column.slug]
    now = history.rank(column.release.version)
    gone = history.find_rank(claim.validity.gone) if claim.validity.gone else None
    first = history.find_rank(claim.validity.first)
    return (gone is None or gone > now) and (first is None or first <= now)


def _use(
    knowledge: Knowledge,
    slug: str,
    column: FeatureColumn,
    claims: Sequence[Claim],
    *,
    as_of: date,
    shared: SharedLegs,
) -> KernelUse:
    named = {
        node
        for claim in claims
        if Axis.HARDWARE in claim.scope.nodes
        for node in claim.scope.nodes[Axis.HARDWARE].include
    }
    levels: dict[SupportLevel, set[str]] = {}
    for node in named:
        cell = Cell(column.slug, nodes={Axis.HARDWARE: node}, features=frozenset({slug}))
        glance = knowledge.index.glance_at(cell, as_of=as_of, shared=shared)
        levels.setdefault(glance.level, set()).add(node)
    partly = levels.get(SupportLevel.CONDITIONAL, set()) | levels.get(SupportLevel.PARTIAL, set())
    return KernelUse(
        column=column,
        cell=feature_cell(knowledge, column, slug, as_of=as_of, shared=shared),
        runs_on=_names(knowledge.catalogue, levels.get(SupportLevel.SUPPORTED, set())),
        conditional_on=_names(knowledge.catalogue, partly),
        refused_on=_names(knowledge.catalogue, levels.get(SupportLevel.UNSUPPORTED, set())),
        unrestricted=any(
            claim.level is SupportLevel.SUPPORTED
            and claim.scope.features == {slug}
            and not claim.scope.nodes
            for claim in claims
        ),
    )


def _names(catalogue: Catalogue, slugs: set[str]) -> list[str]:
    """Names of the widest nodes: what lies below a named one is left out."""
    tree = catalogue.trees.tree(Axis.HARDWARE)
    widest = [slug for slug in slugs if slugs.isdisjoint(tree.up(slug)[1:])]
    return sorted(node_name(catalogue, "hardware", slug) for slug in widest)


# -- model paths ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ModelPath:
    """One path by which a model gets into TensorRT-LLM, and what an upgrade of it costs.

    **Shapes**: ``steps`` are commands before the start; ``rebuild_on`` is what a built engine is
    bound to, so that a change of it means to build again.
    """

    slug: str
    name: str
    summary: str
    cell: FeatureCell
    started_by: str
    default_since: str
    steps: Sequence[str]
    rebuild_on: Sequence[str]
    history: Sequence[StatedClaim]
    sources: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class ModelPathsPage:
    """Everything on the page of model paths.

    ``releases`` counts the stable releases of the year before ``as_of``.
    """

    column: FeatureColumn
    paths: Sequence[ModelPath]
    releases: int
    as_of: date


def build_model_paths_page(knowledge: Knowledge, *, as_of: date) -> ModelPathsPage | None:
    """The paths of a model into TensorRT-LLM; ``None`` without such a framework."""
    catalogue = knowledge.catalogue
    history = catalogue.histories.get(PATHS_FRAMEWORK)
    if history is None:
        return None
    column = column_of(catalogue, PATHS_FRAMEWORK, as_of=as_of)
    start = as_of - timedelta(days=RELEASE_COUNT_DAYS)
    area = catalogue.area("feature")
    return ModelPathsPage(
        column=column,
        paths=[
            _path(knowledge, area[slug], column, as_of=as_of)
            for slug in MODEL_PATHS
            if slug in area
        ],
        releases=sum(
            release.line == STABLE_LINE and start < release.released_on <= as_of
            for release in history.releases
        ),
        as_of=as_of,
    )


def _path(knowledge: Knowledge, node: Node, column: FeatureColumn, *, as_of: date) -> ModelPath:
    catalogue = knowledge.catalogue
    claims = [
        claim
        for claim in claims_about(knowledge, node.slug).get(PATHS_FRAMEWORK, ())
        if claim.scope.features == {node.slug}
        and not claim.scope.nodes
        and any(seen.stated_on <= as_of for seen in claim.observations)
    ]
    history = catalogue.histories[PATHS_FRAMEWORK]
    claims.sort(key=lambda claim: history.find_rank(claim.validity.first) or 0)
    return ModelPath(
        slug=node.slug,
        name=label_of(node),
        summary=summary_of(node),
        cell=feature_cell(knowledge, column, node.slug, as_of=as_of),
        started_by=in_words(str(node.facts.get("started_by", ""))),
        default_since=str(node.facts.get("default_since", "")),
        steps=_texts(node.facts, "conversion_steps"),
        rebuild_on=[in_words(text) for text in _texts(node.facts, "rebuild_on")],
        history=[stated_claim(catalogue, claim, as_of=as_of) for claim in claims],
        sources=[
            (catalogue.sources[key].title, catalogue.sources[key].url)
            for key in node.sources
            if key in catalogue.sources
        ],
    )


def _texts(facts: Mapping[str, object], key: str) -> list[str]:
    value = facts.get(key)
    return [str(item) for item in value] if isinstance(value, list) else []
