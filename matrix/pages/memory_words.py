"""Words of the memory pages: parts, certainties, fit levels, formula terms, warnings, sizes."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from matrix.domain.catalogue import Catalogue
from matrix.domain.memory.values import (
    AttentionKind,
    Certainty,
    FailurePoint,
    FitLevel,
    PartKind,
)
from matrix.pages.links import node_name
from matrix.pages.memory_warning_words import TERM_WORDS, WARNING_SENTENCES, WHY_UNKNOWN_WORDS

KIB, MIB, GIB = 2**10, 2**20, 2**30
# Facts of warnings that are slugs, and the area of the catalogue that names them.
_AREA_OF_FACT: Mapping[str, str] = {
    **dict.fromkeys(("quantization", "holds", "scheme", "kv_dtype"), "quantization"),
    "engine": "framework",
}


@dataclass(frozen=True, slots=True)
class FitSign:
    """How a fit level is shown: colour by its style, sign and word always beside it."""

    value: str
    icon: str
    word: Promise
    style: str


FIT_SIGNS: Mapping[FitLevel, FitSign] = {
    FitLevel.FITS: FitSign("fits", "✓", _("fits"), "supported"),
    FitLevel.TIGHT: FitSign("tight", "◔", _("tight"), "partial"),
    FitLevel.EXCEEDS: FitSign("exceeds", "▲", _("exceeds, as estimated"), "unsupported"),
    FitLevel.DOES_NOT_FIT: FitSign("does-not-fit", "✕", _("does not fit"), "unsupported"),
    FitLevel.UNKNOWN: FitSign("unknown", "?", _("unknown"), "unknown"),
}

PART_WORDS: Mapping[PartKind, Promise] = {
    PartKind.WEIGHTS: _("Weights"),
    PartKind.CACHE: _("KV cache and states"),
    PartKind.COMPUTE: _("Compute buffers, activations, graphs"),
    PartKind.OVERHEAD: _("Runtime overhead"),
}

CERTAINTY_WORDS: Mapping[Certainty, Promise] = {
    Certainty.EXACT: _("exact arithmetic of the engine, checked against loads"),
    Certainty.CLOSE: _("close: arithmetic, details of the checkpoint left out"),
    Certainty.RANGE: _("range seen on like loads"),
    Certainty.LOWER_BOUND: _("lower bound: at least this much"),
    Certainty.UNKNOWN: _("unknown"),
}

ATTENTION_WORDS: Mapping[AttentionKind, Promise] = {
    AttentionKind.FULL: _("with full attention"),
    AttentionKind.SLIDING: _("with a sliding window"),
    AttentionKind.CHUNKED: _("within chunks"),
    AttentionKind.LATENT: _("with latent attention"),
    AttentionKind.RECURRENT: _("recurrent"),
    AttentionKind.NONE: _("without a cache"),
}

POINT_WORDS: Mapping[FailurePoint, Promise] = {
    FailurePoint.LOAD: _("Loading the weights"),
    FailurePoint.WARM_UP: _("Starting up: profiling, graphs, reserving the cache"),
    FailurePoint.SERVICE: _("Serving the asked context and concurrency"),
}

POINT_SENTENCES: Mapping[FitLevel, Promise] = {
    FitLevel.FITS: _("passes, also at the high end of every range"),
    FitLevel.TIGHT: _("passes at the low end of the ranges only"),
    FitLevel.EXCEEDS: _("runs out of memory, by this estimate"),
    FitLevel.DOES_NOT_FIT: _("runs out of memory: the weights alone exceed the device"),
    FitLevel.UNKNOWN: _("cannot be told"),
}


def size_text(value: int | None) -> str:
    """A size as people read it: GiB from 1 GiB on, MiB and KiB below; ``?`` for unknown."""
    if value is None:
        return "?"
    if abs(value) >= GIB:
        return f"{value / GIB:.1f} GiB" if abs(value) < 100 * GIB else f"{value / GIB:.0f} GiB"
    if abs(value) >= MIB:
        return f"{value / MIB:.0f} MiB"
    return f"{value / KIB:.1f} KiB" if value else "0"


def exact_text(value: int | None) -> str:
    """The size in bytes, all digits."""
    if value is None:
        return str(_now("unknown"))
    return ngettext("%(bytes)s byte", "%(bytes)s bytes", value) % {"bytes": f"{value:,}"}


def range_text(low: int | None, high: int | None) -> str:
    """``0.2 to 1.5 GiB`` or one size where both ends read alike."""
    if low is None or high is None:
        return size_text(high if low is None else low)
    first, last = size_text(low), size_text(high)
    if first == last:
        return first
    return _now("%(low)s to %(high)s") % {"low": first, "high": last}


def why_unknown_word(code: str) -> str:
    """Why a part has no figure."""
    word = WHY_UNKNOWN_WORDS.get(code)
    return str(word) if word else code.replace("-", " ")


def term_word(name: str) -> str:
    """What a line of a formula counts."""
    word = TERM_WORDS.get(name)
    return str(word) if word else name.replace("-", " ").replace("_", " ")


def named_facts(catalogue: Catalogue, facts: Mapping[str, object]) -> Mapping[str, object]:
    """The facts of a warning with names in place of slugs."""
    return {
        name: node_name(catalogue, _AREA_OF_FACT[name], str(value))
        if name in _AREA_OF_FACT
        else value
        for name, value in facts.items()
    }


def warning_sentence(code: str, facts: Mapping[str, object]) -> str:
    """A warning or note as a sentence; sizes in its facts are written as sizes."""
    template = WARNING_SENTENCES.get(code)
    shown = {name: _fact_text(name, value) for name, value in facts.items()}
    if template is None:
        rest = ", ".join(f"{name} {value}" for name, value in shown.items())
        return f"{code.replace('-', ' ')}: {rest}" if rest else code.replace("-", " ")
    return str(template) % _Forgiving(shown)


class _Forgiving(dict[str, str]):
    """Facts of a sentence; one that is not given is shown as unknown."""

    def __missing__(self, key: str) -> str:
        return "?"


def _fact_text(name: str, value: object) -> str:
    if (name.endswith("_bytes") or name == "stated") and isinstance(value, int):
        return size_text(value)
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)
