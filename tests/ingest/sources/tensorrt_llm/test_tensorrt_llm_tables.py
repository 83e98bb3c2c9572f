"""Precision, support and feature tables of TensorRT-LLM, in the shapes of each generation."""

import pytest

from ingest.contract import UnexpectedPage
from ingest.sources.tensorrt_llm import SOURCE
from matrix.domain.levels import Execution, Limit
from tests.ingest.sources.said import page_of, places, rule_named, said, unknown, vocabulary_of

WORDS = vocabulary_of(
    model={
        "Alpha": "alpha-1",
        "Alpha 2": "alpha-2",
        "AlphaForCausalLM": "alphaforcausallm",
        "BetaForCausalLM": "betaforcausallm",
        "acme/Alpha-7B": "acme--alpha-7b",
        "Beta-V4": "beta-v4",
        "FLUX.9": "flux-9",
    },
    hardware={
        "H100": "nvidia-h100",
        "V100": "nvidia-v100",
        "A100": "nvidia-a100",
        "A30": "nvidia-a30",
    },
)

QUANTIZATION = """\
# Quantization

## Model Supported Matrix

| Model  | NVFP4 | FP8(block scaling) | FP8 KV Cache | W4A16 AWQ |
| :----- | :---: | :---: | :---: | :---: |
| Alpha  |   Y   |   .   |   Y   |   ?   |
| Gamma  |   .   |   .   |   .   |   Y   |

## Hardware Support Matrix

| Model  | NVFP4 | FP8(block scaling) | FP8 KV Cache | W4A16 AWQ |
| :----- | :---: | :---: | :---: | :---: |
| Blackwell(sm100/103) |   Y   |   Y   |   Y   |   .   |
| Ampere |   .   |   .   |   .   |   Y   |
```{note}
Block wise kernels for sm100 are using MXFP8 recipe instead.
```
"""


def test_models_and_hardware_are_told_apart_although_both_columns_are_headed_model() -> None:
    rule = rule_named(SOURCE, "quantization")
    reading = rule.parse(page_of(QUANTIZATION, path="docs/source/features/quantization.md"), WORDS)
    assert said(reading) == [
        "supported model-quantization/alpha-1/nvfp4 [model=alpha-1 quantization=nvfp4]",
        "not-stated model-quantization/alpha-1/fp8-w8a8-block"
        " [model=alpha-1 quantization=fp8-w8a8-block]",
        "supported model-quantization/alpha-1/kv-fp8 [model=alpha-1 kv_dtype=kv-fp8]",
        "not-stated model-quantization/alpha-1/awq-w4a16 [?]",
        "not-stated model-quantization/gamma/nvfp4 [?]",
        "not-stated model-quantization/gamma/fp8-w8a8-block [?]",
        "not-stated model-quantization/gamma/kv-fp8 [?]",
        "supported model-quantization/gamma/awq-w4a16 [?]",
        "supported quantization-hardware/nvidia-sm-100+nvidia-sm-103/nvfp4"
        " [hardware=nvidia-sm-100,nvidia-sm-103 quantization=nvfp4]",
        "supported quantization-hardware/nvidia-sm-100+nvidia-sm-103/fp8-w8a8-block"
        " [hardware=nvidia-sm-100,nvidia-sm-103 quantization=fp8-w8a8-block]",
        "supported quantization-hardware/nvidia-sm-100+nvidia-sm-103/kv-fp8"
        " [hardware=nvidia-sm-100,nvidia-sm-103 kv_dtype=kv-fp8]",
        "not-stated quantization-hardware/nvidia-sm-100+nvidia-sm-103/awq-w4a16"
        " [hardware=nvidia-sm-100,nvidia-sm-103 quantization=awq-w4a16]",
        "not-stated quantization-hardware/nvidia-ampere/nvfp4"
        " [hardware=nvidia-ampere quantization=nvfp4]",
        "not-stated quantization-hardware/nvidia-ampere/fp8-w8a8-block"
        " [hardware=nvidia-ampere quantization=fp8-w8a8-block]",
        "not-stated quantization-hardware/nvidia-ampere/kv-fp8"
        " [hardware=nvidia-ampere kv_dtype=kv-fp8]",
        "supported quantization-hardware/nvidia-ampere/awq-w4a16"
        " [hardware=nvidia-ampere quantization=awq-w4a16]",
        "value quantization-recipe/fp8-w8a8-block/nvidia-sm-100 (value) = mxfp8",
    ]
    assert reading.findings[-2].execution is Execution.WEIGHT_ONLY
    assert unknown(reading) == ["status: ?", "model: Gamma"]
    assert places(reading)[0] == ("Alpha", "NVFP4", 7)


