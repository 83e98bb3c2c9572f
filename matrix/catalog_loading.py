"""Loads the shipped catalogue and claims into the tables: idempotent, one transaction."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone

from matrix.catalog_aliases import apply_aliases
from matrix.catalog_files import CATALOG_FOLDER, BrokenCatalogFile, read_catalogue
from matrix.claim_files import BrokenClaimFile, read_claims
from matrix.domain.catalogue import Catalogue
from matrix.domain.catalogue_lint import problems_of
from matrix.domain.claims import Claim
from matrix.domain.published import StatedPin
from matrix.entering.curated import read_curated
from matrix.hub_facts import apply_facts
from matrix.models import (
    NODE_MODELS,
    CatalogSource,
    Framework,
    KnowledgeRevision,
    MaintenancePeriod,
    Observation,
    Release,
    SourceDocument,
    SplitName,
)
from matrix.models import Claim as ClaimRow
from matrix.pin_files import read_pins
from matrix.releasing import record_pins
from matrix.services import AGAIN, add_claims, confirm_claims, raise_revision, write_audit

Progress = Callable[[str], None]
_BATCH_ROWS = 2_000
NO_LONGER_SHIPPED = "no longer among the shipped claims"


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

    Shipped claims that the files no longer hold are withdrawn with a reason, never deleted; one
    that comes back after that is recorded anew.
    **Raises**: ``BrokenCatalogue``, ``InvalidClaim``; nothing is written then.
    """
    digest = folder_digest(folder)
    if _is_loaded(digest) and not force:
        return LoadSummary(skipped=True)
    catalogue, claims = read_shipped(folder)
    pins = read_shipped_pins(folder)
    progress(f"claims read: {len(claims)}")
    summary = LoadSummary()
    with transaction.atomic():
        # One load at a time: another process that waits here finds the work done.
        KnowledgeRevision.objects.get_or_create(pk=1)
        KnowledgeRevision.objects.select_for_update().get(pk=1)
        if _is_loaded(digest) and not force:
            return LoadSummary(skipped=True)
        _load_catalogue(catalogue, summary, progress)
        record_pins(pins)
        _load_claims(claims, summary, progress)
        raise_revision()
        KnowledgeRevision.objects.filter(pk=1).update(shipped_digest=digest)
        write_audit(
            actor="load_catalog",
            action="load-shipped",
            subject="catalogue",
            after={
                "digest": digest,
                "claims_new": summary.claims_new,
                "claims_confirmed": summary.claims_confirmed,
                "claims_withdrawn": summary.claims_withdrawn,
            },
        )
    _count_rows()
    return summary


def _count_rows() -> None:
    """Tells the database how full the tables are; it plans by that, and learns it late by itself.

    Without it, the first page that joins observations takes a hundred times as long.
    """
    names = [model._meta.db_table for model in (ClaimRow, Observation, SourceDocument, Release)]
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {', '.join(map(connection.ops.quote_name, names))}")


def _is_loaded(digest: str) -> bool:
    return KnowledgeRevision.objects.filter(pk=1, shipped_digest=digest).exists()


def read_shipped(folder: Path = CATALOG_FOLDER) -> tuple[Catalogue, list[Claim]]:
    """The catalogue and the claims of a folder, the curated ones after the generated ones.

    **Raises**: ``BrokenCatalogue`` listing every line, entry and rule that is broken.
    """
    problems: list[str] = []
    catalogue, claims = None, []
    try:
        catalogue = read_catalogue(folder)
        problems += problems_of(catalogue)
    except BrokenCatalogFile as error:
        problems += error.problems
    try:
        claims = read_claims(folder)
    except BrokenClaimFile as error:
        problems += error.problems
    if catalogue is not None and not problems:
        curated, problems = read_curated(folder, catalogue, today=timezone.now().date())
        claims += curated
    if problems or catalogue is None:
        raise BrokenCatalogue(problems)
    return catalogue, claims


