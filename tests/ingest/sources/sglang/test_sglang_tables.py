"""Quantization, attention and model tables of SGLang, Markdown and MDX."""

import pytest

from ingest.contract import UnexpectedPage
from ingest.sources.sglang import COOKBOOK_SOURCE, SOURCE
from matrix.domain.levels import Execution, Limit
from tests.ingest.sources.said import page_of, places, rule_named, said, unknown, vocabulary_of

WORDS = vocabulary_of(
    model={
        "Alpha (v1, v2)": "alpha-1, alpha-2",
        "acme/Alpha-7B": "acme--alpha-7b",
        "Beta": "beta",
        "BetaForReward": "betaforreward",
        "Gamma": "gamma",
        "Gamma 2": "gamma-2",
    },
    hardware={
        "MI300X": "amd-mi300x",
        "MI325X": "amd-mi325x",
        "A2": "ascend-a2",
        "A3": "ascend-a3",
        "A5": "ascend-a5",
        "A100": "nvidia-a100",
    },
    attention_backend={"Triton": "triton-attention", "FlashInfer": "flashinfer"},
)
OLDER = ["-nvidia-kepler", "-nvidia-maxwell", "-nvidia-pascal"]
BELOW_75 = ",".join([*OLDER, "-nvidia-volta"])
BELOW_80 = ",".join([*OLDER, "-nvidia-turing", "-nvidia-volta"])

PLATFORMS = """\
# Quantization

## Platform Compatibility

| Method | NVIDIA GPUs | AMD GPUs (MI300X/MI325X) | Ascend NPUs (A2/A3) | Notes |
|--------|:---:|:---:|:---:|-------|
| `fp8` | Yes | Experimental | WIP | |
| `modelopt_fp8` | Yes (Hopper/SM90+) | No | | |
| `modelopt_fp4` | Yes (SM80-SM90 via Marlin; SM100+ native FP4) | No | No | |
| `compressed-tensors` | Maybe | Yes (MI300X) | Partial | |
| `mxfp4` | No | Yes | Yes (A5) | Requires CDNA3/CDNA4 with MXFP; requires CANN ≥ 8.0 |
"""


def read(rule: str, text: str, *, path: str, version: str = "v0.5.9") -> list[str]:
    reading = rule_named(SOURCE, rule).parse(page_of(text, path=path, version=version), WORDS)
    return said(reading)


def test_cells_name_products_floors_and_executions() -> None:
    page = page_of(PLATFORMS, path="docs_new/docs/advanced_features/quantization.mdx")
    reading = rule_named(SOURCE, "quantization").parse(page, WORDS)
    amd, ascend = "hardware=amd-mi300x,amd-mi325x", "hardware=ascend-a2,ascend-a3"
    assert said(reading) == [
        f"supported quantization-hardware/fp8/nvidia [quantization=fp8 hardware=nvidia,{BELOW_80}]",
        f"experimental quantization-hardware/fp8/amd [quantization=fp8 {amd}]",
        f"work-in-progress quantization-hardware/fp8/ascend [quantization=fp8 {ascend}]",
        "supported quantization-hardware/modelopt_fp8/nvidia-blackwell+nvidia-hopper [?]",
        "unsupported quantization-hardware/modelopt_fp8/below-sm90 [?]",
        "unsupported quantization-hardware/modelopt_fp8/amd [?]",
        "not-stated quantization-hardware/modelopt_fp8/ascend [?]",
        "supported quantization-hardware/modelopt-fp4/nvidia-ada+nvidia-ampere+nvidia-hopper"
        " [quantization=modelopt-fp4,nvfp4 hardware=nvidia-ada,nvidia-ampere,nvidia-hopper]",
        "supported quantization-hardware/modelopt-fp4/nvidia-blackwell"
        " [quantization=modelopt-fp4,nvfp4 hardware=nvidia-blackwell]",
        f"unsupported quantization-hardware/modelopt-fp4/amd"
        f" [quantization=modelopt-fp4,nvfp4 {amd}]",
        f"unsupported quantization-hardware/modelopt-fp4/ascend"
        f" [quantization=modelopt-fp4,nvfp4 {ascend}]",
        "not-stated quantization-hardware/compressed-tensors/nvidia [?]",
        "supported quantization-hardware/compressed-tensors/amd-mi300x"
        " [quantization=compressed-tensors hardware=amd-mi300x]",
        f"partial quantization-hardware/compressed-tensors/ascend"
        f" [quantization=compressed-tensors {ascend}]",
        "unsupported quantization-hardware/mxfp4/nvidia [quantization=mxfp4 hardware=nvidia]",
        f"supported quantization-hardware/mxfp4/amd [quantization=mxfp4 {amd}]",
        "supported quantization-hardware/mxfp4/ascend-a5 [quantization=mxfp4 hardware=ascend-a5]",
    ]
    assert unknown(reading) == ["quantization: modelopt_fp8", "status: Maybe"]
    marlin, native = reading.findings[7], reading.findings[8]
    assert (marlin.execution, native.execution) == (Execution.WEIGHT_ONLY, Execution.NATIVE)
    assert reading.findings[4].limit is Limit.HARDWARE
    assert reading.findings[13].note == "FP8 is not among the schemes that run there"
    assert [(c.name, c.value) for c in reading.findings[15].conditions] == [
        ("SGLANG_USE_AITER", "1")
    ]
    assert [(c.name, c.value) for c in reading.findings[16].conditions] == [("CANN", "8.0")]
    assert places(reading)[1] == ("fp8", "AMD GPUs (MI300X/MI325X)", 7)


