"""LMDeploy's lists of two engines, its quantization guides and its other platforms."""

import pytest

from ingest.contract import Reading, UnexpectedPage
from ingest.sources.lmdeploy import SOURCE
from matrix.domain.levels import Axis, Limit
from tests.ingest.sources.said import page_of, rule_named, said, unknown, vocabulary_of

WORDS = vocabulary_of(
    model={
        "Alpha2": "alpha2",
        "Beta1.5": "beta-1.5",
        "Gamma": "gamma",
        "Pair": "pair-a, pair-b",
        "Mono-Delta": "mono-delta",
        "Delta-RM": "delta-rm",
        "Delta-30B": "delta-30b",
    },
    hardware={
        "Atlas 800T A2": "ascend-atlas-800t-a2",
        "Atlas 800T A3": "ascend-atlas-800t-a3",
        "Atlas 300I Duo": "ascend-atlas-300i-duo",
        "Maca C500": "metax-c500",
        "H200": "nvidia-h200",
    },
)
MODELS = "docs/en/supported_models/supported_models.md"
GPUS = "hardware=nvidia-ada,nvidia-ampere,nvidia-hopper,nvidia-turing,nvidia-volta"
INT4_GPUS = "hardware=nvidia-ada,nvidia-ampere,nvidia-turing,nvidia-volta"


def read(rule: str, text: str, *, path: str = MODELS, version: str = "v0.16.0") -> Reading:
    page = page_of(text, path=path, version=version, framework="lmdeploy")
    return rule_named(SOURCE, rule).parse(page, WORDS)


LISTS = """\
# Supported Models

## TurboMind on CUDA Platform

|          Model          |  Size   | Type | FP16/BF16 | KV INT8 | W4A16 |
| :---------------------: | :-----: | :--: | :-------: | :-----: | :---: |
|         Alpha2          | 7B, 70B | LLM  |    Yes    |   Yes   |  Yes  |
| Beta1.5<sup>\\[2\\]</sup> |   1B    | LLM  |    Yes    |  Yes\\*  |  No   |
|         gpt-oss         |   20B   | LLM  |     -     |         |  Yes  |

"-" means not verified yet.

```{note}
* [1] The TurboMind engine doesn't support window attention. Choose the other engine.
* [2] When the head_dim of a model is not 128, such as qwen2-0.5B, turbomind doesn't support it
```

## PyTorchEngine on CUDA Platform

| Model  |  Size   | Type | FP16/BF16 | KV INT8 | W8A8 | W4A16 |
| :----: | :-----: | :--: | :-------: | :-----: | :--: | :---: |
| Alpha2 | 7B, 70B | LLM  |    Yes    |   No    | Yes  | Maybe |
"""


