"""Small files in the shape that vLLM's tools write; every number is made up."""

import json
from typing import Any

Payload = dict[str, Any]


def latencies(**names: float) -> Payload:
    """Mean, median, std and p99 of each metric, derived from its mean."""
    return {
        f"{stat}_{name}_ms": round(mean * factor, 6)
        for name, mean in names.items()
        for stat, factor in (("mean", 1.0), ("median", 0.9), ("std", 0.1), ("p99", 2.0))
    }


def serve(**changes: Any) -> Payload:
    """A run of the newest client, in the order of its keys."""
    payload: Payload = {
        "date": "20260301-101500",
        "endpoint_type": "openai",
        "backend": "openai",
        "label": None,
        "model_id": "acme/tiny-7b",
        "tokenizer_id": "acme/tiny-7b",
        "num_prompts": 4,
        "request_rate": "inf",
        "burstiness": 1.0,
        "max_concurrency": 2,
        "duration": 2.0,
        "completed": 4,
        "failed": 0,
        "total_input_tokens": 40,
        "total_output_tokens": 80,
        "request_throughput": 2.0,
        "request_goodput": None,
        "output_throughput": 40.0,
        "total_token_throughput": 60.0,
        "max_output_tokens_per_s": 44.0,
        "max_concurrent_requests": 3,
        "rtfx": 0.0,
        **latencies(ttft=25.0, tpot=5.0, itl=4.5),
    }
    return payload | changes


def detailed(**changes: Any) -> Payload:
    """Four requests: two full ones, one success without a token, one failure."""
    arrays: Payload = {
        "num_prompts": 4,
        "completed": 3,
        "failed": 1,
        "input_lens": [10, 12, 9, 9],
        "output_lens": [3, 2, 0, 0],
        "ttfts": [0.020, 0.030, 0.0, 0.005],
        "itls": [[0.004, 0.006], [0.005], [], []],
        "generated_texts": ["a secret answer", "another", "", ""],
        "errors": ["", "", "", "Traceback …\naiohttp.client_exceptions.ClientOSError: gone"],
        "start_times": [100.0, 100.5, 101.0, 101.5],
    }
    return serve(**arrays) | changes


def old_serve() -> Payload:
    """A run of about 0.6.3: no failures, no burstiness, no concurrency."""
    payload = serve(use_beam_search=False, best_of=1, request_rate=8.0, num_prompts=5)
    for key in ("endpoint_type", "label", "burstiness", "max_concurrency", "failed", "rtfx"):
        del payload[key]
    return payload


SECONDS: Payload = {
    "date": "20260213-135636",
    "model_id": "acme/tiny-7b",
    "tokenizer_id": "acme/tiny-7b",
    "num_prompts": 10,
    "request_rate": "inf",
    "burstiness": 1.0,
    "max_concurrency": 4,
    "duration": 5.0,
    "completed": 10,
    "good_completed": None,
    "total_input_tokens": 1000,
    "total_output_tokens": 200,
    "request_throughput": 2.0,
    "request_goodput": None,
    "input_throughput": 200.0,
    "output_throughput": 40.0,
    "median_ttft": 0.5,
    "p99_ttft": 2.0,
    "median_tpot": 0.025,
    "p99_tpot": 0.05,
}
THROUGHPUT: Payload = {
    "elapsed_time": 10.0,
    "num_requests": 100,
    "total_num_tokens": 5000,
    "requests_per_second": 10.0,
    "tokens_per_second": 500.0,
}
LATENCY: Payload = {
    "avg_latency": 2.5,
    "latencies": [2.0, 3.0],
    "percentiles": {"10": 2.1, "50": 2.5, "99": 2.99},
}
STARTUP: Payload = {
    "avg_cold_startup_time": 60.0,
    "cold_startup_times": [59.0, 61.0],
    "cold_startup_percentiles": {"50": 60.0},
    "avg_cold_compilation_time": 30.0,
    "cold_compilation_times": [29.0, 31.0],
    "cold_compilation_percentiles": {"50": 30.0},
    "avg_warm_startup_time": 20.0,
    "warm_startup_times": [19.0, 21.0],
    "warm_startup_percentiles": {"50": 20.0},
}
SHARED_KEYS = ("date", "backend", "model_id", "num_prompts", "request_rate", "max_concurrency",
               "duration", "completed", "failed", "output_throughput")  # fmt: skip


