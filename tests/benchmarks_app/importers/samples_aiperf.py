"""Small files in the shape that AIPerf writes; every number is made up."""

import json
from typing import Any

Payload = dict[str, Any]


def metric(unit: str, mean: float) -> Payload:
    """A metric object with a few statistics around its mean."""
    return {
        "unit": unit, "avg": mean, "p50": mean, "p99": mean * 2, "min": mean / 2, "max": mean * 3,
        "std": 1.0, "count": 46, "sum": mean * 46,
    }  # fmt: skip


def scalar(unit: str, value: float) -> Payload:
    """A metric object of one number."""
    return {"unit": unit, "avg": value}


def measured() -> Payload:
    """The metrics of a run with 46 answers."""
    return {
        "request_throughput": scalar("requests/sec", 20.0),
        "request_latency": metric("ms", 176.0),
        "request_count": scalar("requests", 46.0),
        "time_to_first_token": metric("ms", 25.0),
        "inter_token_latency": metric("ms", 4.5),
        "inter_chunk_latency": metric("ms", 4.75),
        "output_token_throughput": scalar("tokens/sec", 660.0),
        "output_token_throughput_per_user": metric("tokens/sec/user", 220.0),
        "output_sequence_length": metric("tokens", 34.0),
        "input_sequence_length": metric("tokens", 64.0),
        "benchmark_duration": scalar("sec", 2.5),
        "total_isl": scalar("tokens", 2944.0),
        "total_osl": scalar("tokens", 1564.0),
    }


COMMAND = (
    "aiperf profile --model 'acme/tiny-7b' --url 'http://gpu-node-7.example:8000' "
    "--api-key 'abcdef123456' --concurrency 4"
)
ERRORS: list[Payload] = [
    {"error_details": {"code": 500, "type": "Server Error", "message": "prompt: hush"}, "count": 9},
    {"error_details": {"code": None, "type": "ClientPayloadError", "message": "x"}, "count": 5},
]


def phased(**changes: Any) -> Payload:
    """A summary of 0.13 with some failures and a warm-up."""
    return {
        "schema_version": "1.4",
        "aiperf_version": "0.13.0",
        "benchmark_id": "d126c9533a93",
        **measured(),
        "error_request_count": scalar("requests", 14.0),
        "request_error_rate": scalar("%", 23.33),
        "telemetry_data": {
            "summary": {"endpoints_configured": ["http://gpu-node-7.example:9400/metrics"]},
            "endpoints": {},
        },
        "input_config": {
            "models": {"items": [{"name": "acme/tiny-7b"}]},
            "endpoint": {
                "urls": ["http://gpu-node-7.example:8000"],
                "type": "chat",
                "streaming": True,
            },
            "datasets": [
                {
                    "name": "main",
                    "type": "synthetic",
                    "prompts": {"isl": {"mean": 64.0, "stddev": 8.0}, "osl": 32},
                }
            ],
            "phases": [
                {"name": "warmup", "kind": "warmup", "type": "concurrency", "requests": 5},
                {
                    "name": "profiling",
                    "kind": "profiling",
                    "type": "concurrency",
                    "requests": 60,
                    "concurrency": 4,
                },
            ],
            "tokenizer": {"name": "acme/tiny-7b"},
        },
        "run_info": {"benchmark_id": "d126c9533a93", "trial": 0, "cli_command": COMMAND},
        "was_cancelled": False,
        "is_complete": True,
        "error_summary": ERRORS,
        "start_time": "2026-03-01T10:00:00.500000",
        "end_time": "2026-03-01T10:00:03",
        "warmup_metrics": {"request_count": scalar("requests", 5.0)},
        "adj_request_latency": {"unit": "ms", "p50": 180.0, "count": 60},
    } | changes


def grouped(**changes: Any) -> Payload:
    """A summary of 0.8: options in groups, no failures, no error count."""
    return {
        "schema_version": "1.1",
        "aiperf_version": "0.8.0",
        "benchmark_id": "c53eee84",
        **measured(),
        "input_config": {
            "endpoint": {
                "model_names": ["/lustre/models/Tiny-7B-FP4"],
                "type": "chat",
                "streaming": True,
                "urls": ["http://localhost:8888"],
                "api_key": "abcdef123456",
            },
            "input": {
                "extra_inputs_parsed": {"ignore_eos": True},
                "public_dataset": "sharegpt",
                "random_seed": 42,
            },
            "loadgen": {"benchmark_duration": 1800.0, "concurrency": 16},
            "scenario": "agentic",
        },
        "was_cancelled": False,
        "error_summary": [],
        "start_time": "2026-03-01T10:00:00",
        "end_time": "2026-03-01T10:30:00",
        "metadata": {"scenario": "agentic", "submission_valid": False},
    } | changes


