"""Imports claims from lines: all of them or none, and the same line twice is recorded once."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from django.db import transaction
from django.utils import timezone

from matrix.convert import load_catalogue
from matrix.domain.claims import Claim
from matrix.domain.phrases import Phrase
from matrix.entering.claims import DEFAULT_SOURCE, ClaimReader
from matrix.entering.curated import CURATED_PARSER, Written, overlap_problems, read_entries
from matrix.entering.lines import Entry, read_lines
from matrix.entering.problems import BrokenEntries, Problem
from matrix.entering.standing import Recorded, addresses_of, recorded_claims
from matrix.models import Claim as ClaimRow
from matrix.models import KnowledgeRevision
from matrix.services import AGAIN, add_claims, raise_revision, write_audit

PERSON_PARSER = "person"
CHANGED_LINE = "replaced by a changed line of an import"


@dataclass(frozen=True, slots=True)
class Planned:
    """What an import does with one line; ``ends`` is the claim that it takes the place of."""

    line: int
    claim: Claim
    ends: Recorded | None = None


@dataclass
class ImportSummary:
    """What an import did, or would do."""

    lines: int = 0
    unchanged: int = 0
    new: list[Planned] = field(default_factory=list)
    superseding: list[Planned] = field(default_factory=list)
    # Lines whose claim was withdrawn by a person: that stays so.
    withdrawn: list[int] = field(default_factory=list)

    def planned(self) -> list[Planned]:
        """All lines that record something, in their order."""
        return sorted([*self.new, *self.superseding], key=lambda item: item.line)


def import_lines(
    data: bytes,
    *,
    form: str,
    actor: str,
    source: str = DEFAULT_SOURCE,
    dry_run: bool = False,
    name: str = "",
) -> ImportSummary:
    """Records the claims of a file in one transaction; a dry run finds all problems only.

    **Raises**: ``BrokenEntries`` listing every problem; nothing is written then.
    """
    entries, problems = read_lines(data, form=form)
    return import_entries(
        entries, problems, actor=actor, source=source, dry_run=dry_run, name=name
    )  # fmt: skip


@transaction.atomic
def import_entries(
    entries: Sequence[Entry],
    problems: Sequence[Problem] = (),
    *,
    actor: str,
    source: str = DEFAULT_SOURCE,
    dry_run: bool = False,
    name: str = "",
) -> ImportSummary:
    """Records the claims of lines that were read; ``problems`` are those of reading them.

    **Raises**: ``BrokenEntries``.
    """
    today = timezone.now().date()
    reader = ClaimReader(load_catalogue(), today=today)
    if not dry_run:
        # One import at a time, so that two of the same file record it once.
        KnowledgeRevision.objects.get_or_create(pk=1)
        KnowledgeRevision.objects.select_for_update().get(pk=1)
    written, found = read_entries(
        entries, reader, source=source, parser=f"{PERSON_PARSER}:{actor}"[:120]
    )
    recorded = recorded_claims({item.claim.source for item in written})
    found += _source_problems(written, recorded)
    summary = _plan(written, recorded)
    summary.lines = len(entries)
    ended = {item.ends.uid for item in summary.superseding if item.ends}
    standing = [r.claim for r in recorded if r.stands and r.uid not in ended]
    planned = [Written(item.line, item.claim) for item in summary.planned()]
    found += overlap_problems(planned, standing, reader)
    if problems or found:
        raise BrokenEntries([*problems, *found], name=name)
    if not dry_run and planned:
        _record(summary, actor=actor, name=name, today=today)
    return summary


def _source_problems(written: Iterable[Written], recorded: Iterable[Recorded]) -> list[Problem]:
    """Lines under the name of a source that a program reads; it would take them as its own."""
    read = {
        r.claim.source
        for r in recorded
        if not r.parser.startswith((PERSON_PARSER, CURATED_PARSER)) and r.parser
    }
    return [
        Problem(
            "source",
            Phrase(
                "is {source!r}, which a program reads; accepted: a name of its "
                "own, such as {default_source}",
                source=item.claim.source,
                default_source=DEFAULT_SOURCE,
            ),
            line=item.line,
        )
        for item in written
        if item.claim.source in read
    ]


def _plan(written: Sequence[Written], recorded: Sequence[Recorded]) -> ImportSummary:
    """What each line does beside what is recorded."""
    by_base: dict[str, list[Recorded]] = {}
    for recording in recorded:
        by_base.setdefault(recording.base, []).append(recording)
    repeated = {item.claim.uid for item in written}
    # A standing claim that a line of this import repeats is no earlier form of another line.
    free: dict[Hashable, list[Recorded]] = {}
    for recording in recorded:
        if recording.stands and recording.base not in repeated:
            free.setdefault(_words_of(recording.claim), []).append(recording)
    summary = ImportSummary()
    for item in written:
        held = by_base.get(item.claim.uid, [])
        if any(r.stands for r in held):
            summary.unchanged += 1
            continue
        if held and held[-1].withdrawn:
            summary.withdrawn.append(item.line)
            continue
        claim = item.claim
        if held:
            claim = replace(claim, uid=f"{claim.uid}{AGAIN}{len(held) + 1}")
        alike = free.get(_words_of(claim), [])
        earlier = _earlier_form(claim, alike)
        if earlier is None:
            summary.new.append(Planned(item.line, claim))
        else:
            alike.remove(earlier)
            summary.superseding.append(Planned(item.line, claim, ends=earlier))
    return summary


def _words_of(claim: Claim) -> Hashable:
    return (claim.framework, claim.source, claim.statement)


def _earlier_form(claim: Claim, alike: Sequence[Recorded]) -> Recorded | None:
    """The standing claim of the same words that a changed line takes the place of.

    It shares an address of its evidence; among several, the one of the same scope.
    """
    addresses = addresses_of(claim)
    like = [r for r in alike if not addresses.isdisjoint(r.addresses)]
    same_scope = [r for r in like if r.claim.scope == claim.scope]
    found = same_scope or like
    return found[0] if found else None


def _record(summary: ImportSummary, *, actor: str, name: str, today: date) -> None:
    planned = summary.planned()
    add_claims([item.claim for item in planned], shipped=False)
    now = timezone.now()
    uids = [item.claim.uid for item in summary.superseding]
    keys = dict(ClaimRow.objects.filter(uid__in=uids).values_list("uid", "pk"))
    for item in summary.superseding:
        assert item.ends is not None
        ClaimRow.objects.filter(pk=item.ends.row_id).update(
            superseded_at=now, superseded_by_id=keys[item.claim.uid], reason=CHANGED_LINE
        )
    write_audit(
        actor=actor,
        action="import-claims",
        subject=f"import:{name}"[:200] if name else f"import:{today}",
        after={
            "lines": summary.lines,
            "new": [item.claim.uid for item in summary.new],
            "superseded": {
                item.ends.uid: item.claim.uid for item in summary.superseding if item.ends
            },
        },
    )
    raise_revision()