def pytorch(values: Payload, extra: Payload, args: Payload) -> list[Payload]:
    """One record a value, each with the same arguments and extra information."""
    return [
        {
            "benchmark": {"name": "vLLM benchmark", "extra_info": {"args": args}},
            "model": {"name": "acme/tiny-7b"},
            "metric": {"name": name, "benchmark_values": [value], "extra_info": extra},
        }
        for name, value in values.items()
    ]


PYTORCH = pytorch(
    latencies(ttft=25.0),
    {key: serve()[key] for key in SHARED_KEYS},
    {
        "host": "10.0.0.7", "dataset_name": "random", "random_input_len": 40,
        "random_output_len": 20, "random_range_ratio": 0.5, "seed": 7, "no_stream": False,
        "num_warmups": 2, "ignore_eos": True, "top_k": None,
    },
)  # fmt: skip
CONSOLE = """\
Namespace(backend='vllm', host='10.0.0.7', model='acme/tiny-7b', num_prompts=4, request_rate=inf)
Traffic request rate: inf
Burstiness factor: 1.0 (Poisson process)
Maximum request concurrency: 2
============ Serving Benchmark Result ============
Successful requests:                     3
Failed requests:                         1
Benchmark duration (s):                  2.00
Total input tokens:                      40
Total generated tokens:                  80
Request throughput (req/s):              1.50
Output token throughput (tok/s):         40.00
Total Token throughput (tok/s):          60.00
---------------Time to First Token----------------
Mean TTFT (ms):                          25.00
Median TTFT (ms):                        24.00
P99.9 TTFT (ms):                         50.00
==================================================

a note between the runs
============ Serving Benchmark Result ============
Successful requests:                     1
Benchmark duration (s):                  1.00
Total input tokens:                      10
Total generated tokens:                  20
Mean E2EL (ms):                          900.00
Words per minute:                        12
"""
LOG = """\
(APIServer pid=1) INFO 03-01 10:00:00 [api_utils.py:339]   version 0.25.1
(EngineCore pid=9) INFO 03-01 10:00:02 [core.py:114] Initializing a V1 LLM engine (v0.25.1) with \
config: model='acme/tiny-7b', tokenizer='acme/tiny-7b', dtype=torch.bfloat16, quantization=None, \
tensor_parallel_size=2, kv_cache_dtype=auto
(EngineCore pid=9) ERROR 03-01 10:00:09 [core.py:99] ValueError: No available memory for the \
cache blocks. Ask 10.0.0.7
"""
SCRAPE = """\
# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="acme/tiny-7b"} 3.0
"""


def _json(value: object) -> bytes:
    return json.dumps(value).encode()


OFFLINE_TEXT = """\
$ HF_HOME=/data vllm bench throughput --model acme/tiny-7b --random-input-len 512 \\
    --random-output-len 256 --num-prompts 4
INFO the engine of 10.0.0.7 is ready
Throughput: 2.50 requests/s, 1920.00 total tokens/s, 640.00 output tokens/s
Total num prompt tokens:  2048
Total num output tokens:  1024
Throughput: 1.25 requests/s, 960.50 tokens/s
Namespace(model='acme/tiny-1b', input_len=32, output_len=64, batch_size=8)
Avg latency: 5.25 seconds
10% percentile latency: 5.125 seconds
99% percentile latency: 5.5 seconds
"""

SAMPLES: dict[str, bytes] = {
    "serve.json": _json(serve()),
    "serve_old.json": _json(old_serve()),
    "serve_detailed.json": _json(detailed()),
    "serve_append.json": _json(serve()) + b"\n" + _json(serve(max_concurrency=None)),
    "sweep_summary.json": _json([serve(run_number=n, max_num_seqs=4) for n in range(2)]),
    "seconds.json": _json(SECONDS),
    "throughput.json": _json(THROUGHPUT),
    "latency.json": _json(LATENCY),
    "startup.json": _json(STARTUP),
    "serve.pytorch.json": _json(PYTORCH),
    "console.txt": CONSOLE.encode(),
    "offline.txt": OFFLINE_TEXT.encode(),
    "server.log": LOG.encode(),
    "metrics.txt": SCRAPE.encode(),
}