def read_shipped_pins(folder: Path = CATALOG_FOLDER) -> list[StatedPin]:
    """What files of releases require, as shipped. **Raises**: ``BrokenCatalogue``."""
    problems: list[str] = []
    pins = read_pins(folder, problems)
    if problems:
        raise BrokenCatalogue(problems)
    return pins


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
        apply_aliases(area)
        apply_facts(area)
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
    if model is not Framework:
        # Claims name nodes by slug, so only a framework's row may be needed by old claims.
        gone = model.objects.exclude(slug__in=list(nodes))
        gone.update(parent=None)
        gone.delete()
    return len(nodes)


def _json_facts(facts: object) -> dict[str, object]:
    items = dict(facts)  # type: ignore[call-overload]
    return {key: value.isoformat() if hasattr(value, "isoformat") else value
            for key, value in items.items()}  # fmt: skip


def _load_releases(catalogue: Catalogue, frameworks: dict[str, int], summary: LoadSummary) -> None:
    """Shipped rows go before fetched ones, but do not blank what a code host has completed."""
    kept = {
        (slug, version): (line, commit, tag)
        for slug, version, line, commit, tag in Release.objects.values_list(
            "framework__slug", "version", "line", "commit", "tag"
        )
    }
    nothing = ("", "", "")
    rows = [
        Release(
            framework_id=frameworks[slug],
            version=release.version,
            released_at=release.released_at,
            line=(kept.get((slug, release.version), nothing)[0] or release.line)
            if release.line == "commit"
            else release.line,
            commit=release.commit or kept.get((slug, release.version), nothing)[1],
            tag=release.tag or kept.get((slug, release.version), nothing)[2],
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
    MaintenancePeriod.objects.filter(shipped=True).delete()
    MaintenancePeriod.objects.bulk_create(
        MaintenancePeriod(
            framework_id=frameworks[p.framework], component=p.component, status=p.status.value,
            start_on=p.start, start_kind=p.start_kind, end_on=p.end, note=p.note,
            evidence_kind=p.evidence_kind.value, strength=p.strength, url=p.url, commit=p.commit,
            locator=p.locator, stated_on=p.stated_on,
        )
        for p in catalogue.periods
    )  # fmt: skip


def _load_claims(shipped: list[Claim], summary: LoadSummary, progress: Progress) -> None:
    """Adds, confirms and withdraws claims so that those that stand as shipped are the files'."""
    now = timezone.now()
    rows = ClaimRow.objects.filter(Q(shipped=True) | Q(uid__in=[c.uid for c in shipped]))
    standing: dict[str, str] = {}
    ended: dict[str, list[str]] = {}
    for uid, over, back, reason in rows.order_by("pk").values_list(
        "uid", "superseded_at", "withdrawn_at", "reason"
    ):
        base = uid.partition(AGAIN)[0]
        if over is None and back is None:
            standing[base] = uid
        else:
            ended.setdefault(base, []).append(reason)
    wanted = {claim.uid.partition(AGAIN)[0]: claim for claim in shipped}
    fresh = [
        _next_recording(claim, len(ended.get(base, ())))
        for base, claim in wanted.items()
        # What a person withdrew or corrected stays so; what an earlier load withdrew comes back.
        if base not in standing and ended.get(base, [NO_LONGER_SHIPPED])[-1] == NO_LONGER_SHIPPED
    ]
    summary.claims_new = add_claims(fresh, shipped=True)
    repeated = [replace(c, uid=standing[base]) for base, c in wanted.items() if base in standing]
    summary.claims_confirmed = confirm_claims(repeated)
    # A claim that was read here before it was shipped is a shipped one from now on.
    ClaimRow.objects.filter(uid__in=[c.uid for c in repeated], shipped=False).update(shipped=True)
    gone = [uid for base, uid in standing.items() if base not in wanted]
    summary.claims_withdrawn = ClaimRow.objects.filter(uid__in=gone).update(
        withdrawn_at=now, reason=NO_LONGER_SHIPPED
    )
    progress(f"claims new: {summary.claims_new}")


def _next_recording(claim: Claim, ended: int) -> Claim:
    """The claim under its own identifier, or a further one after recordings that have ended."""
    if not ended:
        return claim
    base = claim.uid.partition(AGAIN)[0]
    return replace(claim, uid=f"{base}{AGAIN}{ended + 1}", recorded_at=None)