def test_a_dot_is_never_a_no() -> None:
    rule = rule_named(SOURCE, "quantization")
    reading = rule.parse(page_of(QUANTIZATION, path="docs/source/features/quantization.md"), WORDS)
    assert "unsupported" not in {found.status for found in reading.findings}


def test_a_quantization_page_without_its_tables_names_the_nearest_table() -> None:
    text = "# Quantization\n\n| Model | NVFP4 |\n|---|---|\n| Alpha | Y |\n"
    with pytest.raises(UnexpectedPage) as refused:
        rule_named(SOURCE, "quantization").parse(page_of(text, path="quantization.md"), WORDS)
    assert "Model Supported Matrix" in refused.value.expected
    assert "NVFP4" in refused.value.nearest


PRECISION = """\
# Numerical Precision
{banner}
## Support matrix

| Model | FP16 | W8A8 SQ | W4A16 |
| :---- | :--: | :-----: | :---: |
| Alpha |  Y   |    .    |   Y   |
"""


def test_precision_cells_are_claims_while_the_engine_exists_and_values_afterwards() -> None:
    rule = rule_named(SOURCE, "precision")
    before = rule.parse(page_of(PRECISION.format(banner=""), path="precision.md"), WORDS)
    assert said(before) == [
        "supported model-quantization/alpha-1/fp16 [model=alpha-1 quantization=fp16]",
        "not-stated model-quantization/alpha-1/smoothquant"
        " [model=alpha-1 quantization=smoothquant]",
        "supported model-quantization/alpha-1/int4-w4a16 [model=alpha-1 quantization=int4-w4a16]",
    ]
    banner = "\n```{caution}\nThe legacy TensorRT backend has been removed.\n```\n"
    after = rule.parse(page_of(PRECISION.format(banner=banner), path="precision.md"), WORDS)
    assert {found.kind for found in after.findings} == {"value"}
    assert {found.note for found in after.findings} == {"history of the removed TensorRT backend"}


def test_a_precision_page_without_the_matrix_is_refused() -> None:
    with pytest.raises(UnexpectedPage):
        rule_named(SOURCE, "precision").parse(page_of("# Precision\n", path="p.md"), WORDS)


SUPPORT_MATRIX = """\
# Support Matrix

## Hardware

If a GPU is not listed, it is expected to work on GPUs based on the Turing and Ampere architectures.

```{eval-rst}
.. list-table::
    :header-rows: 1

    * -
      - Hardware Compatibility
    * - Operating System
      - It needs Linux x86_64 or Windows.
    * - GPU Model Architectures
      -
            - `NVIDIA Hopper H100 GPU <https://example.org/h100>`_
            - `NVIDIA Volta V100 GPU <https://example.org/v100>`_ (experimental)
            - `NVIDIA Ada Lovelace GPU <https://example.org/ada>`_
```

## Software

```{eval-rst}
.. list-table::
    :header-rows: 1

    * -
      - Software Compatibility
    * - Container
      - `24.07 <https://example.org/matrix>`_
    * - Precision
      -
        - Ampere (SM80, SM86) - FP16, INT4(3)
        - Turing (SM75) - FP16, INT8(1)
    * - Models
      -
        - [Alpha/Alpha 2](https://example.org/alpha)
        - [Beta](https://example.org/beta) (6)
```

(1) INT8 SmoothQuant is not supported on SM70 and SM75.<br>
(3) INT4 AWQ and GPTQ with FP8 activations require SM >= 89.<br>
(6) Only supports bfloat16 precision.
"""


