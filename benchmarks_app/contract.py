"""What an importer is and what it returns: one parsed file in, runs in canonical units out.

An importer module is pure: it says whether it knows a file (``recognises``) and maps the file to
runs (``read``). Receiving, storing, merging, resolving names and publishing belong to the core.
Nothing is dropped: what an importer does not understand stays in ``unmapped`` under its place,
and what nobody may see (prompts, answers, keys) is named in ``withheld`` without its value.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from benchmarks_app.domain.levels import LoadMode, Origin, RunStatus
from benchmarks_app.reading.document import Document

Floats = NDArray[np.float64]


class FileRole(StrEnum):
    """What a file is to a run."""

    RUNS = "runs"  # holds one or more runs
    SIDECAR = "sidecar"  # says something of the runs that lie beside it
    ATTACHMENT = "attachment"  # evidence to keep with them: logs, per-request records, scrapes
    REJECTED = "rejected"  # nothing that can be kept as evidence; ``reason`` says why


@dataclass(frozen=True, slots=True)
class Fact:
    """One stated value of a run's subject or environment, with where it stands.

    ``pointer`` is a path such as ``$.engine.model`` or ``line 3``.
    """

    value: str | int | float | bool
    origin: Origin = Origin.FILE
    pointer: str = ""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a reader of the run must know. ``code`` stands in ``domain.notices.NOTICES``.

    ``detail`` completes the code as the tools' reports do ("zero_token_successes", "379").
    """

    code: str
    detail: str = ""
    pointer: str = ""


@dataclass(frozen=True, slots=True)
class Counts:
    """Requests by end; ``None`` is unknown and never 0."""

    total: int | None = None
    completed: int | None = None
    failed: int | None = None
    incomplete: int | None = None


@dataclass(frozen=True, slots=True)
class Tokens:
    """Token totals. **Units**: tokens; ``duration_s`` in seconds of measured wall time."""

    input_total: int | None = None
    output_total: int | None = None
    output_total_retokenized: int | None = None
    duration_s: float | None = None


@dataclass(frozen=True, slots=True)
class Load:
    """How the load was offered; every field that a file does not state is ``None``.

    **Units**: rates per second, lengths in tokens, durations in seconds.
    ``request_rate_unbounded`` is true where all requests were offered at once or as fast as the
    concurrency let; ``extra`` holds further settings of the tool under the names of formats that
    state them (n_threads, dataset sizes).
    """

    mode: LoadMode | None = None
    request_rate: float | None = None
    request_rate_unbounded: bool | None = None
    burstiness: float | None = None
    max_concurrency: int | None = None
    num_prompts: int | None = None
    batch_size: int | None = None
    isl_target: float | None = None
    isl_mean: float | None = None
    osl_target: float | None = None
    osl_mean: float | None = None
    range_ratio: float | None = None
    duration_target_s: float | None = None
    n_prompt: int | None = None
    n_gen: int | None = None
    n_depth: int | None = None
    n_batch: int | None = None
    n_ubatch: int | None = None
    n_gpu_layers: int | None = None
    max_batch_size: int | None = None
    max_num_tokens: int | None = None
    warmup: str | None = None
    ignore_eos: bool | None = None
    slo: str | None = None
    extra: Mapping[str, str | int | float | bool] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Measurement:
    """One metric of one run, in the metric's canonical unit.

    ``metric`` and ``definition`` stand in ``domain.metrics``; ``stats`` maps statistic names
    (``domain.metrics.STATS``) to finite numbers. ``basis`` says of what where the metric has
    several (process or device memory); ``percentile_method`` is one of ``PERCENTILE_METHODS``.
    """

    metric: str
    definition: str
    stats: Mapping[str, float]
    pointer: str = ""
    basis: str = ""
    percentile_method: str = "unknown"


@dataclass(frozen=True, slots=True)
class Samples:
    """What the tool recorded one by one, so that statistics can be made again.

    **Shapes**: ``requests`` are columns of one length, one entry a request: ``ok`` (1.0 or 0.0),
    ``ttft_ms``, ``e2el_ms``, ``tpot_ms``, ``input_tokens``, ``output_tokens``, ``start_s`` (from
    the first request on); NaN is unknown. ``pooled`` are columns of gaps of all requests together
    (``itl_ms``). ``repeats`` are whole-test repetitions by metric name in its canonical unit
    (llama-bench's samples).
    """

    requests: Mapping[str, Floats] = field(default_factory=dict)
    pooled: Mapping[str, Floats] = field(default_factory=dict)
    repeats: Mapping[str, Floats] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunReading:
    """One run as a file tells it.

    ``facts`` are keyed by ``domain.facts.FACTS`` names, or ``user_meta.<key>`` and
    ``server_param.<key>`` for what people and sweeps added. ``pointer`` says where the run stands
    in its file; ``complements`` marks a part that is no run by itself and completes the run of
    the same tool beside it (percentiles in a file of their own). ``identity`` is the tool's own
    identifier of the run where it writes one. ``command`` is the client's command line if stated.
    """

    index: int
    status: RunStatus
    pointer: str = "$"
    facts: Mapping[str, Fact] = field(default_factory=dict)
    load: Load = field(default_factory=Load)
    requests: Counts = field(default_factory=Counts)
    tokens: Tokens = field(default_factory=Tokens)
    metrics: tuple[Measurement, ...] = ()
    samples: Samples | None = None
    failures: Mapping[str, int] = field(default_factory=dict)  # kind of error → requests
    notices: tuple[Notice, ...] = ()
    unmapped: Mapping[str, object] = field(default_factory=dict)  # place → verbatim value
    withheld: tuple[str, ...] = ()  # places of prompts, answers, hosts, keys
    complements: bool = False
    identity: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True)
class FileReading:
    """Everything an importer read from one file.

    ``format`` is a format identifier (docs/benchmark-formats.md); ``tool`` the tool's name.
    A sidecar's ``facts``, ``samples`` and ``command`` complete the runs of ``completes`` (tool
    names) in the same folder. ``reason`` is a sentence for a rejected file or an attachment.
    """

    format: str
    tool: str
    role: FileRole
    runs: tuple[RunReading, ...] = ()
    facts: Mapping[str, Fact] = field(default_factory=dict)
    samples: Samples | None = None
    command: str = ""
    completes: tuple[str, ...] = ()
    reason: str = ""
    notices: tuple[Notice, ...] = ()
    unmapped: Mapping[str, object] = field(default_factory=dict)
    withheld: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Importer:
    """One tool: how its files are known and read.

    ``recognises`` returns the format identifier, or ``None``; it is strict, so that exactly one
    importer claims a file. ``read`` gets the same document and that format.
    **Raises**: ``ResultError`` naming the place for a file of the right format that is broken.
    """

    tool: str
    formats: tuple[str, ...]
    recognises: Callable[[Document], str | None]
    read: Callable[[Document, str], FileReading]
