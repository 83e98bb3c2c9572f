"""vLLM Kunlun: model tables of three shapes, quantization matrix, devices, README."""

import pytest

from ingest.contract import UnexpectedPage
from ingest.sources.vllm_kunlun import SOURCE
from matrix.domain.levels import Limit, Tier
from tests.ingest.sources.said import page_of, rule_named, said, unknown, vocabulary_of

WORDS = vocabulary_of(
    model={"Alpha": "alpha", "Beta-V2": "beta-v2"},
    feature={"Tensor Parallel": "tensor-parallel", "LoRA": "lora"},
)
CARD = "hardware=kunlun-p800"
MATRIX = "docs/source/user_guide/support_matrix/"


def read(rule: str, text: str, *, path: str, version: str = "v0.11.0") -> list[str]:
    return said(rule_named(SOURCE, rule).parse(page_of(text, path=path, version=version), WORDS))


NEWER = """\
# Supported Models

| Model | Support | INT8(W8A8) | GPTQ(WNA16) | LoRA | Kunlun Graph |
| :-- | :-: | :-: | :-: | :-: | :-: |
| Alpha | ✅ | - | ✅ | | ✅ |
"""
OLDER = """\
# Supported Models

| Model | Support | W8A8 | Piecewise Kunlun Graph | New column |
| :-- | :-- | :-- | :-- | :-- |
| LLama2/3/3.1 | ✅ | | ✅ | ✅ |
| Beta-V2 | 🔜Comming soon | | | |
"""


def test_a_dash_and_a_blank_state_nothing_where_the_page_has_no_legend() -> None:
    assert read("models", NEWER, path=MATRIX + "supported_models.md") == [
        f"supported models/alpha/kunlun-p800 [model=alpha {CARD}]",
        "not-stated models/alpha/int8-w8a8/kunlun-p800 "
        f"[model=alpha quantization=int8-w8a8 {CARD}]",
        "supported models/alpha/gptq-w4a16+gptq-w8a16/kunlun-p800 "
        f"[model=alpha quantization=gptq-w4a16,gptq-w8a16 {CARD}]",
        f"not-stated models/alpha/lora/kunlun-p800 [model=alpha {CARD} features=lora]",
        "supported models/alpha/device-graphs/kunlun-p800 "
        f"[model=alpha {CARD} features=device-graphs]",
    ]


def test_older_columns_keep_their_meaning_and_an_unknown_column_waits_for_review() -> None:
    path = MATRIX + "supported_models.md"
    reading = rule_named(SOURCE, "models").parse(page_of(OLDER, path=path), WORDS)
    assert [line for line in said(reading) if "llama-3.1" in line or "beta" in line] == [
        f"supported models/llama-3.1/kunlun-p800 [model=llama-3.1 {CARD}]",
        "not-stated models/llama-3.1/int8-w8a8/kunlun-p800 "
        f"[model=llama-3.1 quantization=int8-w8a8 {CARD}]",
        "supported models/llama-3.1/device-graphs-piecewise/kunlun-p800 "
        f"[model=llama-3.1 {CARD} features=device-graphs-piecewise]",
        "supported models/llama-3.1/new column/kunlun-p800 [?]",
        f"planned models/beta-v2/kunlun-p800 [model=beta-v2 {CARD}]",
        "not-stated models/beta-v2/int8-w8a8/kunlun-p800 "
        f"[model=beta-v2 quantization=int8-w8a8 {CARD}]",
        "not-stated models/beta-v2/device-graphs-piecewise/kunlun-p800 "
        f"[model=beta-v2 {CARD} features=device-graphs-piecewise]",
        "not-stated models/beta-v2/new column/kunlun-p800 [?]",
    ]
    assert unknown(reading) == ["feature: New column"]


