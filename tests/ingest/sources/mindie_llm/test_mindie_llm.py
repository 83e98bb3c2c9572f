"""Models, features, pairings and installation pages of MindIE LLM (in Chinese)."""

import pytest

from ingest.contract import Reading, UnexpectedPage
from ingest.sources.mindie_llm import SOURCE
from ingest.sources.mindie_llm.words import read_places
from matrix.domain.levels import Axis, EvidenceKind, Limit, NumberAxis
from tests.ingest.sources.said import page_of, places, rule_named, said, unknown, vocabulary_of

WORDS = vocabulary_of(
    model={
        "Alpha-8B": "acme--alpha-8b",
        "Beta-V3": "beta-v3",
        "Gamma-7B": "gamma",
        "acme/gamma-7b1": "acme--gamma-7b1",
        "Delta-32B": "acme--delta-32b-instruct, acme--delta-32b-thinking",
        "acme/Delta-32B-Instruct": "acme--delta-32b-instruct",
        "DeepSeek-V3.2": "deepseek-v3.2",
    },
    feature={"MTP": "mtp", "Expert Parallel": "expert-parallel"},
)


def read(rule: str, text: str, *, path: str = "README.md", version: str = "3.0.0") -> Reading:
    return rule_named(SOURCE, rule).parse(page_of(text, path=path, version=version), WORDS)


GREEN = '<span style="font-size:1.4em;color:green">●</span>'
ORANGE = '<span style="font-size: 1.4em; color: #FFA500;">●</span>'
LEGEND = f"""\
> **图例说明**
>
> - **{GREEN}**：充分验证支持
> - **{ORANGE}**：仅功能支持
> - ✅：支持该列的特性
> - ❌：不支持该列特性
"""
HEADER = """\
| 模型 | Support | 最大上下文长度 | W8A8 | LoRA | aclgraph | 硬件规格 | Hugging Face 链接 |
|:---|:---:|:---:|:---:|:---:|:---:|:---|:---|
"""
MODELS = f"""\
# 支持模型列表

{LEGEND}
## 文本生成模型

{HEADER}\
| Alpha-8B | {GREEN} | 128k | ✅ | ❌ | ❌ | Atlas 800I A2：1/2/4卡（推荐2卡）<br>\
Atlas 800I A3：待测试<br>Atlas 300I Duo：不支持 | [acme/Alpha-8B](https://example.org/a) |
| Gamma-7B | {ORANGE} | 4k | ✅ | ❌ | ✅ | Atlas 800I A2：16卡 | [acme/gamma-7b1](h) |
"""


def test_colour_products_and_card_counts_say_what_the_list_says() -> None:
    reading = read("models", MODELS)
    assert said(reading) == [
        "validated model-hardware/acme--alpha-8b/ascend-atlas-800i-a2"
        " [model=acme--alpha-8b hardware=ascend-atlas-800i-a2]",
        "untested model-hardware/acme--alpha-8b/ascend-atlas-800i-a3"
        " [model=acme--alpha-8b hardware=ascend-atlas-800i-a3]",
        "unsupported model-hardware/acme--alpha-8b/ascend-atlas-300i-duo"
        " [model=acme--alpha-8b hardware=ascend-atlas-300i-duo]",
        "supported model-quantization-hardware/acme--alpha-8b/int8-w8a8/ascend-atlas-800i-a2"
        " [model=acme--alpha-8b quantization=int8-w8a8 hardware=ascend-atlas-800i-a2]",
        "unsupported model-feature-hardware/acme--alpha-8b/lora/ascend"
        " [model=acme--alpha-8b hardware=ascend features=lora]",
        "unsupported model-feature-hardware/acme--alpha-8b/acl-graph/ascend"
        " [model=acme--alpha-8b hardware=ascend features=acl-graph]",
        "validated support/alpha-8b (value) = green",
        "value 最大上下文长度/alpha-8b (value) = 128k",
        "value hugging-face-链接/alpha-8b (value) = acme/Alpha-8B",
        "partial model-hardware/acme--gamma-7b1/ascend-atlas-800i-a2"
        " [model=acme--gamma-7b1 hardware=ascend-atlas-800i-a2 hardware_count>=16]",
        "supported model-quantization-hardware/acme--gamma-7b1/int8-w8a8/ascend-atlas-800i-a2"
        " [model=acme--gamma-7b1 quantization=int8-w8a8 hardware=ascend-atlas-800i-a2]",
        "unsupported model-feature-hardware/acme--gamma-7b1/lora/ascend"
        " [model=acme--gamma-7b1 hardware=ascend features=lora]",
        "supported model-feature-hardware/acme--gamma-7b1/acl-graph/ascend-atlas-800i-a2"
        " [model=acme--gamma-7b1 hardware=ascend-atlas-800i-a2 features=acl-graph]",
        "partial support/gamma-7b (value) = #ffa500",
        "value 最大上下文长度/gamma-7b (value) = 4k",
        "value hugging-face-链接/gamma-7b (value) = acme/gamma-7b1",
        "legend legend/models/validated (legend) = validated",
        "legend legend/models/functional-only (legend) = functional-only",
        "legend legend/models/supported (legend) = supported",
        "legend legend/models/unsupported (legend) = unsupported",
    ]
    first, functional = reading.findings[0], reading.findings[9]
    assert first.note == "on 1, 2 or 4 cards, 2 advised"
    assert functional.note == "works functionally; not fully validated; on 16 cards"
    assert functional.scope is not None
    span = functional.scope.numbers[NumberAxis.HARDWARE_COUNT]
    assert (span.minimum, span.maximum) == (16, 16)
    assert reading.findings[2].limit is Limit.FRAMEWORK
    assert ("Alpha-8B", "硬件规格", 14) in places(reading)
    assert unknown(reading) == []


