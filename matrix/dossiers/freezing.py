"""Freezing, signing, discussing and renewing dossiers."""

from datetime import date, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone, translation

from matrix.domain.canonical import content_sha256
from matrix.domain.dossiers import DossierAssessment
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase
from matrix.domain.scorecard import Standing
from matrix.domain.verdict_values import RECHECK_AFTER_DAYS
from matrix.dossiers.drafts import audit_change, draft_to_change, new_uid
from matrix.dossiers.errors import (
    DraftDossier,
    InvalidDossier,
    Problem,
    ReplacedDossier,
    UnknownDossier,
    invalid,
    problem_of,
)
from matrix.dossiers.values import (
    LONGEST_TEXT,
    free_text,
    line_text,
    needed_line,
    needed_text,
    one_of,
    read_fields,
)
from matrix.models import (
    Dossier,
    DossierComment,
    DossierScore,
    DossierSignOff,
    DossierWaiver,
)
from matrix.queries.dossier_content import assessment_plain
from matrix.queries.dossiers import assess_draft

LONGEST_PERSON = 150
STANCES = ("agree", "dissent", "abstain")


@transaction.atomic
def freeze_dossier(uid: str, *, edition: int, actor: str) -> Dossier:
    """Fixes a draft with everything it rests on, under the hash of that content.

    Its dates are pinned where they were open: today and now. What is not answered stays in the
    content as a gap; only the chosen candidates must have passed, or be waived for, each knock-out.
    **Raises**: ``UnknownDossier``, ``FrozenDossier``, ``StaleEdition``, ``InvalidDossier``.
    """
    dossier = draft_to_change(uid, edition=edition)
    now = timezone.now()
    dossier.as_of = dossier.as_of or now.date()
    dossier.known_at = dossier.known_at or now
    dossier.recheck_on = dossier.recheck_on or now.date() + timedelta(days=RECHECK_AFTER_DAYS)
    # The content is for readers of all languages; what it says in words it says in one.
    with translation.override("en"):
        assessment = assess_draft(dossier, now=now)
    if problems := unready(assessment):
        raise InvalidDossier(problems)
    dossier.content = assessment_plain(assessment)
    dossier.content_sha256 = content_sha256(dossier.content)
    dossier.ruleset = assessment.ruleset
    dossier.revision = assessment.revision
    dossier.state = "frozen"
    dossier.frozen_by = actor
    dossier.frozen_at = now
    dossier.edition += 1
    dossier.save()
    audit_change(dossier, "freeze-dossier", actor=actor, after={"sha256": dossier.content_sha256})
    return dossier


def unready(assessment: DossierAssessment) -> list[Problem]:
    """What keeps a draft from being frozen; empty when nothing does."""
    found: list[tuple[str, object, str]] = []
    if not assessment.candidates:
        found.append(("candidates", Phrase("none"), Phrase("at least one candidate")))
    if not assessment.decision.strip():
        accepted = Phrase("what was decided, also when nothing was chosen")
        found.append(("decision", "", accepted))
    asked = Phrase("a question that can be asked at the dossier's dates")
    found += [(f"candidates.{c.key}", c.problem, asked) for c in assessment.candidates if c.problem]
    card = assessment.scorecard
    if card.weighted and card.weight_sum != 100:
        seen = Phrase("{weights} in sum", weights=card.weight_sum)
        found.append(("weight_percent", seen, Phrase("weights that sum to 100")))
    chosen = {c.key for c in assessment.candidates if c.is_chosen}
    for row in card.ranking:
        if row.candidate in chosen and row.standing is not Standing.IN:
            is_out = row.standing is Standing.OUT
            state = Phrase("knocked out") if is_out else Phrase("not answered")
            accepted = Phrase("every knock-out of a chosen candidate passed, or waived with a plan")
            found.append((f"candidates.{row.candidate}.is_chosen", state, accepted))
    return [
        problem_of(InvalidValue(name=field, value=value, accepted=accepted))
        for field, value, accepted in found
    ]


