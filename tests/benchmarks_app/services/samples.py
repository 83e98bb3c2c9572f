"""Small uploads in Runproof's own JSON, over the small world of ``tests.matrix.api.rows``."""

import json
from collections.abc import Iterator
from typing import Any

from benchmarks_app.models import Run, Upload
from benchmarks_app.services.importing import import_upload
from benchmarks_app.services.receiving import Received, receive_upload

FACTS: dict[str, object] = {
    "model.id": "meta/Llama-3-8B",
    "quantization.weights": "awq-w4a16",
    "framework.name": "vLLM",
    "framework.version": "0.7.0",
    "accelerator.name": "nvidia-t4",
    "accelerator.count": 1,
    "run.started_at": "2026-03-01T10:00:00Z",
}


def result(*, facts: dict[str, object] | None = None, **changes: Any) -> dict[str, Any]:
    """A completed run of four requests."""
    payload: dict[str, Any] = {
        "format": "runproof.run",
        "version": 1,
        "status": "ok",
        "facts": {**FACTS, **(facts or {})},
        "load": {"mode": "closed_loop", "max_concurrency": 4, "isl_mean": 512, "osl_mean": 128},
        "requests": {"total": 4, "completed": 4, "failed": 0},
        "tokens": {"input_total": 2048, "output_total": 512, "duration_s": 2.0},
        "metrics": [
            {
                "metric": "ttft",
                "definition": "ttft/first-output",
                "stats": {"mean": 82.5, "p50": 81.25, "p99": 140.5},
            },
            {
                "metric": "output_token_throughput",
                "definition": "output_token_throughput/successful",
                "stats": {"value": 256.0},
            },
        ],
    }
    return payload | changes


def encoded(payload: object) -> bytes:
    """The payload as a file's bytes."""
    return json.dumps(payload).encode()


def pieces(data: bytes, size: int = 7) -> Iterator[bytes]:
    """The bytes as a slow sender brings them."""
    for at in range(0, len(data), size):
        yield data[at : at + size]


def send(*files: tuple[str, bytes], actor: str = "ada", **said: Any) -> Received:
    """Receives files that come in small pieces."""
    return receive_upload(
        ((name, pieces(data, 65_536)) for name, data in files),
        actor=actor,
        way=said.pop("way", "rest"),
        **said,
    )


def imported(*payloads: object, **said: Any) -> Upload:
    """An upload of one file for each payload, read."""
    files = [(f"run-{n}.json", encoded(payload)) for n, payload in enumerate(payloads)]
    return import_upload(send(*files, **said).upload.uid)


def only_run(upload: Upload) -> Run:
    """The one run of an upload."""
    return Run.objects.select_related("upload").get(upload=upload)