def test_a_row_speaks_about_the_checkpoints_that_it_links() -> None:
    text = MODELS.replace("| Alpha-8B |", "| Delta-32B |").replace(
        "[acme/Alpha-8B](https://example.org/a)", "[acme/Delta-32B-Instruct](https://example.org/d)"
    )
    reading = read("models", text)
    assert {m for f in reading.findings if f.scope and f.names.get("model") == "Delta-32B"
            for m in f.scope.nodes[Axis.MODEL].include} == {"acme--delta-32b-instruct"}  # fmt: skip


@pytest.mark.parametrize(
    ("line", "counts", "advised"),
    [
        ("Atlas 800I A2：1/2/4/8卡（推荐2卡）", (1, 2, 4, 8), 2),
        ("Atlas 800I A2: 4/8卡(推荐4卡)", (4, 8), 4),
        ("Atlas 800I A2：1/2/4（推荐2卡）", (1, 2, 4), 2),
        ("Atlas 300I Duo：4卡8芯", (4,), None),
        ("Atlas 800I A3：1卡", (1,), None),
    ],
)
def test_card_counts_are_read_in_every_spelling(
    line: str, counts: tuple[int, ...], advised: int | None
) -> None:
    (place,) = read_places(line)
    assert (place.known, place.counts, place.advised) == (True, counts, advised)


def test_an_unknown_colour_product_or_count_waits_for_review() -> None:
    text = MODELS.replace(GREEN + " | 128k", '<span style="color:blue">●</span> | 128k')
    text = text.replace("Atlas 300I Duo：不支持", "Atlas 900：2卡<br>Atlas 800I A3：许多卡")
    reading = read("models", text)
    assert unknown(reading) == [
        "status: ● blue",
        "hardware: Atlas 900 2卡",
        "hardware: Atlas 800I A3 许多卡",
    ]
    states = [line for line in said(reading) if line.split()[1].startswith("model-hardware")]
    assert states[0].startswith("not-stated")
    assert states[2].endswith("[?]")
    assert states[3].endswith("[?]")


FEATURES = """\
# 特性列表

<table>
<tr><th>大类</th><th>特性</th><th>简介</th><th>价值</th></tr>
<tr><td rowspan="2">基础特性</td><td>Multi-Lora</td><td><a href="./l.md">L</a></td><td>v</td></tr>
<tr><td>W8A8 量化</td><td>说明</td><td>v</td></tr>
</table>

# 特性叠加矩阵

- ✅ = 完全兼容
- ❌ = 不兼容
- ❔ = 待定

## DeepSeek 模型

| 特性 | 异步调度 | MTP | W8A8 量化 |
| :--: | :--: | :--: | :--: |
| 异步调度 | ✅ |
| MTP | ❌ | ✅ |
| W8A8 量化 | ✅ | ❔ | ✅ |

## Qwen 模型

| 特性 | 负载均衡 (仅支持 Qwen-MoE) | MTP |
| :--: | :--: | :--: |
| 负载均衡 | ✅ |
| MTP | ✅ | ❌ | ✅ |
"""
DEEPSEEK = "model=deepseek-r1,deepseek-v3,deepseek-v3.1"
SERVERS = "hardware=ascend-atlas-800i-a2,ascend-atlas-800i-a3"
PLACES = "ascend-atlas-800i-a2+ascend-atlas-800i-a3"


