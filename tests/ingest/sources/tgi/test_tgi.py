"""Hardware, model, quantization and project pages of TGI, in the words of each generation."""

import pytest

from ingest.contract import UnexpectedPage
from ingest.sources.tgi import SOURCE
from matrix.domain.levels import Limit
from tests.ingest.sources.said import page_of, rule_named, said, unknown, vocabulary_of

WORDS = vocabulary_of(
    model={"Alpha": "alpha", "Qwen 2": "qwen2", "Vision 2": "vision-2"},
    hardware={
        "A100": "nvidia-a100",
        "T4": "nvidia-t4",
        "MI210": "amd-mi210",
        "MI250": "amd-mi250",
        "Gaudi2": "intel-gaudi2",
    },
)
OLDER = "-nvidia-blackwell,-nvidia-kepler,-nvidia-maxwell,-nvidia-pascal"
DOCS = "docs/source/"


def read(rule: str, text: str, *, path: str = "README.md", version: str = "v3.3.7") -> list[str]:
    page = page_of(text, path=path, version=version)
    return said(rule_named(SOURCE, rule).parse(page, WORDS))


NVIDIA = """\
# Using TGI with Nvidia GPUs

TGI optimized models are supported on NVIDIA [A100](https://example.org/a) and \
[T4](https://example.org/t) GPUs with CUDA 12.2+. Note that a toolkit is needed.

For other NVIDIA GPUs, continuous batching will still apply, but some operations like flash \
attention and paged attention will not be executed.

`ghcr.io/huggingface/text-generation-inference:3.3.5`
"""


def test_listed_cards_are_supported_and_others_do_without_two_operations() -> None:
    page = page_of(NVIDIA, path=DOCS + "installation_nvidia.md", version="v3.3.7")
    reading = rule_named(SOURCE, "installation").parse(page, WORDS)
    others = "hardware=nvidia,-nvidia-a100,-nvidia-blackwell,-nvidia-kepler,-nvidia-t4"
    assert said(reading) == [
        "supported platform/nvidia-a100 [hardware=nvidia-a100]",
        "supported platform/nvidia-t4 [hardware=nvidia-t4]",
        "range requirement/cuda (requirement) = >=12.2",
        f"partial platform-other/other [{others}]",
        f"unsupported platform-other/other/flash-attention [{others} features=flash-attention]",
        f"unsupported platform-other/other/paged-kv [{others} features=paged-kv]",
        "stale image/ghcr.io/huggingface/text-generation-inference/default (artefact) = 3.3.5",
    ]
    assert [found.locator.line for found in reading.findings[:4]] == [3, 3, 3, 5]


AMD = """\
# Using TGI with AMD GPUs

TGI is supported and tested on [AMD Instinct MI210](https://example.org/1) and \
[MI250](https://example.org/2) GPUs. The support may be extended.

## Unsupported features

The following features are currently not supported in the ROCm version of TGI:
* Loading [AWQ](https://example.org/awq) checkpoints.
* Kernel for sliding window attention (Mistral)
* Flash layer norm kernel
"""


def test_what_rocm_lacks_is_a_no_where_it_is_a_known_feature() -> None:
    page = page_of(AMD, path=DOCS + "installation_amd.md")
    reading = rule_named(SOURCE, "installation").parse(page, WORDS)
    assert said(reading) == [
        "supported platform/amd-mi210 [hardware=amd-mi210]",
        "supported platform/amd-mi250 [hardware=amd-mi250]",
        "unsupported rocm/awq/amd [?]",
        "unsupported rocm/sliding-window/amd [hardware=amd features=sliding-window]",
        "unsupported rocm-refused/flash layer norm kernel (value) = Flash layer norm kernel",
    ]
    assert reading.findings[3].limit is Limit.FRAMEWORK
    assert unknown(reading) == ["quantization: AWQ"]


