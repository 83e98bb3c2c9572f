"""Writes of what code hosts and registries publish: releases, images, pins, repositories.

Everything is added or completed and nothing deleted; a shipped row keeps its own date. Each write
that changes knowledge raises the revision and is audited in the caller's transaction.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.db import transaction

from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase
from matrix.domain.published import (
    PublishedImage,
    PublishedRelease,
    RepositoryFacts,
    StatedPin,
)
from matrix.domain.versions import normalise_version
from matrix.models import Framework, Release, ReleaseImage, ReleasePin, Repository
from matrix.services import raise_revision, write_audit

_BATCH_ROWS = 1_000
_LONGEST_VALUE = 300
# A dated commit gets the line of the tag that is seen to name it.
_UNPUBLISHED_LINE = "commit"


@dataclass(frozen=True, slots=True)
class MovedTag:
    """A tag that leads to another commit than the one on record."""

    version: str
    tag: str
    recorded: str
    seen: str


@dataclass(frozen=True, slots=True)
class ReleaseChanges:
    """What recording a list of releases did."""

    new: tuple[str, ...] = ()
    completed: tuple[str, ...] = ()
    moved: tuple[MovedTag, ...] = ()

    @property
    def any(self) -> bool:
        """Whether anything was written."""
        return bool(self.new or self.completed)


@transaction.atomic
def record_releases(
    releases: Sequence[PublishedRelease],
    *,
    framework: str,
    feed: str,
    now: datetime,
    snapshot_sha256: str = "",
) -> ReleaseChanges:
    """Adds the releases that are new and completes those that lack a commit, tag or address.

    A tag that leads to another commit than on record changes nothing and is told to the caller.
    **Queries**: 2, and 1 for each release that is completed.
    """
    owner = Framework.objects.get(slug=framework)
    rows = list(Release.objects.filter(framework=owner))
    by_name: dict[str, Release] = {}
    for row in rows:
        for name in (row.tag, row.version):
            if name:
                by_name.setdefault(normalise_version(name), row)
    fresh: dict[str, Release] = {}
    completed, moved = [], []
    for release in releases:
        found = by_name.get(normalise_version(release.version)) or by_name.get(
            normalise_version(release.tag)
        )
        if found is None:
            row = _new_row(release, owner, feed=feed, now=now, snapshot_sha256=snapshot_sha256)
            fresh[release.version] = row
            by_name[normalise_version(release.version)] = row
        elif found.version not in fresh:
            if _is_moved(found.commit, release.commit):
                moved.append(MovedTag(found.version, release.tag, found.commit, release.commit))
            elif _complete(found, release):
                completed.append(found.version)
    Release.objects.bulk_create(fresh.values(), batch_size=_BATCH_ROWS)
    changes = ReleaseChanges(tuple(fresh), tuple(completed), tuple(moved))
    if changes.any:
        _note(f"framework:{framework}", "record-releases", actor=feed, after={
            "new": list(changes.new)[:200], "completed": list(changes.completed)[:200],
        })  # fmt: skip
    return changes


def _new_row(
    release: PublishedRelease, owner: Framework, *, feed: str, now: datetime, snapshot_sha256: str
) -> Release:
    return Release(
        framework=owner,
        version=release.version,
        released_at=release.released_at,
        line=release.line,
        commit=release.commit,
        tag=release.tag,
        feed=feed,
        first_seen_at=now,
        url=release.url,
        snapshot_sha256=snapshot_sha256,
    )


def _is_moved(recorded: str, seen: str) -> bool:
    """Whether two commits differ; either may be written short."""
    short = min(len(recorded), len(seen))
    return short > 0 and recorded[:short] != seen[:short]


def _complete(row: Release, release: PublishedRelease) -> bool:
    """Fills what a row lacks; a row of this feed follows the host's mark of a prerelease too."""
    before = (row.commit, row.tag, row.url, row.line)
    if len(release.commit) > len(row.commit):
        row.commit = release.commit
    row.tag = row.tag or release.tag
    row.url = row.url or release.url
    if row.line == _UNPUBLISHED_LINE or (row.feed and release.url):
        row.line = release.line
    if before == (row.commit, row.tag, row.url, row.line):
        return False
    row.save(update_fields=["commit", "tag", "url", "line"])
    return True


@transaction.atomic
def mark_removed(
    framework: str, version: str, *, on: date, actor: str, reason: str = ""
) -> Release:
    """Notes that a release is no longer published; the row and all claims stay.

    **Raises**: ``InvalidValue`` for a release that is not on record.
    """
    row = (
        Release.objects.select_for_update()
        .filter(framework__slug=framework, version=version)
        .first()
    )
    if row is None:
        raise InvalidValue(
            name="release",
            value=version,
            accepted=Phrase("a release of {framework}", framework=framework),
        )
    before = row.removed_on
    row.removed_on = on
    row.save(update_fields=["removed_on"])
    _note(
        f"release:{framework}/{version}", "mark-release-removed", actor=actor,
        before={"removed_on": before.isoformat() if before else None},
        after={"removed_on": on.isoformat(), "reason": reason},
    )  # fmt: skip
    return row


