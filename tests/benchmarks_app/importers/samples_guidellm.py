"""Small reports in the shape that GuideLLM writes; every number is made up."""

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

Payload = dict[str, Any]

STARTED = 1_772_359_200.25
_LEVELS = ("p001", "p01", "p05", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "p999")
LATENCIES = {
    "request_latency": 0.14,
    "time_to_first_token_ms": 25.0,
    "inter_token_latency_ms": 4.5,
    "time_per_output_token_ms": 5.5,
}


def distribution(mean: float, *, count: int = 2, drop: Sequence[str] = ()) -> Payload:
    """The statistics of one status, percentiles rising around the mean."""
    percentiles = {name: mean * (0.5 + 0.1 * step) for step, name in enumerate(_LEVELS)}
    return {
        "mean": mean,
        "median": mean,
        "mode": mean,
        "variance": mean / 100,
        "std_dev": mean / 10,
        "min": mean / 2,
        "max": mean * 2,
        "count": count,
        "total_sum": mean * count,
        "percentiles": {name: one for name, one in percentiles.items() if name not in drop},
    }


NOTHING = distribution(0.0, count=0)


def statuses(mean: float, **changes: Any) -> Payload:
    """A distribution for each way of ending."""
    return {
        "successful": distribution(mean, **changes),
        "errored": NOTHING,
        "incomplete": NOTHING,
        "total": distribution(mean, **changes),
    }


def metrics(**changes: Any) -> Payload:
    """The distributions of a run of two requests of 24 tokens."""
    means = {
        **LATENCIES,
        "requests_per_second": 14.0,
        "request_concurrency": 1.9,
        "output_tokens_per_second": 335.0,
        "tokens_per_second": 800.0,
        "prompt_token_count": 33.0,
        "output_token_count": 24.0,
    }
    return {name: statuses(mean, **changes) for name, mean in means.items()}


def totals(successful: int = 2, errored: int = 0, incomplete: int = 0) -> Payload:
    """Requests by how they ended."""
    total = successful + errored + incomplete
    return {
        "successful": successful, "errored": errored, "incomplete": incomplete, "total": total,
    }  # fmt: skip


def request(start: float, **changes: Any) -> Payload:
    """One request with its texts."""
    return {
        "prompt": "tell me a secret",
        "output": "it is a secret",
        "prompt_tokens": 33,
        "output_tokens": 24,
        "start_time": start,
        "request_latency": 0.14,
        "time_to_first_token_ms": 25.0,
        "inter_token_latency_ms": 4.5,
    } | changes


SYNTHETIC = '{"prompt_tokens":64,"output_tokens":24}'


def old_benchmark(**changes: Any) -> Payload:
    """A benchmark of 0.2, whose percentiles lack the median."""
    return {
        "type_": "generative_benchmark",
        "id_": "10fa815e",
        "run_id": "37b59d11",
        "args": {
            "profile": {"type_": "concurrent", "streams": [2]},
            "strategy": {"type_": "concurrent", "streams": 2},
            "max_number": 2,
            "max_duration": None,
            "warmup_number": None,
        },
        "run_stats": {"requests_made": totals()},
        "worker": {
            "type_": "generative_requests_worker",
            "backend_type": "openai_http",
            "backend_target": "http://gpu-node-7.example:8000",
            "backend_model": "acme/tiny-7b",
            "backend_info": {"timeout": 300, "headers": {"Authorization": "Bearer hidden"}},
        },
        "request_loader": {"data": SYNTHETIC, "processor": "/home/jane/tok"},
        "metrics": metrics(drop=("p50",)),
        "start_time": STARTED,
        "end_time": STARTED + 1.75,
        "request_totals": totals(),
        "requests": {
            "successful": [request(STARTED), request(STARTED + 0.5)],
            "errored": [],
            "incomplete": [],
            "total": None,
        },
        "duration": 1.75,
    } | changes


def old_report(**changes: Any) -> Payload:
    """A report of 0.2."""
    return {"benchmarks": [old_benchmark(**changes)]}


