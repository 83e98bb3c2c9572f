"""Pairings, branches, products, software and tools of vLLM Ascend."""

import pytest

from ingest.contract import Reading, UnexpectedPage
from ingest.sources.vllm_ascend import SOURCE
from matrix.domain.levels import Tier
from tests.ingest.sources.said import page_of, places, rule_named, said, unknown, vocabulary_of

WORDS = vocabulary_of(
    hardware={
        "Atlas 800T A2": "ascend-atlas-800t-a2",
        "Atlas 300I Duo": "ascend-atlas-300i-duo",
        "Atlas 300I Pro": "ascend-atlas-300i-pro",
        "Atlas 200I A2": "ascend-310b",
    },
)
BOTH = "hardware=ascend-a2,ascend-a3"


def read(rule: str, text: str, *, path: str = "README.md", version: str = "v0.23.0") -> Reading:
    return rule_named(SOURCE, rule).parse(page_of(text, path=path, version=version), WORDS)


POLICY = """\
# Versioning Policy

- **Final releases**: Typically scheduled every three months.

## Release compatibility matrix

| vLLM Ascend | vLLM | Python | Stable CANN | PyTorch/torch_npu | Mooncake |
|---|---|---|---|---|---|
| v0.14.0rc1 | v0.14.1 | >= 3.10, < 3.12 | 8.5.0 | 2.9.0 / 2.9.0 | N/A |
| main | {{main_vllm_tag}} | | | | |

## Release window

| Date | Event |
|---|---|
| 2026.07.31 | v0.23.0 Final release, v0.23.0 |
| 2026.07.20 | Release candidates, v0.23.0rc1 |

## Maintenance branch and EOL

| Branch | Time Frame | Summary |
|---|---|---|
| Maintained | Approximately 2-3 minor versions | Bugfixes received |

## Branch states

| Branch | State | Note |
|---|---|---|
| main | Maintained | CI commitment for vLLM main branch |
| v0.7.1-dev | Unmaintained | Replaced by v0.7.3-dev |
| v0.5-dev | Asleep | |

## Document branch policy

| Version | Purpose | Code Branch |
|---|---|---|
| latest | Doc for the latest rc | `main` branch |
"""


def test_the_policy_states_pairings_windows_branches_and_what_states_mean() -> None:
    path = "docs/source/community/versioning_policy.md"
    reading = read("policy", POLICY, path=path)
    assert said(reading) == [
        "supported pairing/0.14.0rc1/vllm (pairing) = v0.14.1",
        "supported pairing/0.14.0rc1/python (pairing) = >= 3.10, < 3.12",
        "supported pairing/0.14.0rc1/cann (pairing) = 8.5.0",
        "supported pairing/0.14.0rc1/torch (pairing) = 2.9.0 / 2.9.0",
        "not-applicable pairing/0.14.0rc1/mooncake (pairing) = N/A",
        "not-stated pairing/main/vllm (pairing) = {{main_vllm_tag}}",
        "not-stated pairing/main/python (pairing)",
        "not-stated pairing/main/cann (pairing)",
        "not-stated pairing/main/torch (pairing)",
        "not-stated pairing/main/mooncake (pairing)",
        "released release/0.23.0 (release) = 2026-07-31",
        "candidate release/0.23.0rc1 (release) = 2026-07-20",
        "policy policy/branch-state/maintained (policy) = Approximately 2-3 minor versions",
        "maintained maintenance/branch/main (maintenance) = maintained",
        "maintenance maintenance/branch/v0.7.1-dev (maintenance) = unmaintained",
        "not-stated maintenance/branch/v0.5-dev (maintenance) = asleep",
        "policy policy/documentation/latest (policy) = main branch",
        "policy policy/final-release-every (policy) = 3 months",
    ]
    assert reading.findings[0].release == "0.14.0rc1"
    assert reading.findings[0].names["cann"] == "8.5.0"
    assert reading.findings[14].note == "replaced by v0.7.3-dev"
    assert ("v0.14.0rc1", "Stable CANN", 9) in places(reading)
    assert unknown(reading) == ["maintenance: Asleep"]


README = """\
# Plug-in

## Prerequisites

- Hardware: Atlas 800I A2 Inference series, Atlas 300I Duo (Experimental), Atlas 9
- OS: Linux
- Software:
    - Python >= 3.10, < 3.13
    - CANN == 9.1.0 (see the notes)
    - PyTorch >= 2.10.0, torch-npu == 2.10.0.post4

## Getting Started

| Version | Release type | Doc |
|---|---|---|
|v0.9.2rc1|Latest release candidate|[Q](q)|
| v0.9.1 | Latest stable version | [Q](q) |

## Branch

| Branch | Status | Note |
|---|---|---|
| v0.7.3-dev | Unmaintained | Only bug fixes are allowed, and no new release tags anymore. |
"""


