"""Small result files in our own documented form, as a sender writes them."""

import json
from typing import Any

FACTS: dict[str, Any] = {
    "tool.name": "my-load-test",
    "framework.name": "vLLM",
    "framework.version": "0.7.0",
    "model.id": "meta/Llama-3-8B",
    "quantization.weights": "awq-w4a16",
    "accelerator.name": "nvidia-t4",
    "accelerator.count": 1,
}


def run(**changes: Any) -> dict[str, Any]:
    """One run with two metrics and four requests."""
    given: dict[str, Any] = {
        "identity": "sweep/1",
        "facts": {"run.started_at": "2026-10-30T12:00:00Z"},
        "load": {"mode": "closed_loop", "max_concurrency": 2, "num_prompts": 4},
        "requests": {"total": 4, "completed": 4, "failed": 0},
        "tokens": {"input_total": 512, "output_total": 64, "duration_s": 2.5},
        "metrics": [
            {
                "metric": "ttft",
                "definition": "ttft/first-output",
                "stats": {"mean": 50.0, "p50": 48.0, "p99": 60.0},
            },
            {
                "metric": "output_token_throughput",
                "definition": "output_token_throughput/successful",
                "stats": {"value": 25.6},
            },
        ],
        "samples": {
            "requests": {
                "ok": [1, 1, 1, 1],
                "ttft_ms": [42.0, 48.0, 50.0, 60.0],
                "e2el_ms": [192.0, 198.0, 210.0, 220.0],
                "input_tokens": [128, 128, 128, 128],
                "output_tokens": [16, 16, 16, None],
                "start_s": [0.0, 0.0, 0.2, 0.2],
            }
        },
    }
    return given | changes


def result(*runs: dict[str, Any], **facts: Any) -> bytes:
    """A file with one run, or those given; ``facts`` are added with ``__`` for dots."""
    stated = FACTS | {name.replace("__", "."): value for name, value in facts.items()}
    whole = {"format": "runproof.run", "version": 1, "facts": stated, "runs": list(runs or [run()])}
    return json.dumps(whole).encode()