FIRST = """\
# Supported Models and Hardware

## Supported Models

- [Alpha](https://example.org/alpha)
- [Llama](https://example.org/llama)
- [Llama V2](https://example.org/llama2)

## Supported Hardware

TGI optimized models are supported on NVIDIA [A100](https://example.org/a) GPUs with CUDA 11.8+. \
For other hardware, continuous batching will still apply, but some operations like flash attention \
and paged attention will not be executed.

TGI also has support of ROCm-enabled AMD Instinct MI210 and MI250 GPUs, with paged attention, \
GPTQ quantization, tea support. More may come.

TGI is also supported on the following AI hardware accelerators:
- *Habana first-gen Gaudi and Gaudi2:* check out this [example](https://example.org/g)
* *AWS Inferentia2:* check out this [guide](https://example.org/i)
"""


def test_the_first_pages_list_hardware_beside_models() -> None:
    path = DOCS + "supported_models.md"
    assert read("models", FIRST, path=path, version="v1.0.3") == [
        "supported model/alpha [model=alpha]",
        "supported model/llama-1 [model=llama-1]",
        "supported model/llama v2 [?]",
    ]
    both = "hardware=amd-mi210,amd-mi250"
    others = "hardware=nvidia,-nvidia-a100,-nvidia-blackwell,-nvidia-kepler"
    assert read("hardware-list", FIRST, path=path, version="v1.4.0") == [
        "supported platform/nvidia-a100 [hardware=nvidia-a100]",
        "range requirement/cuda (requirement) = >=11.8",
        f"partial platform-other/other [{others}]",
        f"unsupported platform-other/other/flash-attention [{others} features=flash-attention]",
        f"unsupported platform-other/other/paged-kv [{others} features=paged-kv]",
        "supported platform/amd-mi210 [hardware=amd-mi210]",
        "supported platform/amd-mi250 [hardware=amd-mi250]",
        f"supported rocm/paged-kv/amd [{both} features=paged-kv]",
        f"supported rocm/gptq/amd [quantization=gptq {both}]",
        "supported rocm/tea/amd [?]",
        "supported platform/intel-gaudi1 [hardware=intel-gaudi1]",
        "supported platform/intel-gaudi2 [hardware=intel-gaudi2]",
        "supported platform/aws-inferentia2 [hardware=aws-inferentia2]",
    ]


def test_an_accelerator_served_from_elsewhere_carries_the_plug_in_as_a_condition() -> None:
    text = (
        "# Gaudi\n\nCheck out this [repository](https://example.org/g) for"
        " TGI on Gaudi and Gaudi2.\n"
    )
    page = page_of(text, path=DOCS + "installation_gaudi.md", version="v2.0.4")
    reading = rule_named(SOURCE, "installation").parse(page, WORDS)
    assert said(reading) == [
        "supported platform/intel-gaudi1 [hardware=intel-gaudi1]",
        "supported platform/intel-gaudi2 [hardware=intel-gaudi2]",
    ]
    assert {c.name for found in reading.findings for c in found.conditions} == {"optimum-habana"}
    own = "# Gaudi\n\nYou can use TGI on Intel Gaudi using the [TGI gaudi backend](https://example.org).\n"
    later = rule_named(SOURCE, "installation").parse(
        page_of(own, path=DOCS + "installation_gaudi.md"), WORDS
    )
    assert said(later) == ["supported platform/intel-gaudi [hardware=intel-gaudi]"]
    assert later.findings[0].conditions == ()


def test_intel_pages_name_two_gpus_and_the_cpus() -> None:
    text = (
        "# Intel\n\nTGI optimized models are supported on Intel Data Center GPU"
        " [Max1100](https://example.org/1), [Max1550](https://example.org/2), through Docker.\n\n"
        "# CPUs\n\nIPEX also provides further optimizations for Intel CPUs.\n"
    )
    assert read("installation", text, path=DOCS + "installation_intel.md") == [
        "supported platform/intel-max-1100 [hardware=intel-max-1100]",
        "supported platform/intel-max-1550 [hardware=intel-max-1550]",
        "supported platform/cpu-x86-intel [hardware=cpu-x86-intel]",
    ]


