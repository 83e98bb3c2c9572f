"""The news of llama.cpp's Ascend page: each line is a statement of its own."""

from ingest.sources.llama_cpp import SOURCE
from tests.ingest.sources.said import page_of, rule_named, said, vocabulary_of

WORDS = vocabulary_of(
    quantization={"Q4_0": "gguf-q4-0", "FP16": "fp16", "Q8_0": "gguf-q8-0"},
    hardware={"Atlas 300T A2": "ascend-atlas-300t-a2"},
    model={"Alpha-7B": "alpha-7b"},
)
TEXT = """\
## News

- 2024.11
  - Support F16 and F32 data type model for Ascend 310P NPU.
- 2024.8
  - Support `Q4_0` and `Q8_0` data type for Ascend NPU.

## OS

| OS | Status | Verified |
|:--:|:------:|:--------:|
| Linux | Support | Ubuntu 22.04 |

| Ascend NPU | Status |
|:----------:|:------:|
| Atlas 300T A2 | Support |

| Model Name | FP16 | Q8_0 | Q4_0 |
|:-----------|:----:|:----:|:----:|
| Alpha-7B | √ | √ | √ |

| DataType | Status |
|:--------:|:------:|
| FP16 | Support |
"""


def test_types_in_the_news_are_supported_where_the_page_tried_them() -> None:
    rule = rule_named(SOURCE, "cann")
    reading = rule.parse(page_of(TEXT, path="docs/backend/CANN.md"), WORDS)
    news = [line for line in said(reading) if " news/" in line]
    untried = "hardware=ascend,-ascend-310b,-ascend-310p,-ascend-910,-ascend-a5"
    assert [line.split("[")[1] for line in news] == [
        "quantization=fp16,fp32 hardware=ascend-310p backend=cann]",
        f"quantization=gguf-q4-0 {untried} backend=cann]",
        f"quantization=gguf-q8-0 {untried} backend=cann]",
    ]
