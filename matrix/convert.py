"""Rows to domain values and back."""

from collections.abc import Iterable, Mapping

from matrix.domain import codec
from matrix.domain.catalogue import CatalogSource as SourceValue
from matrix.domain.catalogue import Catalogue, MaintenancePeriod, Node
from matrix.domain.claims import Claim, Document, Observation, Validity
from matrix.domain.coordinates import Condition, Scope
from matrix.domain.levels import (
    EndpointKind,
    EvidenceKind,
    Execution,
    Limit,
    MaintenanceStatus,
    Outcome,
    SupportLevel,
    Tier,
)
from matrix.domain.published import RepositoryFacts
from matrix.domain.versions import Release
from matrix.models import NODE_MODELS, CatalogSource, Framework, SplitName
from matrix.models import Claim as ClaimRow
from matrix.models import MaintenancePeriod as PeriodRow
from matrix.models import Observation as ObservationRow
from matrix.models import Release as ReleaseRow
from matrix.models import Repository as RepositoryRow
from matrix.models import SourceDocument as DocumentRow


def load_catalogue() -> Catalogue:
    """The whole catalogue as values.

    **Queries**: 13 (seven areas, splits, sources, frameworks, releases, periods, repositories).
    """
    nodes = {area: _nodes(area) for area in NODE_MODELS}
    splits: dict[str, dict[str, tuple[str, ...]]] = {}
    ambiguous: dict[str, dict[str, tuple[str, ...]]] = {}
    for split in SplitName.objects.all():
        words = splits if split.covers_all else ambiguous
        words.setdefault(split.area, {})[split.name] = tuple(split.nodes)
    sources = {
        row.key: SourceValue(
            key=row.key,
            title=row.title,
            url=row.url,
            read_on=row.read_on,
            version=row.version,
            commit=row.commit,
        )
        for row in CatalogSource.objects.all()
    }
    releases: dict[str, list[Release]] = {}
    upstreams: dict[str, dict[str, str]] = {}
    frameworks = dict(Framework.objects.values_list("pk", "slug"))
    for row in ReleaseRow.objects.iterator():
        slug = frameworks[row.framework_id]
        releases.setdefault(slug, []).append(release_value(row, slug))
        if row.upstream_version:
            upstreams.setdefault(slug, {})[row.version] = row.upstream_version
    periods = PeriodRow.objects.select_related("framework")
    return Catalogue(
        nodes=nodes,
        splits=splits,
        ambiguous=ambiguous,
        sources=sources,
        releases={slug: tuple(found) for slug, found in releases.items()},
        upstreams=upstreams,
        periods=tuple(period_value(row) for row in periods),
        repositories={
            frameworks[row.framework_id]: repository_value(row)
            for row in RepositoryRow.objects.all()
        },
    )


def _nodes(area: str) -> dict[str, Node]:
    rows = NODE_MODELS[area].objects.values_list(
        "slug", "name", "kind", "parent__slug", "aliases", "moved", "source_keys", "facts"
    )
    return {
        slug: Node(
            area=area,
            slug=slug,
            name=name,
            kind=kind,
            parent=parent,
            aliases=tuple(aliases),
            moved=tuple(moved),
            sources=tuple(source_keys),
            facts=facts,
        )
        for slug, name, kind, parent, aliases, moved, source_keys, facts in rows.iterator()
    }


def release_value(row: ReleaseRow, framework: str) -> Release:
    """One release as a value."""
    return Release(
        framework=framework,
        version=row.version,
        released_at=row.released_at,
        line=row.line,
        commit=row.commit or None,
        tag=row.tag or None,
        yanked=row.yanked or row.removed_on is not None,
    )


def repository_value(row: RepositoryRow) -> RepositoryFacts:
    """What the code host last said about a repository, as a value."""
    return RepositoryFacts(
        name=row.name,
        full_name=row.full_name,
        url=row.url,
        archived=row.archived,
        pushed_at=row.pushed_at,
        seen_at=row.seen_at,
        default_branch=row.default_branch,
        snapshot_sha256=row.snapshot_sha256,
    )


def period_value(row: PeriodRow) -> MaintenancePeriod:
    """One maintenance period as a value."""
    return MaintenancePeriod(
        framework=row.framework.slug,
        status=MaintenanceStatus(row.status),
        start=row.start_on,
        start_kind=row.start_kind,
        end=row.end_on,
        component=row.component,
        note=row.note,
        evidence_kind=EvidenceKind(row.evidence_kind),
        strength=row.strength,
        url=row.url,
        commit=row.commit,
        locator=row.locator,
        stated_on=row.stated_on,
    )


def document_value(row: DocumentRow) -> Document:
    """One document as a value."""
    return Document(
        key=row.key,
        url=row.url,
        version=row.version,
        commit=row.commit,
        path=row.path,
        sha256=row.sha256,
        stated_on=row.stated_on,
        retrieved_at=row.retrieved_at,
        title=row.title,
    )


class ClaimReader:
    """Turns claim rows into values, sharing equal scopes, conditions and documents.

    Hundreds of thousands of claims share a few thousand scopes; sharing keeps the index small.
    """

    def __init__(self, frameworks: Mapping[int, str], documents: Mapping[int, Document]) -> None:
        self._frameworks = frameworks
        self._documents = documents
        self._scopes: dict[str, Scope] = {}
        self._conditions: dict[str, tuple[Condition, ...]] = {}

    def observation(self, row: ObservationRow) -> Observation:
        """One observation as a value."""
        return Observation(
            document=self._documents[row.document_id],
            locator=codec.locator_from_plain(row.locator),
            release=row.release,
            stated_on=row.stated_on,
            raw=row.raw,
        )

    def claim(self, row: ClaimRow, observations: Iterable[Observation]) -> Claim:
        """One claim as a value."""
        scope_key = repr(row.scope)
        if scope_key not in self._scopes:
            self._scopes[scope_key] = codec.scope_from_plain(row.scope)
        condition_key = repr(row.conditions)
        if condition_key not in self._conditions:
            self._conditions[condition_key] = codec.conditions_from_plain(row.conditions)
        return Claim(
            uid=row.uid,
            framework=self._frameworks[row.framework_id],
            source=row.source,
            statement=row.statement,
            scope=self._scopes[scope_key],
            level=SupportLevel(row.level),
            kind=EvidenceKind(row.kind),
            validity=Validity(
                first=row.first,
                last=row.last,
                first_kind=EndpointKind(row.first_kind),
                after=row.after,
                gone=row.gone,
                gone_on=row.gone_on,
                open_ended=row.open_ended,
            ),
            observations=tuple(observations),
            execution=Execution(row.execution),
            tier=Tier(row.tier),
            outcome=Outcome(row.outcome),
            limit=Limit(row.limit) if row.limit else None,
            note=row.note,
            conditions=self._conditions[condition_key],
            reference=row.reference,
            parser=row.parser,
            recorded_at=row.recorded_at,
            superseded_at=row.superseded_at,
            withdrawn_at=row.withdrawn_at,
        )
