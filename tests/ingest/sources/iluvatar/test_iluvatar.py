"""DeepSparkInference: three shapes of the example tables, the SDK of each release."""

import pytest

from ingest.contract import UnexpectedPage
from ingest.sources.iluvatar import SOURCE
from tests.ingest.sources.said import page_of, rule_named, said, unknown, vocabulary_of

WORDS = vocabulary_of(model={"Alpha-7B": "alpha-7b", "Beta-V 2": "beta-v-2"})
CARD = "hardware=iluvatar"


def read(text: str, *, rule: str = "models", path: str = "README.md") -> list[str]:
    return said(rule_named(SOURCE, rule).parse(page_of(text, path=path, version="26.06"), WORDS))


ROWS = """\
# Models

### 大语言模型（LLM）

| Model | Engine | Supported | IXUCA SDK |
|--|--|--|--|
| Alpha-7B | `vLLM` | [✅](models/a) | dev-only |
| Alpha-7B | `TRT-LLM` | [✅](models/b) | 4.3.0 |
| Alpha-7B | `ixRT` | [✅](models/c) | 4.3.0 |
| Qwen1.5-72B | `TGI` | | 4.3.0 |
| Nobody-9B | `vLLM` | ✅ | 4.3.0 |

| Docker Installer | IXUCA SDK | Introduction |
|--|--|--|
| installer-4.3.0-llm.run | 4.3.0 | LLM |
"""


def test_a_row_names_its_engine_and_its_sdk_and_no_card() -> None:
    reading = rule_named(SOURCE, "models").parse(page_of(ROWS, path="README.md"), WORDS)
    assert said(reading) == [
        f"supported models-vllm/alpha-7b/iluvatar [model=alpha-7b {CARD}]",
        f"supported models-tensorrt-llm/alpha-7b/iluvatar [model=alpha-7b {CARD}]",
        "supported example/alpha-7b/ixrt (value) = ✅",
        f"not-stated models-tgi/qwen1.5/iluvatar [model=qwen1.5 {CARD}]",
        "supported models-vllm/nobody-9b/iluvatar [?]",
        "published image/installer-4.3.0-llm.run (artefact) = installer-4.3.0-llm.run",
    ]
    first = reading.findings[0]
    assert [(c.name, c.value) for c in first.conditions if c.name != "card"] == [
        ("engine of the SDK", "vllm"),
        ("IXUCA SDK", "dev-only"),
    ]
    assert first.links == ("models/a",)
    assert ("model size", "72B") in {(c.name, c.value) for c in reading.findings[3].conditions}
    assert unknown(reading) == ["model: Nobody-9B"]


COLUMNS = """\
# Models

### 大语言模型（LLM）

| Model | vLLM | TGI | IXUCA SDK |
|--|--|--|--|
| Alpha-7B | [✅](models/a) |  | 4.2.0 |

#### 视觉分类

| Model | Prec. | IGIE | IxRT | IXUCA SDK |
|--|--|--|--|--|
| Net | FP16 | ✅ |  | 4.2.0 |
|  | INT8 |  | ✅ | 4.2.0 |
"""


def test_engine_columns_are_read_and_vision_models_are_values() -> None:
    assert read(COLUMNS) == [
        f"supported models-vllm/alpha-7b/iluvatar [model=alpha-7b {CARD}]",
        f"not-stated models-tgi/alpha-7b/iluvatar [model=alpha-7b {CARD}]",
        "supported example/net/igie/fp16 (value) = ✅",
        "not-stated example/net/ixrt/fp16 (value)",
        "not-stated example/net/igie/int8 (value)",
        "supported example/net/ixrt/int8 (value) = ✅",
    ]


OLDEST = """\
# Models

### Large Language Model

<table>
  <tr><th>Models</th><th>vLLM</th><th>TensorRT-LLM</th></tr>
  <tr><td>Alpha-7B</td><td><a href="m/a">Supported</a></td><td>-</td></tr>
</table>
"""


def test_the_oldest_shape_writes_the_word_and_a_dash_states_nothing() -> None:
    assert read(OLDEST) == [
        f"supported models-vllm/alpha-7b/iluvatar [model=alpha-7b {CARD}]",
        f"not-stated models-tensorrt-llm/alpha-7b/iluvatar [model=alpha-7b {CARD}]",
    ]


def test_each_release_has_its_sdk_from_the_table_or_from_the_sentence() -> None:
    table = (
        "# Releasing\n\n| Release Date | Release Version | IXUCA SDK |\n|--|--|--|\n"
        "| Jun 2026 | 26.06 | v4.4.0 |\n"
    )
    assert read(table, rule="releases", path="RELEASE.md") == [
        "supported pairing/ixuca-sdk/26.06 (pairing) = 4.4.0"
    ]
    sentence = "# Notes\n\nDeepSparkInference 24.09 对应天数软件栈 4.1.2 版本。\n"
    assert read(sentence, rule="releases", path="RELEASE.md") == [
        "supported pairing/ixuca-sdk/24.09 (pairing) = 4.1.2"
    ]


@pytest.mark.parametrize(("rule", "path"), [("models", "README.md"), ("releases", "RELEASE.md")])
def test_a_page_of_another_shape_is_refused(rule: str, path: str) -> None:
    with pytest.raises(UnexpectedPage):
        read("# Title\n\n| A | B |\n|--|--|\n| 1 | 2 |\n", rule=rule, path=path)
