"""Dossiers for tests: a frozen one made by hand, and drafts made by the services."""

from datetime import UTC, date, datetime
from typing import Any

from matrix.domain.canonical import content_sha256
from matrix.domain.dossiers import CandidateAssessment, DossierAssessment
from matrix.domain.levels import SupportLevel
from matrix.domain.need import Need
from matrix.domain.pinned import PinnedClaim, PinnedVerdict
from matrix.domain.scorecard import Scorecard
from matrix.models import Dossier
from matrix.queries.dossier_content import assessment_plain

DAY = date(2026, 1, 10)
MOMENT = datetime(2026, 1, 10, 12, tzinfo=UTC)
TURING_CLAIM = PinnedClaim(
    uid="turing",
    role="deciding",
    leg="platform nvidia-turing",
    framework="vllm",
    level=SupportLevel.SUPPORTED,
    kind="documentation",
    tier="official",
    source="docs",
    statement="turing",
)


def content(**changes: Any) -> DossierAssessment:
    """The content of a dossier with one candidate that rests on one claim."""
    values: dict[str, Any] = {
        "uid": "frozen",
        "series": "frozen",
        "version": 1,
        "replaces": "",
        "title": "An engine <for> tests",
        "summary": "",
        "is_demonstration": False,
        "need": Need(),
        "as_of": DAY,
        "known_at": MOMENT,
        "ruleset": "1",
        "revision": 1,
        "decision": "vLLM",
        "recheck_on": date(2026, 4, 10),
        "candidates": (candidate(),),
        "scorecard": Scorecard(),
    }
    return DossierAssessment(**{**values, **changes})


def candidate(key: str = "1", **changes: Any) -> CandidateAssessment:
    """A candidate of the content above."""
    values: dict[str, Any] = {
        "key": key,
        "name": f"candidate {key}",
        "words": (("framework", "vllm"), ("version", "0.6.0"), ("hardware", "nvidia-turing")),
        "framework": "vllm",
        "version": "0.6.0",
        "verdict": PinnedVerdict(SupportLevel.SUPPORTED, claims=(TURING_CLAIM,)),
    }
    return CandidateAssessment(**{**values, **changes})


def make_frozen_dossier() -> Dossier:
    """The row of the content above, frozen."""
    plain = assessment_plain(content())
    return Dossier.objects.create(
        uid="frozen",
        series="frozen",
        title="An engine <for> tests",
        state="frozen",
        as_of=DAY,
        known_at=MOMENT,
        ruleset="1",
        revision=1,
        decision="vLLM",
        recheck_on=date(2026, 4, 10),
        content=plain,
        content_sha256=content_sha256(plain),
        opened_by="ada",
        opened_at=MOMENT,
        frozen_by="ada",
        frozen_at=MOMENT,
    )