README = """\
# vLLM Kunlun

- [2025/12] 🎉 **v0.11.0rc1 released** — Added Alpha, Beta-V2 support ([Notes](https://e.org))

## Prerequisites

- **Hardware**: Kunlun3 P800
- **OS**: Ubuntu 22.04
- **Software**:
  - Python >=3.10
  - PyTorch ≥ 2.5.1
  - vLLM (same version as vllm-kunlun)

<table>
  <thead><tr><th>Model</th><th>Support</th><th>Quantization</th><th>Note</th></tr></thead>
  <tbody>
    <tr><td>Alpha</td><td>✅</td><td></td><td></td></tr>
    <tr>
      <td>Beta-V2</td>
      <td>⚠️</td>
      <td></td><td><span>coming soon</span></td>
    </tr>
    <tr><td>Alpha</td><td>⚠️</td><td></td><td></td></tr>
  </tbody>
</table>

| Version | Release type | Doc |
|--|--|--|
| v0.11.0 | Latest stable version | here |
"""


def test_the_warning_sign_means_planned_only_beside_the_words_coming_soon() -> None:
    reading = rule_named(SOURCE, "readme").parse(page_of(README, path="README.md"), WORDS)
    assert said(reading) == [
        f"supported platform/kunlun-p800 [{CARD}]",
        "requires requirement/os (requirement) = Ubuntu 22.04",
        "requires requirement/python (requirement) = >=3.10",
        "requires requirement/torch (requirement) = ≥ 2.5.1",
        "requires pairing/same-version (pairing) = same version",
        f"supported readme-models/alpha/kunlun-p800 [model=alpha {CARD}]",
        "not-stated readme-models/alpha/quantization/kunlun-p800 "
        f"[model=alpha {CARD} features=quantization]",
        f"planned readme-models/beta-v2/kunlun-p800 [model=beta-v2 {CARD}]",
        "not-stated readme-models/beta-v2/quantization/kunlun-p800 "
        f"[model=beta-v2 {CARD} features=quantization]",
        "not-stated readme-models/alpha/kunlun-p800 [?]",
        "not-stated readme-models/alpha/quantization/kunlun-p800 "
        f"[model=alpha {CARD} features=quantization]",
        "value readme-models-text/note/beta-v2 (value) = coming soon",
        f"supported news-model/alpha/kunlun-p800 [model=alpha {CARD}]",
        f"supported news-model/beta-v2/kunlun-p800 [model=beta-v2 {CARD}]",
        "released release/0.11.0 (release) = Latest stable version",
    ]
    assert unknown(reading) == ["status: ⚠"]
    place = reading.findings[5].locator
    assert (place.line, place.line_end) == (17, None)
    # A row of several lines is cited from its label to its cell.
    place = reading.findings[7].locator
    assert (place.line, place.line_end) == (19, 20)
    news = [f for f in reading.findings if f.statement.startswith("news-model")]
    assert {f.release for f in news} == {"0.11.0rc1"}


FAQ = """\
# FAQs

Currently, **ONLY** Kunlun3 series(P800) series are supported

Below series are NOT supported yet:

- Kunlun4 series(M100 and M300)
- Kunlun2 series(R200)
- Kunlun1 series

We will support the kunlun4 M100 platform in early 2026.

If you use vllm 0.11.0, you should use vllm-kunlun 0.11.0 as well.

`docker pull wjie520/vllm_kunlun:v0.0.1`
"""


def test_the_faq_refuses_the_series_that_it_lists_and_only_announces_another() -> None:
    reading = rule_named(SOURCE, "devices").parse(
        page_of(FAQ, path="docs/source/faqs.md", version="v0.11.0"), WORDS
    )
    assert said(reading) == [
        f"supported platform/kunlun-p800 [{CARD}]",
        "unsupported platform/kunlun-4 [hardware=kunlun-4]",
        "unsupported platform/kunlun-2 [hardware=kunlun-2]",
        "unsupported platform/kunlun-1 [hardware=kunlun-1]",
        "planned platform-plan/kunlun-m100 (value) = early 2026",
        "supported pairing/0.11.0 (pairing) = 0.11.0",
        "stale image/wjie520/vllm_kunlun/default (artefact) = v0.0.1",
    ]
    refused = [f for f in reading.findings if f.status == "unsupported"]
    assert all(f.limit is Limit.FRAMEWORK and f.note for f in refused)