def test_the_readme_states_products_software_and_branches() -> None:
    reading = read("prerequisites", README)
    assert said(reading) == [
        "supported platform-prerequisites/ascend-atlas-800i-a2 [hardware=ascend-atlas-800i-a2]",
        "experimental platform-prerequisites/ascend-atlas-300i-duo"
        " [hardware=ascend-atlas-300i-duo]",
        "supported platform-prerequisites/atlas 9 [?]",
        "range requirement/python (requirement) = >= 3.10, < 3.13",
        "pinned requirement/cann (requirement) = == 9.1.0",
        "requires requirement/torch (requirement) = >= 2.10.0",
        "pinned requirement/torch-npu (requirement) = == 2.10.0.post4",
    ]
    assert unknown(reading) == ["hardware: Atlas 9"]
    branches = read("branches", README)
    assert said(branches) == [
        "candidate recommended/latest-release-candidate (release) = v0.9.2rc1",
        "released recommended/latest-stable-version (release) = v0.9.1",
        "maintenance maintenance/branch/v0.7.3-dev (maintenance) = unmaintained",
    ]
    assert branches.findings[2].note == "bug fixes only, no new releases"


FAQ = """\
# FAQs

## General FAQs

### 1. What devices are currently supported?

Currently, **ONLY** Atlas A2 series (Ascend-cann-kernels-910b) and Atlas 300I \
(Ascend-cann-kernels-310p) series are supported:

- Atlas A2 Training series (Atlas 800T A2)
- Atlas A3 Training series
- [Experimental] Atlas 300I Inference series (Atlas 300I Duo).
- [Experimental] Currently for 310I Duo the stable version is v0.10.0rc1.

Below series are NOT supported yet:

- Atlas 300I Duo、Atlas 300I Pro (Ascend-cann-kernels-310p) might be supported on 2025.Q2
- Atlas 200I A2 (Ascend-cann-kernels-310b) unplanned yet
- Atlas 7 in general

### 8. Does vllm-ascend support Prefill-Decode (PD) Disaggregation feature?

Yes, it supports Prefill-Decode Disaggregation feature with Mooncake backend.

### 9. Does vllm-ascend support quantization method?

Currently, w8a8, w4a8, and w4a4 quantization methods are already supported by it originally on \
v0.8.4rc2 or higher.
"""


def test_the_device_list_states_yes_experimental_outlook_and_no() -> None:
    reading = read("faq", FAQ, path="docs/source/faqs.md")
    assert said(reading) == [
        "supported platform-series/ascend-a2 [hardware=ascend-a2]",
        "experimental platform-series/ascend-310p [hardware=ascend-310p]",
        "supported platform/ascend-atlas-800t-a2 [hardware=ascend-atlas-800t-a2]",
        "supported platform/ascend-atlas-800t-a3+ascend-atlas-900-a3-superpod"
        " [hardware=ascend-atlas-800t-a3,ascend-atlas-900-a3-superpod]",
        "experimental platform/ascend-atlas-300i-duo [hardware=ascend-atlas-300i-duo]",
        "value device-remark/[experimental] currently for 310i duo th (value) ="
        " [Experimental] Currently for 310I Duo the stable version is v0.10.0rc1.",
        "planned platform/ascend-atlas-300i-duo [hardware=ascend-atlas-300i-duo]",
        "planned platform/ascend-atlas-300i-pro [hardware=ascend-atlas-300i-pro]",
        "unsupported platform/ascend-310b [hardware=ascend-310b]",
        "supported quantization-hardware-faq/int8-w8a8/ascend-a2"
        " [quantization=int8-w8a8 hardware=ascend-a2]",
        "supported quantization-hardware-faq/w4a8-dynamic/ascend-a2"
        " [quantization=w4a8-dynamic hardware=ascend-a2]",
        "supported quantization-hardware-faq/int4-w4a4/ascend-a2"
        " [quantization=int4-w4a4 hardware=ascend-a2]",
        "supported feature-hardware-faq/mooncake-transfer/ascend-a2"
        " [hardware=ascend-a2 features=mooncake-transfer]",
    ]
    assert reading.findings[6].tier is Tier.PLANNED
    assert reading.findings[-2].since == "0.8.4rc2"
    assert unknown(reading) == ["status: Atlas 7 in general"]


def test_the_first_releases_need_an_add_on_for_quantization() -> None:
    text = FAQ.replace("originally on", "with the integration of mindie-turbo, originally on")
    reading = read("faq", text, path="docs/source/faqs.md", version="v0.7.3")
    assert [c.name for c in reading.findings[-2].conditions] == ["mindie-turbo"]