def test_each_engine_is_a_choice_unless_both_say_yes() -> None:
    reading = read("models", LISTS)
    assert said(reading) == [
        f"supported model-precision-turbomind/alpha2/bf16+fp16/cuda "
        f"[model=alpha2 quantization=bf16,fp16 {GPUS}]",
        f"supported model-precision-turbomind/alpha2/kv-int8/cuda "
        f"[model=alpha2 kv_dtype=kv-int8 {GPUS}]",
        f"supported model-precision-turbomind/alpha2/awq-w4a16+gptq-w4a16/cuda "
        f"[model=alpha2 quantization=awq-w4a16,gptq-w4a16 {INT4_GPUS}]",
        f"supported model-precision-turbomind/beta-1.5/bf16+fp16/cuda "
        f"[model=beta-1.5 quantization=bf16,fp16 {GPUS}]",
        f"partial model-precision-turbomind/beta-1.5/kv-int8/cuda "
        f"[model=beta-1.5 kv_dtype=kv-int8 {GPUS}]",
        f"unsupported model-precision-turbomind/beta-1.5/awq-w4a16+gptq-w4a16/cuda "
        f"[model=beta-1.5 quantization=awq-w4a16,gptq-w4a16 {INT4_GPUS}]",
        "untested model-precision-turbomind/gpt-oss/bf16+fp16/cuda [?]",
        "not-stated model-precision-turbomind/gpt-oss/kv-int8/cuda [?]",
        "supported model-precision-turbomind/gpt-oss/mxfp4-w4a16/cuda [?]",
        f"supported model-precision-pytorch/alpha2/bf16+fp16/cuda "
        f"[model=alpha2 quantization=bf16,fp16 {GPUS}]",
        f"unsupported model-precision-pytorch/alpha2/kv-int8/cuda "
        f"[model=alpha2 kv_dtype=kv-int8 {GPUS}]",
        f"supported model-precision-pytorch/alpha2/int8-w8a8/cuda "
        f"[model=alpha2 quantization=int8-w8a8 {GPUS}]",
        "not-stated model-precision-pytorch/alpha2/awq-w4a16/cuda [?]",
        f"unsupported note-window/sliding-window/cuda [{GPUS} features=sliding-window]",
        "unsupported note-head-dim/qwen--qwen2-0.5b+qwen--qwen2-0.5b-instruct/kv-int4+kv-int8 "
        "[model=qwen--qwen2-0.5b,qwen--qwen2-0.5b-instruct kv_dtype=kv-int4,kv-int8]",
        "legend legend/models/- (legend) = not verified yet",
    ]
    chosen = [[c.value for c in found.conditions] for found in reading.findings[:6]]
    assert chosen == [[], ["turbomind"], ["turbomind"], *[["turbomind"]] * 3]
    assert unknown(reading) == ["model: gpt-oss", "status: Maybe"]


def test_a_starred_yes_is_partial_with_our_words_and_the_pages_note() -> None:
    starred = read("models", LISTS).findings[4]
    assert (
        starred.note == "only where head_dim is 128; small sizes such as 0.5B and 1B are left out"
    )
    assert "head_dim" in starred.footnotes[0]
    assert starred.raw == "Yes\\*"


OTHERS = """\
## TurboMind on CUDA Platform

| Model  | Size | Type | FP16/BF16 | KV INT8 |
| :----: | :--: | :--: | :-------: | :-----: |
| Alpha2 |  7B  | LLM  |    Yes    |   Yes   |

## PyTorchEngine on CUDA Platform

| Model  | Size | Type | FP16/BF16 | KV INT8 | W8A8 |
| :----: | :--: | :--: | :-------: | :-----: | :--: |
| Gamma  |  7B  | LLM  |    Yes    |    -    | Yes  |
| Gamma  |  7B  | LLM  |    No     |    -    | Yes  |

```{note}
* [1] PyTorch engine removes the support of original llava models after v0.6.4. Use others.
Starting from version 0.11.1, PytorchEngine no longer provides support for mllama.
```

## PyTorchEngine on Other Platforms

|        |      |      |  Atlas 800T A2   |  Atlas 800T A2   | Atlas 300I Duo | Maca C500 |
| :----: | :--: | :--: | :--------------: | :--------------: | :------------: | :-------: |
| Model  | Size | Type | FP16/BF16(eager) | FP16/BF16(graph) |  FP16(graph)   |  BF/FP16  |
|  Pair  |  7B  | LLM  |       Yes        |       Yes        |       -        |    Yes    |
| Alpha2 |  7B  | LLM  |        No        |       Yes        |      Yes       |    No     |
"""


def test_machines_stand_in_the_header_and_precisions_in_the_first_row() -> None:
    reading = read("models", OTHERS)
    there = [f for f in reading.findings if f.statement.startswith("model-precision-other/alpha2")]
    assert [
        (f.status.value, f.scope and min(f.scope.nodes[Axis.HARDWARE].include)) for f in there
    ] == [
        ("unsupported", "ascend-atlas-800t-a2"),
        ("supported", "ascend-atlas-800t-a2"),
        ("supported", "ascend-atlas-300i-duo"),
        ("unsupported", "metax-c500"),
    ]
    assert [[(c.name, c.op) for c in f.conditions] for f in there] == [
        [("eager-mode", "set")],
        [("eager-mode", "unset")],
        [("eager-mode", "unset")],
        [],
    ]
    assert there[0].limit is Limit.FRAMEWORK
    assert there[1].locator.column == "Atlas 800T A2 FP16/BF16(graph)"


