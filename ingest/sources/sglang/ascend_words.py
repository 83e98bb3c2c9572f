"""What the words of the Ascend pages mean: products, schemes by producer, flags, features."""

import re

PRODUCTS = {
    "a2 supported": ("ascend-a2",),
    "a3 supported": ("ascend-a3",),
    "a5 supported": ("ascend-a5",),
    "a2/a3 supported": ("ascend-a2", "ascend-a3"),
    "ascend 950 products supported": ("ascend-a5",),
}
DIFFUSION = "diffusion models"
LABELLED = re.compile(r"^(√|x|TBD|WIP)\s*\((A\d)\)$", re.IGNORECASE)
# What a scheme's word means depends on the producer named above its table.
SCHEMES: dict[str, dict[str, tuple[str, ...]]] = {
    "modelslim": {
        "w4a4 dynamic": ("int4-w4a4",),
        "w8a8 static": ("int8-w8a8-static",),
        "w8a8 dynamic": ("int8-w8a8-dynamic",),
        "w4a8 dynamic": ("w4a8-dynamic",),
        "mxfp8": ("mxfp8",),
        "mxfp8 (w8a8)": ("mxfp8",),
        "mxfp4": ("mxfp4",),
        "mxfp4 w4a8": ("mxfp4-w4a8",),
        "mxfp4 w4a4": ("mxfp4-w4a4",),
    },
    "awq": {"w4a16": ("awq-w4a16",)},
    "gptq": {"w4a16": ("gptq-w4a16",), "w8a16": ("gptq-w8a16",)},
    "auto-round": {},
    "compressed-tensors": {
        "w8a8 dynamic": ("int8-w8a8-dynamic",),
        "w4a8 dynamic": ("w4a8-dynamic",),
        "w4a16": ("int4-w4a16",),
    },
    "gguf": {"gguf": ("gguf",), "all gguf types": ("gguf",)},
}
SCHEME_COLUMNS = ("quantization scheme", "quantization type", "quantization method")
FLAGS: dict[str, str] = {
    "--tp-size": "tensor-parallel",
    "--tensor-parallel-size": "tensor-parallel",
    "--pp-size": "pipeline-parallel",
    "--pipeline-parallel-size": "pipeline-parallel",
    "--dp-size": "data-parallel",
    "--data-parallel-size": "data-parallel",
    "--ep-size": "expert-parallel",
    "--enable-dp-attention": "attention-dp",
    "--enable-eplb": "eplb",
    "--enable-lora": "lora",
    "--enable-two-batch-overlap": "micro-batch",
    "--chunked-prefill-size": "chunked-prefill",
    "--grammar-backend": "structured-output",
    "--tool-call-parser": "tool-calling",
    "--reasoning-parser": "reasoning-parser",
    "--speculative-algorithm": "speculative-decoding",
    "--disaggregation-mode": "disaggregated-prefill",
    "--enable-memory-saver": "sleep-mode",
    "--enable-torch-compile": "torch-compile",
    "--enable-multimodal": "multimodal",
    "--is-embedding": "embeddings",
    "--enable-hierarchical-cache": "kv-offload",
    "--cpu-offload-gb": "cpu-offload",
    "--kv-cache-dtype": "kv-cache-dtype",
    "--quantization": "quantization",
}
FEATURES = {
    "npu graph": ("acl-graph",),
    "prefixcache": ("prefix-caching",),
    "overlap schedule": ("overlap-scheduler",),
    "mlapo": ("ascend-mla",),
    "nz weight format": ("weight-nz",),
    "pd disaggregation": ("disaggregated-prefill",),
    "context parallelism": ("context-parallel",),
    "quantization": ("quantization",),
    "multistream moe": ("multistream-moe",),
    "tensor parallelism": ("tensor-parallel",),
    "data parallelism": ("data-parallel",),
    "expert parallelism": ("expert-parallel",),
    "chunked prefill": ("chunked-prefill",),
    "speculative decoding": ("speculative-decoding",),
    "eplb": ("eplb",),
}
