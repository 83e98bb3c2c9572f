"""What a run shows about the cell it ran on: that it works, does not fit, fails, or nothing.

A wrong "works" is the worst answer, so a run shows nothing where its environment was a stand-in,
a service of somebody else or unknown, and where nothing says why it failed.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from benchmarks_app.domain.levels import RunClass, RunOutcome, RunStatus
from benchmarks_app.domain.run_view import RunView
from matrix.domain.redaction import mask_text

LONGEST_DETAIL = 200
_LONGEST_LOG = 4_000_000  # Letters; what comes later is what follows from the first error.


@dataclass(frozen=True, slots=True)
class Shown:
    """What a run shows. ``reason`` is one of ``REASONS``; ``detail`` quotes the line that says it,
    masked and cut."""

    outcome: RunOutcome
    reason: str
    detail: str = ""


# Codes of reasons, for whoever words them.
REASONS = (
    "completed", "completed-partly", "out-of-memory", "out-of-memory-under-load",
    "cache-too-small", "host-out-of-memory", "not-supported", "crashed", "server-error",
    "demonstration", "mocked", "hosted-api", "published-without-environment", "no-subject",
    "suspect", "invalid", "cancelled", "no-output", "mostly-failed", "client-error",
    "failed-unexplained",
)  # fmt: skip

_Signature = tuple[RunOutcome, str, re.Pattern[str]]


def _signature(outcome: RunOutcome, reason: str, *patterns: str) -> _Signature:
    return outcome, reason, re.compile("|".join(patterns), re.IGNORECASE)


# The first that a line matches decides: what is precise stands before what is general.
SIGNATURES: tuple[_Signature, ...] = (
    _signature(
        RunOutcome.DOES_NOT_FIT, "cache-too-small",
        r"no available memory for the cache blocks",
        r"larger than the (?:maximum number of tokens that can be stored in|available) KV cache",
        r"not enough memory\b.{0,80}\b(?:kv|cache|mem[-_ ]fraction)",
    ),
    _signature(
        RunOutcome.DOES_NOT_FIT, "out-of-memory",
        r"(?:CUDA|HIP|NPU|XPU|MUSA|HPU|MPS)\b.{0,40}out of memory",
        r"OutOfMemoryError", r"CUDA_ERROR_OUT_OF_MEMORY", r"hipErrorOutOfMemory",
        r"cudaMalloc failed: out of memory", r"ErrorOutOfDeviceMemory",
        r"failed to allocate .{0,60}\b(?:buffer|device memory)",
        r"unable to allocate .{0,60}\bbuffer", r"CL_OUT_OF_RESOURCES",
        r"CL_MEM_OBJECT_ALLOCATION_FAILURE", r"device memory (?:is )?insufficient",
    ),
    _signature(
        RunOutcome.DOES_NOT_FIT, "host-out-of-memory",
        r"oom-kill", r"out of memory: killed process", r"\bMemoryError\b",
        r"cannot allocate memory",
    ),
    _signature(
        RunOutcome.FAILS, "not-supported",
        r"no kernel image is available", r"unknown model architecture",
        r"model architectures? .{0,120}(?:not|un)\s?supported",
        r"(?:quantization|quant method|dtype|data type) .{0,100}(?:not|un)\s?supported",
        r"(?:not|un)supported (?:quantization|dtype|data type|model|architecture|gpu)",
        r"compute capability .{0,80}(?:not|required|minimum)",
    ),
    _signature(
        RunOutcome.FAILS, "crashed",
        r"illegal memory access", r"segmentation fault", r"device-side assert",
        r"EngineDeadError", r"ggml_abort", r"GGML_ASSERT", r"core dumped",
    ),
)  # fmt: skip
# What says of the client or the way to the server, and nothing of the cell.
_CLIENT = re.compile(
    r"connection (?:refused|reset|error)|cannot connect|connect call failed|name or service|"
    r"\b(?:401|403|404|429)\b|unauthori[sz]ed|forbidden|not found|rate limit|timed? ?out|"
    r"server disconnected|ssl|certificate",
    re.IGNORECASE,
)
_SERVER = re.compile(r"\b50[0-4]\b|internal server error|bad gateway|service unavailable", re.I)
# Notices of numbers that nothing measured can have.
IMPOSSIBLE = frozenset({"negative_value", "absurd_value"})
_SUBJECT = ("model.id", "framework.name", "accelerator.name")
_VERSION = ("framework.version", "framework.commit", "framework.build_number")


def outcome_of(
    run: RunView,
    *,
    failures: Mapping[str, int] | None = None,
    logs: Sequence[str] = (),
    notices: Collection[str] = (),
) -> Shown:
    """What a run shows.

    ``failures`` are kinds of errors with their requests, ``logs`` the texts of logs beside it,
    ``notices`` the codes of its notices.
    """
    barred = _bar(run, notices)
    if barred is not None:
        return Shown(RunOutcome.NOT_SHOWN, barred)
    if not IMPOSSIBLE.isdisjoint(notices):
        # Whoever writes numbers that cannot be may be wrong about the rest.
        return Shown(RunOutcome.NOT_SHOWN, "suspect")
    if run.status in (RunStatus.OK, RunStatus.PARTIAL):
        return _of_finished(run, failures or {}, notices)
    told = [*(failures or {}), *logs]
    found = next((shown for text in told if (shown := read_log(text)) is not None), None)
    if run.status is RunStatus.FAILED:
        return found or _of_failures(failures or {})
    # A run that was stopped or called invalid may still say clearly that it broke.
    return found or Shown(RunOutcome.NOT_SHOWN, str(run.status))


def _bar(run: RunView, notices: Collection[str]) -> str | None:
    """Why a run can show nothing about a cell whatever it says."""
    if run.mocked or "mock_server" in notices:
        return "mocked"
    if run.run_class is RunClass.DEMONSTRATION:
        return "demonstration"
    if "hosted_api" in notices:
        return "hosted-api"
    known = all(_states(run, name) for name in _SUBJECT)
    if run.run_class is RunClass.PUBLISHED:
        versioned = any(_states(run, name) for name in _VERSION)
        return None if known and versioned else "published-without-environment"
    if not known and not _runs_on_named_processor(run):
        return "no-subject"
    return "suspect" if run.status is RunStatus.SUSPECT else None


def _states(run: RunView, name: str) -> bool:
    value = run.fact(name)
    return value is not None and str(value).strip().casefold() not in ("", "not captured", "?", "-")


def _runs_on_named_processor(run: RunView) -> bool:
    named = _states(run, "model.id") or _states(run, "model.file")
    return named and _states(run, "framework.name") and _states(run, "host.cpu")


def _of_finished(run: RunView, failures: Mapping[str, int], notices: Collection[str]) -> Shown:
    completed, failed = run.counts.completed, run.counts.failed or 0
    output = run.tokens.output_total
    if (completed is not None and completed <= 0) or (output is not None and output <= 0):
        return Shown(RunOutcome.NOT_SHOWN, "no-output")
    if output is None and "zero_token_successes" in notices:
        # Nothing says that any of the other answers held a token.
        return Shown(RunOutcome.NOT_SHOWN, "no-output")
    if completed is None and not any(one.stats for one in run.measurements):
        return Shown(RunOutcome.NOT_SHOWN, "no-output")
    if run.status is RunStatus.OK and failed == 0:
        return Shown(RunOutcome.COMPLETED, "completed")
    mostly = completed is None or failed > completed
    share = "" if completed is None else f"{failed}/{failed + completed}"
    for text in failures:
        shown = read_log(text)
        if shown is not None and shown.outcome is RunOutcome.DOES_NOT_FIT:
            # It fits, as the completed requests show; under this load it runs out.
            outcome = RunOutcome.FAILS if mostly else RunOutcome.COMPLETED
            return Shown(outcome, "out-of-memory-under-load", f"{share} {shown.detail}".strip())
    if mostly or "mostly_failed" in notices:
        return Shown(RunOutcome.NOT_SHOWN, "mostly-failed")
    return Shown(RunOutcome.COMPLETED, "completed-partly", share)


def _of_failures(failures: Mapping[str, int]) -> Shown:
    for text in failures:
        if _SERVER.search(text):
            return Shown(RunOutcome.NOT_SHOWN, "server-error", _quote(text))
    for text in failures:
        if _CLIENT.search(text):
            return Shown(RunOutcome.NOT_SHOWN, "client-error", _quote(text))
    return Shown(RunOutcome.NOT_SHOWN, "failed-unexplained")


def read_log(text: str) -> Shown | None:
    """What a log says went wrong, by its first line with a known sign; ``None`` without one."""
    for line in text[:_LONGEST_LOG].splitlines():
        looked_at = line[:2000]
        for outcome, reason, pattern in SIGNATURES:
            found = pattern.search(looked_at)
            if found is not None:
                start = max(0, found.start() - 60)
                return Shown(outcome, reason, _quote(looked_at[start:]))
    return None


def _quote(line: str) -> str:
    masked = mask_text(" ".join(line.split())[: 2 * LONGEST_DETAIL]).text
    return masked if len(masked) <= LONGEST_DETAIL else masked[: LONGEST_DETAIL - 1] + "…"
