"""What a selection dossier is for: the workload, the objectives, the limits; read strictly."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from matrix.domain.errors import InvalidValue
from matrix.domain.measured import Slo
from matrix.domain.phrases import Phrase

LONGEST_NOTE = 4_000
LONGEST_WORD = 200
MOST_NAMES = 50
LARGEST_TOKENS = 100_000_000
LARGEST_RATE = 1_000_000.0
LARGEST_MS = 86_400_000.0


@dataclass(frozen=True, slots=True)
class Workload:
    """The load to be carried; ``None`` is not stated.

    **Units**: tokens per request, requests in flight, requests per second on average;
    ``peak_factor`` times that at the peak.
    """

    input_tokens_p50: int | None = None
    input_tokens_p95: int | None = None
    output_tokens_p50: int | None = None
    output_tokens_p95: int | None = None
    concurrency: int | None = None
    request_rate_req_s: float | None = None
    peak_factor: float | None = None

    @property
    def peak_rate_req_s(self) -> float | None:
        """Requests per second at the peak."""
        if self.request_rate_req_s is None:
            return None
        return self.request_rate_req_s * (self.peak_factor or 1.0)

    @property
    def context_tokens(self) -> int | None:
        """The longest request that is planned for: input and output at their larger stated size."""
        sizes = (
            self.input_tokens_p95 or self.input_tokens_p50,
            self.output_tokens_p95 or self.output_tokens_p50,
        )
        known = [size for size in sizes if size]
        return sum(known) if known else None


@dataclass(frozen=True, slots=True)
class Objectives:
    """Service-level objectives. **Units**: milliseconds; ``share`` and ``error_rate`` 0 to 1."""

    ttft_ms: float | None = None
    tpot_ms: float | None = None
    e2el_ms: float | None = None
    share: float = 0.95
    error_rate: float | None = None


@dataclass(frozen=True, slots=True)
class HardwareOnHand:
    """Devices that are there. **Units**: ``count`` devices; ``None`` not stated."""

    hardware: str
    count: int | None = None


@dataclass(frozen=True, slots=True)
class OperatingLimits:
    """What the team can carry, in its own words."""

    on_call: str = ""
    images: str = ""
    languages: str = ""
    team: str = ""
    other: str = ""


@dataclass(frozen=True, slots=True)
class Need:
    """The need of a selection. ``models``, ``hardware`` and features are slugs or known names."""

    purpose: str = ""
    workload: Workload = field(default_factory=Workload)
    objectives: Objectives = field(default_factory=Objectives)
    models: tuple[str, ...] = ()
    precision: str = ""
    hardware: tuple[HardwareOnHand, ...] = ()
    required_features: tuple[str, ...] = ()
    limits: OperatingLimits = field(default_factory=OperatingLimits)
    currency: str = ""

    @property
    def slo(self) -> Slo:
        """The objectives and the load as a question to measurements."""
        load, asked = self.workload, self.objectives
        return Slo(
            ttft_ms=asked.ttft_ms,
            tpot_ms=asked.tpot_ms,
            e2el_ms=asked.e2el_ms,
            share=asked.share,
            error_rate=asked.error_rate,
            request_rate_req_s=load.request_rate_req_s,
            input_tokens=load.input_tokens_p50,
            output_tokens=load.output_tokens_p50,
            concurrency=load.concurrency,
        )


# -- reading ------------------------------------------------------------------------------------

Plain = Mapping[str, Any]


def read_need(plain: object) -> Need:
    """The need of plain data; a missing or null member is not stated.

    **Raises**: ``InvalidValue`` that names the member as ``need.workload.concurrency``.
    """
    given = _object("need", plain, _READERS)
    values = {name: _READERS[name](f"need.{name}", value) for name, value in given.items()}
    return Need(**values)


def _object(name: str, value: object, members: Mapping[str, object]) -> dict[str, Any]:
    """The members that are stated. **Raises**: ``InvalidValue`` for a name that is none."""
    if not isinstance(value, Mapping):
        raise InvalidValue(name=name, value=_shown(value), accepted=Phrase("an object"))
    for key in value:
        if key not in members:
            accepted = "the members " + ", ".join(sorted(members))
            raise InvalidValue(name=f"{name}.{_shown(key)}", value="given", accepted=accepted)
    return {key: item for key, item in value.items() if item is not None and item != ""}


def _shown(value: object) -> str:
    return str(value)[:60]


def read_text(name: str, value: object, *, longest: int) -> str:
    """The text without surrounding blanks. **Raises**: ``InvalidValue``."""
    if not isinstance(value, str):
        raise InvalidValue(name=name, value=_shown(value), accepted=Phrase("text"))
    text = value.strip()
    if len(text) > longest:
        raise InvalidValue(
            name=name,
            value=f"{len(text)} characters",
            accepted=Phrase("at most {longest} characters", longest=longest),
        )
    if any((ord(c) < 32 and c not in "\n\r\t") or 0xD7FF < ord(c) < 0xE000 for c in text):
        raise InvalidValue(
            name=name, value=ascii(text[:60]), accepted=Phrase("text without control characters")
        )
    return text


def read_count(name: str, value: object, *, largest: int, least: int = 1) -> int:
    """A whole number. **Raises**: ``InvalidValue``."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= largest:
        raise InvalidValue(
            name=name,
            value=_shown(value),
            accepted=Phrase(
                "a whole number from {least} to {largest}", least=least, largest=largest
            ),
        )
    return value


