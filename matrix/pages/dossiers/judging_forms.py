"""Judgements, waivers and the decision of a draft as forms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from matrix.domain.scorecard import MOST_POINTS, CriterionKind
from matrix.models import Dossier, DossierCandidate, DossierCriterion, DossierScore
from matrix.pages.dossiers.form_base import (
    DraftForm,
    area_field,
    choice_field,
    day_field,
    problem_sentence,
)

_POINTS = [("", "–"), *((str(n), str(n)) for n in range(MOST_POINTS + 1))]
_PASSES = [("", _("not said")), ("yes", _("passes")), ("no", _("fails"))]
_SAID = {"yes": True, "no": False}


@dataclass(frozen=True, slots=True)
class JudgingCell:
    """The two fields of one judgement."""

    candidate: str
    verdict: forms.BoundField
    note: forms.BoundField


@dataclass(frozen=True, slots=True)
class JudgingRow:
    """One criterion with its cells in the order of the candidates."""

    key: str
    name: str
    is_weighted: bool
    weight_percent: int
    cells: Sequence[JudgingCell]


class JudgingForm(DraftForm):
    """All judgements of a draft at once; only what differs is written."""

    def __init__(self, data: Any = None, *, dossier: Dossier, **kwargs: Any) -> None:
        self._candidates = list(dossier.candidates.all())
        self._criteria = list(dossier.criteria.all())
        self._stored = {(s.candidate_id, s.criterion_id): s for s in dossier.scores.all()}
        initial = dict(kwargs.pop("initial", None) or {})
        super().__init__(data, initial=initial, **kwargs)
        for criterion in self._criteria:
            for candidate in self._candidates:
                self._add(candidate, criterion)

    def _add(self, candidate: DossierCandidate, criterion: DossierCriterion) -> None:
        stem = _stem(candidate, criterion)
        score = self._stored.get((candidate.pk, criterion.pk))
        words = {"candidate": candidate.name, "criterion": criterion.name}
        weighted = criterion.kind == CriterionKind.WEIGHTED.value
        label = _("Points of %(candidate)s on %(criterion)s") if weighted else _(
            "Whether %(candidate)s passes %(criterion)s"
        )  # fmt: skip
        self.fields[f"{stem}-said"] = choice_field(
            str(label) % words, _POINTS if weighted else _PASSES
        )
        self.fields[f"{stem}-note"] = area_field(
            str(_("Reason for %(candidate)s on %(criterion)s")) % words, rows=2
        )
        self.fields[f"{stem}-note"].widget.attrs["placeholder"] = str(_("reason"))
        self.initial[f"{stem}-said"] = _shown(score, weighted=weighted)
        self.initial[f"{stem}-note"] = score.note if score else ""

    def rows(self) -> list[JudgingRow]:
        """The fields as a table."""
        return [
            JudgingRow(
                key=str(criterion.position),
                name=criterion.name,
                is_weighted=criterion.kind == CriterionKind.WEIGHTED.value,
                weight_percent=criterion.weight_percent,
                cells=[
                    JudgingCell(
                        candidate=str(candidate.position),
                        verdict=self[f"{_stem(candidate, criterion)}-said"],
                        note=self[f"{_stem(candidate, criterion)}-note"],
                    )
                    for candidate in self._candidates
                ],
            )
            for criterion in self._criteria
        ]

    def changed_scores(self) -> list[tuple[str, dict[str, Any]]]:
        """What differs from the stored judgements: the stem of its fields, and the judgement."""
        found = []
        for criterion in self._criteria:
            for candidate in self._candidates:
                stem = _stem(candidate, criterion)
                names = (f"{stem}-said", f"{stem}-note")
                given = tuple(_plain(self.cleaned_data.get(name)) for name in names)
                if given != tuple(_plain(self.initial.get(name)) for name in names):
                    found.append((stem, _judgement(candidate, criterion, *given)))
        return found

    def show_at(self, stem: str, problems: Sequence[Mapping[str, str]]) -> None:
        """Puts what the service found beside the fields of one judgement."""
        for problem in problems:
            ending = "note" if problem["field"] == "note" else "said"
            self.add_error(f"{stem}-{ending}", problem_sentence(problem))


def _plain(value: Any) -> str:
    """A text without what browsers do to it: they send other line ends than were stored."""
    return str(value or "").replace("\r\n", "\n").strip()


def _stem(candidate: DossierCandidate, criterion: DossierCriterion) -> str:
    return f"score-{candidate.position}-{criterion.position}"


def _shown(score: DossierScore | None, *, weighted: bool) -> str:
    if score is None:
        return ""
    if weighted:
        return "" if score.points is None else str(score.points)
    return next((word for word, said in _SAID.items() if said is score.passes), "")


def _judgement(
    candidate: DossierCandidate, criterion: DossierCriterion, said: str, note: str
) -> dict[str, Any]:
    weighted = criterion.kind == CriterionKind.WEIGHTED.value
    return {
        "candidate": str(candidate.position),
        "criterion": str(criterion.position),
        "points": int(said) if weighted and said else None,
        "passes": None if weighted else _SAID.get(said),
        "note": note,
    }


class WaiverForm(DraftForm):
    """A knock-out, or a gap, that is accepted until a day."""

    candidate = choice_field(_("Candidate"), (), required=True)
    criterion = choice_field(_("What it lifts"), ())
    reason = area_field(_("Why"), rows=2, required=True)
    removal_plan = area_field(_("Plan to remove it"), rows=2, required=True)
    remove_by = day_field(_("Remove by"), required=True)

    def __init__(self, data: Any = None, *, dossier: Dossier, **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        knock_outs = [c for c in dossier.criteria.all() if c.kind == CriterionKind.KNOCK_OUT.value]
        self.fields["candidate"].choices = [  # type: ignore[attr-defined]
            (str(c.position), c.name) for c in dossier.candidates.all()
        ]
        if knock_outs:
            self.initial.setdefault("criterion", str(knock_outs[0].position))
        self.fields["criterion"].choices = [  # type: ignore[attr-defined]
            *((str(c.position), c.name) for c in knock_outs),
            ("", _("a gap that no knock-out names")),
        ]

    def waiver(self) -> dict[str, Any]:
        """The waiver as ``grant_waiver`` takes it."""
        names = ("candidate", "criterion", "reason", "removal_plan", "remove_by")
        return {name: self.cleaned_data[name] for name in names}


class DecisionForm(DraftForm):
    """What was decided, who is chosen, and when to look again."""

    chosen = forms.MultipleChoiceField(
        label=_("Chosen"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("none, when nothing is chosen"),
    )
    decision = area_field(
        _("Decision"), rows=5, help_text=_("what was decided and why; also when nothing was chosen")
    )
    recheck_on = day_field(_("Check again on"), help_text=_("blank: 90 days after freezing"))

    def __init__(self, data: Any = None, *, dossier: Dossier, **kwargs: Any) -> None:
        rows = list(dossier.candidates.all())
        kwargs["initial"] = {
            "edition": dossier.edition,
            "chosen": [str(row.position) for row in rows if row.is_chosen],
            "decision": dossier.decision,
            "recheck_on": dossier.recheck_on,
            **dict(kwargs.get("initial") or {}),
        }
        super().__init__(data, **kwargs)
        self.fields["chosen"].choices = [  # type: ignore[attr-defined]
            (str(row.position), row.name) for row in rows
        ]


class FreezeForm(DraftForm):
    """The confirmation that fixes a draft."""

    confirmed = forms.BooleanField(
        label=_("I have read it; freeze it as it is"),
        error_messages={"required": _("confirm that it can be frozen")},
    )