def test_a_vendor_wide_yes_leaves_out_cards_beyond_the_kernels_and_other_loaders() -> None:
    text = (
        "# Q\n\n## Platform Compatibility\n\n| Method | NVIDIA GPUs | Notes |\n|---|---|---|\n"
        "| `mxfp4` | Yes | |\n| `w8a8_int8` | Yes | |\n| `gptq` | Yes | |\n"
        "| `gptq_marlin` | Yes | |\n"
    )
    older = "-nvidia-kepler,-nvidia-maxwell,-nvidia-pascal"
    assert read("quantization", text, path="docs/docs/advanced_features/quantization.mdx") == [
        "supported quantization-hardware/mxfp4/nvidia [quantization=mxfp4"
        f" hardware=nvidia,-nvidia-ada,-nvidia-ampere,{older},-nvidia-turing,-nvidia-volta]",
        "supported quantization-hardware/int8-w8a8/nvidia [quantization=int8-w8a8"
        f" hardware=nvidia,-nvidia-blackwell,{older},-nvidia-volta]",
        "supported quantization-hardware/gptq/nvidia [quantization=gptq,-gptq-marlin"
        f" hardware=nvidia,{BELOW_75}]",
        "supported quantization-hardware/gptq-marlin/nvidia [quantization=gptq-marlin"
        f" hardware=nvidia,{BELOW_80}]",
    ]


def test_the_frozen_tree_has_statements_of_its_own_only_while_both_trees_exist() -> None:
    path = "docs/advanced_features/quantization.md"
    alone = read("quantization", PLATFORMS, path=path, version="v0.5.9")
    beside = read("quantization", PLATFORMS, path=path, version="v0.5.12")
    after = read("quantization", PLATFORMS, path="docs/docs/advanced_features/quantization.mdx")
    assert alone == after
    assert beside[0].startswith("supported sphinx-tree/quantization-hardware/fp8/nvidia ")


def test_a_platform_section_without_its_table_is_refused() -> None:
    text = (
        "# Quantization\n\n## Platform Compatibility\n\n| Method | GPUs |\n|---|---|\n| a | b |\n"
    )
    with pytest.raises(UnexpectedPage) as refused:
        read("quantization", text, path="quantization.md")
    assert refused.value.nearest == "Method, GPUs"


GEMM = """\
# Quantization

### `--fp4-gemm-backend` (NVFP4 GEMM)

| Backend | Hardware | Description |
|---------|----------|-------------|
| `auto` | SM80+ | picks |
| `cutlass` | SM100/120 (CUDA 13+) | fast |
| `triton` | All | slow |
| `odd` | ROCm | new |

| Quantization Method | Schemes | Validated Hardware Environment |
|---|---|---|
| auto-round-int8 | INT8 | Nvidia A100 GPU |
"""


def test_a_vague_gemm_row_is_a_value_and_a_precise_one_a_claim() -> None:
    assert read("quantization", GEMM, path="q.md") == [
        "supported gemm-backend-fp4-auto/nvfp4/"
        "nvidia-ada+nvidia-ampere+nvidia-blackwell+nvidia-hopper (value)",
        "supported gemm-backend-fp4-cutlass/kernel-cutlass/nvfp4/nvidia-sm-100+nvidia-sm-120"
        " [quantization=nvfp4 hardware=nvidia-sm-100,nvidia-sm-120 features=kernel-cutlass]",
        "supported gemm-backend-fp4-triton/kernel-triton/nvfp4/all (value)",
        "supported gemm-backend-fp4-odd/odd/nvfp4/amd [?]",
        "supported quantization-hardware/auto-round-int8/nvidia-a100"
        " [quantization=auto-round-int8 hardware=nvidia-a100]",
    ]