def test_the_support_matrix_gives_hardware_pins_precisions_with_their_notes_and_models() -> None:
    rule = rule_named(SOURCE, "support-matrix")
    reading = rule.parse(
        page_of(SUPPORT_MATRIX, path="docs/source/reference/support-matrix.md"), WORDS
    )
    assert said(reading) == [
        "supported requirement/os/linux-x86-64 (requirement) = linux x86_64",
        "supported requirement/os/windows (requirement) = windows",
        "supported platform/nvidia-h100 [hardware=nvidia-h100]",
        "experimental platform/nvidia-v100 [hardware=nvidia-v100]",
        "supported platform/nvidia-ada [hardware=nvidia-ada]",
        "pinned requirement/container (requirement) = 24.07",
        "supported quantization-hardware/nvidia-sm-80+nvidia-sm-86/fp16"
        " [hardware=nvidia-sm-80,nvidia-sm-86 quantization=fp16]",
        "unsupported quantization-hardware/nvidia-sm-80+nvidia-sm-86/awq-w4a8"
        " [hardware=nvidia-sm-80,nvidia-sm-86 quantization=awq-w4a8]",
        "unsupported quantization-hardware/nvidia-sm-80+nvidia-sm-86/gptq-w4a8"
        " [hardware=nvidia-sm-80,nvidia-sm-86 quantization=gptq-w4a8]",
        "supported quantization-hardware/nvidia-sm-80+nvidia-sm-86/int4"
        " [hardware=nvidia-sm-80,nvidia-sm-86 quantization=int4]",
        "supported quantization-hardware/nvidia-sm-75/fp16"
        " [hardware=nvidia-sm-75 quantization=fp16]",
        "unsupported quantization-hardware/nvidia-sm-75/smoothquant"
        " [hardware=nvidia-sm-75 quantization=smoothquant]",
        "supported quantization-hardware/nvidia-sm-75/int8"
        " [hardware=nvidia-sm-75 quantization=int8,-smoothquant]",
        "supported model/alpha-1 [model=alpha-1]",
        "supported model/alpha-2 [model=alpha-2]",
        "supported model/beta [?]",
        "partial platform-unlisted/expected [hardware=nvidia-ampere,nvidia-turing]",
    ]
    assert [found.locator.line for found in reading.findings[2:5]] == [17, 18, 19]
    refusal = reading.findings[7]
    assert refusal.limit is Limit.HARDWARE
    assert refusal.footnotes == ("INT4 AWQ and GPTQ with FP8 activations require SM >= 89.",)
    assert [c.value for c in reading.findings[-2].conditions] == ["bfloat16"]
    assert reading.complete_lists == ("models",)


def test_a_support_matrix_without_hardware_is_refused_with_the_rows_it_has() -> None:
    text = "# M\n\n```{list-table}\n:header-rows: 1\n\n* -\n  - S\n* - Container\n  - 25.01\n```\n"
    with pytest.raises(UnexpectedPage) as refused:
        rule_named(SOURCE, "support-matrix").parse(page_of(text, path="support-matrix.md"), WORDS)
    assert refused.value.nearest == "container"


README = """\
# Tool

### Devices

* [A100](https://example.org/a)/[A30](https://example.org/b)
* [V100](https://example.org/v) (experimental)

### Precision

|               | FP16 | FP8 | INT8  | INT4 |
| :------------ | :--- | :-- | :---- | :--- |
| Volta (SM70)  | Y    | N   | Y (1) | .    |

(1) INT8 SmoothQuant is not supported on SM70 and SM75.

### Models

* [Alpha](examples/alpha)
"""