def test_a_yes_in_both_modes_needs_no_choice_and_two_meanings_are_two_statements() -> None:
    reading = read("models", OTHERS)
    pairs = [f for f in reading.findings if "/pair-" in f.statement]
    assert [(f.statement, f.conditions) for f in pairs[:4]] == [
        ("model-precision-other/pair-a/bf16+fp16/ascend-atlas-800t-a2", ()),
        ("model-precision-other/pair-b/bf16+fp16/ascend-atlas-800t-a2", ()),
        ("model-precision-other/pair-a/bf16+fp16/ascend-atlas-800t-a2", ()),
        ("model-precision-other/pair-b/bf16+fp16/ascend-atlas-800t-a2", ()),
    ]


def test_a_model_that_stands_there_twice_speaks_twice() -> None:
    rows = [line for line in said(read("models", OTHERS)) if "/gamma/bf16" in line]
    assert [line.split(" [")[0] for line in rows] == [
        "supported model-precision-pytorch/gamma/bf16+fp16/cuda",
        "unsupported model-precision-pytorch-2/gamma/bf16+fp16/cuda",
    ]


def test_dropped_models_hold_from_the_stated_version_on() -> None:
    dropped = [
        f for f in read("models", OTHERS).findings if f.statement.startswith("model-dropped")
    ]
    assert [(f.statement, f.since, f.open_ended, f.locator.line) for f in dropped] == [
        ("model-dropped/llava-original", "", True, 15),
        ("model-dropped/llama-3.2-vision", "0.11.1", True, 16),
    ]
    assert [c.value for c in dropped[0].conditions] == ["pytorch"]


def test_a_page_without_both_engines_is_refused() -> None:
    with pytest.raises(UnexpectedPage, match="TurboMind and PyTorch"):
        read("models", "# Supported Models\n\n| Name | Yes |\n| --- | --- |\n| a | b |\n")


REWARDS = """\
|  Model   | Size | Supported Inference Engine |
| :------: | :--: | :------------------------: |
| Delta-RM | 72B  |          PyTorch           |
"""


def test_reward_models_name_their_engine() -> None:
    path = "docs/en/supported_models/reward_models.md"
    reading = read("reward-models", REWARDS, path=path)
    assert said(reading) == [
        f"supported reward-model/delta-rm/reward/cuda [model=delta-rm {GPUS} features=reward]"
    ]
    assert [c.value for c in reading.findings[0].conditions] == ["pytorch"]
    with pytest.raises(UnexpectedPage):
        read("reward-models", "# Reward Models\n", path=path)


W4A16 = """\
The following GPUs are there for INT4:

- V100(sm70): V100
- Ampere(sm80,sm86): 30 series, A10
- Next(sm999): X1
"""


def test_generations_are_read_by_their_numbers() -> None:
    reading = read("w4a16", W4A16, path="docs/en/quantization/w4a16.md")
    int4 = "quantization=awq-w4a16,gptq-w4a16"
    assert said(reading) == [
        "supported quantization-hardware/awq-w4a16+gptq-w4a16/nvidia-sm-70 "
        f"[{int4} hardware=nvidia-sm-70]",
        "supported quantization-hardware/awq-w4a16+gptq-w4a16/nvidia-sm-80+nvidia-sm-86 "
        f"[{int4} hardware=nvidia-sm-80,nvidia-sm-86]",
        "supported quantization-hardware/awq-w4a16+gptq-w4a16/next(sm999) [?]",
    ]
    assert unknown(reading) == ["hardware: Next(sm999)"]