def test_an_installation_page_that_names_no_hardware_is_refused() -> None:
    with pytest.raises(UnexpectedPage) as refused:
        read("installation", "# Using TGI\n\nPlease wait.\n", path=DOCS + "installation_amd.md")
    assert refused.value.nearest == "Please wait."


MODELS = """\
# Supported Models

- [Alpha](https://example.org/alpha)
- [Qwen 2](https://example.org/starcoder2)
- [Vision 2](https://example.org/vision) (Multimodal)
- [Llama](https://example.org/llama)

If the list lacks a model:
- try it
"""


def test_the_name_of_a_model_counts_and_its_link_does_not() -> None:
    page = page_of(MODELS, path=DOCS + "supported_models.md", version="v2.0.4")
    reading = rule_named(SOURCE, "models").parse(page, WORDS)
    assert said(reading) == [
        "supported model/alpha [model=alpha]",
        "supported model/qwen2 [model=qwen2]",
        "supported model/vision-2 [model=vision-2]",
        "supported model-modality/vision-2/multimodal-image"
        " [model=vision-2 features=multimodal-image]",
        "supported model/llamaforcausallm [model=llamaforcausallm]",
    ]
    assert reading.complete_lists == ("models",)


def test_a_model_page_without_links_is_refused() -> None:
    with pytest.raises(UnexpectedPage):
        read("models", "# Supported Models\n\nNone yet.\n", path=DOCS + "supported_models.md")


QUANTIZATION = """\
# Quantization

TGI offers many quantization schemes. TGI supports GPTQ, bits-and-bytes, fp8 and Novel quantization.

To leverage GPTQ quants, you must provide pre-quantized weights. Whereas for bits-and-bytes \
and fp8, weights are quantized by TGI on the fly.

`text-generation-launcher --quantize bitsandbytes-nf4`
"""


def test_schemes_without_hardware_are_taken_for_cards_of_their_kernels_only() -> None:
    page = page_of(QUANTIZATION, path=DOCS + "conceptual/quantization.md")
    reading = rule_named(SOURCE, "quantization").parse(page, WORDS)
    volta, turing = f"nvidia,{OLDER},-nvidia-volta", f"nvidia,{OLDER},-nvidia-turing,-nvidia-volta"
    assert said(reading) == [
        f"supported quantization/gptq/nvidia [quantization=gptq,-gptq-marlin hardware={volta}]",
        f"supported quantization/bitsandbytes/nvidia [quantization=bitsandbytes hardware={volta}]",
        f"supported quantization/fp8/nvidia [quantization=fp8 hardware={turing}]",
        "supported quantization/novel/nvidia [?]",
        f"supported quantization/bnb-nf4/nvidia [quantization=bnb-nf4 hardware={volta}]",
    ]
    assert [found.note for found in reading.findings[:3]] == [
        "needs pre-quantised weights",
        "weights are quantised while loading",
        "weights are quantised while loading",
    ]


def test_a_quantization_page_that_offers_nothing_is_refused() -> None:
    with pytest.raises(UnexpectedPage):
        read("quantization", "# Quantization\n\nSoon.\n", path=DOCS + "conceptual/quantization.md")


README = """\
# TGI

- Tensor Parallelism for faster inference
- Quantization with :
  - [AWQ](https://example.org/awq)
- Stop sequences

### Hardware support

- [AMD](https://example.org/amd) (-rocm)
"""


def test_the_readme_gives_features_schemes_and_guides() -> None:
    assert read("readme-lists", README) == [
        "supported feature/tensor-parallel [features=tensor-parallel]",
        "supported quantization/awq/nvidia"
        f" [quantization=awq,-awq-marlin hardware=nvidia,{OLDER},-nvidia-turing,-nvidia-volta]",
        "supported hardware-guide/amd (-rocm) (value) = https://example.org/amd",
    ]


NOTICE = """\
# Text Generation Inference

> [!CAUTION]
> text-generation-inference is now in maintenance mode. Only small fixes are taken.
>
> We recommend using going forward: [vllm](https://example.org/v) and llama.cpp.
"""


