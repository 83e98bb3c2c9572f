"""dlinfer: both tables, the remarks about single cards, the quantised cache."""

import pytest

from ingest.contract import UnexpectedPage
from ingest.sources.dlinfer import SOURCE
from tests.ingest.sources.said import page_of, places, rule_named, said, vocabulary_of

WORDS = vocabulary_of(model={"Alpha": "alpha", "Beta2": "beta-2"})
A2, DUO, C500 = (
    f"hardware={slug}" for slug in ("ascend-atlas-800t-a2", "ascend-atlas-300i-duo", "metax-c500")
)
NEWER = """\
# 支持

| | | | Atlas 800T A2 | Atlas 800T A2 | Atlas 300I Duo | Maca C500 |
|:-:|:-:|:-:|:-:|:-:|:-:|:-:|
| Model | Size | Type | FP16/BF16(eager) | W8A8(graph) | FP16(graph) | BF/FP16 |
| Alpha | 8B | LLM | Yes | No | - | Yes |
| Beta2 | 7B, 9B | MLLM | No | soon | Yes | |

‘Yes’代表测试通过，‘No’代表不支持，‘-’代表未测试
"""


def read(text: str) -> list[str]:
    return said(rule_named(SOURCE, "readme").parse(page_of(text, path="README.md"), WORDS))


def test_precision_stands_in_the_first_row_and_a_dash_means_untested() -> None:
    reading = rule_named(SOURCE, "readme").parse(page_of(NEWER, path="README.md"), WORDS)
    both = "quantization=bf16,fp16"
    assert said(reading) == [
        f"validated models/alpha/ascend-atlas-800t-a2/bf16+fp16/eager [model=alpha {A2} {both}]",
        "unsupported models/alpha/ascend-atlas-800t-a2/int8-w8a8/acl-graph/graph "
        f"[model=alpha {A2} quantization=int8-w8a8 features=acl-graph]",
        "untested models/alpha/ascend-atlas-300i-duo/fp16/graph "
        f"[model=alpha {DUO} quantization=fp16]",
        f"validated models/alpha/metax-c500/bf16+fp16 [model=alpha {C500} {both}]",
        "unsupported models/beta-2/ascend-atlas-800t-a2/bf16+fp16/eager-mode/eager "
        f"[model=beta-2 {A2} {both} features=eager-mode]",
        "not-stated models/beta-2/ascend-atlas-800t-a2/int8-w8a8/graph "
        f"[model=beta-2 {A2} quantization=int8-w8a8]",
        "validated models/beta-2/ascend-atlas-300i-duo/fp16/graph "
        f"[model=beta-2 {DUO} quantization=fp16]",
        f"not-stated models/beta-2/metax-c500/bf16+fp16 [model=beta-2 {C500} {both}]",
        "legend legend/models/Yes (legend) = tested",
        "legend legend/models/No (legend) = not supported",
        "legend legend/models/- (legend) = not tested",
    ]
    yes = reading.findings[0]
    assert [(c.name, c.value) for c in yes.conditions] == [
        ("model size", "8B"),
        ("eager_mode", "true"),
    ]
    assert [(u.axis, u.word) for u in reading.unknown_words] == [("status", "soon")]
    assert places(reading)[1] == ("Alpha", "Atlas 800T A2 W8A8(graph)", 6)


OLDER = """\
# 支持

|  | |华为Atlas 800T A2 | |沐曦C500 | 寒武纪云端智能加速卡（开发中） |
| --- | --- | --- | --- | --- | --- |
|  | bf16(eager) | w4a16(eager) | bf16(graph) |   |   |
| Llama3(.1)-8B | √ | X | - | √  |  |
"""


def test_a_column_of_a_whole_vendor_is_bound_to_a_card_that_is_not_named() -> None:
    text = "| | | Cambricon |\n|:-:|:-:|:-:|\n| Model | Size | BF/FP16 |\n| Alpha | 8B | Yes |\n"
    reading = rule_named(SOURCE, "readme").parse(page_of(text, path="README.md"), WORDS)
    assert said(reading) == [
        "validated models/alpha/cambricon/bf16+fp16 "
        "[model=alpha hardware=cambricon quantization=bf16,fp16]"
    ]
    assert [c.name for c in reading.findings[0].conditions] == ["model size", "card"]


