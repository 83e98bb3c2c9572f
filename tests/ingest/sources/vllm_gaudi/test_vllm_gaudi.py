"""Pairings, validated models, features, quantization and releases of the Gaudi plug-in."""

import pytest

from ingest.contract import Reading, UnexpectedPage
from ingest.sources.vllm_gaudi import SOURCE
from matrix.domain.levels import EvidenceKind, Limit, Tier
from tests.ingest.sources.said import page_of, places, rule_named, said, unknown, vocabulary_of

WORDS = vocabulary_of(
    model={
        "acme/Alpha-8B": "acme--alpha-8b",
        "acme/Alpha-70B": "acme--alpha-70b",
        "acme/Beta-7B": "acme--beta-7b",
    },
    feature={
        "Async executor": "async-output",
        "Speculative decoding": "speculative-decoding",
        "Multi-step scheduling": "multi-step",
        "Sliding window attention": "sliding-window",
    },
    quantization={"INC quantization": "inc"},
)
BOTH = "hardware=intel-gaudi2,intel-gaudi3"
PAIR = "intel-gaudi2+intel-gaudi3"


def read(rule: str, text: str, *, path: str = "docs/p.md", version: str = "v0.26.0") -> Reading:
    return rule_named(SOURCE, rule).parse(page_of(text, path=path, version=version), WORDS)


NEW_MATRIX = """\
---
title: Compatibility Matrix
---

The table details the supported vLLM versions for Intel® Gaudi® 2 and Intel® Gaudi® 3 AI \
accelerators. The versions marked as unsupported may still work, but they have not been \
thoroughly tested. The latest validated release is **vLLM v0.26.0** on Intel® Gaudi® software \
version 1.24.1.

<table>
  <thead>
    <tr><th rowspan="2">vLLM<br>version</th><th colspan="2">Intel® Gaudi® software version</th></tr>
    <tr><th>1.22.1</th><th>1.24.1</th></tr>
  </thead>
  <tbody>
    <tr><td>0.10.1</td><td>✅ Beta</td><td>❌</td></tr>
    <tr><td>0.26.0</td><td>?</td><td>✅</td></tr>
  </tbody>
</table>
"""
OLD_MATRIX = """\
The following table detail the supported vLLM versions for Intel® Gaudi® 2 and Intel® Gaudi® 3.

| Intel Gaudi Software | vLLM v0.10.1 | vLLM v0.11.2 |
|---|---|---|
| 1.22.1 | ✅ Beta | ❌ |
"""


def test_a_cross_means_untested_where_the_page_says_so() -> None:
    reading = read("compatibility", NEW_MATRIX)
    assert said(reading) == [
        "legend legend/compatibility/❌ (legend) = untested",
        "validated pairing/latest-validated (pairing) = vllm 0.26.0, gaudi software 1.24.1",
        "supported platform/intel-gaudi2 [hardware=intel-gaudi2]",
        "supported platform/intel-gaudi3 [hardware=intel-gaudi3]",
        "experimental pairing/0.10.1/gaudi-software-1.22.1 (pairing)"
        " = vllm 0.10.1, gaudi software 1.22.1",
        "untested pairing/0.10.1/gaudi-software-1.24.1 (pairing)"
        " = vllm 0.10.1, gaudi software 1.24.1",
        "not-stated pairing/0.26.0/gaudi-software-1.22.1 (pairing)"
        " = vllm 0.26.0, gaudi software 1.22.1",
        "supported pairing/0.26.0/gaudi-software-1.24.1 (pairing)"
        " = vllm 0.26.0, gaudi software 1.24.1",
    ]
    assert places(reading)[-1] == ("0.26.0", "Intel® Gaudi® software version / 1.24.1", 14)
    assert unknown(reading) == ["pairing: 0.26.0 Intel® Gaudi® software version / 1.22.1 ?"]


def test_the_older_table_is_turned_round_and_has_no_legend() -> None:
    assert said(read("compatibility", OLD_MATRIX, version="v0.15.1"))[2:] == [
        "experimental pairing/0.10.1/gaudi-software-1.22.1 (pairing)"
        " = vllm 0.10.1, gaudi software 1.22.1",
        "unsupported pairing/0.11.2/gaudi-software-1.22.1 (pairing)"
        " = vllm 0.11.2, gaudi software 1.22.1",
    ]


