"""Rows of measured runs for tests: an upload with its file, the run, its values and samples."""

import hashlib
import itertools
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np

from benchmarks_app.contract import Measurement, Samples
from benchmarks_app.domain.metrics import METRICS
from benchmarks_app.domain.sample_codec import encode
from benchmarks_app.domain.summary import summarise
from benchmarks_app.models import Measurement as MeasurementRow
from benchmarks_app.models import Run, RunFile, SampleSet, StoredFile, Upload, UploadFile

_numbers = itertools.count(1)
SENT_AT = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)

FACTS: Mapping[str, tuple[object, str]] = {
    "model.id": ("meta/Llama-3-8B", "file"),
    "model.revision": ("5206a32e", "uploader"),
    "tokenizer.id": ("meta/Llama-3-8B", "file"),
    "quantization.weights": ("awq", "file"),
    "framework.name": ("vllm", "file"),
    "framework.version": ("0.7.0", "file"),
    "framework.commit": ("b4f1c0de", "uploader"),
    "accelerator.name": ("Tesla T4", "pasted"),
    "accelerator.count": (1, "pasted"),
    "accelerator.driver": ("550.54.15", "pasted"),
    "tool.name": ("vllm bench serve", "file"),
    "run.finished_at_local": ("2026-10-30T10:00:00", "file"),
}
LOAD: Mapping[str, object] = {
    "mode": "closed_loop",
    "max_concurrency": 4,
    "num_prompts": 100,
    "isl_mean": 512.0,
    "osl_mean": 128.0,
    "request_rate_unbounded": True,
}
# Metric → statistics, in the metric's canonical unit.
METRIC_VALUES: Mapping[str, Mapping[str, float]] = {
    "ttft": {"mean": 82.0, "p50": 80.0, "p99": 140.0},
    "tpot": {"mean": 11.0, "p50": 10.5, "p99": 14.0},
    "e2el": {"mean": 1500.0, "p50": 1480.0, "p99": 1900.0},
    "request_throughput": {"value": 2.6},
    "output_token_throughput": {"value": 333.0},
}


def plain_facts(facts: Mapping[str, tuple[object, str]]) -> dict[str, dict[str, object]]:
    """The facts as a run's row holds them."""
    return {
        name: {"value": value, "origin": origin, "pointer": f"$.{name}"}
        for name, (value, origin) in facts.items()
    }


def make_upload(**changes: Any) -> Upload:
    """An upload that was read."""
    number = next(_numbers)
    given: dict[str, Any] = {
        "uid": f"u{number:06d}",
        "digest": hashlib.sha256(f"upload {number}".encode()).hexdigest(),
        "state": "read",
        "run_class": "measured",
        "received_by": "ada",
        "received_at": SENT_AT,
        "way": "page",
        "run_count": 1,
    }
    return Upload.objects.create(**(given | changes))


def make_file(upload: Upload, **changes: Any) -> UploadFile:
    """A result file of an upload, without its bytes."""
    number = next(_numbers)
    stored = StoredFile.objects.create(
        sha256=hashlib.sha256(f"file {number}".encode()).hexdigest(),
        size_bytes=2048,
        first_received_at=SENT_AT,
    )
    given: dict[str, Any] = {
        "name": f"result-{number}.json",
        "role": "runs",
        "format": "vllm.bench_serve",
        "tool": "vllm",
    }
    return UploadFile.objects.create(upload=upload, file=stored, **(given | changes))


def make_samples(
    *, count: int = 200, seed: int = 1, scale: float = 1.0, failed: int = 0
) -> Samples:
    """Samples of a serving run: waits and gaps that are never negative. **Units**: ms, s."""
    chance = np.random.default_rng(seed)
    ttft = chance.gamma(8.0, 10.0 * scale, count)
    tpot = chance.gamma(40.0, 0.25 * scale, count)
    output = np.full(count, 128.0)
    ok = np.ones(count)
    ok[:failed] = 0.0
    return Samples(
        requests={
            "ok": ok,
            "ttft_ms": ttft,
            "tpot_ms": tpot,
            "e2el_ms": ttft + tpot * (output - 1.0),
            "input_tokens": np.full(count, 512.0),
            "output_tokens": output,
            "start_s": np.arange(count) * 0.25,
        },
        pooled={"itl_ms": chance.gamma(40.0, 0.25 * scale, count * 4)},
    )