ATTENTION = """\
# Attention Backend

### MHA Backends

| **Backend** | **Page Size > 1 (native)** | **FP8 KV Cache** | **Spec topk>1** |
|---|---|---|---|
| **FlashInfer** | ✅ | ❌ | ✅ |
| **FA4 (FlashAttention 4)** | 16, 32 or 64 | ✅ (required) | |
| **NewOne** | ✅ | ✅ | ☂ |

### MLA Backends

| **Backend** | **Native Page Sizes** | **Spec topk>1** |
|---|---|---|
| **FlashMLA** | 64 | ❌ |
| **Triton** | n/a | ⚠️ (page_size=1 only) |

- FlashAttention 4 is prefill-only for now.
- TokenSpeed MLA: page_size = 32 (Blackwell SM100/SM12x only; requires `--kv-cache-dtype fp8_e4m3`).

### GDN Attention Backends

| Backend | Decode | Prefill / Extend | Spec Decoding (Target Verify) |
|---|---|---|---|
| **Triton (AMD/ROCm)** | ✅ | ✅ | ❌ |
| **FlashInfer (CUDA, SM90/SM100)** | ✅ | ❌ | ✅ linear chain |

| Sub-backend | Prefill | Decode | Notes |
|---|---|---|---|
| **flashmla_kv** | ✅ | ❌ | x |
"""


def test_attention_cells_hold_symbols_numbers_and_remarks() -> None:
    page = page_of(ATTENTION, path="docs/advanced_features/attention_backend.md", version="v0.5.9")
    reading = rule_named(SOURCE, "attention").parse(page, WORDS)
    hopper = "hardware=nvidia,-nvidia-ada,-nvidia-ampere," + BELOW_80
    ampere = f"hardware=nvidia,{BELOW_80}"
    fi = f"attention_backend=flashinfer {ampere}"
    fa4 = f"attention_backend=flash-attention-4 {hopper}"
    assert said(reading) == [
        f"supported attention/flashinfer/paged-kv [{fi} features=paged-kv]",
        "unsupported attention/flashinfer/kv-fp8"
        f" [attention_backend=flashinfer kv_dtype=kv-fp8 {ampere}]",
        f"supported attention/flashinfer/spec-topk-n [{fi} features=spec-topk-n]",
        f"partial attention/flash-attention-4/paged-kv [{fa4} features=paged-kv]",
        "supported attention/flash-attention-4/kv-fp8"
        f" [attention_backend=flash-attention-4 kv_dtype=kv-fp8 {hopper}]",
        f"not-stated attention/flash-attention-4/spec-topk-n [{fa4} features=spec-topk-n]",
        "supported attention/newone/paged-kv [?]",
        "supported attention/newone/kv-fp8 [?]",
        "not-stated attention/newone/spec-topk-n [?]",
        "value attention-mla/flashmla/paged-kv (value) = 64",
        "unsupported attention-mla/flashmla/spec-topk-n/mla"
        f" [attention_backend=flashmla {hopper} features=mla+spec-topk-n]",
        "not-applicable attention-mla/triton-attention/paged-kv (value) = n/a",
        "partial attention-mla/triton-attention/spec-topk-n/mla"
        " [attention_backend=triton-attention features=mla+spec-topk-n]",
        "supported attention-gdn-decode/linear-attention/triton-attention/amd (value)",
        "supported attention-gdn-prefill/linear-attention/triton-attention/amd (value)",
        "unsupported attention-gdn-verify"
        "/linear-attention/triton-attention/amd/speculative-decoding"
        " [attention_backend=triton-attention hardware=amd"
        " features=linear-attention+speculative-decoding]",
        "supported attention-gdn-decode/linear-attention/flashinfer/"
        "nvidia-sm-100+nvidia-sm-90 (value)",
        "unsupported attention-gdn-prefill/linear-attention/flashinfer/"
        "nvidia-sm-100+nvidia-sm-90 (value)",
        "partial attention-gdn-verify/linear-attention/flashinfer/"
        "nvidia-sm-100+nvidia-sm-90/speculative-decoding"
        " [attention_backend=flashinfer hardware=nvidia-sm-100,nvidia-sm-90"
        " features=linear-attention+speculative-decoding]",
        "supported attention-dsa/flashmla_kv/prefill (value) = ✅",
        "unsupported attention-dsa/flashmla_kv/decode (value) = ❌",
        "partial attention-phase/flash-attention-4 [features=flash-attention-4]",
        "value attention-page-size/tokenspeed mla (value) = 32",
        "supported attention-hardware/tokenspeed mla/stated [?]",
    ]
    number, only = reading.findings[3], reading.findings[12]
    assert (number.value, number.note) == ("16, 32 or 64", "page size 16, 32 or 64 only")
    assert [(c.name, c.value) for c in only.conditions] == [("page-size", "1")]
    assert reading.findings[4].note == "this backend needs it"
    assert unknown(reading) == [
        "attention_backend: NewOne",
        "status: ☂",
        "attention_backend: TokenSpeed MLA",
    ]