VALIDATED = """\
Configurations that are not listed may work but have not been extensively tested.

| Model | Tensor parallelism [x HPU] | Datatype | Validated AI accelerator |
|:---|:---:|:---:|:---:|
| [acme/Alpha-8B](https://example.org/a) | 1, 2 | BF16 | Gaudi 3|
| [acme/Alpha-70B](https://example.org/b) | 2, 8 | BF16, FP8 |Gaudi 2, Gaudi 3|

Validation of the following configurations is currently in progress:

| Model | Tensor parallelism [x HPU] | Datatype | Validated AI accelerator |
|:---|:---:|:---:|:---:|
| [acme/Beta-7B](https://example.org/c) | 1 | INT3 | Gaudi 9 |
"""


def test_lists_in_a_row_are_taken_apart_only_where_every_combination_is_certain() -> None:
    reading = read("models", VALIDATED)
    assert said(reading) == [
        "validated deployment/acme/Alpha-8B/BF16/Gaudi 3/tp=1, 2 (deployment) = tp=1, 2",
        "validated deployment/acme/Alpha-8B/BF16/Gaudi 3/tp=1 (deployment) = tp=1",
        "validated deployment/acme/Alpha-8B/BF16/Gaudi 3/tp=2 (deployment) = tp=2",
        "validated model-hardware/acme--alpha-8b/intel-gaudi3"
        " [model=acme--alpha-8b hardware=intel-gaudi3]",
        "validated model-quantization-hardware/acme--alpha-8b/bf16/intel-gaudi3"
        " [model=acme--alpha-8b quantization=bf16 hardware=intel-gaudi3]",
        "validated deployment/acme/Alpha-70B/BF16, FP8/Gaudi 2, Gaudi 3/tp=2, 8 (deployment)"
        " = tp=2, 8",
        f"validated model-hardware/acme--alpha-70b/{PAIR} [model=acme--alpha-70b {BOTH}]",
        f"partial model-quantization-hardware/acme--alpha-70b/bf16/{PAIR}"
        f" [model=acme--alpha-70b quantization=bf16 {BOTH}]",
        f"partial model-quantization-hardware/acme--alpha-70b/fp8/{PAIR}"
        f" [model=acme--alpha-70b quantization=fp8 {BOTH}]",
        "untested deployment/acme/Beta-7B/INT3/Gaudi 9/tp=1 (deployment) = tp=1",
        "untested model-hardware/acme--beta-7b/gaudi 9 [?]",
        "untested model-quantization-hardware/acme--beta-7b/int3/gaudi 9 [?]",
        "legend legend/validated/unlisted (legend) = untested",
    ]
    assert reading.findings[3].note == "validated with tensor parallel 1 or 2"
    assert reading.findings[7].note.startswith("the row lists number types and cards")
    assert reading.findings[3].links == ("https://example.org/a",)
    assert unknown(reading) == ["hardware: Gaudi 9", "quantization: INT3"]


def test_columns_of_validated_models_are_found_by_their_names() -> None:
    turned = "\n".join(
        "|{4}|{3}|{2}|{1}|".format(*line.split("|")) if line.startswith("|") else line
        for line in VALIDATED.splitlines()
    )
    assert said(read("models", turned)) == said(read("models", VALIDATED))


FEATURES = """\
## Supported Features

| **Feature** | **Description** | **References** |
|--- |--- |--- |
| INC quantization | Supports FP8. Not fully supported with the `torch.compile` mode. | N/A |
| Async executor | Overlaps work. It does not support speculative decoding, PP, or guided \
decoding. | N/A |
| Speculative decoding | Supports experimental speculative decoding. | N/A |

## Experimental Features

### Runtime Scale Patching

Some text.

## Planned Features

- Sliding window attention
- Teleportation

## Discontinued Features

| **Feature** | **Description** | **Reasoning** |
|--- |--- |--- |
| Multi-step scheduling | Reduced overhead. | Replaced by async scheduling, see the flag. |
"""


