"""Platform, Ascend and installation pages of SGLang."""

import pytest

from ingest.contract import UnexpectedPage
from ingest.sources.sglang import SOURCE
from tests.ingest.sources.said import page_of, rule_named, said, unknown, vocabulary_of

WORDS = vocabulary_of(
    model={
        "acme/Alpha-3B": "acme--alpha-3b",
        "acme/Alpha-INT8": "acme--alpha-int8",
        "Alpha": "alpha",
        "Beta V3": "beta-v3",
        "Beta V3.1": "beta-v3.1",
    },
    hardware={
        "Intel Arc B580 Graphics": "intel-arc-b580",
        "Intel Arc B-Series Graphics": "intel-arc-b-series",
        "6th Gen Intel Xeon": "cpu-x86-xeon-6",
        "TPU v6e": "google-tpu-v6e",
        "Jetson AGX Orin": "nvidia-jetson-orin",
        "H100": "nvidia-h100",
        "DGX Spark": "nvidia-gb10",
        "MI300": "amd-mi300",
    },
    feature={"Two-batch overlap": "micro-batch", "Radix Tree KV Cache": "prefix-caching"},
)


def read(rule: str, text: str, *, path: str = "docs/p.md", version: str = "v0.5.9") -> list[str]:
    page = page_of(text, path=path, version=version)
    return said(rule_named(SOURCE, rule).parse(page, WORDS))


XPU = """\
# XPU

SGLang is optimized for [Intel® Arc™ B-Series Graphics](https://example.org/b).

## Optimized Model List

| Model Name | BF16 |
|:---:|:---:|
| Alpha-3B | [acme/Alpha-3B](https://example.org/a) |
| Beta | |

**Note:** The model identifiers listed in the table above
have been verified on [Intel® Arc™ B580 Graphics](https://example.org/c).

## Installation

Currently SGLang XPU only supports installation from source.

### Limitations

| Feature | Status |
|---|---|
| Two-batch overlap (`--enable-two-batch-overlap`) | Not yet supported |
| Magic | Perhaps |

## Prefill-Decode (P/D) Disaggregation [Experimental]

| Model | Notes |
|---|---|
| [acme/Alpha-3B](https://example.org/a) | tested |
"""


def test_intel_gpus_state_products_verified_models_and_limitations() -> None:
    assert read("xpu", XPU) == [
        "supported platform/intel-arc-b-series [hardware=intel-arc-b-series]",
        "unsupported platform/intel/binary-wheels [hardware=intel features=binary-wheels]",
        "supported model-quantization-hardware/acme--alpha-3b/bf16/intel-arc-b580"
        " [model=acme--alpha-3b quantization=bf16 hardware=intel-arc-b580]",
        "not-stated model-quantization-hardware/beta/bf16/intel-arc-b580 [?]",
        "unsupported feature-hardware/micro-batch/intel [hardware=intel features=micro-batch]",
        "not-stated feature-hardware/magic/intel [?]",
        "experimental model-feature-hardware/acme--alpha-3b/disaggregated-prefill/intel"
        " [model=acme--alpha-3b hardware=intel features=disaggregated-prefill]",
    ]


CPU = """\
# CPU Servers

SGLang is enabled on the CPUs equipped with Intel® AMX® Instructions,
which are 4th generation or newer.

| Model Name | BF16 | W8A8_INT8 | FP8 |
|:---:|:---:|:---:|:---:|
| Alpha | | [acme/Alpha-INT8](https://example.org/i) | |

**Note:** The models
have been verified on 6th Gen Intel® Xeon® P-core platforms.

`docker pull lmsysorg/sglang:v0.5.8-xeon`
"""


def test_a_blank_precision_is_not_a_no_and_an_old_image_is_stale() -> None:
    assert read("cpu", CPU) == [
        "supported platform/cpu-x86-amx"
        " [hardware=cpu-x86-amx,cpu-x86-xeon-4,cpu-x86-xeon-5,cpu-x86-xeon-6]",
        "not-stated model-quantization-hardware/alpha/bf16/cpu-x86-xeon-6"
        " [model=alpha quantization=bf16 hardware=cpu-x86-xeon-6]",
        "supported model-quantization-hardware/acme--alpha-int8/int8-w8a8/cpu-x86-xeon-6"
        " [model=acme--alpha-int8 quantization=int8-w8a8 hardware=cpu-x86-xeon-6]",
        "not-stated model-quantization-hardware/alpha/fp8/cpu-x86-xeon-6"
        " [model=alpha quantization=fp8 hardware=cpu-x86-xeon-6]",
        "stale image/lmsysorg/sglang/xeon (artefact) = v0.5.8-xeon",
    ]