GUIDE = """\
# Quantization Guide
> Note: This feature is currently experimental.

<table>
  <thead>
    <tr><td colspan="2">Compressed-Tensors (w8a8-Int8)</td>
        <td colspan="2">Weight only (w4a16/w8a16)</td></tr>
    <tr><td>Dynamic</td><td>Static</td><td colspan="2">GPTQ (w4a16/w8a16)</td></tr>
    <tr><td>Dense/MoE</td><td>Dense/MoE</td><td>Dense</td><td>MoE</td></tr>
  </thead>
  <tbody><tr><td>✅</td><td></td><td>✅</td><td>WIP</td></tr></tbody>
</table>

+ AWQ(w4a16) quantization is supported for all LLMs and VLMs.
+ GPTQ (w4a16/w8a16) quantization is supported for all dense models.
"""
GUIDE_PATH = "docs/source/user_guide/feature_guide/quantization.md"


def test_the_quantization_matrix_is_read_through_its_three_header_rows() -> None:
    reading = rule_named(SOURCE, "quantization").parse(page_of(GUIDE, path=GUIDE_PATH), WORDS)
    packed = f"container=compressed-tensors {CARD}"
    assert said(reading) == [
        "supported quantization/int8-w8a8-dynamic/compressed-tensors/kunlun-p800 "
        f"[quantization=int8-w8a8-dynamic {packed}]",
        "not-stated quantization/int8-w8a8-static/compressed-tensors/kunlun-p800 "
        f"[quantization=int8-w8a8-static {packed}]",
        f"supported quantization/gptq-w4a16/kunlun-p800 [quantization=gptq-w4a16 {CARD}]",
        f"supported quantization/gptq-w8a16/kunlun-p800 [quantization=gptq-w8a16 {CARD}]",
        "work-in-progress quantization/gptq-w4a16/moe/kunlun-p800 "
        f"[quantization=gptq-w4a16 {CARD} features=moe]",
        "work-in-progress quantization/gptq-w8a16/moe/kunlun-p800 "
        f"[quantization=gptq-w8a16 {CARD} features=moe]",
        f"supported quantization-bullet/awq-w4a16/kunlun-p800 [quantization=awq-w4a16 {CARD}]",
        f"partial quantization-bullet/gptq-w4a16/kunlun-p800 [quantization=gptq-w4a16 {CARD}]",
        f"partial quantization-bullet/gptq-w8a16/kunlun-p800 [quantization=gptq-w8a16 {CARD}]",
    ]
    tiers = {f.tier for f in reading.findings if f.status == "supported"}
    assert tiers == {Tier.EXPERIMENTAL}
    assert reading.findings[-1].note == "dense models only"


def test_a_guide_without_matrix_or_sentence_is_refused() -> None:
    with pytest.raises(UnexpectedPage, match="support matrix"):
        read("quantization", "# Quantization Guide\n\nSee elsewhere.\n", path=GUIDE_PATH)


def test_a_feature_that_needs_a_test_is_no_yes() -> None:
    text = (
        "## Features\n|Feature|Status|Note|\n|-|-|-|\n|Tensor Parallel|🟢 Functional||\n"
        "|Graph Mode|🟢 Functional||\n|LoRA|⚠️ Need Test|Only LLM models|\n"
    )
    path = MATRIX + "supported_features.md"
    reading = rule_named(SOURCE, "features").parse(page_of(text, path=path), WORDS)
    assert said(reading) == [
        f"supported feature/tensor-parallel/kunlun-p800 [{CARD} features=tensor-parallel]",
        f"supported feature/device-graphs/kunlun-p800 [{CARD} features=device-graphs]",
        f"untested feature/lora/kunlun-p800 [{CARD} features=lora]",
    ]
    assert reading.findings[-1].note == "the page adds: Only LLM models"


def test_published_checkpoints_are_artefacts() -> None:
    text = (
        "<table><thead><tr><th>Category</th><th>Model</th><th>INT8 Address</th></tr></thead>"
        '<tbody><tr><td>A</td><td>Alpha-W8A8</td><td><a href="https://e.org/a.tar">a</a></td>'
        "</tr></tbody></table>\n"
    )
    reading = rule_named(SOURCE, "checkpoints").parse(
        page_of(text, path=MATRIX + "model_list.md"), WORDS
    )
    assert said(reading) == ["published checkpoint/alpha-w8a8 (artefact) = Alpha-W8A8"]
    assert reading.findings[0].links == ("https://e.org/a.tar",)
