"""Runs as plain data, for REST: a line of a list, one run whole, its values."""

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

from django.db.models import Prefetch, QuerySet

from benchmarks_app.domain.facts import FACTS
from benchmarks_app.domain.levels import RunState
from benchmarks_app.domain.metrics import METRICS
from benchmarks_app.domain.notices import NOTICES
from benchmarks_app.domain.showing import shown_text, shown_unmapped
from benchmarks_app.models import Measurement, Run, RunFile, UnknownName

Plain = dict[str, Any]
LONGEST_UID = 24
# What a line of a list says of a run's values.
HEADLINE_METRICS = (
    "ttft", "tpot", "itl", "e2el", "request_throughput", "output_token_throughput",
    "total_token_throughput", "prefill_throughput", "decode_throughput", "batch_latency",
)  # fmt: skip
HEADLINE_STATS = ("value", "mean", "p50", "p99")
# Large columns that a list does not show.
_LEFT_OUT = ("facts", "load", "requests", "tokens", "failures", "notices", "unmapped", "withheld",
             "missing", "command")  # fmt: skip


def is_uid(uid: str) -> bool:
    """Whether a text has the form of an identifier."""
    return 0 < len(uid) <= LONGEST_UID and uid.isascii() and uid.replace("-", "").isalnum()


def listed_runs() -> QuerySet[Run]:
    """Public runs with their headline values. **Queries**: 1, and 1 for the values."""
    headline = Measurement.objects.filter(metric__in=HEADLINE_METRICS, stat__in=HEADLINE_STATS)
    return (
        Run.objects.public()
        .select_related("replaces", "replaced_by")
        .defer(*_LEFT_OUT, *(f"{side}__{name}" for side in ("replaces", "replaced_by")
                             for name in _LEFT_OUT))
        .prefetch_related(Prefetch("measurements", queryset=headline, to_attr="headline"))
    )  # fmt: skip


def run_whole(uid: str) -> Run | None:
    """One run with values, files and versions, drafts included. **Queries**: 3."""
    if not is_uid(uid):
        return None
    files = RunFile.objects.select_related("upload_file__file")
    return (
        Run.objects.filter(uid=uid)
        .select_related("upload", "replaces", "replaced_by", "sample_set")
        .defer("sample_set__encoded")
        .prefetch_related("measurements", Prefetch("files", queryset=files))
        .first()
    )


def runs_stamp() -> list[object]:
    """What every answer about several runs depends on. **Queries**: 4, each by an index."""
    newest = Run.objects.order_by("-id").values_list("pk", "state").first()
    published = (
        Run.objects.filter(state=RunState.PUBLISHED.value)
        .order_by("-published_at", "-id")
        .values_list("pk", "published_at")
        .first()
    )
    ended = (
        Run.objects.filter(state__in=(RunState.WITHDRAWN.value, RunState.REPLACED.value))
        .order_by("-ended_at")
        .values_list("pk", "ended_at")
        .first()
    )
    names = UnknownName.objects.filter(decided_at__isnull=False)
    decided = names.order_by("-decided_at").values_list("decided_at").first()
    return [newest, published, ended, decided]


def measurement_plain(row: Measurement) -> Plain:
    """One value with its unit and whose definition it follows."""
    metric = METRICS.get(row.metric)
    return {
        "metric": row.metric,
        "definition": row.definition,
        "stat": row.stat,
        "value": row.value,
        "unit": metric.unit.value if metric else None,
        "better": metric.direction.value if metric else None,
        "origin": row.origin,
        "basis": row.basis or None,
        "percentile_method": row.percentile_method or None,
        "pointer": row.pointer or None,
    }


def run_plain(run: Run, values: Iterable[Measurement] | None = None) -> Plain:
    """What a list says of a run."""
    found = run.headline if values is None else values  # type: ignore[attr-defined]
    return {
        "uid": run.uid,
        "state": run.state,
        "version": run.version,
        "replaces": run.replaces.uid if run.replaces else None,
        "replaced_by": _successor(run),
        "run_class": run.run_class,
        "status": run.status,
        "outcome": run.outcome,
        "outcome_detail": run.outcome_detail or None,
        "label": run.label or None,
        "tool": run.tool,
        "format": run.format,
        "framework": run.framework or None,
        "framework_version": run.framework_version or None,
        "model": run.model or None,
        "quantization": run.quantization or None,
        "hardware": run.hardware or None,
        "hardware_count": run.hardware_count,
        "backend": run.backend or None,
        "load_mode": run.load_mode or None,
        "max_concurrency": run.max_concurrency,
        "request_rate_per_s": run.request_rate,
        "input_tokens": run.input_tokens,
        "output_tokens": run.output_tokens,
        "measured_at": _moment(run.measured_at),
        "measured_on": _day(run.measured_on),
        "grade": run.grade or None,
        "published_at": _moment(run.published_at),
        "ended_at": _moment(run.ended_at),
        "claim": run.claim_uid or None,
        "headline": [
            {"metric": row.metric, "stat": row.stat, "value": row.value, "origin": row.origin,
             "unit": METRICS[row.metric].unit.value, "definition": row.definition}
            for row in found if row.metric in METRICS and _in_headline(row)
        ],
    }  # fmt: skip


def run_detail_plain(run: Run) -> Plain:
    """All that may be shown of a run; texts that nobody mapped are masked."""
    samples = getattr(run, "sample_set", None)
    return {
        **run_plain(run, run.measurements.all()),
        "digest": run.digest,
        "reason": run.reason or None,
        "facts": facts_plain(run.facts),
        "load": run.load,
        "requests": run.requests,
        "tokens": run.tokens,
        "failures": {shown_text(kind): count for kind, count in run.failures.items()},
        "measurements": [measurement_plain(row) for row in run.measurements.all()],
        "notices": notices_plain(run.notices),
        "missing": list(run.missing),
        "unmapped": shown_unmapped(run.unmapped),
        "withheld": list(run.withheld),
        "command": shown_text(run.command, longest=4_000) or None,
        "samples": None if samples is None else {
            "requests": samples.request_count, "columns": list(samples.columns),
        },
        "files": [
            {"name": file.upload_file.name, "part": file.part,
             "format": file.upload_file.format, "tool": file.upload_file.tool,
             "sha256": file.upload_file.file.sha256,
             "size_bytes": file.upload_file.file.size_bytes}
            for file in run.files.all()
        ],
    }  # fmt: skip


def facts_plain(facts: Any) -> list[Plain]:
    """Stated values with where each comes from, those of the vocabulary first."""
    order = {name: position for position, name in enumerate(FACTS)}
    return [
        {"name": name, **{key: inner for key, inner in fact.items() if inner not in ("",)}}
        for name, fact in sorted(
            facts.items(), key=lambda item: (order.get(item[0], len(order)), item[0])
        )
    ]


def notices_plain(notices: Any) -> list[Plain]:
    """What a reader must know, with its weight."""
    return [
        {
            "code": one["code"],
            "weight": str(NOTICES.get(one["code"], "info")),
            "detail": shown_text(str(one.get("detail", ""))) or None,
            "pointer": one.get("pointer") or None,
        }
        for one in notices
    ]


def _in_headline(row: Measurement) -> bool:
    return row.metric in HEADLINE_METRICS and row.stat in HEADLINE_STATS


def _successor(run: Run) -> str | None:
    later = getattr(run, "replaced_by", None)
    return later.uid if later is not None else None


def _moment(at: datetime | None) -> str | None:
    return at.isoformat().replace("+00:00", "Z") if at else None


def _day(day: date | None) -> str | None:
    return day.isoformat() if day else None