def test_features_are_supported_experimental_planned_or_gone() -> None:
    reading = read("features", FEATURES)
    assert said(reading) == [
        f"supported feature-hardware/inc/{PAIR} [quantization=inc {BOTH}]",
        f"supported feature-hardware/async-output/{PAIR} [{BOTH} features=async-output]",
        "unsupported feature-hardware/async-output/speculative-decoding/intel-gaudi"
        " [hardware=intel-gaudi features=async-output+speculative-decoding]",
        "unsupported feature-hardware/async-output/pipeline-parallel/intel-gaudi"
        " [hardware=intel-gaudi features=async-output+pipeline-parallel]",
        "unsupported feature-hardware/async-output/structured-output/intel-gaudi"
        " [hardware=intel-gaudi features=async-output+structured-output]",
        f"experimental feature-hardware/speculative-decoding/{PAIR}"
        f" [{BOTH} features=speculative-decoding]",
        "removed feature-hardware/multi-step/intel-gaudi"
        " [hardware=intel-gaudi features=multi-step]",
        "planned feature-hardware/sliding-window/intel-gaudi"
        " [hardware=intel-gaudi features=sliding-window]",
        "planned feature-hardware/teleportation/intel-gaudi [?]",
        "experimental experimental/runtime-scale-patching (value) = experimental",
    ]
    assert reading.findings[0].note == "not fully with torch.compile"
    assert reading.findings[2].limit is Limit.FRAMEWORK
    assert reading.findings[6].note == "replaced by async scheduling"
    assert reading.findings[7].tier is Tier.PLANNED
    assert unknown(reading) == ["feature: Teleportation"]


FAQ = """\
### What are the system requirements for running vLLM on Intel® Gaudi®?

- Ubuntu 22.04 LTS OS.
- Python 3.10.
- Intel Gaudi 2 or Intel Gaudi 3 AI accelerator.
- Intel Gaudi software version {{ VERSION }} and above.

### Which models have been validated on Intel® Gaudi® 2 devices?

- Mistral and Mixtral models.

### Which key features does vLLM support on Intel® Gaudi®?

- Tensor parallel inference
- Speculative decoding (experimental)
- FP8 models and KV Cache quantization with Intel® Neural Compressor (INC).

### Which execution modes does the plugin support?

- torch.compile (default)
- PyTorch Lazy mode
"""


def test_the_questions_state_requirements_features_and_modes() -> None:
    assert said(read("requirements", FAQ)) == [
        "pinned requirement/ubuntu (requirement) = 22.04",
        "pinned requirement/python (requirement) = 3.10",
        "supported platform-requirements/intel-gaudi2 [hardware=intel-gaudi2]",
        "supported platform-requirements/intel-gaudi3 [hardware=intel-gaudi3]",
        "not-stated requirement/gaudi-software (requirement) = {{ VERSION }}",
    ]
    assert said(read("faq", FAQ)) == [
        f"supported feature-hardware/tensor-parallel/{PAIR} [{BOTH} features=tensor-parallel]",
        f"experimental feature-hardware/speculative-decoding/{PAIR}"
        f" [{BOTH} features=speculative-decoding]",
        f"supported feature-hardware/inc-w8a8/{PAIR} [quantization=inc-w8a8 {BOTH}]",
        f"supported feature-hardware/torch-compile/{PAIR} [{BOTH} features=torch-compile]",
        f"supported feature-hardware/hpu-lazy-mode/{PAIR} [{BOTH} features=hpu-lazy-mode]",
        "validated validated/mistral and mixtral models. (value) = Mistral and Mixtral models.",
    ]


INC = """\
# Intel® Neural Compressor

The plugin supports 8-bit floating point (FP8) weight and activation quantization using INC. \
Currently, quantization is validated only on Llama models.
"""


def test_fp8_by_inc_names_the_flag_that_other_fp8_needs() -> None:
    reading = read("inc", INC)
    assert said(reading) == [
        f"supported inc/inc-w8a8/{PAIR} [quantization=inc-w8a8 {BOTH}]",
        f"supported inc/fp8-w8a8/{PAIR} [quantization=fp8-w8a8 {BOTH}]",
        f"supported inc/kv-fp8-inc/{PAIR} [kv_dtype=kv-fp8-inc {BOTH}]",
    ]
    assert [[c.value for c in f.conditions] for f in reading.findings] == [[], ["inc"], []]
    assert {f.note for f in reading.findings} == {"validated on Llama models only"}


