"""Hygon cookbook: one model table for two engines, recipes, images."""

import pytest

from ingest.contract import FindingKind, UnexpectedPage
from ingest.sources.hygon import SGLANG_SOURCE, VLLM_SOURCE
from matrix.domain.coordinates import NumberRange
from matrix.domain.levels import NumberAxis
from tests.ingest.sources.said import page_of, places, rule_named, said, vocabulary_of

WORDS = vocabulary_of(
    model={"Alpha-3": "alpha-3", "Alpha-Org/Alpha-3-8B": "alpha-org--alpha-3-8b", "Beta": "beta"},
    hardware={"K100_AI": "hygon-k100-ai", "BW1000": "hygon-bw1000", "BW1100": "hygon-bw1100"},
)
README = """\
# Cookbook

✅ 已验证 &nbsp;|&nbsp; 🚧 开发中 &nbsp;|&nbsp; `-` 暂未验证

<table>
  <tr><td><b>厂商</b></td><td><b>模型</b></td><td><b>框架</b></td>
    <td><b>K100_AI</b></td><td><b>BW1000</b></td><td><b>BW1100</b></td></tr>
  <tbody>
    <tr><td rowspan="3">Org</td><td rowspan="3">Alpha-3</td><td>vLLM</td>
      <td>-</td><td><a href="docs/a.md">✅</a></td><td>🚧</td></tr>
    <tr><td>SGLang</td><td>🚧</td><td>?</td><td>✅</td></tr>
    <tr><td>Infinity</td><td>-</td><td>✅</td><td>-</td></tr>
    <tr><td>Org</td><td>Qwen2-72B</td><td>vLLM</td><td>-</td><td>✅</td><td>-</td></tr>
  </tbody>
</table>
"""
LEGEND = [
    "legend legend/models/✅ (legend) = validated",
    "legend legend/models/🚧 (legend) = in development",
    "legend legend/models/`-` (legend) = not validated yet",
]


def test_rows_of_one_engine_claim_nothing_about_the_other() -> None:
    page = page_of(README, path="README.md", version="main-1")
    vllm = rule_named(VLLM_SOURCE, "models").parse(page, WORDS)
    assert said(vllm) == [
        "untested models/alpha-3/hygon-k100-ai [model=alpha-3 hardware=hygon-k100-ai]",
        "validated models/alpha-3/hygon-bw1000 [model=alpha-3 hardware=hygon-bw1000]",
        "planned models/alpha-3/hygon-bw1100 [model=alpha-3 hardware=hygon-bw1100]",
        "untested models-infinity/alpha-3/k100_ai (value) = -",
        "validated models-infinity/alpha-3/bw1000 (value) = ✅",
        "untested models-infinity/alpha-3/bw1100 (value) = -",
        "untested models/qwen2/hygon-k100-ai [model=qwen2 hardware=hygon-k100-ai]",
        "validated models/qwen2/hygon-bw1000 [model=qwen2 hardware=hygon-bw1000]",
        "untested models/qwen2/hygon-bw1100 [model=qwen2 hardware=hygon-bw1100]",
        *LEGEND,
    ]
    sglang = rule_named(SGLANG_SOURCE, "models").parse(page, WORDS)
    assert said(sglang) == [
        "planned models/alpha-3/hygon-k100-ai [model=alpha-3 hardware=hygon-k100-ai]",
        "not-stated models/alpha-3/hygon-bw1000 [model=alpha-3 hardware=hygon-bw1000]",
        "validated models/alpha-3/hygon-bw1100 [model=alpha-3 hardware=hygon-bw1100]",
        *LEGEND,
    ]
    assert [(u.axis, u.word) for u in sglang.unknown_words] == [("status", "?")]
    assert vllm.findings[1].links == ("docs/a.md",)
    assert [(c.name, c.value) for c in vllm.findings[7].conditions] == [("model size", "72B")]
    assert places(vllm)[0] == ("Alpha-3", "K100_AI", 10)


