"""Small files in the shape that GenAI-Perf writes; every number is made up."""

import json
from typing import Any

Payload = dict[str, Any]


def metric(unit: str, mean: float, **changes: Any) -> Payload:
    """A metric object with a few statistics around its mean."""
    return {
        "unit": unit, "avg": mean, "p50": mean, "p99": mean * 2, "min": mean / 2, "max": mean * 3,
        "std": 1.0,
    } | changes  # fmt: skip


def flat(**changes: Any) -> Payload:
    """A summary of 24.12: one flat dump of the options, no count of requests."""
    return {
        "request_throughput": {"unit": "requests/sec", "avg": 4.0},
        "request_latency": metric("ms", 800.0),
        "time_to_first_token": metric("ms", 50.0),
        "inter_token_latency": metric("ms", 5.0),
        "output_token_throughput": {"unit": "tokens/sec", "avg": 600.0},
        "output_token_throughput_per_request": metric("tokens/sec", 150.0),
        "output_sequence_length": metric("tokens", 150.0),
        "input_sequence_length": metric("tokens", 100.0),
        "input_config": {
            "subcommand": "profile",
            "model": ["ensemble"],
            "formatted_model_name": "ensemble",
            "backend": "tensorrtllm",
            "endpoint": None,
            "endpoint_type": "kserve",
            "service_kind": "triton",
            "server_metrics_url": None,
            "streaming": True,
            "u": "gpu-node-7.example:8001",
            "goodput": None,
            "output_tokens_mean": 150,
            "random_seed": 0,
            "request_count": 0,
            "synthetic_input_tokens_mean": 100,
            "warmup_request_count": 0,
            "concurrency": 8,
            "request_rate": None,
            "tokenizer": "acme/tiny-7b",
            "extra_inputs": {},
        },
    } | changes


def configured(**options: Any) -> Payload:
    """The flat summary with other options."""
    payload = flat()
    payload["input_config"] |= options
    return payload


def nested() -> Payload:
    """A summary of 0.0.16: options in groups, and a count of requests."""
    return {
        "request_throughput": {"unit": "requests/sec", "avg": 30.0},
        "request_latency": metric("ms", 150.0),
        "request_count": {"unit": "count", "avg": 48.0},
        "time_to_first_token": metric("ms", 25.0),
        "time_to_second_token": metric("ms", 5.5),
        "inter_token_latency": metric("ms", 5.0),
        "output_token_throughput": {"unit": "tokens/sec", "avg": 400.0},
        "output_token_throughput_per_user": metric("tokens/sec/user", 200.0),
        "output_sequence_length": metric("tokens", 26.0),
        "input_sequence_length": metric("tokens", 40.0),
        "input_config": {
            "model_names": ["acme/tiny-7b"],
            "subcommand": "process",
            "endpoint": {
                "backend": "tensorrtllm",
                "type": "chat",
                "streaming": True,
                "url": "gpu-node-7.example:8000",
                "service_kind": "openai",
            },
            "perf_analyzer": {
                "stimulus": {"request_rate": 2.5},
                "measurement": {"mode": "request_count", "num": 48},
                "warmup_request_count": 10,
            },
            "input": {
                "goodput": {"request_latency": 200, "time_to_first_token": 50},
                "header": ["Authorization: Bearer hidden"],
                "random_seed": 7,
                "output_tokens": {"mean": "", "stddev": 0},
                "synthetic_tokens": {"mean": 40, "stddev": 0},
            },
            "tokenizer": {"name": "acme/tiny-7b", "revision": "main"},
        },
    }


def old() -> Payload:
    """A summary of the first versions: nanoseconds, numbers as texts."""
    return {
        "request_throughput": {"unit": "requests/sec", "avg": "2.5"},
        "request_latency": {"unit": "ns", "avg": "1,500,000", "p99": "3000000"},
        "num_output_token": {"unit": "tokens", "avg": "120"},
        "num_input_token": {"unit": "tokens", "avg": "60"},
        "input_config": {"model": "acme/tiny-7b", "concurrency": 1},
    }


CSV = """\
Metric,avg,min,max,p99,p95,p90,p75,p50,p25,p10,p5,p1
Time To First Token (ms),26.60,18.60,67.81,64.01,35.18,34.41,28.91,23.97,21.56,19.56,18.77,18.61
Request Latency (ms),"1,157.46",128.15,215.61,208.17,192.77,180.90,167.97,153.99,145.31,137.43,134.61,130.25
Output Sequence Length (tokens),26.00,25.00,27.00,27.00,27.00,27.00,26.00,26.00,26.00,25.00,25.00,25.00

Metric,Value
Output Token Throughput (tokens/sec),400.00
Request Throughput (per sec),30.00
Request Count (count),48.00
"""  # noqa: E501
RAW = {
    "service_kind": "openai",
    "experiments": [{"experiment": {"mode": "concurrency", "value": 1}, "requests": []}],
}
CONSOLE = "                 NVIDIA GenAI-Perf | LLM Metrics\n│ Request latency (ms) │ 150.00 │\n"

SAMPLES: dict[str, bytes] = {
    "flat.json": json.dumps(flat()).encode(),
    "nested.json": json.dumps(nested()).encode(),
    "old.json": json.dumps(old()).encode(),
    "summary.csv": CSV.encode(),
    "profile_export.json": json.dumps(RAW).encode(),
    "console.txt": CONSOLE.encode(),
}
