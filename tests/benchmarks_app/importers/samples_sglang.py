"""Small files in the shape that SGLang's tools write; every number is made up."""

import json
from typing import Any

Payload = dict[str, Any]


def serving(**changes: Any) -> Payload:
    """A run of the newest client against a server that is not SGLang."""
    payload: Payload = {
        "tag": None,
        "backend": "sglang",
        "dataset_name": "random",
        "request_rate": float("inf"),
        "max_concurrency": None,
        "sharegpt_output_len": None,
        "random_input_len": 40,
        "random_output_len": 20,
        "random_range_ratio": 1.0,
        "server_info": None,
        "duration": 2.0,
        "completed": 4,
        "total_input_tokens": 160,
        "total_input_text_tokens": 160,
        "total_input_vision_tokens": 0,
        "total_output_tokens": 80,
        "total_output_tokens_retokenized": 82,
        "request_throughput": 2.0,
        "input_throughput": 80.0,
        "output_throughput": 40.0,
        "total_throughput": 120.0,
        "mean_e2e_latency_ms": 120.0,
        "median_e2e_latency_ms": 118.0,
        "p90_e2e_latency_ms": 130.0,
        "mean_ttft_ms": 25.0,
        "median_ttft_ms": 24.0,
        "mean_tpot_ms": 5.0,
        "mean_itl_ms": 4.5,
        "max_itl_ms": 9.0,
        "concurrency": 3.5,
        "accept_length": None,
        "max_output_tokens_per_s": 44.0,
        "max_concurrent_requests": 4,
    }
    return payload | changes


OLD: Payload = {
    "backend": "sglang",
    "dataset_name": "sharegpt",
    "request_rate": 4.0,
    "max_concurrency": None,
    "total_input_tokens": 1000,
    "total_output_tokens": 500,
    "total_output_tokens_retokenized": 499,
    "mean_e2e_latency_ms": 300.0,
    "median_e2e_latency_ms": 290.0,
    "median_ttft_ms": 60.0,
    "median_itl_ms": 14.0,
    "output_throughput": 250.0,
    "sharegpt_output_len": None,
    "random_input_len": 1024,
    "random_output_len": 1024,
    "random_range_ratio": 0.0,
    "duration": 2.0,
    "completed": 5,
}
SERVER: Payload = {
    "model_path": "acme/tiny-7b",
    "tokenizer_path": "acme/tiny-7b",
    "revision": "0123abcd",
    "host": "10.0.0.7",
    "port": 30000,
    "api_key": "abcdefgh12345678",
    "tp_size": 2,
    "dp_size": 1,
    "quantization": "fp8",
    "kv_cache_dtype": "auto",
    "disaggregation_mode": "null",
    "launch_command": "python -m sglang.launch_server --api-key abcdefgh12345678 --tp 2",
    "mem_fraction_static": 0.88,
    "version": "0.5.9",
    "internal_states": [{"host": "10.0.0.7", "last_gen_throughput": 1.5}],
}
DETAILS: Payload = {
    "completed": 3,
    "input_lens": [10, 12, 9, 9],
    "output_lens": [3, 2, 2, 0],
    "ttfts": [0.020, 0.030, 0.040, 0.0],
    "itls": [[0.004, 0.006], [0.005], [0.007], []],
    "generated_texts": ["a secret answer", "b", "c", ""],
    "errors": ["", "", "", "Service Unavailable"],
}
ONE_BATCH: Payload = {
    "run_name": "default",
    "batch_size": 8,
    "input_len": 1024,
    "output_len": 16,
    "latency": 2.5,
    "input_throughput": 8000.0,
    "output_throughput": 128.0,
    "overall_throughput": 3300.0,
    "last_ttft": 0.5,
    "last_gen_throughput": 120.0,
    "acc_length": -1.0,
}
OFFLINE: Payload = {
    "backend": "engine",
    "successful_requests": 10,
    "total_latency": 5.0,
    "total_input_tokens": 1000,
    "total_output_tokens": 500,
    "request_throughput": 2.0,
    "input_throughput": 200.0,
    "output_throughput": 100.0,
    "total_throughput": 300.0,
    "last_gen_throughput": 99.0,
}
CONSOLE = """\
python3 -m sglang.bench_serving --backend sglang --num-prompts 4
============ Serving Benchmark Result ============
Backend:                                 sglang
Traffic request rate:                    inf
Max request concurrency:                 not set
Successful requests:                     4
Benchmark duration (s):                  2.00
Total input tokens:                      160
Total generated tokens:                  80
Total generated tokens (retokenized):    82
Total token throughput (tok/s):          120.00
Concurrency:                             3.50
----------------End-to-End Latency----------------
Mean E2E Latency (ms):                   120.00
---------------Inter-Token Latency----------------
Max ITL (ms):                            9.00
==================================================
"""
OFFLINE_TEXT = """\
python3 -m sglang.bench_offline_throughput --model-path acme/tiny-7b --num-prompts 20
ready
====== Offline Throughput Benchmark Result =======
Backend:                                 engine
Successful requests:                     20
Benchmark duration (s):                  3.50
Total input tokens:                      6267
Total generated tokens:                  3886
Last generation throughput (tok/s):      33.25
Request throughput (req/s):              5.75
Input token throughput (tok/s):          1789.25
Output token throughput (tok/s):         1109.50
Total token throughput (tok/s):          2898.75
==================================================
"""
LOG = """\
[2026-03-01 10:00:00] server_args=ServerArgs(model_path='acme/tiny-7b', dtype='auto', tp_size=2, \
quantization=None, host='10.0.0.7')
[2026-03-01 10:00:09 TP0] Scheduler hit an exception: torch.OutOfMemoryError: CUDA out of memory
"""
SCRAPE = """\
# HELP sglang:num_running_reqs The number of running requests.
# TYPE sglang:num_running_reqs gauge
sglang:num_running_reqs{model_name="acme/tiny-7b"} 3.0
"""


def lines(*payloads: Payload) -> bytes:
    """JSON Lines with bare Infinity, as the tool writes them."""
    return b"".join(json.dumps(one).encode() + b"\n" for one in payloads)


SAMPLES: dict[str, bytes] = {
    "serving.jsonl": lines(serving(), serving(request_rate=20.0, max_concurrency=4)),
    "serving_one.jsonl": lines(serving()),
    "serving_old.jsonl": lines(OLD, OLD),
    "serving_server.jsonl": lines(serving(server_info=SERVER)),
    "serving_details.jsonl": lines(serving(**DETAILS)),
    "one_batch.jsonl": lines(ONE_BATCH, ONE_BATCH),
    "offline.jsonl": lines(OFFLINE),
    "console.txt": CONSOLE.encode(),
    "offline.txt": OFFLINE_TEXT.encode(),
    "server.log": LOG.encode(),
    "metrics.txt": SCRAPE.encode(),
}