TPU = """\
# TPU

| TPU Type | HBM Memory | Availability |
|---|---|---|
| TPU v6e | 32 GB | Cloud |

| Feature | Support Status | Description |
|---|---|---|
| Radix Tree KV Cache | ✅ | x |
| LoRA | 🚧 | x |

| Backend | Paged Attention | Spec Decoding | MLA | Sliding Window |
|---|---|---|---|---|
| Native | ❌ | ✅ | ❌ | ❌ |

| Model Family | Performance Status |
|---|---|
| Alpha | Needs improvement |
"""


def test_tpu_statements_carry_the_engine_that_serves_them() -> None:
    page = page_of(TPU, path="docs/platforms/tpu.md", version="v0.5.9")
    reading = rule_named(SOURCE, "tpu").parse(page, WORDS)
    where = "attention_backend=torch-sdpa hardware=google-tpu"
    listed = "google-tpu,-google-tpu-v3,-google-tpu-v4,-google-tpu-v5e,-google-tpu-v5p"
    assert said(reading) == [
        "via-plugin platform/google-tpu-v6e [hardware=google-tpu-v6e]",
        "supported feature-hardware/prefix-caching/google-tpu"
        f" [hardware={listed} features=prefix-caching]",
        "work-in-progress feature-hardware/lora/google-tpu [?]",
        "unsupported attention-google-tpu/torch-sdpa/paged-kv/google-tpu"
        f" [{where} features=paged-kv]",
        "supported attention-google-tpu/torch-sdpa/speculative-decoding/google-tpu"
        f" [{where} features=speculative-decoding]",
        f"unsupported attention-google-tpu/torch-sdpa/mla/google-tpu [{where} features=mla]",
        "unsupported attention-google-tpu/torch-sdpa/sliding-window/google-tpu"
        f" [{where} features=sliding-window]",
        f"supported model-hardware/alpha/google-tpu [model=alpha hardware={listed}]",
    ]
    assert {c.name for found in reading.findings for c in found.conditions} == {"sglang-jax"}
    assert reading.findings[-1].note == "runs, but the page says that performance needs work"


def test_an_announcement_is_no_support() -> None:
    text = "# TPU\n\nThe support for TPU is under active development. Please stay tuned.\n"
    assert read("tpu", text) == ["planned platform/google-tpu [hardware=google-tpu]"]


def test_small_platform_pages_state_their_hardware() -> None:
    jetson = (
        "# Jetson\n\n- [**NVIDIA Jetson AGX Orin Devkit**](https://example.org/j) is set up with"
        " **JetPack 6.1** or later.\n"
    )
    metal = (
        "# Apple\n\nThis describes how to run SGLang on Apple Silicon using Metal.\n\n"
        "Pass `--quantization mlx_q4` or `--quantization mlx_q8`.\n"
    )
    musa = "# MUSA\n\nThis document describes how run SGLang on Moore Threads GPUs.\n"
    assert read("jetson", jetson) == [
        "supported platform/nvidia-jetson-orin [hardware=nvidia-jetson-orin]",
    ]
    assert read("metal", metal) == [
        "supported platform/apple [hardware=apple]",
        "supported quantization-hardware/mlx-q4/apple [quantization=mlx-q4 hardware=apple]",
        "supported quantization-hardware/mlx_q8/apple [?]",
    ]
    assert read("musa", musa) == ["supported platform/moore-threads [hardware=moore-threads]"]


@pytest.mark.parametrize(
    "rule",
    ["xpu", "cpu", "tpu", "jetson", "metal", "musa", "ascend-models", "ascend-quantization",
     "ascend-features", "install"],
)  # fmt: skip
def test_a_page_that_states_nothing_of_the_kind_is_refused(rule: str) -> None:
    with pytest.raises(UnexpectedPage) as refused:
        read(rule, "# Something else\n\nNothing here.\n")
    assert refused.value.expected


ASCEND_MODELS = """\
# Models

| Models | Model Family | A2 Supported | A3 Supported |
|---|---|:---:|:---:|
| acme/Alpha-3B | Alpha | **<span style="color: green;">√</span>** | ✅ |
| Beta V3/V3.1 | Beta | **<span style="color: red;">x</span>** | |
"""