def first(**load: Any) -> Payload:
    """A summary of 0.2: no versions, absent metrics as null."""
    return {
        **measured(),
        "goodput": None,
        "input_config": {
            "endpoint": {"model_names": ["acme/tiny-7b"], "url": "http://localhost:8000"},
            "input": {
                "prompt": {"input_tokens": {"mean": 64, "stddev": 8.0}, "output_tokens": {}},
                "goodput": "request_latency:200",
            },
            "loadgen": {"concurrency": 4, "request_count": 46, **load},
        },
        "was_cancelled": False,
        "error_summary": [],
        "start_time": "2026-03-01T10:00:00",
        "end_time": "2026-03-01T10:00:03",
    }


def gpu(**metrics: Payload) -> Payload:
    """One GPU of the telemetry."""
    return {
        "gpu_index": 0, "gpu_name": "NVIDIA T1", "gpu_uuid": "GPU-abc", "hostname": "node",
        "metrics": metrics,
    }  # fmt: skip


TELEMETRY = {
    "summary": {"endpoints_configured": ["http://gpu-node-7.example:9400"]},
    "endpoints": {
        "gpu-node-7.example:9400": {
            "gpus": {
                "gpu_0": gpu(
                    gpu_power_usage=metric("W", 200.0), gpu_memory_used=metric("GB", 20.0)
                ),
                "gpu_1": gpu(gpu_power_usage=metric("W", 210.0)),
            }
        }
    },
}
CSV = """\
Metric,avg,min,max,sum,p1,p5,p10,p25,p50,p75,p90,p95,p99,std
HTTP Waiting (TTFB) (ms),24.50,17.00,67.00,1100.00,17.10,18.00,18.20,20.00,22.00,23.00,26.00,48.00,65.00,10.00
Inter Chunk Latency (ms),4.83,0.00,11.40,6950.00,1.00,3.00,3.70,4.40,4.60,5.30,5.76,6.77,8.61,1.14
Request Latency (ms),176.22,142.79,256.46,8106.00,143.00,145.00,150.00,160.00,169.40,190.00,205.64,230.95,249.22,24.79
Time to First Token (ms),25.12,17.01,68.01,1155.60,17.10,18.20,19.00,20.10,22.63,24.00,26.99,48.90,65.37,10.10

Metric,Value
Benchmark Duration (sec),2.37
Error Request Count,14.00
Output Token Throughput (tokens/sec),660.20
Request Count,46.00
Request Throughput (requests/sec),19.28
Total Input Sequence Length (tokens),3076.00


Endpoint,GPU_Index,GPU_Name,GPU_UUID,Metric,avg,min,max
gpu-node-7.example:9400,0,NVIDIA T1,GPU-abc,GPU Power Usage (W),200.50,100.00,300.00
gpu-node-7.example:9400,0,NVIDIA T1,GPU-abc,GPU Utilization (%),90.00,10.00,100.00
"""  # noqa: E501


def record(start_ns: int, *, phase: str = "profiling", **metrics: Payload) -> Payload:
    """One request of the per-request file."""
    return {
        "metadata": {
            "request_start_ns": start_ns,
            "benchmark_phase": phase,
            "was_cancelled": False,
        },
        "metrics": metrics,
    }


def answered(start_ns: int, latency: float, **changes: Any) -> Payload:
    """One request that was answered with three tokens."""
    return (
        record(
            start_ns,
            request_latency={"value": latency, "unit": "ms"},
            time_to_first_token={"value": 20.0, "unit": "ms"},
            inter_token_latency={"value": 0.005, "unit": "sec"},
            inter_chunk_latency={"value": [4.0, 6.0], "unit": "ms"},
            input_sequence_length={"value": 64, "unit": "tokens"},
            output_sequence_length={"value": 3, "unit": "tokens"},
        )
        | changes
    )


