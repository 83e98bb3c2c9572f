"""xLLM: models × accelerators, hardware table, release notes, images."""

import pytest

from ingest.contract import FindingKind, UnexpectedPage
from ingest.sources.xllm import SOURCE
from matrix.domain.levels import EvidenceKind, Limit
from tests.ingest.sources.said import page_of, rule_named, said, unknown, vocabulary_of

WORDS = vocabulary_of(
    model={"Alpha": "alpha", "OneRec": "onerec", "Beta-VL": "beta-vl", "Qwen3": "qwen3"},
    hardware={"A2": "ascend-a2", "A3": "ascend-a3", "BI150": "iluvatar-bi-v150"},
)
NPU = "hardware=ascend-a2,ascend-a3"
MODELS = """\
# Model Support List

## LLM
|       |  NPU  |  MLU  |  ILU  |  DCU  |
| ----- | :---: | :---: | :---: | :---: |
| Alpha |   ✅   |   ✅   |   ❌   |   ❌   |

## Rec
|        |  NPU  |  MLU  |
| ------ | :---: | :---: |
| OneRec |   ✅   |   ❌   |
| Alpha  |   ✅   |   ❌   |
"""


def test_columns_mean_the_cards_that_the_project_names() -> None:
    path = "docs/en/supported_models.md"
    reading = rule_named(SOURCE, "models").parse(page_of(MODELS, path=path), WORDS)
    assert said(reading) == [
        f"supported models/alpha/npu [model=alpha {NPU}]",
        "supported models/alpha/mlu [model=alpha hardware=cambricon]",
        "unsupported models/alpha/ilu [model=alpha hardware=iluvatar-bi-v150]",
        "unsupported models/alpha/dcu [model=alpha hardware=hygon-bw1000]",
        f"supported models-rec/onerec/npu [model=onerec {NPU}]",
        "unsupported models-rec/onerec/mlu [model=onerec hardware=cambricon]",
        "supported models-rec/alpha/npu (value) = ✅",
        "unsupported models-rec/alpha/mlu (value) = ❌",
    ]
    mlu, refused = reading.findings[1], reading.findings[2]
    assert [c.name for c in mlu.conditions] == ["card"]
    assert (refused.limit, refused.note) == (
        Limit.FRAMEWORK,
        "a cross in a table without a legend",
    )


def test_the_table_about_recommendation_says_nothing_about_text_generation() -> None:
    path = "docs/zh/supported_models.md"
    reading = rule_named(SOURCE, "models").parse(page_of(MODELS, path=path), WORDS)
    refused = [
        f
        for f in reading.findings
        if f.kind is FindingKind.COMPATIBILITY and f.status == "unsupported"
    ]
    assert {f.statement for f in refused} == {
        "models/alpha/ilu",
        "models/alpha/dcu",
        "models-rec/onerec/mlu",
    }


README = """\
# xLLM

- 2026-02-12: 🎉 We day-0 support fast inference for the [Alpha-9](https://e.org) model.
- 2025-12-05: 🎉 We now support fast inference for the [B-1/B-2](https://e.org) series models.

| Hardware | Example | Remark |
| -------- | ------- | ------ |
| NPU | A2, A3 | HDK Driver 25.2.0 + |
| MLU |  |  |
| ILU | BI150 |  |

Supported models list:
- Alpha
- Qwen3 / Qwen3-MoE

docker pull quay.io/jd_xllm/xllm-ai:dev-a2
docker pull quay.io/jd_xllm/xllm-ai:dev-a2
"""


