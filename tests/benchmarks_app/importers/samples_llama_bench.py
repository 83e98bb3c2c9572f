"""Small samples of llama-bench's outputs and logs."""

import json

ROW: dict[str, object] = {
    "build_commit": "abcdef123", "build_number": 9100, "cpu_info": "Example CPU",
    "gpu_info": "Example GPU 24GB", "backends": "CUDA",
    "model_filename": "/home/jane/models/tiny-Q4_K_M-00001-of-00002.gguf",
    "model_type": "llama 8B Q4_K - Medium", "model_size": 4912898304,
    "model_n_params": 8030261312, "n_batch": 2048, "n_ubatch": 512, "n_threads": 8,
    "cpu_mask": "0x0", "cpu_strict": False, "poll": 50, "type_k": "f16", "type_v": "q8_0",
    "n_gpu_layers": 99, "n_cpu_moe": 0, "split_mode": "layer", "main_gpu": 0,
    "no_kv_offload": False, "flash_attn": True, "devices": "auto", "tensor_split": "0.00",
    "tensor_buft_overrides": "none", "use_mmap": True, "embeddings": False, "no_op_offload": 0,
    "n_prompt": 512, "n_gen": 0, "n_depth": 1024, "test_time": "2026-03-04T05:06:07Z",
    "avg_ns": 200000000, "stddev_ns": 1000000, "avg_ts": 2560.5, "stddev_ts": 12.25,
    "samples_ns": [199000000, 201000000], "samples_ts": [2572.86, 2547.26],
}  # fmt: skip
PLAIN = {name: value for name, value in ROW.items() if not name.startswith("samples_")}
OLD: dict[str, object] = {
    "build_commit": "unknown", "build_number": 0, "cuda": False, "vulkan": False, "metal": True,
    "sycl": False, "rpc": "0", "gpu_blas": True, "blas": True, "cpu_info": "Example CPU",
    "gpu_info": "", "model_filename": "tiny.gguf", "model_type": "llama 1B F16",
    "model_size": 2048, "model_n_params": 1024, "n_batch": 512, "n_ubatch": 512, "n_threads": 2,
    "type_k": "f16", "type_v": "f16", "n_gpu_layers": 99, "split_mode": "layer", "main_gpu": 0,
    "no_kv_offload": True, "flash_attn": False, "tensor_split": "0.00", "use_mmap": True,
    "embeddings": False, "n_prompt": 0, "n_gen": 128, "test_time": "2024-08-09T10:11:12Z",
    "avg_ns": 4000000000, "stddev_ns": 0, "avg_ts": 32.0, "stddev_ts": 0.0,
    "samples_ns": [4000000000], "samples_ts": [32.0],
}  # fmt: skip


def _texts(row: dict[str, object]) -> list[str]:
    """The values as CSV and SQL write them."""
    return [str(int(v)) if isinstance(v, bool) else str(v) for v in row.values()]


def as_csv(*rows: dict[str, object]) -> str:
    header = ",".join(rows[0])
    return "\n".join([header, *(",".join(f'"{v}"' for v in _texts(row)) for row in rows)]) + "\n"


def as_sql(row: dict[str, object], table: str) -> str:
    columns = ",\n".join(f"  {name} TEXT" for name in row)
    values = ", ".join(f"'{value}'" for value in _texts(row))
    names = ", ".join(row)
    return (
        f"CREATE TABLE IF NOT EXISTS {table} (\n{columns}\n);\n\n"
        f"INSERT INTO {table} ({names}) VALUES ({values});\n"
    )


MARKDOWN = """\
ggml_cuda_init: found 2 ROCm devices (Total VRAM: 49152 MiB):
  Device 0: Example Radeon, gfx1100 (0x1100), VMM: no, Wave Size: 32, VRAM: 24576 MiB
  Device 1: Example Radeon, gfx1100 (0x1100), VMM: no, Wave Size: 32, VRAM: 24576 MiB
| model | size | params | backend | ngl | type_k | fa | ts | zz | test | t/s |
| ----- | ---: | -----: | ------- | --: | -----: | -: | -: | -: | ---: | --: |
| llama 8B Q4_K | 4.58 GiB | 8.03 B | ROCm | 99 | q8_0 | 1 | 1/1 | 7 | pp512 | 422.28 ± 1.78 |
| llama 8B Q4_K | 4.58 GiB | 8.03 B | ROCm | 99 | q8_0 | 1 | 1/1 || pp64+tg16 @ d9 | 23.17 ± 0.00 |

build: abcdef123 (9187)
| model                |       size |     params | backend | threads | sm | test | t/s |
| -------------------- | ---------: | ---------: | ------- | ------: | -- | ---: | --: |
| llama 1B F16         |   2.30 GiB |     1.24 B | CPU     |       8 | none | tg128 | 9.5 |

build: unknown (0)
"""
LOG = """\
ggml_vulkan: Found 1 Vulkan devices:
ggml_vulkan: 0 = Example Arc (EXA 770) (anv) | uma: 0 | fp16: 1 | warp size: 32
llama_model_load: error loading model
"""
DEVICES = (
    "ggml_cuda_init: found 1 CUDA devices:\n  Device 0: Example GPU 24GB, compute capability 8.9\n"
)
HELP = "error: invalid parameter for argument: -zz\nusage: build/bin/llama-bench [options]\n"

SAMPLES: dict[str, bytes] = {
    "bench.json": json.dumps([ROW, OLD]).encode(),
    "one.jsonl": json.dumps(ROW).encode(),
    "bench.jsonl": f"{json.dumps(ROW)}\n{json.dumps(OLD)}\n".encode(),
    "bench.csv": as_csv(PLAIN).encode(),
    "bench.sql": as_sql(PLAIN, "llama_bench").encode(),
    "old.sql": as_sql({k: v for k, v in OLD.items() if k[:7] != "samples"}, "test").encode(),
    "bench.log": MARKDOWN.encode(),
    "stderr.log": LOG.encode(),
    "both.jsonl": f"{DEVICES}{json.dumps(ROW)}\nbusy\n{json.dumps(OLD)}\n".encode(),
    "both.json": f"{DEVICES}{json.dumps([ROW, OLD], indent=2)}\nat /home/jane done\n".encode(),
    "help.csv": HELP.encode(),
    "metrics.txt": b"# TYPE llamacpp:n_decode_total counter\nllamacpp:n_decode_total 12\n",
}