@transaction.atomic
def replace_commit(
    framework: str, version: str, *, commit: str, actor: str, reason: str = ""
) -> Release:
    """Lets a release point to the commit that its tag leads to now.

    **Raises**: ``InvalidValue`` for a release that is not on record.
    """
    row = (
        Release.objects.select_for_update()
        .filter(framework__slug=framework, version=version)
        .first()
    )
    if row is None:
        raise InvalidValue(
            name="release",
            value=version,
            accepted=Phrase("a release of {framework}", framework=framework),
        )
    before, row.commit = row.commit, commit
    row.save(update_fields=["commit"])
    _note(
        f"release:{framework}/{version}", "replace-release-commit", actor=actor,
        before={"commit": before}, after={"commit": commit, "reason": reason},
    )  # fmt: skip
    return row


@transaction.atomic
def record_images(
    images: Iterable[PublishedImage],
    *,
    framework: str,
    feed: str,
    now: datetime,
    snapshot_sha256: str = "",
) -> int:
    """Adds the images that are new, each with its digest; returns how many.

    **Queries**: 3.
    """
    releases = dict(Release.objects.filter(framework__slug=framework).values_list("version", "pk"))
    wanted = {
        (image.repository, image.tag, image.digest): image
        for image in images
        if image.digest and image.version in releases
    }
    known = set(
        ReleaseImage.objects.filter(
            repository__in={key[0] for key in wanted}, tag__in={key[1] for key in wanted}
        ).values_list("repository", "tag", "digest")
    )
    rows = [
        ReleaseImage(
            release_id=releases[image.version],
            repository=image.repository,
            tag=image.tag,
            digest=image.digest,
            variant=image.variant,
            platforms=list(image.platforms),
            pushed_at=image.pushed_at,
            first_seen_at=now,
            snapshot_sha256=snapshot_sha256,
        )
        for key, image in wanted.items()
        if key not in known
    ]
    ReleaseImage.objects.bulk_create(rows, batch_size=_BATCH_ROWS, ignore_conflicts=True)
    if rows:
        tags = [f"{row.repository}:{row.tag}" for row in rows]
        write_audit(actor=feed, action="record-images", subject=f"framework:{framework}",
                    after={"tags": tags[:200], "number": len(tags)})  # fmt: skip
        raise_revision()
    return len(rows)


def record_pins(pins: Iterable[StatedPin]) -> int:
    """Adds the requirements that are new, in the caller's transaction; returns how many.

    Pins of versions that are no release of the catalogue are left out.
    **Queries**: 3.
    """
    wanted = {
        (p.framework, p.version, p.source, p.statement, p.path, p.value[:_LONGEST_VALUE]): p
        for p in pins
    }
    if not wanted:
        return 0
    releases = {
        (slug, version): pk
        for slug, version, pk in Release.objects.filter(
            framework__slug__in={key[0] for key in wanted},
            version__in={key[1] for key in wanted},
        ).values_list("framework__slug", "version", "pk")
    }
    known = set(
        ReleasePin.objects.filter(release_id__in=releases.values()).values_list(
            "release_id", "source", "statement", "path", "value"
        )
    )
    rows = [
        ReleasePin(
            release_id=releases[key[0], key[1]],
            name=pin.name[:160],
            status=pin.status,
            value=key[5],
            source=pin.source,
            statement=pin.statement[:_LONGEST_VALUE],
            path=pin.path,
            locator=dict(pin.locator),
            url=pin.url,
            snapshot_sha256=pin.snapshot_sha256,
        )
        for key, pin in wanted.items()
        if (key[0], key[1]) in releases
        and (releases[key[0], key[1]], pin.source, pin.statement[:_LONGEST_VALUE], *key[4:])
        not in known
    ]
    ReleasePin.objects.bulk_create(rows, batch_size=_BATCH_ROWS, ignore_conflicts=True)
    if rows:
        raise_revision()
    return len(rows)


@transaction.atomic
def record_repository(facts: RepositoryFacts, *, framework: str, feed: str) -> bool:
    """Keeps what the host says about a repository; whether more than the last push changed.

    The revision is raised for a push of another month alone: a push is shown with the moment at
    which it was seen, and no reader needs a new index for each of them.
    **Queries**: 2 to 5.
    """
    owner = Framework.objects.get(slug=framework)
    row = Repository.objects.filter(framework=owner).first()
    before = _repository_said(row) if row else None
    month = _month(row.pushed_at) if row else ""
    row = row or Repository(framework=owner)
    row.name, row.full_name, row.url = facts.name, facts.full_name, facts.url
    row.archived, row.default_branch = facts.archived, facts.default_branch
    row.pushed_at, row.seen_at = facts.pushed_at, facts.seen_at
    row.snapshot_sha256 = facts.snapshot_sha256
    row.save()
    after = _repository_said(row)
    if before == after:
        if month != _month(row.pushed_at):
            raise_revision()
        return False
    _note(f"framework:{framework}", "record-repository", actor=feed, before=before, after=after)
    return True


def _repository_said(row: Repository) -> dict[str, object]:
    return {"full_name": row.full_name, "archived": row.archived, "branch": row.default_branch}


def _month(moment: datetime | None) -> str:
    return moment.strftime("%Y-%m") if moment else ""


def _note(
    subject: str, action: str, *, actor: str, before: object = None, after: object = None
) -> None:
    write_audit(actor=actor, action=action, subject=subject, before=before, after=after)
    raise_revision()