def test_the_maintenance_notice_is_read_with_its_line() -> None:
    page = page_of(NOTICE, path="README.md")
    reading = rule_named(SOURCE, "notice").parse(page, WORDS)
    assert said(reading) == [
        "maintenance maintenance/tgi (maintenance) = maintenance-mode",
        "policy policy/successors (policy) = vllm, llama.cpp",
    ]
    assert [found.locator.line for found in reading.findings] == [4, 6]
    assert read("notice", "# Text Generation Inference\n\nWelcome.\n") == []


BACKENDS = """\
# Multi-backend support

* **TGI CUDA backend**: the default.
* **[TGI Novel backend](./backends/novel)**: new.
"""


def test_engines_are_values_and_an_unknown_one_is_listed() -> None:
    page = page_of(BACKENDS, path=DOCS + "multi_backend_support.md")
    reading = rule_named(SOURCE, "backends").parse(page, WORDS)
    assert said(reading) == [
        "supported engine/cuda (value) = nvidia",
        "supported engine/novel (value)",
    ]
    assert unknown(reading) == ["engine: Novel"]
    with pytest.raises(UnexpectedPage):
        read("backends", "# Multi-backend\n\n* None\n", path=DOCS + "multi_backend_support.md")


GAUDI = """\
# Gaudi Backend

## Supported Hardware
- **Gaudi2**: in the cloud

By default, all models run with BF16 precision on Gaudi hardware.

TGI-Gaudi supports FP8 precision inference.

### Supported Models

- [Alpha](https://example.org/alpha)
"""


def test_the_gaudi_page_states_cards_precisions_and_models_and_no_fp8_for_the_first() -> None:
    path = DOCS + "backends/gaudi.mdx"
    assert read("backend-hardware", GAUDI, path=path) == [
        "supported platform/intel-gaudi2 [hardware=intel-gaudi2]",
    ]
    assert read("gaudi-precision", GAUDI, path=path) == [
        "supported quantization/bf16/intel-gaudi [quantization=bf16 hardware=intel-gaudi]",
        "supported quantization/fp8/intel-gaudi"
        " [quantization=fp8 hardware=intel-gaudi,-intel-gaudi1]",
    ]
    assert read("gaudi-models", GAUDI, path=path) == [
        "supported model-hardware/alpha/intel-gaudi [model=alpha hardware=intel-gaudi]",
    ]


DOCKERFILE = """\
FROM nvidia/cuda:12.4.1-devel-ubuntu22.04 AS pytorch-install
ARG PYTORCH_VERSION=2.7
ARG PYTHON_VERSION=3.11
"""


def test_a_dockerfile_pins_versions_for_its_image() -> None:
    page = page_of(DOCKERFILE, path="Dockerfile")
    reading = rule_named(SOURCE, "dockerfile").parse(page, WORDS)
    assert said(reading) == [
        "pinned requirement/cuda-image/cuda (requirement) = 12.4.1-devel-ubuntu22.04",
        "pinned requirement/torch/cuda (requirement) = 2.7",
        "pinned requirement/python/cuda (requirement) = 3.11",
    ]
    assert reading.findings[1].names == {"torch": "2.7", "image": "tgi cuda"}
    assert reading.findings[1].locator.line == 2


def test_the_cuda_dockerfile_without_a_torch_version_is_refused_and_others_may_pin_nothing() -> (
    None
):
    with pytest.raises(UnexpectedPage) as refused:
        read("dockerfile", "FROM x\nARG OTHER=1\n", path="Dockerfile")
    assert refused.value.nearest == "ARG OTHER=1"
    assert read("dockerfile", "FROM x\n", path="Dockerfile_intel") == []


def test_an_image_of_the_own_release_is_current() -> None:
    text = "# Tour\n\n`ghcr.io/huggingface/text-generation-inference:3.3.7-rocm`\n"
    assert read("images", text, path=DOCS + "quicktour.md") == [
        "published image/ghcr.io/huggingface/text-generation-inference/rocm"
        " (artefact) = 3.3.7-rocm",
    ]