def read_number(name: str, value: object, *, largest: float, least: float = 0.0) -> float:
    """A number above ``least``. **Raises**: ``InvalidValue``."""
    # The bounds come before any conversion: a whole number may be too large for a float.
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float))
        or not (least < value <= largest and math.isfinite(value))
    ):
        raise InvalidValue(
            name=name,
            value=_shown(value),
            accepted=Phrase(
                "a number above {least:g} to {largest:g}", least=least, largest=largest
            ),
        )
    return float(value)


def _share(name: str, value: object) -> float:
    return read_number(name, value, largest=1.0)


def _rate_of_errors(name: str, value: object) -> float:
    if value == 0 and not isinstance(value, bool):
        return 0.0
    return read_number(name, value, largest=1.0)


def _tokens(name: str, value: object) -> int:
    return read_count(name, value, largest=LARGEST_TOKENS)


def _milliseconds(name: str, value: object) -> float:
    return read_number(name, value, largest=LARGEST_MS)


def _factor(name: str, value: object) -> float:
    number = read_number(name, value, largest=1_000.0)
    if number < 1:
        raise InvalidValue(
            name=name, value=_shown(value), accepted=Phrase("a number from 1 to 1000")
        )
    return number


def _workload(name: str, value: object) -> Workload:
    readers: Mapping[str, Callable[[str, object], Any]] = {
        "input_tokens_p50": _tokens,
        "input_tokens_p95": _tokens,
        "output_tokens_p50": _tokens,
        "output_tokens_p95": _tokens,
        "concurrency": lambda n, v: read_count(n, v, largest=10_000_000),
        "request_rate_req_s": lambda n, v: read_number(n, v, largest=LARGEST_RATE),
        "peak_factor": _factor,
    }
    given = _object(name, value, readers)
    load = Workload(**{key: readers[key](f"{name}.{key}", item) for key, item in given.items()})
    for side in ("input", "output"):
        middle, high = (getattr(load, f"{side}_tokens_{p}") for p in ("p50", "p95"))
        if middle and high and high < middle:
            raise InvalidValue(
                name=f"{name}.{side}_tokens_p95",
                value=high,
                accepted=Phrase("at least the p50, {middle}", middle=middle),
            )
    return load


def _objectives(name: str, value: object) -> Objectives:
    readers: Mapping[str, Callable[[str, object], Any]] = {
        "ttft_ms": _milliseconds,
        "tpot_ms": _milliseconds,
        "e2el_ms": _milliseconds,
        "share": _share,
        "error_rate": _rate_of_errors,
    }
    given = _object(name, value, readers)
    return Objectives(**{key: readers[key](f"{name}.{key}", v) for key, v in given.items()})


def _list(name: str, value: object) -> list[Any]:
    if not isinstance(value, (list, tuple)) or len(value) > MOST_NAMES:
        shown = f"{len(value)} values" if isinstance(value, (list, tuple)) else _shown(value)
        raise InvalidValue(
            name=name,
            value=shown,
            accepted=Phrase("a list of at most {most_names}", most_names=MOST_NAMES),
        )
    return list(value)


def _names(name: str, value: object) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for position, item in enumerate(_list(name, value)):
        text = read_text(f"{name}.{position}", item, longest=LONGEST_WORD)
        if not text:
            raise InvalidValue(name=f"{name}.{position}", value="", accepted=Phrase("a name"))
        found[text] = None
    return tuple(found)


def _hardware(name: str, value: object) -> tuple[HardwareOnHand, ...]:
    found = []
    for position, item in enumerate(_list(name, value)):
        here = f"{name}.{position}"
        given = _object(here, item, {"hardware": 1, "count": 1})
        word = read_text(f"{here}.hardware", given.get("hardware", ""), longest=LONGEST_WORD)
        if not word:
            raise InvalidValue(
                name=f"{here}.hardware", value="", accepted=Phrase("a name of hardware")
            )
        count = given.get("count")
        if count is not None:
            count = read_count(f"{here}.count", count, largest=1_000_000)
        found.append(HardwareOnHand(hardware=word, count=count))
    return tuple(found)


def _limits(name: str, value: object) -> OperatingLimits:
    members = dict.fromkeys(("on_call", "images", "languages", "team", "other"), 1)
    given = _object(name, value, members)
    return OperatingLimits(
        **{key: read_text(f"{name}.{key}", v, longest=LONGEST_NOTE) for key, v in given.items()}
    )


def read_currency(name: str, value: object) -> str:
    """Three letters of ISO 4217, in capitals. **Raises**: ``InvalidValue``."""
    text = read_text(name, value, longest=LONGEST_WORD).upper()
    if len(text) != 3 or not (text.isascii() and text.isalpha()):
        raise InvalidValue(
            name=name, value=_shown(value), accepted=Phrase("three letters such as USD, EUR or CNY")
        )
    return text


_READERS: Mapping[str, Callable[[str, object], Any]] = {
    "purpose": lambda n, v: read_text(n, v, longest=LONGEST_NOTE),
    "workload": _workload,
    "objectives": _objectives,
    "models": _names,
    "precision": lambda n, v: read_text(n, v, longest=LONGEST_WORD),
    "hardware": _hardware,
    "required_features": _names,
    "limits": _limits,
    "currency": read_currency,
}