def test_the_older_table_has_its_card_in_the_middle_of_three_columns() -> None:
    lines = read(OLDER)
    assert [line for line in lines if "llama-3.1" in line] == [
        f"validated models/llama-3.1/ascend-atlas-800t-a2/bf16/eager [model=llama-3.1 {A2} "
        "quantization=bf16]",
        "unsupported models/llama-3.1/ascend-atlas-800t-a2/int4-w4a16/eager-mode/eager "
        f"[model=llama-3.1 {A2} quantization=int4-w4a16 features=eager-mode]",
        f"untested models/llama-3.1/ascend-atlas-800t-a2/bf16/graph [model=llama-3.1 {A2} "
        "quantization=bf16]",
        f"validated models/llama-3.1/metax-c500 [model=llama-3.1 {C500}]",
        "not-stated models/llama-3.1/cambricon [model=llama-3.1 hardware=cambricon]",
    ]
    assert lines[-1] == "planned remark/cambricon [hardware=cambricon]"


REMARKS = """\
# 安装

- Atlas 800T A3:
  `docker pull e.org/lmdeploy_dlinfer/ascend:a3-latest`
  （Atlas 800T A3目前只支持Qwen系列的算子模式下运行）
- Atlas 300I Duo:
  （Atlas 300I Duo目前只支持非eager模式）

目前只有华为的Atlas 800T A2与300I Duo支持pip安装。

## 源码安装

### 华为Atlas 800T A2/A3/300I Duo

### 寒武纪云端智能加速卡

| | | Atlas 800T A2 |
|:-:|:-:|:-:|
| Model | Size | FP16(graph) |

寒武纪环境下必须把`PytorchEnginConfig`中的`block_size`设为`16`。

图模式已经支持除了昇腾A3之外的所有硬件。
"""


def test_remarks_restrict_single_cards() -> None:
    reading = rule_named(SOURCE, "readme").parse(page_of(REMARKS, path="README.md"), WORDS)
    a3 = "hardware=ascend-atlas-800t-a3"
    assert said(reading) == [
        f"supported platform/ascend-atlas-800t-a2 [{A2}]",
        f"supported platform/ascend-atlas-300i-duo [{DUO}]",
        "supported platform/cambricon [hardware=cambricon]",
        f"unsupported remark/ascend-atlas-300i-duo/eager-mode [{DUO} features=eager-mode]",
        f"partial remark/ascend-atlas-800t-a3 [{a3}]",
        f"supported remark/ascend-atlas-800t-a2/acl-graph [{A2} features=acl-graph]",
        f"supported remark/ascend-atlas-300i-duo/acl-graph [{DUO} features=acl-graph]",
        f"supported remark/metax-c500/device-graphs [{C500} features=device-graphs]",
        f"unsupported remark/ascend-atlas-800t-a3/acl-graph [{a3} features=acl-graph]",
        f"supported remark/ascend-atlas-800t-a2/binary-wheels [{A2} features=binary-wheels]",
        f"supported remark/ascend-atlas-300i-duo/binary-wheels [{DUO} features=binary-wheels]",
        "requires requirement/block-size/寒武纪 (requirement) = 16",
        "published image/ascend/a3-latest (artefact) = ascend:a3-latest",
    ]
    assert [c.name for c in reading.findings[2].conditions] == ["card"]


def test_the_quantised_cache_is_partial_and_its_pins_are_kept() -> None:
    text = "# KV\n\n目前在华为Atlas 800T A2设备，仅支持离线量化。\n\ntorch==2.1.0\n"
    reading = rule_named(SOURCE, "kv-quantization").parse(
        page_of(text, path="docs/quant/ascend_kv_quant.md"), WORDS
    )
    assert said(reading) == [
        f"partial kv-quantization/kv-int8/ascend-atlas-800t-a2 [kv_dtype=kv-int8 {A2}]",
        "pinned requirement/torch (requirement) = 2.1.0",
    ]


@pytest.mark.parametrize(
    ("rule", "path"),
    [("readme", "README.md"), ("kv-quantization", "docs/quant/ascend_kv_quant.md")],
)
def test_a_page_of_another_shape_is_refused(rule: str, path: str) -> None:
    with pytest.raises(UnexpectedPage):
        rule_named(SOURCE, rule).parse(page_of("# Title\n\nNothing.\n", path=path), WORDS)