RECIPES = """\
# Alpha on vLLM

| 模型权重 | 量化方式 | vLLM 版本 | 推荐硬件 | 卡数 | 部署方式 | 启动命令 |
| -- | -- | -- | -- | -- | -- | -- |
| [Alpha-Org/Alpha-3-8B](https://e.org/a) | BF16 | 0.21 | BW1000 | 1 | IFB | [`>_`](#a) |
|  | BF16 | [0.18](../docker_images.md) | K100_AI | 2x | PP2+TP8 | [`>_`](#b) |
| [hygon/Alpha-3-Channel-INT8-w8a8](https://e.org/b) | INT8 W8A8 | 0.15 | BW1100 | 24 | 1P1D | x |
| Beta | NEW8 | 0.15 | BW1100 | some | IFB | x |
"""


def test_a_recipe_holds_for_its_card_count_and_engine_version() -> None:
    page = page_of(RECIPES, path="docs/model-deployment/vllm/alpha.md", version="main-1")
    reading = rule_named(VLLM_SOURCE, "recipes").parse(page, WORDS)
    assert said(reading)[::2] == [
        "supported recipe/alpha-org--alpha-3-8b/bf16/hygon-bw1000/0.21/1/ifb "
        "[model=alpha-org--alpha-3-8b quantization=bf16 hardware=hygon-bw1000 hardware_count>=1]",
        "supported recipe/alpha-org--alpha-3-8b/bf16/hygon-k100-ai/0.18/2/pp2+tp8 "
        "[model=alpha-org--alpha-3-8b quantization=bf16 hardware=hygon-k100-ai "
        "hardware_count>=2 pipeline_parallel>=2 tensor_parallel>=8]",
        "supported recipe/alpha-3/int8-w8a8/hygon-bw1100/disaggregated-prefill/0.15/24/1p1d "
        "[model=alpha-3 quantization=int8-w8a8 hardware=hygon-bw1100 "
        "features=disaggregated-prefill hardware_count>=24]",
        "supported recipe/beta/new8/hygon-bw1100/0.15/some/ifb [?]",
    ]
    assert said(reading)[1::2] == [
        "supported deployment/alpha-org/alpha-3-8b/BF16/BW1000/0.21/1/IFB (deployment) = cards=1",
        "supported deployment/alpha-org/alpha-3-8b/BF16/K100_AI/0.18/2x/PP2+TP8 "
        "(deployment) = cards=2",
        "supported deployment/hygon/alpha-3-channel-int8-w8a8/INT8 W8A8/BW1100/0.15/24/1P1D "
        "(deployment) = cards=24",
        "supported deployment/beta/NEW8/BW1100/0.15/some/IFB (deployment)",
    ]
    first = reading.findings[0]
    assert first.scope is not None
    assert first.scope.numbers[NumberAxis.HARDWARE_COUNT] == NumberRange(1, 1)
    assert [(c.name, c.value) for c in first.conditions] == [("vllm", "0.21")]
    assert [(u.axis, u.word) for u in reading.unknown_words] == [("quantization", "NEW8")]


IMAGES = """\
\ufeff| 框架 | 版本号 | 推荐镜像 |
| --- | --- | --- |
| vLLM | 0.18 | `docker pull e.org:5443/base/vllm:0.18.1-ubuntu22.04-dtk26.04-py3.10` |
| SGLang |0.5.10| `docker pull e.org:5443/base/sglang:0.5.10rc0-ubuntu22.04-dtk26.04-py3.10` |
"""


def test_images_are_read_behind_a_byte_order_mark_and_name_the_toolkit() -> None:
    page = page_of(IMAGES, path="docs/model-deployment/docker_images.md", version="main-1")
    reading = rule_named(VLLM_SOURCE, "images").parse(page, WORDS)
    assert said(reading) == [
        "published image/vllm/0.18 (artefact) = vllm:0.18.1-ubuntu22.04-dtk26.04-py3.10"
    ]
    found = reading.findings[0]
    assert (found.names["dtk"], found.names["python"]) == ("26.04", "3.10")
    assert found.kind is FindingKind.ARTEFACT
    other = rule_named(SGLANG_SOURCE, "images").parse(page, WORDS)
    assert [f.names["framework"] for f in other.findings] == ["SGLang 0.5.10"]


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        ("models", "README.md"),
        ("recipes", "docs/model-deployment/vllm/alpha.md"),
        ("images", "docs/model-deployment/docker_images.md"),
    ],
)
def test_a_page_of_another_shape_is_refused(rule: str, path: str) -> None:
    with pytest.raises(UnexpectedPage):
        rule_named(VLLM_SOURCE, rule).parse(page_of("# Title\n\nNothing.\n", path=path), WORDS)
