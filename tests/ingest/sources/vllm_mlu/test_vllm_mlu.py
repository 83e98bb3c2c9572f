"""vLLM MLU: the README with and without its chapter on requirements."""

import pytest

from ingest.contract import UnexpectedPage
from ingest.sources.vllm_mlu import SOURCE
from tests.ingest.sources.said import page_of, rule_named, said, unknown, vocabulary_of

WORDS = vocabulary_of(model={"Alpha-V3": "alpha-v3"})
CARDS = "hardware=cambricon-mlu370,cambricon-mlu590"
SHORT = """\
### 插件

支持包括但不限于Chunk Prefill、Sleep Mode、New Thing等vLLM原生特性。

[2025.09.29] vllm_mlu day0支持Alpha-V3
"""
LONG = (
    SHORT
    + """
软件环境依赖：Cambricon SDK 25.08，请联系

*NOTE：vllm-mlu仓库仅支持MLU370以上的设备*

docker load -i cambricon_pytorch_container-torch2.7.1-torchmlu1.28.0-ubuntu22.04-py310.tar.gz
"""
)
BRIEF = [
    f"supported feature/chunked-prefill/mlu370-on [{CARDS} features=chunked-prefill]",
    f"supported feature/sleep-mode/mlu370-on [{CARDS} features=sleep-mode]",
    "supported feature/new thing/mlu370-on [?]",
    f"supported news-model/alpha-v3/mlu370-on [model=alpha-v3 {CARDS}]",
]


def test_features_and_news_are_read_and_an_unknown_feature_waits() -> None:
    reading = rule_named(SOURCE, "readme").parse(page_of(SHORT, path="README.md"), WORDS)
    assert said(reading) == BRIEF
    assert unknown(reading) == ["feature: New Thing"]
    news = reading.findings[-1]
    assert [c.name for c in news.conditions] == ["card"]
    assert news.note == "announced on 2025-09-29; no card is named"


def test_requirements_name_the_devices_and_the_stack_of_the_image() -> None:
    reading = rule_named(SOURCE, "readme").parse(page_of(LONG, path="README.md"), WORDS)
    image = "cambricon_pytorch_container-torch2.7.1-torchmlu1.28.0-ubuntu22.04-py310.tar.gz"
    assert said(reading) == [
        *BRIEF,
        "requires requirement/cambricon-sdk (requirement) = 25.08",
        f"supported platform/mlu370-on [{CARDS}]",
        f"published image/cambricon_pytorch_container (artefact) = {image}",
    ]
    assert reading.findings[4].names == {
        "sdk": "Cambricon SDK 25.08",
        "hardware": "MLU",
        "torch": "2.7.1",
        "torch_mlu": "1.28.0",
    }


def test_a_readme_without_the_list_of_features_is_refused() -> None:
    with pytest.raises(UnexpectedPage, match="native features"):
        rule_named(SOURCE, "readme").parse(page_of("# Moved\n", path="README.md"), WORDS)