def test_the_single_table_of_2025_speaks_of_mla_as_a_capability() -> None:
    text = (
        "# Attention Backend\n\n| **Backend** | **Spec Decoding** | **MLA** |\n|---|---|---|\n"
        "| **Triton** | ✅ | ❌ |\n"
    )
    assert read("attention", text, path="a.md", version="v0.4.6") == [
        "supported attention/triton-attention/speculative-decoding"
        " [attention_backend=triton-attention features=speculative-decoding]",
        "unsupported attention/triton-attention/mla"
        " [attention_backend=triton-attention features=mla]",
    ]


def test_what_a_backend_does_is_said_of_the_hardware_that_it_is_built_for_only() -> None:
    text = (
        "# Attention\n\n| Backend | FP8 KV Cache |\n|---|---|\n"
        "| FlashInfer | ✅ |\n| Wave (ROCm) | ❌ |\n| Torch Native (SDPA) | ✅ |\n"
    )
    scopes = [line.split("[")[1].rstrip("]") for line in read("attention", text, path="a.md")]
    assert "amd" not in scopes[0]
    assert "nvidia" in scopes[0]
    assert "hardware=amd-cdna3,amd-cdna4" in scopes[1]
    assert "hardware" not in scopes[2]


def test_an_attention_page_without_tables_is_refused() -> None:
    with pytest.raises(UnexpectedPage):
        read("attention", "# Attention\n", path="a.md")


MODELS = """\
<table style={{width: "100%"}}>
  <thead><tr><th>Model Family (Variants)</th><th>Example HuggingFace Identifier</th><th>Notes</th></tr></thead>
  <tbody>
    <tr><td>**Alpha** (v1, v2)</td><td>`acme/Alpha-7B`</td><td></td></tr>
    <tr><td>Beta (Reward / `BetaForReward`)</td><td></td><td>Coming soon</td></tr>
    <tr><td>Zeta</td><td><code>acme/Zeta</code></td><td>Currently only support <code>attention-backend</code> triton and torch_native.</td></tr>
  </tbody>
</table>
"""  # noqa: E501


def test_families_become_one_statement_each_and_coming_soon_is_planned() -> None:
    path = "docs/docs/supported-models/generative_models.mdx"
    reading = rule_named(SOURCE, "models").parse(page_of(MODELS, path=path), WORDS)
    assert said(reading) == [
        "supported model/alpha-1 [model=alpha-1]",
        "supported model/alpha-2 [model=alpha-2]",
        "supported model/acme--alpha-7b [model=acme--alpha-7b]",
        "planned model/betaforreward [model=betaforreward]",
        "planned model/beta [model=beta]",
        "supported model/zeta [?]",
        "supported model/acme/zeta [?]",
    ]
    assert [(c.name, c.value) for c in reading.findings[5].conditions] == [
        ("attention-backend", "triton or torch_native")
    ]


def test_a_model_page_without_family_tables_is_refused() -> None:
    with pytest.raises(UnexpectedPage):
        read("models", "# Models\n", path="docs/supported_models/generative_models.md")


BULLETS = """\
# Supported Models

## Generative Models
- Gamma / Gamma 2 / Delta
  - `python3 -m sglang.launch_server --model-path acme/Alpha-7B --port=30000`

## How to Support a New Model
- Read the guide
"""


def test_the_list_of_2024_is_read_from_bullets() -> None:
    assert read("models-2024", BULLETS, path="docs/references/supported_models.md") == [
        "supported model/gamma [model=gamma]",
        "supported model/gamma-2 [model=gamma-2]",
        "supported model/gamma delta [?]",
        "supported model/acme--alpha-7b [model=acme--alpha-7b]",
    ]


def test_classification_architectures_are_read_with_their_task() -> None:
    text = (
        "# Classification API\n\n## Supported Models\n\n### Reward Models (Single score)\n"
        "- `BetaForReward` - Single score\n- something else\n"
    )
    assert read("classifiers", text, path="docs/supported_models/classify_models.md") == [
        "supported model-task/betaforreward/reward [model=betaforreward features=reward]",
    ]


def test_the_former_cookbook_repository_says_where_it_went() -> None:
    rule = rule_named(COOKBOOK_SOURCE, "moved")
    text = "# Cookbook now migrated to https://example.org/intro\n"
    assert said(rule.parse(page_of(text, path="README.md"), WORDS)) == [
        "moved maintenance/sgl-cookbook (maintenance) = https://example.org/intro",
    ]
    with pytest.raises(UnexpectedPage):
        rule.parse(page_of("# Cookbook\n", path="README.md"), WORDS)
