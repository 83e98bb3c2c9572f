"""The state of a comparison as its address holds it."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks_app.pages.selecting import FILTER_FIELDS, single_words
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase

LATENCIES = ("ttft", "tpot", "e2el", "itl", "batch_latency", "prefill_latency", "decode_latency")
RANKS = ("p50", "p90", "p95", "p99")
LATENCY_STATS = ("mean", *RANKS, "value")
THRESHOLDS = ("ttft_ms", "tpot_ms", "e2el_ms")
DEFAULT_SHARE = 0.95
OPTIONS = ("runs", "baseline", "latency", "latency_stat", "vary", *THRESHOLDS, "share", "digest")
LARGEST_THRESHOLD_MS = 86_400_000.0  # A day.
_UID = re.compile(r"[A-Za-z0-9_-]{1,24}")


@dataclass(frozen=True, slots=True)
class ComparisonState:
    """What is compared and how. **Units**: thresholds in milliseconds, share from 0 to 1.

    ``uids`` are the chosen runs; without them ``filters`` select the runs. ``load_varies`` says
    that the runs are compared because their load differs. A blank ``latency`` or
    ``latency_stat`` is chosen by what most runs have.
    """

    uids: tuple[str, ...] = ()
    filters: Mapping[str, str] = field(default_factory=dict)
    baseline: str = ""
    latency: str = ""
    latency_stat: str = ""
    load_varies: bool = False
    thresholds: Mapping[str, float] = field(default_factory=dict)
    share: float = DEFAULT_SHARE
    digest: str = ""

    def option_pairs(self) -> list[tuple[str, str]]:
        """The parameters of the options, without runs, filters and digest."""
        pairs = [("baseline", self.baseline)] if self.baseline else []
        if self.latency:
            pairs.append(("latency", self.latency))
        if self.latency_stat:
            pairs.append(("latency_stat", self.latency_stat))
        if self.load_varies:
            pairs.append(("vary", "load"))
        pairs += [(name, f"{value:g}") for name, value in self.thresholds.items()]
        if self.share != DEFAULT_SHARE:
            pairs.append(("share", f"{self.share:g}"))
        return pairs

    def choice_pairs(self) -> list[tuple[str, str]]:
        """The parameters that say which runs are compared."""
        return [("runs", ",".join(self.uids))] if self.uids else list(self.filters.items())


def read_state(words: Mapping[str, Sequence[str]]) -> ComparisonState:
    """The state of an address; ``runs`` may be repeated or hold several with commas.

    **Raises**: ``RunproofError`` that names the parameter, the value and what is accepted.
    """
    uids = [part.strip() for value in words.get("runs", ()) for part in value.split(",")]
    rest = {name: values for name, values in words.items() if name != "runs"}
    given = single_words(rest, accepted=(*FILTER_FIELDS, *OPTIONS))
    chosen = tuple(dict.fromkeys(_uid(uid) for uid in uids if uid))
    thresholds = {name: _threshold(name, given[name]) for name in THRESHOLDS if name in given}
    return ComparisonState(
        uids=chosen,
        filters={name: value for name, value in given.items() if name in FILTER_FIELDS},
        baseline=_uid(given["baseline"], name="baseline") if "baseline" in given else "",
        latency=_one_of("latency", given.get("latency", ""), ("", *LATENCIES)),
        latency_stat=_one_of("latency_stat", given.get("latency_stat", ""), ("", *LATENCY_STATS)),
        load_varies=bool(given.get("vary") and _one_of("vary", given["vary"], ("load",))),
        thresholds=thresholds,
        share=_share(given["share"]) if "share" in given else DEFAULT_SHARE,
        digest=given.get("digest", "")[:64],
    )


def _uid(text: str, *, name: str = "runs") -> str:
    if not _UID.fullmatch(text):
        raise InvalidValue(
            name=name, value=text[:40], accepted=Phrase("identifiers of runs with commas")
        )
    return text


def _one_of(name: str, value: str, accepted: Sequence[str]) -> str:
    if value not in accepted:
        named = ", ".join(one for one in accepted if one)
        raise InvalidValue(name=name, value=value[:40], accepted=named)
    return value


def _number(name: str, text: str, accepted: str) -> float:
    try:
        value = float(text)
    except ValueError as error:
        raise InvalidValue(name=name, value=text[:40], accepted=accepted) from error
    if not math.isfinite(value):
        raise InvalidValue(name=name, value=text[:40], accepted=accepted)
    return value


def _threshold(name: str, text: str) -> float:
    accepted = f"milliseconds above 0, at most {LARGEST_THRESHOLD_MS:.0f}"
    value = _number(name, text, accepted)
    if not 0 < value <= LARGEST_THRESHOLD_MS:
        raise InvalidValue(name=name, value=text[:40], accepted=accepted)
    return value


def _share(text: str) -> float:
    accepted = "a share above 0 and up to 1"
    value = _number("share", text, accepted)
    if not 0 < value <= 1:
        raise InvalidValue(name="share", value=text[:40], accepted=accepted)
    return value