def new_benchmark(streams: int = 2, **changes: Any) -> Payload:
    """A benchmark of 0.4 and later."""
    return {
        "type_": "generative_benchmark",
        "config": {
            "id_": f"5ced0dd4-{streams}",
            "run_id": "39dbf4ca",
            "run_index": 0,
            "strategy": {"type_": "concurrent", "max_concurrency": streams, "streams": streams},
            "requests": {"data": f"['{SYNTHETIC}']"},
            "backend": {
                "target": "http://gpu-node-7.example:8000",
                "model": "acme/tiny-7b",
                "api_key": "hidden",
            },
        },
        "metrics": {"request_totals": totals(), **metrics()},
        "requests": {
            "successful": [
                {"request_args": "{'body': 'tell me a secret'}", **request(STARTED)},
                request(STARTED + 0.5, start_time=None, request_start_time=STARTED + 0.5),
            ],
            "errored": [],
            "incomplete": [],
        },
        "start_time": STARTED,
        "end_time": STARTED + 1.5,
        "duration": 1.5,
    } | changes


def argued(**args: Any) -> Payload:
    """A report of 0.6: arguments above the benchmarks, the model in the backend's."""
    return {
        "metadata": {"version": 1, "guidellm_version": "0.6.1", "platform": "Linux"},
        "args": {
            "backend": "openai_http",
            "backend_kwargs": {"model": "acme/tiny-7b", "target": "http://gpu-node-7.example"},
            "data": [SYNTHETIC],
            "processor": "acme/tiny-7b",
            "random_seed": 42,
            "max_requests": 2,
            "max_seconds": None,
            "warmup": None,
        }
        | args,
        "benchmarks": [new_benchmark()],
    }


def specified(*benchmarks: Payload) -> Payload:
    """A report of 0.8: a specification instead of arguments."""
    return {
        "metadata": {"version": 2, "guidellm_version": "0.8.1"},
        "config": {
            "metadata": {"labels": {}},
            "spec": {
                "backend": {
                    "kind": "openai_http",
                    "target": "http://gpu-node-7.example:8000",
                    "model": "acme/tiny-7b",
                    "api_key": "hidden",
                    "stream": True,
                },
                "constraints": [{"kind": "max_requests", "count": 2}],
                "tokenizer": {"kind": "huggingface_auto", "model": "acme/tiny-7b"},
                "data": [{"kind": "synthetic_text", "prompt_tokens": 64, "output_tokens": 24}],
                "seed": {"kind": "static", "value": 42},
            },
        },
        "benchmarks": list(benchmarks) or [new_benchmark(2), new_benchmark(4)],
        "conclusions": [],
    }


def all_failed() -> Payload:
    """A benchmark in which nothing succeeded: every statistic is zero."""
    errors = [
        {"info": {"error": "HTTPStatusError(\"500 for url 'http://gpu-node-7.example'\")"}},
        {"info": {"error": "no such kind of text"}},
    ]
    return new_benchmark(
        metrics={
            "request_totals": totals(0, 2),
            **{name: {"successful": NOTHING} for name in LATENCIES},
            "requests_per_second": {"successful": NOTHING},
        },
        requests={"successful": [], "errored": errors, "incomplete": []},
    )


def first_report() -> Payload:
    """A report of 0.1: single results."""
    result = {
        "request": {"prompt": "tell me a secret"},
        "prompt": "tell me a secret",
        "output": "it is a secret",
        "prompt_token_count": 33,
        "output_token_count": 3,
        "start_time": 100.0,
        "end_time": 100.5,
        "first_token_time": 0.025,
        "decode_times": {"data": [0.004, 0.006]},
    }
    return {
        "args": {"model": "acme/tiny-7b", "target": "http://gpu-node-7.example", "rate": [2.0]},
        "benchmarks": [
            {
                "mode": "asynchronous",
                "rate": 2.0,
                "results": [result, {**result, "start_time": 101.0, "end_time": 102.0}],
                "errors": [{"message": "x", "request": {"prompt": "tell me a secret"}}],
                "concurrencies": [],
            }
        ],
    }


