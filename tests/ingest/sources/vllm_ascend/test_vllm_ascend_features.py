"""Features of vLLM Ascend, and which of them go together."""

import pytest

from ingest.contract import Reading, UnexpectedPage
from ingest.sources.vllm_ascend import SOURCE
from tests.ingest.sources.said import page_of, rule_named, said, unknown, vocabulary_of

WORDS = vocabulary_of(
    feature={
        "Chunked Prefill": "chunked-prefill",
        "Pooling": "pooling",
        "Quantization": "quantization",
        "Async Scheduling": "async-scheduling",
        "TP": "tensor-parallel",
        "Context Parallel": "context-parallel",
        "Tensor Parallel": "tensor-parallel",
    },
    quantization={"Quantization W8A8": "int8-w8a8"},
)
BOTH = "hardware=ascend-a2,ascend-a3"


def read(rule: str, text: str) -> Reading:
    return rule_named(SOURCE, rule).parse(page_of(text, path="docs/p.md"), WORDS)


FEATURES = """\
# Supported Features

| Feature | Status | Next Step |
|---|---|---|
| Chunked Prefill | 🟢 Functional | CI needed |
| Pooling | 🟡 Planned | v0.9.1 doesn't support pooling. |
| Quantization | 🟢 Functional | W8A8 available; more to come |
| Tensor Parallel | 🔵 Experimental | |
| Magic | 🟣 Odd | |

- 🟢 Functional: Fully operational.
- 🔵 Experimental: Interfaces may change.
- 🚧 WIP: Under active development.
- 🟡 Planned: Scheduled.
- 🔴 NO plan/Deprecated: No plan.
"""


def test_features_have_the_state_of_the_page_and_what_is_next() -> None:
    reading = read("features", FEATURES)
    assert said(reading)[:11] == [
        "supported feature-hardware/chunked-prefill/ascend-a2+ascend-a3"
        f" [{BOTH} features=chunked-prefill]",
        "value next-step/chunked-prefill (value) = CI needed",
        "planned feature-hardware/pooling/ascend [hardware=ascend features=pooling]",
        "value next-step/pooling (value) = v0.9.1 doesn't support pooling.",
        "supported feature-hardware/quantization/ascend-a2+ascend-a3"
        f" [{BOTH} features=quantization]",
        "value next-step/quantization (value) = W8A8 available; more to come",
        "supported quantization-hardware/int8-w8a8/ascend-a2+ascend-a3"
        f" [quantization=int8-w8a8 {BOTH}]",
        "experimental feature-hardware/tensor-parallel/ascend-a2+ascend-a3"
        f" [{BOTH} features=tensor-parallel]",
        "not-stated next-step/tensor-parallel (value)",
        "not-stated feature-hardware/magic/ascend [?]",
        "not-stated next-step/magic (value)",
    ]
    assert reading.findings[0].note == "not yet covered by continuous tests"
    assert unknown(reading) == ["status: 🟣 Odd", "feature: Magic"]
    assert len([line for line in said(reading) if line.startswith("legend")]) == 5


def test_columns_are_found_by_their_names() -> None:
    turned = "\n".join(
        "|{2}|{3}|{1}|".format(*line.split("|")) if line.startswith("|") else line
        for line in FEATURES.splitlines()
    )
    assert said(read("features", turned)) == said(read("features", FEATURES))


PAIRS = """\
# Feature Matrix

- ✅ = Full compatibility
- 🟠 = Partial compatibility
- ❌ = No compatibility
- ❔ = Unknown or TBD

| Feature | Async Scheduling | Context Parallel | TP | Quantization W8A8 |
|---|---|---|---|---|
| Async Scheduling | ✅ | | | |
| [Context Parallel](https://example.org/cp) | ❌ | ✅ | | |
| TP | ✅ | 🟠<sup>1</sup> | ✅ | |
| Quantization W8A8 | ❔ | 🟠 | ✅ | ✅ |

- <sup>1</sup> Only dcp supports dp while pcp does not support dp.
"""


def test_the_lower_triangle_states_pairs_and_the_upper_repeats_them() -> None:
    reading = read("feature-pairs", PAIRS)
    pairs = [line for line in said(reading) if not line.startswith(("inherits", "legend"))]
    assert pairs == [
        "supported feature-pair/async-scheduling/async-scheduling/ascend-a2+ascend-a3 [?]",
        "unsupported feature-pair/context-parallel/async-scheduling/ascend"
        " [hardware=ascend features=async-scheduling+context-parallel]",
        "supported feature-pair/context-parallel/context-parallel/ascend-a2+ascend-a3 [?]",
        "supported feature-pair/tensor-parallel/async-scheduling/ascend-a2+ascend-a3"
        f" [{BOTH} features=async-scheduling+tensor-parallel]",
        "partial feature-pair/tensor-parallel/context-parallel/ascend-a2+ascend-a3"
        f" [{BOTH} features=context-parallel+tensor-parallel]",
        "supported feature-pair/tensor-parallel/tensor-parallel/ascend-a2+ascend-a3 [?]",
        "unknown feature-pair/int8-w8a8/async-scheduling/ascend"
        " [quantization=int8-w8a8 hardware=ascend features=async-scheduling]",
        "partial feature-pair/int8-w8a8/context-parallel/ascend-a2+ascend-a3"
        f" [quantization=int8-w8a8 {BOTH} features=context-parallel]",
        "supported feature-pair/int8-w8a8/tensor-parallel/ascend-a2+ascend-a3"
        f" [quantization=int8-w8a8 {BOTH} features=tensor-parallel]",
        "supported feature-pair/int8-w8a8/int8-w8a8/ascend-a2+ascend-a3 [?]",
    ]
    notes = [f.note for f in reading.findings if f.status.value == "partial"]
    assert notes == [
        "decode context parallel only",
        "partial by the page's own words; which part is not stated",
    ]
    assert sum(line.startswith("inherits") for line in said(reading)) == 6


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("features", FEATURES.replace("| Feature |", "| Ability |")),
        ("features", FEATURES.replace("🟡 Planned: Scheduled.", "🟡 Working: Always.")),
        ("feature-pairs", PAIRS.replace("| TP | Quantization W8A8 |", "| T | Q |")),
        ("feature-pairs", PAIRS.replace("❌ = No compatibility", "❌ = Not tested")),
    ],
)
def test_a_page_of_another_shape_or_legend_is_refused(rule: str, text: str) -> None:
    with pytest.raises(UnexpectedPage):
        read(rule, text)