W8A8 = """\
- INT8
  - Turing(sm75): T4
- FP8
  - Hopper(sm90): H100
"""


def test_int8_and_fp8_have_their_own_lists() -> None:
    reading = read("w8a8", W8A8, path="docs/en/quantization/w8a8.md")
    assert said(reading) == [
        "supported quantization-hardware/int8-w8a8/nvidia-sm-75 "
        "[quantization=int8-w8a8 hardware=nvidia-sm-75]",
        "supported quantization-hardware/fp8-w8a8/nvidia-sm-90 "
        "[quantization=fp8-w8a8 hardware=nvidia-sm-90]",
    ]
    first = read("w8a8", "pip install triton>=2.1.0\n", path="docs/en/quantization/w8a8.md")
    assert said(first) == ["range requirement/triton (requirement) = >=2.1.0"]


KV = """\
# INT4/INT8 KV Cache

Since v0.4.0, LMDeploy has supported **online** quantization.

- Turing architecture (sm75): 20 series, T4

1. data-free
2. Supports all nvidia GPU models with Volta architecture (sm70) and above

## TurboQuant

1. **Hidden errors (method)**: removes them.

**Test configuration**: Tested on H200 with Delta-30B model and a data set:

| Metric     | Baseline  | TurboQuant | Change |
| ---------- | --------- | ---------- | ------ |
| Throughput | 100 tok/s | 93 tok/s   | ~same  |

- **PytorchEngine only**: TurboQuant currently only supports PyTorch engine
- **MLA not supported**: Does not support Multi-head Latent Attention architecture
"""


def test_the_kv_guide_gives_start_floor_limits_and_measures() -> None:
    reading = read("kv-quant", KV, path="docs/en/quantization/kv_quant.md")
    both = "kv_dtype=kv-int4,kv-int8"
    below = "nvidia-kepler,nvidia-maxwell,nvidia-pascal"
    assert said(reading) == [
        f"supported kv-hardware/kv-int4+kv-int8/nvidia-sm-75 [{both} hardware=nvidia-sm-75]",
        f"unsupported kv-floor/kv-int4+kv-int8/{below.replace(',', '+')} [{both} hardware={below}]",
        "supported turboquant-engine/kv-turboquant [kv_dtype=kv-turboquant]",
        "unsupported turboquant-engine-no/kv-turboquant [kv_dtype=kv-turboquant]",
        "unsupported turboquant-feature/kv-turboquant/mla [kv_dtype=kv-turboquant features=mla]",
        "validated turboquant-tested/kv-turboquant/delta-30b/nvidia-h200 "
        "[kv_dtype=kv-turboquant model=delta-30b hardware=nvidia-h200]",
        "value measured/0/18/throughput/baseline (benchmark) = 100 tok/s",
        "value measured/0/18/throughput/turboquant (benchmark) = 93 tok/s",
    ]
    assert reading.findings[0].since == "0.4.0"
    assert reading.findings[1].limit is Limit.HARDWARE


def test_llm_compressor_rows_are_compute_capabilities() -> None:
    text = (
        "| Compute Capability | Micro-architecture | GPUs |\n| --- | --- | --- |\n"
        "| 7.5 | Turing | T4 |\n| 12.0 | Blackwell | RTX 50 |\n| new | X | Y |\n"
    )
    reading = read("llm-compressor", text, path="docs/en/quantization/llm_compressor.md")
    hardware = [f.scope and sorted(f.scope.nodes[Axis.HARDWARE].include) for f in reading.findings]
    assert hardware == [["nvidia-sm-75"], ["nvidia-sm-120"], None]
    assert unknown(reading) == ["hardware: new"]


INSTALL = """\
It supports both, on both Linux and Windows platform, with minimum requirement of CUDA version 11.3.

- Ada Lovelace(sm89): 40 series

Use conda (python 3.10 - 3.13).

LMDeploy also supports installation on AMD GPUs with ROCm.
"""


