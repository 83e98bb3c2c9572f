"""The overview of vLLM's fusions: every cell kept, none a claim."""

from ingest.contract import FindingKind
from ingest.sources.vllm.fusions import read_fusions
from tests.ingest.sources.said import page_of, vocabulary_of

WORDS = vocabulary_of(feature={"fuse_one": "fuse-norm-quant"})
TEXT = """\
## Quick Reference

| Fusion | `PassConfig` flag | Default at | E2E Speedup | Fullgraph | `num_tokens` |
| --- | --- | --- | --- | --- | --- |
| [One + Quant](#one) | `fuse_one` | O1 (ROCm/AITER only) | TBD | No | |

## Support Matrix

| Fusion | SM90 (Hopper) | ROCm |
| --- | --- | --- |
| `fuse_one` | FP8 static | — |
"""


def test_the_overview_is_values_and_a_level_for_one_platform_refuses_no_other() -> None:
    reading = read_fusions(page_of(TEXT, path="docs/design/fusions.md"), WORDS)
    overview = [f for f in reading.findings if f.statement.startswith("fusion-overview")]
    assert {f.kind for f in overview} == {FindingKind.VALUE}
    assert [(f.locator.column, f.status.value, f.value) for f in overview] == [
        ("PassConfig flag", "value", "fuse_one"),
        ("Default at", "value", "O1 (ROCm/AITER only)"),
        ("E2E Speedup", "value", "TBD"),
        ("Fullgraph", "value", "No"),
        ("num_tokens", "not-stated", ""),
    ]
    claims = [f for f in reading.findings if f.kind is FindingKind.COMPATIBILITY]
    assert [f.status.value for f in claims] == ["supported", "unsupported"]
