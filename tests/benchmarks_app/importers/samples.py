"""The samples of all importers under one roof, for what is asked of each of them."""

from importlib import import_module

# Where the samples of each tool stand: a module of their own, or that of its tests.
_MODULES = {
    "aiperf": "samples_aiperf",
    "aisbench": "test_aisbench",
    "evalscope": "test_evalscope",
    "genai_perf": "samples_genai_perf",
    "guidellm": "samples_guidellm",
    "hf_inference_benchmarker": "test_hf_inference_benchmarker",
    "inference_perf": "test_inference_perf",
    "inferencex": "test_inferencex",
    "llama_batched_bench": "test_llama_batched_bench",
    "llama_bench": "samples_llama_bench",
    "llmd_benchmark_report": "test_llmd_benchmark_report",
    "llmperf": "test_llmperf",
    "lmdeploy": "samples_lmdeploy",
    "mlperf": "test_mlperf",
    "optimum_benchmark": "test_optimum_benchmark",
    "runproof": "test_runproof",
    "sglang": "samples_sglang",
    "tgi_benchmark": "test_tgi_benchmark",
    "trtllm_bench": "test_trtllm_bench",
    "vllm": "samples_vllm",
}


def _samples_of(module: str) -> dict[str, bytes]:
    found: dict[str, bytes] = import_module(f"tests.benchmarks_app.importers.{module}").SAMPLES
    return found


SAMPLES_BY_TOOL = {tool: _samples_of(module) for tool, module in _MODULES.items()}
ALL_SAMPLES = {
    f"{tool}/{name}": data
    for tool, samples in SAMPLES_BY_TOOL.items()
    for name, data in samples.items()
}