def test_features_are_listed_and_pairs_stand_in_a_triangle() -> None:
    reading = read("features", FEATURES)
    lines = [line for line in said(reading) if not line.startswith(("inherits", "legend"))]
    assert lines == [
        f"supported feature-hardware/multi-lora/{PLACES} [{SERVERS} features=multi-lora]",
        f"supported feature-hardware/int8-w8a8/{PLACES} [quantization=int8-w8a8 {SERVERS}]",
        f"supported feature-pair-deepseek/async-scheduling/async-scheduling/deepseek/{PLACES} [?]",
        "unsupported feature-pair-deepseek/mtp/async-scheduling/deepseek/ascend"
        f" [{DEEPSEEK} hardware=ascend features=async-scheduling+mtp]",
        f"supported feature-pair-deepseek/mtp/mtp/deepseek/{PLACES} [?]",
        f"supported feature-pair-deepseek/int8-w8a8/async-scheduling/deepseek/{PLACES}"
        f" [quantization=int8-w8a8 {DEEPSEEK} {SERVERS} features=async-scheduling]",
        f"unknown feature-pair-deepseek/int8-w8a8/mtp/deepseek/{PLACES}"
        f" [quantization=int8-w8a8 {DEEPSEEK} {SERVERS} features=mtp]",
        f"supported feature-pair-deepseek/int8-w8a8/int8-w8a8/deepseek/{PLACES} [?]",
        f"supported feature-pair-qwen/eplb/eplb/qwen/{PLACES} [?]",
        f"supported feature-pair-qwen/mtp/eplb/qwen/{PLACES} [?]",
        "unsupported feature-pair-qwen/mtp/mtp/qwen/ascend [?]",
    ]
    legends = [line for line in said(reading) if line.startswith("legend")]
    assert [line.rsplit(" ", 1)[-1] for line in legends] == ["compatible", "incompatible", "open"]


def test_a_row_with_a_cell_too_many_makes_no_claim() -> None:
    crooked = [f for f in read("features", FEATURES).findings if f.note.startswith("the row has")]
    assert [f.locator.row for f in crooked] == ["MTP", "MTP"]
    assert {f.scope for f in crooked} == {None}


def test_load_balancing_is_stated_for_the_mixture_of_experts_models_only() -> None:
    text = FEATURES.replace("| MTP | ✅ | ❌ | ✅ |", "| MTP | ✅ | ❌ |")
    pair = next(line for line in said(read("features", text)) if "qwen/mtp/eplb" in line)
    assert f"[model=qwen3-moe {SERVERS} features=eplb+mtp]" in pair


README = """\
## 版本说明

| MindIE 软件版本&nbsp;&nbsp;| CANN 版本兼容性&nbsp;|
|:---|:---|
| 2.3.0 | 8.5.0 |
"""
PACKAGES = """\
# 准备软件包和依赖

|MindIE|CANN|Ascend Extension for Pytorch|
|---|---|---|
|3.0.0|8.5.1|7.3.0（推荐）|

> [!NOTE]说明
> DeepSeek-V3.2不支持torch、torch_npu 2.1.0。
"""


def test_releases_are_paired_with_their_toolkits() -> None:
    assert said(read("pairings", README)) == ["supported pairing/2.3.0/cann (pairing) = 8.5.0"]
    reading = read("packages", PACKAGES)
    assert said(reading) == [
        "supported pairing/3.0.0/cann (pairing) = 8.5.1",
        "supported pairing/3.0.0/torch_npu (pairing) = 7.3.0（推荐）",
        "unsupported model-torch/deepseek-v3.2 [model=deepseek-v3.2]",
    ]
    assert [(c.name, c.op, c.value) for c in reading.findings[2].conditions] == [
        ("torch", "=", "2.1.0")
    ]


