"""What a dossier pins of a candidate: verdict, claims, maintenance, memory, runs, cost.

Each is as it stood when the dossier was assessed, and holds all that a reader needs to see it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from matrix.domain.levels import MaintenanceStatus, SupportLevel
from matrix.domain.memory.values import DeviceShare, Fit, Part


@dataclass(frozen=True, slots=True)
class PinnedClaim:
    """A claim as it stood: what it says, on what it rests, and of which leg.

    ``role`` is ``deciding``, ``contradicting`` or ``limit``. ``leg`` names its kind and subject.
    """

    uid: str
    role: str
    leg: str
    framework: str
    level: SupportLevel
    kind: str
    tier: str
    source: str
    statement: str
    note: str = ""
    release: str = ""
    stated_on: date | None = None
    url: str = ""
    document_version: str = ""
    locator: str = ""
    age_kind: str = ""
    age_days: int = 0
    inherited_from: str = ""


@dataclass(frozen=True, slots=True)
class PinnedLeg:
    """One leg of a verdict with the uids that decide it."""

    kind: str
    subject: str
    level: SupportLevel
    rule: str
    unknown_reason: str = ""
    conflicting: bool = False
    deciding: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PinnedVerdict:
    """The verdict of a candidate as it stood.

    ``conditions`` are lines for readers (``flag --x is set``). ``query`` asks the cell page.
    """

    level: SupportLevel
    version: str = ""
    unknown_reason: str = ""
    limit: str = ""
    execution: str = ""
    tier: str = ""
    confidence: str = ""
    conflicting: bool = False
    stale: bool = False
    recheck_on: date | None = None
    conditions: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    legs: tuple[PinnedLeg, ...] = ()
    claims: tuple[PinnedClaim, ...] = ()
    query: str = ""


@dataclass(frozen=True, slots=True)
class PinnedMaintenance:
    """Whether a framework is looked after. **Dates**: of the statement and of its start.

    ``last_release`` is the newest stable one by the date; ``releases_after`` counts the stable
    ones after the candidate's release.
    """

    status: MaintenanceStatus
    start_on: date | None = None
    stated_on: date | None = None
    note: str = ""
    url: str = ""
    last_release: str = ""
    last_release_on: date | None = None
    releases_after: int = 0
    silence_days: int | None = None
    is_silent: bool = False


@dataclass(frozen=True, slots=True)
class PinnedMemory:
    """The memory estimate of a candidate; ``why_unknown`` is a code where there is none.

    ``parts``, ``share``, ``fit`` and ``warnings`` are those of the estimate.
    """

    parts: tuple[Part, ...] = ()
    share: DeviceShare | None = None
    fit: Fit | None = None
    warnings: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    context_tokens: int | None = None
    sequences: int | None = None
    devices: int | None = None
    rules_version: str = ""
    why_unknown: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class PinnedRun:
    """A measured run near a candidate as it stood; see ``matrix.domain.measured.MeasuredRun``."""

    reference: str
    digest: str
    label: str
    url: str
    framework: str
    version: str
    model: str
    quantization: str
    hardware: str
    hardware_count: int | None
    run_class: str
    status: str
    is_performance: bool
    is_exact: bool
    distance: tuple[str, ...] = ()
    measured_on: date | None = None
    load: str = ""
    grade: str = ""
    state: str = "published"
    metrics: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SloCheck:
    """A measured latency or rate held against its limit. ``passes`` ``None``: not measured."""

    metric: str
    limit: float
    value: float | None = None
    passes: bool | None = None
    run: str = ""


@dataclass(frozen=True, slots=True)
class PinnedThroughput:
    """What was reached at the objectives; ``why_unknown`` is a code where nothing is known.

    **Units**: tokens and requests per second of the whole deployment.
    """

    output_tok_s: float | None = None
    total_tok_s: float | None = None
    goodput_req_s: float | None = None
    attained_share: float | None = None
    low_output_tok_s: float | None = None
    high_output_tok_s: float | None = None
    interval_of: str = ""
    runs: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    why_unknown: str = ""


@dataclass(frozen=True, slots=True)
class PinnedCost:
    """Cost per million tokens as decimal texts; ``why_unknown`` is a code where there is none.

    **Units**: amounts in ``currency``; ``price_per_hour`` of all devices of the deployment.
    """

    currency: str = ""
    output: str = ""
    output_low: str = ""
    output_high: str = ""
    total: str = ""
    total_low: str = ""
    total_high: str = ""
    price_per_hour: str = ""
    price_uid: str = ""
    price_effective_on: date | None = None
    price_note: str = ""
    price_is_demonstration: bool = False
    interval_of: str = ""
    marks: tuple[str, ...] = ()
    why_unknown: str = ""


@dataclass(frozen=True, slots=True)
class PinnedFeature:
    """What is known of a required service feature at the candidate's release and cell."""

    slug: str
    name: str
    level: SupportLevel
    unknown_reason: str = ""
    conditions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    claims: tuple[PinnedClaim, ...] = ()