def test_the_readme_of_2023_states_a_no_where_it_writes_n() -> None:
    reading = rule_named(SOURCE, "readme-matrix").parse(page_of(README, path="README.md"), WORDS)
    assert said(reading) == [
        "supported platform/nvidia-a100 [hardware=nvidia-a100]",
        "supported platform/nvidia-a30 [hardware=nvidia-a30]",
        "experimental platform/nvidia-v100 [hardware=nvidia-v100]",
        "supported quantization-hardware/nvidia-sm-70/fp16"
        " [hardware=nvidia-sm-70 quantization=fp16]",
        "unsupported quantization-hardware/nvidia-sm-70/fp8"
        " [hardware=nvidia-sm-70 quantization=fp8]",
        "unsupported quantization-hardware/nvidia-sm-70/smoothquant"
        " [hardware=nvidia-sm-70 quantization=smoothquant]",
        "supported quantization-hardware/nvidia-sm-70/int8"
        " [hardware=nvidia-sm-70 quantization=int8,-smoothquant]",
        "not-stated quantization-hardware/nvidia-sm-70/int4"
        " [hardware=nvidia-sm-70 quantization=int4]",
        "supported model/alpha-1 [model=alpha-1]",
    ]


MODELS = """\
# Supported Models

| Architecture | Model | HuggingFace Example |
| --- | --- | --- |
| `AlphaForCausalLM` | Alpha | `acme/Alpha-7B` |
| `BetaForCausalLM` [^11] | Beta-V4 | `acme/Beta` |
| `GammaForCausalLM` [^5] | Gamma | |

## Model-Feature Support Matrix

| Model Architecture/Feature | Overlap Scheduler | CUDA Graph | Chunked Prefill | Guided Decoding |
| --- | --- | --- | --- | --- |
| `AlphaForCausalLM` | Yes | No | Yes [^1] | Untested |
| `BetaForCausalLM` [^11] | Yes | N/A | | Maybe |

[^1]: Chunked Prefill for MLA can only be enabled on SM90/SM100.
[^5]: Supported via the [AutoDeploy](ad.md) backend.
[^11]: Beta-V4 is only supported on Blackwell GPUs (`SM100+`).

# Visual Generation Models

| Model | FP8 blockwise | TeaCache | CFG Parallelism |
|---|---|---|---|
| **FLUX.9** | Yes | No | No [^1] |

[^vg1]: FLUX models have embedded guidance, so CFG parallelism is not applicable.
"""


