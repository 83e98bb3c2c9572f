"""Samples for the components page: every widget of the product, fed by the code that fills it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django.urls import reverse
from django.utils.translation import gettext as _

from matrix.domain.levels import SupportLevel
from matrix.domain.memory.estimate import estimate_memory
from matrix.domain.memory.values import AttentionKind, LayerShape, MemoryRequest, ModelShape
from matrix.domain.scorecard import Criterion, CriterionKind, Judgement
from matrix.domain.scoring import score
from matrix.pages.check_words import OUTCOME_SIGNS, OutcomeSign
from matrix.pages.dossiers.scoring import ScoreView, score_view
from matrix.pages.dossiers.words import OUTCOME_SIGNS as SCORE_SIGNS
from matrix.pages.features import FeatureCell
from matrix.pages.memory import FitSummary, fit_summary
from matrix.pages.words import Sign

GB = 10**9
# **Units**: bytes of one device: roomy, hardly enough, too small, not told.
DEVICE_BYTES = (24 * GB, 20 * GB, 12 * GB, None)
SAMPLE_DAY = date(2026, 1, 10)
SAMPLE_LAYERS = (LayerShape(AttentionKind.FULL, kv_heads=8, key_dim=128, value_dim=128),) * 32


@dataclass(frozen=True, slots=True)
class SampleCandidate:
    """A column of the sample scorecard."""

    name: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class SampleScores:
    """What the template of the scorecard asks of its page."""

    candidates: Sequence[SampleCandidate]
    score: ScoreView
    width: str = ""


@dataclass(frozen=True, slots=True)
class Components:
    """Samples of the widgets; ``changes`` are (name, before, after) of an entry of the log."""

    fits: Sequence[FitSummary]
    outcomes: Sequence[OutcomeSign]
    score_signs: Sequence[Sign]
    scores: SampleScores
    feature_cells: Sequence[FeatureCell]
    changes: Sequence[tuple[str, str, str]]
    token_text: str = "rp_…"


def build_components() -> Components:
    """The samples, in the reader's language."""
    return Components(
        fits=[fit_summary(estimate_memory(_request(size))) for size in DEVICE_BYTES],
        outcomes=list(OUTCOME_SIGNS.values()),
        score_signs=list(SCORE_SIGNS.values()),
        scores=_sample_scores(),
        feature_cells=[_feature_cell(level) for level in SupportLevel],
        changes=[("level", "unknown", "supported"), ("note", "", _("a note"))],
    )


def _request(device_bytes: int | None) -> MemoryRequest:
    shape = ModelShape(
        name="sample",
        architecture="LlamaForCausalLM",
        num_layers=len(SAMPLE_LAYERS),
        hidden_size=4096,
        num_heads=32,
        num_kv_heads=8,
        head_dim=128,
        feed_forward_size=14_336,
        vocab_size=128_256,
        tied_embeddings=False,
        parameters_total=8_030_261_248,
        layers=SAMPLE_LAYERS,
    )
    return MemoryRequest(
        shape=shape,
        scheme="bf16",
        engine="vllm",
        context_tokens=8192,
        device_memory_bytes=device_bytes,
        device_usable_bytes=device_bytes,
    )


def _sample_scores() -> SampleScores:
    criteria = (
        Criterion("1", _("a knock-out"), CriterionKind.KNOCK_OUT),
        Criterion("2", _("a weighted criterion"), CriterionKind.WEIGHTED, weight_percent=60),
        Criterion("3", _("another one"), CriterionKind.WEIGHTED, weight_percent=40),
    )
    names = {"1": "A", "2": "B", "3": "C"}
    card = score(
        list(names),
        criteria,
        checks={},
        judgements={
            ("1", "1"): Judgement(passes=True, note=_("a reason"), by="ada"),
            ("2", "1"): Judgement(passes=False),
            ("1", "2"): Judgement(points=3),
            ("1", "3"): Judgement(points=2),
            ("2", "2"): Judgement(points=4),
            ("3", "2"): Judgement(points=1),
        },
        waived={},
    )
    return SampleScores(
        candidates=[SampleCandidate(name, key == "1") for key, name in names.items()],
        score=score_view(card, order=list(names), candidates=names, features={}, currency=""),
    )


def _feature_cell(level: SupportLevel) -> FeatureCell:
    is_known = level is not SupportLevel.UNKNOWN
    return FeatureCell(
        level=level,
        since=_("a release") if is_known else "",
        conditions=["--flag"] if level is SupportLevel.CONDITIONAL else [],
        depends_on=[],
        more="",
        notes=[_("a note")] if level is SupportLevel.PARTIAL else [],
        marks=[],
        stated_on=SAMPLE_DAY if is_known else None,
        release="1.0",
        evidence=SAMPLE_DAY.isoformat() if is_known else "",
        evidence_url="",
        stale=False,
        conflicting=False,
        url=f"{reverse('components')}#main",
    )
