"""Which release an image is of: as a registry was seen saying it, else as its tag reads."""

from datetime import date

from matrix.checking.stack_names import IMAGE_REPOSITORIES, ImageReference
from matrix.domain.catalogue import Catalogue
from matrix.domain.check_stack import Answer, StackEvidence, StackFinding, Subject
from matrix.models import ReleaseImage

Found = tuple[str, str | None]


def find_image(
    catalogue: Catalogue, reference: ImageReference, *, as_of: date
) -> tuple[Found | None, list[StackFinding]]:
    """The framework and release of an image, with what is known of it. **Queries**: 1."""
    rows = ReleaseImage.objects.filter(repository=reference.repository).select_related(
        "release__framework"
    )
    if reference.tag:
        rows = rows.filter(tag=reference.tag)
    recorded = list(rows.order_by("-first_seen_at", "-pk")[:20])
    if reference.digest:
        same = [row for row in recorded if row.digest == reference.digest]
        if not same and recorded:
            return None, [_finding("image-digest-unknown", Answer.UNKNOWN, reference)]
        recorded = same
    if recorded:
        newest = recorded[0]
        found = newest.release.framework.slug, newest.release.version
        moved = len({row.digest for row in recorded}) > 1 and not reference.digest
        if moved:
            return found, [_finding("image-tag-moved", Answer.CONDITIONAL, reference, found=found)]
        return found, [_finding("image-known", Answer.WORKS, reference, found=found)]
    return _by_tag(catalogue, reference, as_of=as_of)


def _by_tag(
    catalogue: Catalogue, reference: ImageReference, *, as_of: date
) -> tuple[Found | None, list[StackFinding]]:
    slug = IMAGE_REPOSITORIES.get(reference.repository, "")
    if slug not in catalogue.area("framework"):
        return None, [_finding("image-unknown", Answer.UNKNOWN, reference)]
    release = catalogue.histories[slug].find(reference.version) if reference.version else None
    if release is None or release.released_on > as_of:
        found: Found = (slug, None)
        return found, [_finding("image-release-unknown", Answer.UNKNOWN, reference, found=found)]
    found = slug, release.version
    return found, [_finding("image-by-tag", Answer.CONDITIONAL, reference, found=found)]


def _finding(
    code: str, answer: Answer, reference: ImageReference, *, found: Found | None = None
) -> StackFinding:
    slug, version = found or ("", None)
    return StackFinding(
        code=code,
        answer=answer,
        subject=Subject.IMAGE,
        name=reference.raw,
        seen=version or "",
        evidence=(StackEvidence(text=reference.raw),) if code.startswith("image-known") else (),
        facts={"image": reference.raw, "framework": slug, "seen": version or "?"},
    )