NOTES = """\
# 版本配套说明

## 产品版本信息

<table><tbody>
<tr><th>产品名称</th><td><p>MindIE</p></td></tr>
<tr><th>产品版本</th><td><p>3.0.0</p></td></tr>
<tr><th>版本类型</th><td><p>正式版本</p></td></tr>
<tr><th>维护周期</th><td><p>三个月</p></td></tr>
</tbody></table>

## 相关产品版本配套说明

<table><thead><tr><th>产品名称</th><th>版本</th></tr></thead><tbody>
<tr><td>CANN</td><td>8.5.1.B080</td></tr>
<tr><td>Teapot</td><td>1.0</td></tr>
</tbody></table>

# 3.0.0 更新说明

## 新增特性

<table><tr><th>编号</th><th>特性</th><th>具体内容</th></tr>
<tr><td>1</td><td>功能</td><td>新增response_format结构化输出能力</td></tr></table>

## 删除特性

<table><tr><th>编号</th><th>特性</th><th>详细</th></tr>
<tr><td>1</td><td>推理后端</td><td>仓已删除适配MindSpore后端的相关代码</td></tr></table>

## 日落特性

<table><tr><th>编号</th><th>特性</th><th>详细</th></tr>
<tr><td>1</td><td>量化</td><td>W4A16量化特性。</td></tr>
<tr><td>2</td><td>模型</td><td>以下模型将日落：Alpha、Qwen系列</td></tr></table>
"""


def test_release_notes_state_period_pairings_and_what_comes_and_goes() -> None:
    reading = read("releases", NOTES, path="docs/zh/release_notes.md")
    assert said(reading) == [
        "value product-version (value) = 3.0.0",
        "released release/3.0.0 (release) = 3.0.0",
        "policy policy/maintenance-period (policy) = three months",
        "supported pairing/3.0.0/cann (pairing) = 8.5.1.B080",
        "supported pairing/3.0.0/teapot (pairing) = 1.0",
        "supported added/structured-output [features=structured-output]",
        "removed removed/mindspore (value) = MindSpore",
        "deprecated ending/int4-w4a16 [quantization=int4-w4a16]",
        "deprecated ending/alpha (value) = Alpha",
        "deprecated ending/qwen系列 (value) = Qwen系列",
    ]
    assert {f.evidence for f in reading.findings} == {EvidenceKind.RELEASE_NOTE}
    assert unknown(reading) == ["component: Teapot"]


INSTALLATION = """\
# 安装指南

| **硬件** | **操作系统** |
|---|---|
| Atlas 800I A2 推理服务器 | AArch64：<br>Ubuntu 24.04 |
| Atlas 300I Duo 推理卡 + Atlas 800 推理服务器（型号 3000）| AArch64 |
| Atlas 5 | AArch64 |

| 软件 | 版本 |
|---|---|
| Python | 3.10 ~ 3.11 |
| Cmake | 版本不能低于 3.19 |
| GCC | 需支持 C++17 标准 |
"""


def test_the_installation_pages_list_products_and_software() -> None:
    reading = read("installation", INSTALLATION)
    assert said(reading) == [
        "supported platform/ascend-atlas-800i-a2 [hardware=ascend-atlas-800i-a2]",
        "supported platform/ascend-atlas-300i-duo [hardware=ascend-atlas-300i-duo]",
        "supported platform/atlas 5 [?]",
        "range requirement/python (requirement) = 3.10 ~ 3.11",
        "requires requirement/cmake (requirement) = 版本不能低于 3.19",
        "not-stated requirement/gcc (requirement) = 需支持 C++17 标准",
    ]
    assert unknown(reading) == ["hardware: Atlas 5"]


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("models", MODELS.replace("硬件规格", "硬件")),
        ("models", MODELS.replace("仅功能支持", "未验证")),
        ("models", MODELS.replace(f"**{GREEN}**", f"**{ORANGE}**")),
        ("models", "# 支持模型列表\n\n无。\n"),
        ("features", FEATURES.replace("## DeepSeek 模型", "## Yi 模型")),
        ("features", FEATURES.replace("❌ = 不兼容", "❌ = 未测试")),
        ("features", "# 特性列表\n\n无。\n"),
        ("packages", "# 准备软件包\n\n无。\n"),
        ("releases", "# 版本配套说明\n\n无。\n"),
        ("installation", "# 安装指南\n\n无。\n"),
    ],
)
def test_a_page_of_another_shape_is_refused(rule: str, text: str) -> None:
    with pytest.raises(UnexpectedPage):
        read(rule, text)