INSTALLATION = """\
# Installation

## Requirements

:::::{tab-set}
::::{tab-item} Atlas A2/A3/950DT inference products

- Python: >= 3.10, < 3.13
- Software:

    | Software | Supported version | Note |
    |---|---|---|
    | Ascend HDK | Refer to the notes | |
    | CANN | == 9.1.0 | |

::::
::::{tab-item} Atlas 300I DUO

| Software | Supported version | Note |
|---|---|---|
| triton / triton-ascend | Not supported | |

::::
:::::

## Set up using Docker

| image name | Hardware | OS |
|---|---|---|
| vllm-ascend:{{ vllm_ascend_version }}-310p | Atlas 300I Duo | Ubuntu |
"""


def test_each_group_of_products_has_its_own_software() -> None:
    reading = read("installation", INSTALLATION, path="docs/source/installation.md")
    many = "atlas a2/a3/950dt inference products"
    assert said(reading) == [
        "supported platform-installation/ascend-a2 [hardware=ascend-a2]",
        "supported platform-installation/ascend-a3 [hardware=ascend-a3]",
        "supported platform-installation/ascend-950dt [hardware=ascend-950dt]",
        f"not-stated requirement/ascend-hdk/{many} (requirement) = Refer to the notes",
        f"pinned requirement/cann/{many} (requirement) = == 9.1.0",
        "experimental platform-installation/ascend-atlas-300i-duo [hardware=ascend-atlas-300i-duo]",
        "none requirement/triton-triton-ascend/atlas 300i duo (requirement) = Not supported",
        "published image/vllm-ascend:{{ vllm_ascend_version }}-310p (artefact)"
        " = quay.io/ascend/vllm-ascend:v0.23.0-310p",
        f"range requirement/python/{many} (requirement) = >= 3.10, < 3.13",
    ]


GUIDE = """\
# Quantization Guide

vLLM Ascend supports models quantized by two main tools: `ModelSlim` and `LLM-Compressor`.

Enable it with the `--quantization ascend` parameter.
"""
OLD_GUIDE = "# Quantization\n\n## Install ModelSlim\n\nSome text.\n"


def test_checkpoints_of_two_tools_are_served_and_one_needs_a_flag() -> None:
    reading = read("quantization-tools", GUIDE)
    assert said(reading) == [
        f"supported container-hardware/modelslim/ascend-a2+ascend-a3 [container=modelslim {BOTH}]",
        "supported container-hardware/compressed-tensors/ascend-a2+ascend-a3"
        f" [container=compressed-tensors {BOTH}]",
    ]
    assert [c.value for c in reading.findings[0].conditions] == ["ascend"]
    assert reading.findings[1].conditions == ()
    assert len(read("quantization-tools", OLD_GUIDE).findings) == 1


NOTES = """\
# Release Notes

## v0.23.0 - 2026.07.31

- Added W4A8 MXFP4 quantization support for Ascend 950.
- Added W4A8 MXFP4 tea.

## v0.14.0rc1

### Others

- Support compressed tensors moe w8a8-int8 quantization.
"""


def test_release_notes_date_each_release_and_name_the_schemes_it_added() -> None:
    reading = read("releases", NOTES)
    assert said(reading) == [
        "released release/0.23.0 (release) = 2026-07-31",
        "supported release-note/mxfp4-w4a8/ascend-a5 [quantization=mxfp4-w4a8 hardware=ascend-a5]",
        "candidate release/0.14.0rc1 (release)",
        "supported release-note/int8-w8a8/ascend-a2+ascend-a3/compressed-tensors/moe"
        f" [quantization=int8-w8a8 {BOTH} container=compressed-tensors features=moe]",
    ]
    assert [f.release for f in reading.findings] == ["0.23.0", "0.23.0", "0.14.0rc1", "0.14.0rc1"]
    assert reading.findings[1].open_ended


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("policy", POLICY.replace("| vLLM Ascend | vLLM |", "| Plug-in | Core |")),
        ("branches", "# Plug-in\n\nNo table.\n"),
        ("branches", README.replace("| Status |", "| Mood |")),
        ("prerequisites", "# Plug-in\n\n## Prerequisites\n\n- OS: Linux\n"),
        ("faq", "# FAQs\n\n### 1. Which devices?\n\n- Atlas\n"),
        ("installation", "# Installation\n\nRun pip.\n"),
        ("quantization-tools", "# Quantization\n\nNothing here.\n"),
        ("releases", "# Release Notes\n\n## Summer\n"),
    ],
)
def test_a_page_of_another_shape_is_refused(rule: str, text: str) -> None:
    with pytest.raises(UnexpectedPage):
        read(rule, text)