@transaction.atomic
def sign_off(
    uid: str,
    *,
    content_sha256: str,
    person: str,
    stance: str,
    actor: str,
    role: str = "",
    statement: str = "",
) -> DossierSignOff:
    """One person's word on the frozen content of a hash; a dissent says why.

    **Raises**: ``UnknownDossier``, ``DraftDossier``, ``InvalidDossier`` (also for another hash).
    """
    dossier = _locked(uid)
    if dossier.state != "frozen":
        raise DraftDossier(uid=uid, what=Phrase("sign-off"))
    values = read_fields(
        {"content_sha256": content_sha256, "person": person, "role": role, "stance": stance,
         "statement": statement},
        {
            "content_sha256": lambda v: one_of("content_sha256", v, (dossier.content_sha256,)),
            "person": lambda v: needed_line("person", v, longest=LONGEST_PERSON),
            "role": lambda v: line_text("role", v, longest=LONGEST_PERSON),
            "stance": lambda v: one_of("stance", v, STANCES),
            "statement": lambda v: free_text("statement", v),
        },
    )  # fmt: skip
    if values["stance"] == "dissent" and not values["statement"]:
        raise invalid("statement", "", Phrase("the reason of the dissent"))
    row = DossierSignOff.objects.create(
        dossier=dossier, recorded_by=actor, at=timezone.now(), **values
    )
    after = {name: values[name] for name in ("person", "role", "stance", "content_sha256")}
    audit_change(dossier, "sign-off-dossier", actor=actor, after=after)
    return row


@transaction.atomic
def comment(uid: str, *, text: str, actor: str) -> DossierComment:
    """Adds to the discussion of a draft or a frozen dossier.

    **Raises**: ``UnknownDossier``, ``InvalidDossier``.
    """
    dossier = _locked(uid)
    values = read_fields(
        {"text": text}, {"text": lambda v: needed_text("text", v, longest=LONGEST_TEXT)}
    )
    row = DossierComment.objects.create(
        dossier=dossier, author=actor, at=timezone.now(), text=values["text"]
    )
    audit_change(dossier, "comment-dossier", actor=actor, after={"comment": row.pk})
    return row


@transaction.atomic
def new_version(uid: str, *, actor: str) -> Dossier:
    """A draft that begins where a frozen dossier stands; its dates and its decision are open again.

    **Raises**: ``UnknownDossier``, ``DraftDossier``, ``ReplacedDossier``.
    """
    old = _locked(uid)
    if old.state != "frozen":
        raise DraftDossier(uid=uid, what=Phrase("new version"))
    newer = Dossier.objects.filter(replaces=old).first()
    if newer is not None:
        raise ReplacedDossier(uid=uid, newer=newer.uid)
    fresh = Dossier.objects.create(
        uid=new_uid(),
        series=old.series,
        version=old.version + 1,
        replaces=old,
        title=old.title,
        summary=old.summary,
        need=old.need,
        is_demonstration=old.is_demonstration,
        opened_by=actor,
        opened_at=timezone.now(),
    )
    _copy_parts(old, fresh)
    audit_change(
        fresh, "open-dossier", actor=actor, after={"title": fresh.title, "replaces": old.uid}
    )
    return fresh


def _copy_parts(old: Dossier, fresh: Dossier) -> None:
    """Copies candidates, criteria, scores and waivers as they are."""
    candidates: dict[int, Any] = {}
    criteria: dict[int | None, Any] = {None: None}
    for candidate in old.candidates.all():
        candidates[candidate.pk] = fresh.candidates.create(**_values(candidate))
    for criterion in old.criteria.all():
        criteria[criterion.pk] = fresh.criteria.create(**_values(criterion))
    parts: list[DossierScore | DossierWaiver] = [*old.scores.all(), *old.waivers.all()]
    for part in parts:
        rows: Any = fresh.scores if isinstance(part, DossierScore) else fresh.waivers
        rows.create(
            **_values(part),
            candidate=candidates[part.candidate_id],
            criterion=criteria[part.criterion_id],
        )


_OWN = frozenset({"id", "dossier", "candidate", "criterion"})


def _values(row: Any) -> dict[str, Any]:
    return {f.name: getattr(row, f.name) for f in row._meta.fields if f.name not in _OWN}


def _locked(uid: str) -> Dossier:
    dossier = Dossier.objects.select_for_update().named(uid).first()
    if dossier is None:
        raise UnknownDossier(what=Phrase("dossier"), value=uid)
    return dossier


def default_recheck(day: date) -> date:
    """The day of the next re-check where nobody names one."""
    return day + timedelta(days=RECHECK_AFTER_DAYS)