def make_run(
    *,
    facts: Mapping[str, tuple[object, str]] | None = None,
    load: Mapping[str, object] | None = None,
    metrics: Mapping[str, Mapping[str, float]] | None = None,
    measurements: Sequence[Measurement] = (),
    samples: Samples | None = None,
    state: str = "published",
    upload: Upload | None = None,
    **changes: Any,
) -> Run:
    """A run with its values and samples, published unless ``state`` says otherwise.

    **Shapes**: ``facts`` and ``load`` are added to those of ``FACTS`` and ``LOAD``; a fact or
    field of ``None`` is taken out. ``metrics`` replaces ``METRIC_VALUES``; ``measurements`` are
    further rows. With samples, recomputed rows stand beside the reported ones.
    """
    number = next(_numbers)
    sent = upload or make_upload()
    stated = {**FACTS, **(facts or {})}
    offered = {**LOAD, **(load or {})}
    offered = {name: value for name, value in offered.items() if value is not None}
    published_at = SENT_AT + timedelta(minutes=number)
    given: dict[str, Any] = {
        "uid": f"r{number:06d}",
        "upload": sent,
        "number": number,
        "run_class": "measured",
        "status": "ok",
        "outcome": "completed",
        "label": f"run {number}",
        "tool": "vllm",
        "format": "vllm.bench_serve",
        "pointer": "$",
        "digest": hashlib.sha256(f"run {number}".encode()).hexdigest(),
        "framework": "vllm",
        "framework_version": "0.7.0",
        "model": "meta--llama-3-8b",
        "quantization": "awq",
        "hardware": "nvidia-t4",
        "hardware_count": 1,
        "backend": "cuda",
        "load_mode": offered.get("mode", ""),
        "max_concurrency": offered.get("max_concurrency"),
        "request_rate": offered.get("request_rate"),
        "input_tokens": offered.get("isl_mean"),
        "output_tokens": offered.get("osl_mean"),
        "measured_on": date(2026, 10, 30),
        "facts": plain_facts({name: v for name, v in stated.items() if v is not None}),
        "load": offered,
        "requests": {"total": 100, "completed": 100, "failed": 0},
        "tokens": {"input_total": 51200, "output_total": 12800, "duration_s": 38.4},
        "grade": "B",
        "missing": ["container.image", "container.digest"],
        "created_by": "ada",
        "created_at": SENT_AT,
        "state": "draft",
    }
    run = Run.objects.create(**(given | changes))
    _add_values(run, METRIC_VALUES if metrics is None else metrics, measurements, samples)
    RunFile.objects.create(run=run, upload_file=make_file(sent), part="primary")
    if state != "draft":
        run.state, run.published_by, run.published_at = "published", "ada", published_at
        run.published_at = changes.get("published_at", published_at)
        run.save()
    if state not in {"draft", "published"}:
        run.state, run.ended_by, run.ended_at = state, "ada", published_at + timedelta(days=1)
        run.save()
    return run


def _add_values(
    run: Run,
    metrics: Mapping[str, Mapping[str, float]],
    measurements: Sequence[Measurement],
    samples: Samples | None,
) -> None:
    reported = [
        Measurement(name, METRICS[name].definitions[0], stats, pointer=f"$.{name}")
        for name, stats in metrics.items()
    ] + list(measurements)
    rows = [(one, "reported") for one in reported]
    if samples is not None:
        rows += [(one, "recomputed") for one in summarise(samples, reported=reported)]
        SampleSet.objects.create(
            run=run,
            encoded=encode(samples),
            request_count=len(next(iter(samples.requests.values()), ())),
            columns=[f"requests.{name}" for name in samples.requests]
            + [f"pooled.{name}" for name in samples.pooled]
            + [f"repeats.{name}" for name in samples.repeats],
        )
    MeasurementRow.objects.bulk_create(
        MeasurementRow(
            run=run,
            metric=one.metric,
            definition=one.definition,
            stat=stat,
            value=value,
            origin=origin,
            basis=one.basis,
            percentile_method=one.percentile_method,
            pointer=one.pointer,
        )
        for one, origin in rows
        for stat, value in one.stats.items()
    )