def test_footnotes_narrow_a_yes_and_the_misnamed_footnote_is_not_taken_from_another_table() -> None:
    rule = rule_named(SOURCE, "models")
    reading = rule.parse(page_of(MODELS, path="docs/source/models/supported-models.md"), WORDS)
    assert said(reading) == [
        "supported model/alphaforcausallm [model=alphaforcausallm]",
        "supported model/acme--alpha-7b [model=acme--alpha-7b]",
        "supported model/betaforcausallm [model=betaforcausallm hardware=nvidia-blackwell]",
        "supported model/acme/beta [?]",
        "supported model/gammaforcausallm [?]",
        "supported model-feature/alphaforcausallm/overlap-scheduler"
        " [model=alphaforcausallm features=overlap-scheduler]",
        "unsupported model-feature/alphaforcausallm/cuda-graphs"
        " [model=alphaforcausallm features=cuda-graphs]",
        "supported model-feature/alphaforcausallm/chunked-prefill"
        " [model=alphaforcausallm hardware=nvidia-sm-100,nvidia-sm-90 features=chunked-prefill]",
        "untested model-feature/alphaforcausallm/structured-output"
        " [model=alphaforcausallm features=structured-output]",
        "supported model-feature/betaforcausallm/overlap-scheduler"
        " [model=betaforcausallm hardware=nvidia-blackwell features=overlap-scheduler]",
        "not-applicable model-feature/betaforcausallm/cuda-graphs"
        " [model=betaforcausallm features=cuda-graphs]",
        "not-stated model-feature/betaforcausallm/chunked-prefill"
        " [model=betaforcausallm features=chunked-prefill]",
        "not-stated model-feature/betaforcausallm/structured-output [?]",
        "supported model-feature/flux-9/fp8-w8a8-block [model=flux-9 quantization=fp8-w8a8-block]",
        "unsupported model-feature/flux-9/teacache [model=flux-9 features=teacache]",
        "unsupported model-feature/flux-9/cfg-parallel [model=flux-9 features=cfg-parallel]",
        "supported feature-hardware-chunked-prefill/chunked-prefill/mla/stated"
        " [hardware=nvidia-sm-100,nvidia-sm-90 features=chunked-prefill+mla]",
        "unsupported feature-hardware-chunked-prefill/chunked-prefill/mla/other"
        " [hardware=nvidia,-nvidia-sm-100,-nvidia-sm-90 features=chunked-prefill+mla]",
        "supported model-hardware/beta-v4/stated"
        " [model=beta-v4 hardware=nvidia-blackwell,nvidia-rubin]",
        "unsupported model-hardware/beta-v4/other"
        " [model=beta-v4 hardware=nvidia,-nvidia-blackwell,-nvidia-rubin]",
    ]
    flux = reading.findings[15]
    assert flux.limit is Limit.MODEL
    assert flux.footnotes == (
        "FLUX models have embedded guidance, so CFG parallelism is not applicable.",
    )
    gamma = reading.findings[4]
    assert [(c.name, c.value) for c in gamma.conditions] == [("backend", "autodeploy")]
    assert "status: Maybe" in unknown(reading)


def test_a_model_page_without_the_architecture_table_is_refused() -> None:
    text = "# Supported Models\n\n| Model | Example |\n|---|---|\n| Alpha | x |\n"
    with pytest.raises(UnexpectedPage) as refused:
        rule_named(SOURCE, "models").parse(page_of(text, path="supported-models.md"), WORDS)
    assert refused.value.nearest == "Model, Example"


COMBINATIONS = """\
# Feature Combination Matrix

| Feature | CUDA Graph | Torch Sampler | LoRA |
| --- | --- | --- | --- |
| CUDA Graph | --- | | |
| Torch Sampler | Known issues | --- | |
| LoRA | No | Yes (greedy only) | --- |
"""


def test_the_upper_half_inherits_and_a_pair_has_one_key_whatever_the_order() -> None:
    reading = rule_named(SOURCE, "combinations").parse(page_of(COMBINATIONS, path="f.md"), WORDS)
    assert said(reading) == [
        "not-applicable feature-pair/cuda-graphs/cuda-graphs [features=cuda-graphs]",
        "inherits feature-pair/mirror-of-cuda-graphs/torch-sampler"
        " [features=cuda-graphs+torch-sampler]",
        "inherits feature-pair/mirror-of-cuda-graphs/lora [features=cuda-graphs+lora]",
        "known-issues feature-pair/cuda-graphs/torch-sampler [features=cuda-graphs+torch-sampler]",
        "not-applicable feature-pair/torch-sampler/torch-sampler [features=torch-sampler]",
        "inherits feature-pair/mirror-of-lora/torch-sampler [features=lora+torch-sampler]",
        "unsupported feature-pair/cuda-graphs/lora [features=cuda-graphs+lora]",
        "partial feature-pair/lora/torch-sampler [features=lora+torch-sampler]",
        "not-applicable feature-pair/lora/lora [features=lora]",
    ]
    assert reading.findings[7].note == "restricted: greedy only"


def test_a_combination_page_of_another_shape_is_refused() -> None:
    with pytest.raises(UnexpectedPage):
        rule_named(SOURCE, "combinations").parse(page_of("# Nothing\n", path="f.md"), WORDS)