def test_a_row_of_two_models_makes_a_statement_for_each() -> None:
    assert read("ascend-models", ASCEND_MODELS) == [
        "supported model-hardware/acme--alpha-3b/ascend-a2"
        " [model=acme--alpha-3b hardware=ascend-a2]",
        "supported model-hardware/acme--alpha-3b/ascend-a3"
        " [model=acme--alpha-3b hardware=ascend-a3]",
        "unsupported model-hardware/beta-v3/ascend-a2 [model=beta-v3 hardware=ascend-a2]",
        "unsupported model-hardware/beta-v3.1/ascend-a2 [model=beta-v3.1 hardware=ascend-a2]",
        "not-stated model-hardware/beta-v3/ascend-a3 [model=beta-v3 hardware=ascend-a3]",
        "not-stated model-hardware/beta-v3.1/ascend-a3 [model=beta-v3.1 hardware=ascend-a3]",
    ]


ASCEND_SCHEMES = """\
# Quantization on Ascend

[ModelSlim on Ascend support](https://example.org/1)
| Quantization scheme | Layer type | A2 Supported | A5 Supported | Diffusion models |
|---|---|:---:|:---:|:---:|
| W8A8 dynamic | MoE | √ | **<span style="color: yellow;">TBD</span>** | √ (A5) |
| Novel | Linear | x | WIP | x |

[AWQ on Ascend support](https://example.org/2):
| Quantization scheme | Layer type | A2 Supported | Ascend 950 Products Supported |
|---|---|:---:|:---:|
| W4A16 | Linear | √ | TBD |
"""


def test_the_line_above_a_table_says_whose_scheme_a_word_is() -> None:
    page = page_of(ASCEND_SCHEMES, path="docs/q.md", version="v0.5.9")
    reading = rule_named(SOURCE, "ascend-quantization").parse(page, WORDS)
    slim = "ascend-quantization-modelslim/int8-w8a8-dynamic/moe"
    where = "[quantization=int8-w8a8-dynamic hardware"
    assert said(reading) == [
        f"supported {slim}/ascend-a2 {where}=ascend-a2 features=moe]",
        f"unknown {slim}/ascend-a5 {where}=ascend-a5 features=moe]",
        f"supported {slim}/diffusion-generation/ascend-a5"
        f" {where}=ascend-a5 features=diffusion-generation+moe]",
        "unsupported ascend-quantization-modelslim/novel/ascend-a2 [?]",
        "work-in-progress ascend-quantization-modelslim/novel/ascend-a5 [?]",
        "unsupported ascend-quantization-modelslim/novel/diffusion-generation/ascend [?]",
        "supported ascend-quantization-awq/awq-w4a16/ascend-a2"
        " [quantization=awq-w4a16 hardware=ascend-a2]",
        "unknown ascend-quantization-awq/awq-w4a16/ascend-a5"
        " [quantization=awq-w4a16 hardware=ascend-a5]",
    ]
    assert unknown(reading) == ["quantization: Novel"]


def test_a_ticked_scheme_that_needs_a_test_is_untested() -> None:
    text = (
        "# Quantization\n\n[AWQ on Ascend support](https://example.org/2):\n"
        "- [x] W4A16 linear\n- [x] W4A16 MOE # Need to test\n- [ ] W4A16 linear\n"
    )
    assert read("ascend-quantization", text) == [
        "supported ascend-quantization-awq/awq-w4a16/ascend"
        " [quantization=awq-w4a16 hardware=ascend]",
        "untested ascend-quantization-awq/awq-w4a16/moe/ascend"
        " [quantization=awq-w4a16 hardware=ascend features=moe]",
        "planned ascend-quantization-awq/awq-w4a16/ascend [quantization=awq-w4a16 hardware=ascend]",
    ]


ASCEND_FEATURES = """\
# Features

| Argument | Defaults | Options | Server supported |
|---|---|---|---|
| `--enable-lora` | `False` | flag | A2, A3 |
| `--speculative-algorithm` | `None` | str | Planned |
| `--enable-two-batch-overlap` | `False` | flag | Special for GPU |
| `--port` | `30000` | int | A2, A3 |
"""


def test_an_argument_states_something_only_where_it_stands_for_a_feature() -> None:
    assert read("ascend-features", ASCEND_FEATURES) == [
        "supported feature-hardware/lora/ascend-a2+ascend-a3"
        " [hardware=ascend-a2,ascend-a3 features=lora]",
        "planned feature-hardware/speculative-decoding/ascend"
        " [hardware=ascend features=speculative-decoding]",
        "unsupported feature-hardware/micro-batch/ascend [hardware=ascend features=micro-batch]",
        "supported ascend-argument/--port (value) = A2, A3",
    ]