def test_the_pages_of_quantization_libraries_name_widths() -> None:
    text = "---\ntitle: GPTQModel\n---\n\nTo create a new 4-bit or 8-bit quantized model, use it.\n"
    assert said(read("libraries", text)) == [
        f"supported library/gptq-w4a16/{PAIR} [quantization=gptq-w4a16 {BOTH}]",
        f"supported library/gptq-w8a16/{PAIR} [quantization=gptq-w8a16 {BOTH}]",
    ]


NOTES = """\
# Release Notes

## 0.14.1

This version is based on [vLLM 0.14.1](https://example.org/v) with support for \
[Intel® Gaudi® v1.23.0](https://example.org/g) with PyTorch 2.10, and introduces support for the \
following models on Gaudi 3:

- [acme/Alpha-8B](https://example.org/a)

## 0.13.0

This version is based on vLLM 0.13.0 and supports Intel® Gaudi® v1.22.2 and v1.23.0. The plugin \
is an alternative to the [vLLM fork](https://example.org/f), which reaches end of life with this \
release.

Additionally, the following models were successfully validated:

- [acme/Beta-7B](https://example.org/b)

For the list of all supported models, see elsewhere.
"""


def test_release_notes_speak_about_their_own_releases() -> None:
    reading = read("releases", NOTES, path="docs/release_notes.md")
    assert said(reading) == [
        "supported pairing/release/0.14.1 (pairing) ="
        " vllm-gaudi 0.14.1, gaudi_software 1.23.0, vllm 0.14.1, torch 2.10",
        "pinned requirement/gaudi-software/0.14.1 (requirement) = 1.23.0",
        "pinned requirement/torch/0.14.1 (requirement) = 2.10",
        "supported model-release/acme--alpha-8b/intel-gaudi3"
        " [model=acme--alpha-8b hardware=intel-gaudi3]",
        "supported pairing/release/0.13.0 (pairing) ="
        " vllm-gaudi 0.13.0, gaudi_software 1.22.2 and 1.23.0, vllm 0.13.0",
        "pinned requirement/gaudi-software/0.13.0 (requirement) = 1.22.2 and 1.23.0",
        "deprecated maintenance/vllm-fork (maintenance) = end-of-life",
        "validated model-release/acme--beta-7b [model=acme--beta-7b]",
    ]
    assert {f.release for f in reading.findings} == {"0.14.1", "0.13.0"}
    assert reading.findings[3].evidence is EvidenceKind.RELEASE_NOTE


def test_the_readme_announces_releases_with_their_month() -> None:
    text = (
        "- [2026/08] Version 0.26.0 is now available, built on vLLM 0.26.0 and fully compatible"
        " with Intel® Gaudi® v1.24.1 with PyTorch 2.11.\n"
    )
    assert said(read("news", text)) == [
        "released release/0.26.0 (release) = 2026/08",
        "supported pairing/release/0.26.0 (pairing) ="
        " vllm-gaudi 0.26.0, gaudi_software 1.24.1, vllm 0.26.0, torch 2.11",
        "pinned requirement/gaudi-software/0.26.0 (requirement) = 1.24.1",
        "pinned requirement/torch/0.26.0 (requirement) = 2.11",
    ]


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("compatibility", "| Version | Status |\n|---|---|\n| 1 | ✅ |\n"),
        ("models", VALIDATED.replace("Datatype", "Precision")),
        ("features", "# Features\n\nNothing.\n"),
        ("faq", "# Questions\n\nNothing.\n"),
        ("requirements", "# Installation\n\n## Requirements\n\nNone.\n"),
        ("inc", "# INC\n\nIt quantizes.\n"),
        ("libraries", "---\ntitle: NewQuant\n---\n\nTo create a new 4-bit quantized model.\n"),
        ("releases", "# Release Notes\n\n## Summer\n\nWarm.\n"),
    ],
)
def test_a_page_of_another_shape_is_refused(rule: str, text: str) -> None:
    with pytest.raises(UnexpectedPage):
        read(rule, text)