def test_news_that_name_no_accelerator_are_kept_and_claim_nothing() -> None:
    reading = rule_named(SOURCE, "readme").parse(page_of(README, path="README.md"), WORDS)
    assert said(reading) == [
        "requires requirement/driver-npu (requirement) = >=25.2.0",
        "supported platform/ascend-a2 [hardware=ascend-a2]",
        "supported platform/ascend-a3 [hardware=ascend-a3]",
        "supported platform/mlu [hardware=cambricon]",
        "supported platform/iluvatar-bi-v150 [hardware=iluvatar-bi-v150]",
        f"supported models-list/alpha/npu [model=alpha {NPU}]",
        f"supported models-list/qwen3/npu [model=qwen3 {NPU}]",
        f"supported models-list/qwen3-moe/npu [model=qwen3-moe {NPU}]",
        "supported news/2026-02-12/alpha-9 (value) = Alpha-9",
        "supported news/2025-12-05/b-1 (value) = B-1",
        "supported news/2025-12-05/b-2 (value) = B-2",
        "published image/dev-a2 (artefact) = dev-a2",
    ]
    assert [c.name for c in reading.findings[3].conditions] == ["card"]


NOTES = """\
# Release xllm 0.9.0

## **Major Features and Improvements**

### Model Support

#### NPU
- Support Alpha model.
- Support Beta-VL video inference.
#### MLU
- Support Alpha W8A8 model.
- Support Unheard model.

### Feature
- Adapt NPU builds to CANN 8.5 and PyTorch 2.7.1.
- Support MLU backend, currently supports Qwen3 series models.

# Release xllm 0.6.0

### Model Support

- Support Alpha.
"""


def test_release_notes_speak_about_the_release_of_their_section() -> None:
    reading = rule_named(SOURCE, "releases").parse(
        page_of(NOTES, path="docs/project/RELEASE.md"), WORDS
    )
    assert [(f.release, line) for f, line in zip(reading.findings, said(reading), strict=True)] == [
        ("0.9.0", f"supported release-model/alpha/npu [model=alpha {NPU}]"),
        (
            "0.9.0",
            "supported release-model/beta-vl/npu/multimodal-video "
            f"[model=beta-vl {NPU} features=multimodal-video]",
        ),
        (
            "0.9.0",
            "supported release-model/alpha/mlu/int8-w8a8 "
            "[model=alpha hardware=cambricon quantization=int8-w8a8]",
        ),
        ("0.9.0", "supported release-model/unheard/mlu [?]"),
        ("0.9.0", "requires requirement/npu-stack/0.9.0 (requirement) = 8.5"),
        ("0.9.0", "supported release-platform/mlu [hardware=cambricon]"),
        ("0.9.0", "supported release-model/qwen3/mlu [model=qwen3 hardware=cambricon]"),
        ("0.6.0", f"supported release-model/alpha/npu [model=alpha {NPU}]"),
    ]
    assert unknown(reading) == ["model: Unheard"]
    assert {f.evidence for f in reading.findings} == {EvidenceKind.RELEASE_NOTE}


def test_pages_name_images_or_features_without_claims() -> None:
    overview = "# Overview\n\n## Layer\n\n#### PD Separation\n\nText.\n\n#### Other\n"
    reading = rule_named(SOURCE, "features").parse(
        page_of(overview, path="docs/en/features/overview.md"), WORDS
    )
    assert said(reading) == [
        "supported feature-text/disaggregated-prefill (value) = disaggregated-prefill"
    ]
    images = rule_named(SOURCE, "images").parse(
        page_of("Pull xllm/xllm-ai:0.6.0-x86\n", path="docs/en/getting_started/compile.md"), WORDS
    )
    assert said(images) == ["published image/0.6.0-x86 (artefact) = 0.6.0-x86"]


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        ("models", "docs/en/supported_models.md"),
        ("readme", "README.md"),
        ("releases", "RELEASE.md"),
        ("features", "docs/en/features/overview.md"),
        ("images", "docs/en/getting_started/quick_start.md"),
    ],
)
def test_a_page_of_another_shape_is_refused(rule: str, path: str) -> None:
    with pytest.raises(UnexpectedPage):
        rule_named(SOURCE, rule).parse(page_of("# Title\n\nNothing.\n", path=path), WORDS)