def test_a_heading_that_restricts_its_table_makes_a_yes_partial() -> None:
    text = ASCEND_FEATURES.replace(
        "# Features\n", "# Features\n\n## LoRA (restricted to Odd models)\n"
    )
    page = page_of(text, path="p.mdx")
    reading = rule_named(SOURCE, "ascend-features").parse(page, WORDS)
    assert said(reading)[0].startswith("partial feature-hardware/lora/ascend-a2+ascend-a3 ")
    assert reading.findings[0].note == "for Odd models only"
    assert said(reading)[1].startswith("planned ")


ASCEND_PAIRS = """\
# Tuning

- 🟢 = Full compatibility

| Feature | NPU Graph | EPLB |
|---|---|---|
| NPU Graph | | 🟠 |
| EPLB | ❔ | |
"""


def test_feature_pairs_on_ascend_follow_their_legend() -> None:
    assert read("ascend-pairs", ASCEND_PAIRS) == [
        "not-applicable feature-pair-ascend/acl-graph/acl-graph/ascend"
        " [hardware=ascend features=acl-graph]",
        "partial feature-pair-ascend/acl-graph/eplb/ascend"
        " [hardware=ascend features=acl-graph+eplb]",
        "unknown feature-pair-ascend/eplb/acl-graph/ascend"
        " [hardware=ascend features=acl-graph+eplb]",
        "not-applicable feature-pair-ascend/eplb/eplb/ascend [hardware=ascend features=eplb]",
        "legend legend/feature-pair-ascend/🟢 (legend) = Full compatibility",
    ]


def test_component_versions_are_pins() -> None:
    text = "# Install\n\n| Component | Version | Way |\n|---|---|---|\n| CANN | 9.0.0 | link |\n"
    assert read("ascend-versions", text) == ["pinned requirement/ascend/cann (requirement) = 9.0.0"]


INSTALL = """\
# Install

Prerequisites: Python 3.10 or higher.

`git clone -b v0.5.8 https://github.com/sgl-project/sglang.git`

- On B300/GB300 (SM103) or CUDA 13, we recommend the image at `lmsysorg/sglang:dev-cu13`.
- [FlashInfer](https://example.org/f) is the default. It only supports sm75 and above.
- Use `lmsysorg/sglang:v0.5.9`.
"""


def test_the_installation_page_gives_floors_images_and_a_branch_left_behind() -> None:
    assert read("install", INSTALL) == [
        "range requirement/python (requirement) = >=3.10",
        "value image/lmsysorg/sglang/dev-cu13 (artefact) = dev-cu13",
        "published image/lmsysorg/sglang/default (artefact) = v0.5.9",
        "stale source-branch (artefact) = v0.5.8",
        "value image-advice/sm103 (artefact) = lmsysorg/sglang:dev-cu13",
        "supported attention-hardware/flashinfer/from-floor"
        " [hardware=nvidia-ada,nvidia-ampere,nvidia-blackwell,nvidia-hopper,nvidia-turing"
        " features=flashinfer]",
        "unsupported attention-hardware/flashinfer/below-floor"
        " [hardware=nvidia-kepler,nvidia-maxwell,nvidia-pascal,nvidia-volta features=flashinfer]",
    ]


README = """\
# SGLang

- **Fast Runtime**: Provides efficient serving with RadixAttention for prefix caching, \
tensor/expert parallelism, quantization (FP8/Odd), and more.
- **Extensive Hardware Support**: Runs on NVIDIA GPUs (H100/Spark), AMD GPUs (MI300), \
Google TPUs, Ascend NPUs, and more.
"""


def test_the_readme_names_features_and_products_never_a_whole_line_of_them() -> None:
    assert read("readme", README, path="README.md") == [
        "supported feature/prefix-caching [features=prefix-caching]",
        "supported feature/tensor-parallel [features=tensor-parallel]",
        "supported feature/expert-parallel [features=expert-parallel]",
        "supported quantization/fp8 (value) = FP8",
        "supported quantization/odd (value) = Odd",
        "supported platform/nvidia-h100 [hardware=nvidia-h100]",
        "supported platform/nvidia-gb10 [hardware=nvidia-gb10]",
        "supported platform/amd-mi300 [hardware=amd-mi300]",
        "supported platform/google-tpu [hardware=google-tpu-v6e,google-tpu-v7x]",
        "supported platform/ascend [hardware=ascend-a2,ascend-a3]",
    ]