RECORDS: list[Payload] = [
    record(1_000, phase="warmup", request_latency={"value": 999.0, "unit": "ms"}),
    answered(2_000_000_000, 30.0),
    record(2_500_000_000, error_isl={"value": 68, "unit": "tokens"})
    | {"error": {"code": 500, "type": "Server Error", "message": "prompt: hush"}},
    answered(3_000_000_000, 40.0),
]
SERVER_JSON: Payload = {
    "schema_version": "1.1",
    "aiperf_version": "0.13.0",
    "benchmark_id": "d126c9533a93",
    "summary": {"endpoints_configured": ["http://gpu-node-7.example:8000/metrics"]},
    "metrics": {
        "vllm:prompt_tokens": {
            "type": "counter",
            "series": [
                {
                    "endpoint_url": "http://gpu-node-7.example:8000/metrics",
                    "labels": {"model_name": "acme/tiny-7b"},
                    "stats": {"total": 1558.0},
                }
            ],
        }
    },
    "input_config": {"endpoint": {"urls": ["http://gpu-node-7.example:8000"]}},
}
SERVER_CSV = """\
# AIPerf Server Metrics Export (CSV)
# aiperf_version: 0.13.0
# benchmark_id: d126c9533a93
#
Endpoint,Type,Metric,Unit,total,model_name,Description
gpu-node-7.example:8000,counter,vllm:prompt_tokens,tokens,1558.0000,acme/tiny-7b,Prefill tokens.
"""
PHASES: Payload = {
    "phases": [
        {"phase_kind": "profiling", "phase_name": "profiling", "error_summary": ERRORS},
    ],
    "schema_version": 1,
}
CONSOLE = "              NVIDIA AIPerf | LLM Metrics\n│ Time to First Token (ms) │ 25.12 │\n"
AGGREGATE: Payload = {
    "metadata": {"aggregation_type": "confidence", "num_profile_runs": 3, "confidence_level": 0.95},
    "metrics": {"request_throughput_avg": {"mean": 20.0, "std": 0.5, "unit": "requests/sec"}},
}
GPU_SCRAPES: list[Payload] = [
    {
        "timestamp_ns": 1_000_000_000 + second * 1_000_000_000,
        "dcgm_url": "http://gpu-node-7.example:9400/metrics",
        "gpu_index": 0,
        "gpu_uuid": "GPU-abc",
        "gpu_model_name": "NVIDIA T1",
        "telemetry_data": {"gpu_power_usage": 200.0 + second, "gpu_memory_used": 20.0},
    }
    for second in range(2)
]
RAW_RECORDS: list[Payload] = [
    {
        "metadata": {"request_start_ns": start_ns, "benchmark_phase": "profiling"},
        "payload": {"messages": [{"role": "user", "content": "hush"}]},
        "responses": [{"perf_ns": start_ns + 20_000_000, "text": "hush too"}],
    }
    for start_ns in (1_000_000_000, 2_000_000_000)
]


def lines(records: list[Payload]) -> bytes:
    """JSON Lines."""
    return "\n".join(json.dumps(one) for one in records).encode()


SAMPLES: dict[str, bytes] = {
    "phased.json": json.dumps(phased()).encode(),
    "grouped.json": json.dumps(grouped(telemetry_data=TELEMETRY)).encode(),
    "first.json": json.dumps(first()).encode(),
    "summary.csv": CSV.encode(),
    "profile_export.jsonl": lines(RECORDS),
    "one_record.jsonl": lines(RECORDS[1:2]),
    "server_metrics_export.json": json.dumps(SERVER_JSON).encode(),
    "server_metrics_export.csv": SERVER_CSV.encode(),
    "phase_manifest.json": json.dumps(PHASES).encode(),
    "console.txt": CONSOLE.encode(),
    "inputs.json": json.dumps({"data": [{"session_id": "a", "payloads": []}]}).encode(),
    "timeslices.json": json.dumps({"timeslices": [], "input_config": {}}).encode(),
    "profile_export_aiperf_aggregate.json": json.dumps(AGGREGATE).encode(),
    "gpu_telemetry_export.jsonl": lines(GPU_SCRAPES),
    "profile_export_raw.jsonl": lines(RAW_RECORDS),
}