def test_installation_states_generations_systems_and_versions() -> None:
    reading = read("installation", INSTALL, path="docs/en/get_started/installation.md")
    assert said(reading) == [
        "supported platform/nvidia-sm-89 [hardware=nvidia-sm-89]",
        "range requirement/cuda (requirement) = >=11.3",
        "value requirement/python (requirement) = 3.10 - 3.13",
        "supported system/windows [features=windows]",
        "partial platform/amd/rocm [hardware=amd backend=rocm]",
    ]
    with pytest.raises(UnexpectedPage):
        read("installation", "# Installation\n", path="docs/en/get_started/installation.md")


ASCEND = """\
# Get Started with Huawei Ascend

We run lmdeploy: running lmdeploy on **Atlas 800T A3, Atlas 800T A2 and Atlas 300I Duo**.

> (Atlas 800T A3 currently supports only the Qwen-series with eager mode.)

Ascend backend has supported offline int8 KV-cache Quantization on eager mode.

1. only support dtype=float16.
2. only support graph mode, please do not add --eager-mode.
"""


def test_the_ascend_guide_names_machines_and_their_modes() -> None:
    path = "docs/en/get_started/ascend/get_started.md"
    reading = read("platform-guide", ASCEND, path=path)
    a3, duo = "ascend-atlas-800t-a3", "ascend-atlas-300i-duo"
    assert said(reading) == [
        f"partial platform/{a3} [hardware={a3}]",
        "supported platform/ascend-atlas-800t-a2 [hardware=ascend-atlas-800t-a2]",
        f"supported platform/{duo} [hardware={duo}]",
        f"partial platform-range/{a3} [hardware={a3}]",
        "supported kv-hardware/kv-int8/ascend-atlas-800t-a2 "
        "[kv_dtype=kv-int8 hardware=ascend-atlas-800t-a2]",
        f"unsupported dtype/bf16/{duo} [quantization=bf16 hardware={duo}]",
        f"unsupported mode/{duo}/eager-mode [hardware={duo} features=eager-mode]",
    ]
    with pytest.raises(UnexpectedPage):
        read("platform-guide", "# Get Started with something else\n", path=path)


def test_the_first_ascend_guide_names_its_machine_in_the_title() -> None:
    text = (
        "# Get Started with Huawei Ascend (Atlas 800T A2)\n\nCANN (version 8.0.RC2.beta1) there.\n"
    )
    path = "docs/en/get_started/ascend/get_started.md"
    assert said(read("platform-guide", text, path=path, version="v0.6.4")) == [
        "supported platform/ascend-atlas-800t-a2 [hardware=ascend-atlas-800t-a2]",
        "pinned requirement/cann (requirement) = 8.0.RC2.beta1",
    ]


def test_the_readme_states_mxfp4_from_volta_on_and_not_below() -> None:
    text = "- \\[2025/09\\] TurboMind supports MXFP4 on NVIDIA GPUs starting from V100, fast.\n"
    reading = read("readme", text, path="README.md")
    assert [line.split(" [")[1] for line in said(reading)] == [
        f"quantization=mxfp4-w4a16 {GPUS}]",
        "quantization=mxfp4-w4a16 hardware=nvidia-kepler,nvidia-maxwell,nvidia-pascal]",
    ]
    assert [f.status.value for f in reading.findings] == ["supported", "unsupported"]


def test_requirements_keep_the_accepted_range() -> None:
    path = "requirements/runtime_cuda.txt"
    reading = read("requirements", "fire\ntorch<=2.12.1,>=2.0.0\n", path=path)
    assert said(reading) == ["range requirement/torch (requirement) = >=2.0.0,<=2.12.1"]
    assert reading.findings[0].locator.line == 2
    with pytest.raises(UnexpectedPage):
        read("requirements", "fire\n", path=path)
