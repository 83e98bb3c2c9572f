"""Operations of a processor backend: a status each, no claim about any scheme."""

from ingest.contract import FindingKind
from ingest.sources.llama_cpp import SOURCE
from tests.ingest.sources.said import page_of, rule_named, vocabulary_of

PAGE = """\
# ZenDNN

| OS | Status | Verified |
|---|---|---|
| Linux | Support | Some Linux |

| CPU Family | Status | Notes |
|---|---|---|
| Big Core | Support | |

| Operation | Status | Notes |
|---|---|---|
| MUL_MAT | Support | fast |
| ADD | Not supported | |

| DataType | Status | Notes |
|---|---|---|
| FP32 | Support | |
"""


def test_an_operation_has_the_status_that_its_row_states() -> None:
    words = vocabulary_of(hardware={"Big Core": "big-core"}, quantization={"FP32": "fp32"})
    page = page_of(PAGE, path="docs/backend/ZenDNN.md")
    reading = rule_named(SOURCE, "zendnn").parse(page, words)
    operations = [f for f in reading.findings if f.statement.startswith("operation/")]
    assert [(f.locator.row, f.locator.column, f.status.value) for f in operations] == [
        ("MUL_MAT", "Status", "supported"),
        ("MUL_MAT", "Notes", "value"),
        ("ADD", "Status", "unsupported"),
        ("ADD", "Notes", "not-stated"),
    ]
    assert {f.kind for f in operations} == {FindingKind.VALUE}
