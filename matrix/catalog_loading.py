"""Loads the shipped catalogue and claims into the tables: idempotent, one transaction."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from matrix.catalog_files import CATALOG_FOLDER, read_catalogue
from matrix.claim_files import read_claims
from matrix.domain.catalogue import Catalogue, problems_of
from matrix.domain.claims import Claim
from matrix.models import (
    NODE_MODELS,
    CatalogSource,
    Framework,
    KnowledgeRevision,
    MaintenancePeriod,
    Release,
    SplitName,
)
from matrix.models import Claim as ClaimRow
from matrix.services import add_claims, confirm_claims, raise_revision, write_audit

Progress = Callable[[str], None]
_BATCH_ROWS = 2_000


class BrokenCatalogue(ValueError):
    """Shipped files that break the catalogue rules; ``problems`` lists every breach."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        super().__init__(f"{len(problems)} problems in the catalogue; first: {problems[0]}")


@dataclass
class LoadSummary:
    """What a load did."""

    skipped: bool = False
    nodes: dict[str, int] = field(default_factory=dict)
    releases: int = 0
    claims_new: int = 0
    claims_confirmed: int = 0
    claims_withdrawn: int = 0


def folder_digest(folder: Path) -> str:
    """SHA-256 over names and bytes of all shipped files."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest.update(str(path.relative_to(folder)).encode() + b"\0")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def load_shipped(
    folder: Path = CATALOG_FOLDER, *, force: bool = False, progress: Progress = lambda _: None
) -> LoadSummary:
    """Brings the tables to the state of the shipped files; does nothing when they are unchanged.

    Shipped claims that the files no longer hold are withdrawn with a reason, never deleted.
    **Raises**: ``BrokenCatalogFile``, ``BrokenClaimFile``, ``BrokenCatalogue``, ``InvalidClaim``;
    nothing is written then.
    """
    digest = folder_digest(folder)
    row = KnowledgeRevision.objects.filter(pk=1).first()
    if row and row.shipped_digest == digest and not force:
        return LoadSummary(skipped=True)
    catalogue = read_catalogue(folder)
    if problems := problems_of(catalogue):
        raise BrokenCatalogue(problems)
    summary = LoadSummary()
    with transaction.atomic():
        _load_catalogue(catalogue, summary, progress)
        _load_claims(folder, summary, progress)
        raise_revision()
        KnowledgeRevision.objects.filter(pk=1).update(shipped_digest=digest)
        write_audit(
            actor="load_catalog",
            action="load-shipped",
            subject="catalogue",
            after={"digest": digest, "claims_new": summary.claims_new},
        )
    return summary


def _load_catalogue(catalogue: Catalogue, summary: LoadSummary, progress: Progress) -> None:
    CatalogSource.objects.bulk_create(
        [
            CatalogSource(
                key=s.key, title=s.title, url=s.url, version=s.version, commit=s.commit,
                read_on=s.read_on,
            )
            for s in catalogue.sources.values()
        ],
        update_conflicts=True,
        unique_fields=["key"],
        update_fields=["title", "url", "version", "commit", "read_on"],
        batch_size=_BATCH_ROWS,
    )  # fmt: skip
    for area in NODE_MODELS:
        summary.nodes[area] = _load_nodes(catalogue, area)
        progress(f"{area}: {summary.nodes[area]}")
    SplitName.objects.all().delete()
    SplitName.objects.bulk_create(
        SplitName(area=area, name=name, nodes=list(nodes), covers_all=covers_all)
        for covers_all, words in ((True, catalogue.splits), (False, catalogue.ambiguous))
        for area, splits in words.items()
        for name, nodes in splits.items()
    )
    frameworks = dict(Framework.objects.values_list("slug", "pk"))
    _load_releases(catalogue, frameworks, summary)
    _load_periods(catalogue, frameworks)
    progress(f"releases: {summary.releases}")


def _load_nodes(catalogue: Catalogue, area: str) -> int:
    model = NODE_MODELS[area]
    nodes = catalogue.area(area)
    columns = ["name", "kind", "aliases", "moved", "facts", "source_keys"]
    model.objects.bulk_create(
        [
            model(
                slug=n.slug, name=n.name, kind=n.kind, aliases=list(n.aliases),
                moved=list(n.moved), facts=_json_facts(n.facts), source_keys=list(n.sources),
            )
            for n in nodes.values()
        ],
        update_conflicts=True,
        unique_fields=["slug"],
        update_fields=columns,
        batch_size=_BATCH_ROWS,
    )  # fmt: skip
    rows = {row.slug: row for row in model.objects.all()}
    moved = []
    for node in nodes.values():
        row = rows[node.slug]
        parent = rows[node.parent].pk if node.parent else None
        if row.parent_id != parent:
            row.parent_id = parent
            moved.append(row)
    model.objects.bulk_update(moved, ["parent"], batch_size=_BATCH_ROWS)
    return len(nodes)


def _json_facts(facts: object) -> dict[str, object]:
    items = dict(facts)  # type: ignore[call-overload]
    return {key: value.isoformat() if hasattr(value, "isoformat") else value
            for key, value in items.items()}  # fmt: skip


def _load_releases(catalogue: Catalogue, frameworks: dict[str, int], summary: LoadSummary) -> None:
    rows = [
        Release(
            framework_id=frameworks[slug],
            version=release.version,
            released_at=release.released_at,
            line=release.line,
            commit=release.commit or "",
            tag=release.tag or "",
            yanked=release.yanked,
            upstream_version=catalogue.upstreams.get(slug, {}).get(release.version, ""),
        )
        for slug, releases in catalogue.releases.items()
        for release in releases
    ]
    Release.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["framework", "version"],
        update_fields=["released_at", "line", "commit", "tag", "yanked", "upstream_version"],
        batch_size=_BATCH_ROWS,
    )
    summary.releases = len(rows)


def _load_periods(catalogue: Catalogue, frameworks: dict[str, int]) -> None:
    MaintenancePeriod.objects.all().delete()
    MaintenancePeriod.objects.bulk_create(
        MaintenancePeriod(
            framework_id=frameworks[p.framework], component=p.component, status=p.status.value,
            start_on=p.start, start_kind=p.start_kind, end_on=p.end, note=p.note,
            evidence_kind=p.evidence_kind.value, strength=p.strength, url=p.url, commit=p.commit,
            locator=p.locator, stated_on=p.stated_on,
        )
        for p in catalogue.periods
    )  # fmt: skip


def _load_claims(folder: Path, summary: LoadSummary, progress: Progress) -> None:
    shipped: list[Claim] = list(read_claims(folder))
    progress(f"claims read: {len(shipped)}")
    known = dict(ClaimRow.objects.filter(shipped=True).values_list("uid", "withdrawn_at"))
    wanted = {claim.uid for claim in shipped}
    summary.claims_new = add_claims(
        [claim for claim in shipped if claim.uid not in known], shipped=True
    )
    summary.claims_confirmed = confirm_claims([c for c in shipped if c.uid in known])
    gone = [uid for uid, ended in known.items() if uid not in wanted and ended is None]
    summary.claims_withdrawn = ClaimRow.objects.filter(uid__in=gone).update(
        withdrawn_at=timezone.now(), reason="no longer among the shipped claims"
    )
    progress(f"claims new: {summary.claims_new}")