def table(*rows: Sequence[object]) -> str:
    """CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


# Least value, 0.1 %, 1 %, 5 %, 10 %, 25 %, 75 %, 90 %, 95 %, 99 %, greatest value: no median.
TEN_TO_TWENTY = "[10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 20.0]"
_LEVEL_LABEL = "[min, 0.1, 1, 5, 10, 25, 75, 90, 95, 99, max]"
OLD_CELLS: dict[str, object] = {
    "Type": "generative_benchmark",
    "Run Id": "46e39d8b",
    "Id": "adc77ba3",
    "Name": "concurrent@2",
    "Start Time": "2026-03-01 10:00:00",
    "End Time": "2026-03-01 10:00:02",
    "Duration": 1.75,
    "Successful Requests": 20,
    "Successful Requests per second mean": 12.5,
    "Successful Requests per second median": 7.0,
    "Successful Request latency mean": 0.15,
    "Successful Request latency median": 0.14,
    f"Successful Request latency {_LEVEL_LABEL}": "[0.1, 0.2]",
    "Successful Time to first token ms mean": 15.5,
    "Successful Time to first token ms median": 15.25,
    "Successful Time to first token ms std dev": 2.5,
    f"Successful Time to first token ms {_LEVEL_LABEL}": TEN_TO_TWENTY,
    "Successful Time per output token ms mean": 4.75,
    "Successful Inter token latency ms mean": 5.0,
    "Errored Requests": 4,
    "Errored Request latency mean": 0.0,
    "Incomplete Requests": 0,
    "Total Requests": 24,
    "Args": json.dumps(old_benchmark()["args"]),
    "Worker": json.dumps(old_benchmark()["worker"]),
    "Request Loader": json.dumps(old_benchmark()["request_loader"]),
    "Extras": "{}",
}
NEW_CELLS: dict[tuple[str, str, str], object] = {
    ("Run Info", "Run ID", ""): "b450b3ca",
    ("Run Info", "Run Index", ""): 1,
    ("Run Info", "Profile", ""): json.dumps({"type_": "concurrent", "streams": [2, 4]}),
    ("Run Info", "Backend", ""): json.dumps(new_benchmark()["config"]["backend"]),
    ("Benchmark", "Type", ""): "generative_benchmark",
    ("Benchmark", "ID", ""): "e556f787",
    ("Benchmark", "Strategy", ""): "concurrent",
    ("Timings", "Start Time", ""): "2026-03-01 10:00:00",
    ("Timings", "End Time", ""): "2026-03-01 10:00:01",
    ("Timings", "Duration", "Sec"): 1.75,
    ("Request Counts", "Successful", ""): 24,
    ("Request Counts", "Incomplete", ""): 0,
    ("Request Counts", "Errored", ""): 0,
    ("Request Counts", "Total", ""): 24,
    ("Request Latency", "Successful Sec", "Mean"): 0.14,
    ("Time to First Token", "Successful ms", "Mean"): 15.5,
    ("Time to First Token", "Successful ms", "Median"): 15.25,
    ("Time to First Token", "Successful ms", "Std Dev"): 2.5,
    ("Time to First Token", "Successful ms", "Percentiles"): TEN_TO_TWENTY,
    ("Time per Output Token", "Successful ms", "Mean"): 5.5,
    ("Inter Token Latency", "Successful ms", "Mean"): 4.5,
    ("Server Throughput", "Successful Requests/Sec", "Mean"): 14.0,
    ("Server Throughput", "Successful Concurrency", "Mean"): 1.9,
    ("Token Metrics", "Successful Input Tokens", "Mean"): 27.0,
    ("Token Metrics", "Errored Input Tokens", "Mean"): "",
    ("Token Throughput", "Successful Output Tokens/Sec", "Mean"): 337.0,
    ("Runtime Info", "Metadata", ""): json.dumps({"guidellm_version": "0.8.1"}),
    ("Runtime Info", "Arguments", ""): json.dumps(specified()["config"]),
}


def old_table(**changes: object) -> str:
    """A table with one row of headers."""
    cells = {**OLD_CELLS, **changes}
    return table(list(cells), list(cells.values()))


def new_table(changes: dict[tuple[str, str, str], object] | None = None) -> str:
    """A table with three rows of headers."""
    cells = {**NEW_CELLS, **(changes or {})}
    return table(*zip(*cells, strict=True), list(cells.values()))


YAML = """\
args:
  model: acme/tiny-7b
  data:
  - '{"prompt_tokens":64,"output_tokens":24}'
benchmarks:
- type_: generative_benchmark
  config:
    strategy: {type_: synchronous}
    environment:
      range: !!python/tuple [1, 2]
  metrics:
    request_totals: {successful: 2, errored: 0, incomplete: 0, total: 2}
    request_latency:
      successful: {mean: 0.25, median: 0.25, count: 2, percentiles: {p50: 0.25, p99: 0.5}}
  start_time: 1772359200.25
  duration: 1.5
"""
SAMPLES: dict[str, bytes] = {
    "old.json": json.dumps(old_report()).encode(),
    "argued.json": json.dumps(argued()).encode(),
    "specified.json": json.dumps(specified()).encode(),
    "all_failed.json": json.dumps(specified(all_failed())).encode(),
    "first.json": json.dumps(first_report()).encode(),
    "report.yaml": YAML.encode(),
    "old.csv": old_table().encode(),
    "new.csv": new_table().encode(),
}
