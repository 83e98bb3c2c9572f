"""The V1 guide: signs by the page's own legend, compound cells, V0's end."""

import pytest

from ingest.contract import FindingKind, StatementStatus, UnexpectedPage
from ingest.sources.vllm.engine import read_engine_guide
from tests.ingest.sources.vllm.pages import (
    NO_WORDS,
    NVIDIA,
    facts,
    page_of,
    vocabulary_of,
    words_of,
)

WORDS = vocabulary_of(
    model={
        "WhisperForConditionalGeneration": "whisper-arch",
        "BartForConditionalGeneration": "bart-arch",
        "MambaForCausalLM": "mamba-arch",
    }
)

OLD = """\
# vLLM V1

!!! announcement

    We have started the process of deprecating V0. Please read more.

- **🚀 Optimized**: done.
- **🟢 Functional**: works.
- **🚧 WIP**: being made.
- **🟡 Planned**: later.
- **🟠 Delayed**: dropped for now.
- **🔴 Deprecated**: not planned.

### Hardware

| Hardware   | Status                                        |
|------------|-----------------------------------------------|
| **NVIDIA** | <nobr>🚀</nobr>                               |
| **CPU**    | <nobr>🟢 (x86\\_64/aarch64) 🟡 (MacOS) </nobr> |

### Models

| Model Type                 | Status                     |
|----------------------------|----------------------------|
| **Encoder-Decoder Models** | <nobr>🟠 Delayed</nobr>    |
| **Embedding Models**       | <nobr>🟢 Whisper only</nobr> |

### Features

| Feature          | Status                                                        |
|------------------|---------------------------------------------------------------|
| **FP8 KV Cache** | <nobr>🟢 Functional on Hopper devices ([PR #1](https://e.org))</nobr>|
| **best_of**      | <nobr>🔴 Deprecated ([RFC #2](https://e.org))</nobr>          |
| **Spec Decode**  | <nobr>🚧 WIP ([PR #3](https://e.org))</nobr>                  |
"""

NEW = """\
# vLLM V1

!!! announcement

    We have fully deprecated V0. Please read more.

- **🟢 Functional**: works.
- **🟡 In Progress**: later.
- **🔴 Removed**: gone.

### Models

| Model Type                 | Status                                  |
| -------------------------- | --------------------------------------- |
| **Encoder-Decoder Models** | <nobr>🟢 (Whisper), 🔴 (Others) </nobr> |
| **Mamba Models**           | <nobr>🟢 (Mamba-2), 🟢 (Mamba-1)</nobr> |

#### Mamba Models

Models with Mamba layers (e.g., `MambaForCausalLM`) are supported.

Please note that prefix caching is not yet supported for any of the above models.

#### Encoder-Decoder Models

Others (e.g., `BartForConditionalGeneration`)
are no longer supported.

### Features

| Feature     | Status                                             |
| ----------- | -------------------------------------------------- |
| **best_of** | <nobr>🔴 [Removed](https://e.org)</nobr>           |
| **Mystery** | <nobr>🟣 Odd</nobr>                                |
"""

PATH = "docs/usage/v1_guide.md"


def test_the_older_guide_is_read_by_its_own_legend() -> None:
    reading = read_engine_guide(page_of(OLD, path=PATH), WORDS)
    encoder = "+encoder-decoder +engine-v1"
    assert facts(reading) == [
        ("NVIDIA", "Status", "supported", f"{NVIDIA} +engine-v1"),
        ("CPU", "Status", "mixed", "hardware=cpu-x86 +engine-v1"),
        ("CPU", "Status", "supported", "hardware=cpu-arm,cpu-x86 +engine-v1"),
        ("CPU", "Status", "planned", "hardware=cpu-apple +engine-v1"),
        ("Encoder-Decoder Models", "Status", "delayed", encoder),
        ("Embedding Models", "Status", "partial", "+embeddings +engine-v1"),
        ("Embedding Models", "Status", "supported", "model=whisper-arch +embeddings +engine-v1"),
        ("FP8 KV Cache", "Status", "partial", "kv_dtype=kv-fp8 +engine-v1"),
        (
            "FP8 KV Cache",
            "Status",
            "supported",
            "hardware=nvidia-hopper kv_dtype=kv-fp8 +engine-v1",
        ),
        ("best_of", "Status", "deprecated", "+best-of +engine-v1"),
        ("best_of", "Status", "unsupported", "+best-of +engine-v1"),
        ("Spec Decode", "Status", "work-in-progress", "+engine-v1 +speculative-decoding"),
        ("line 5", "", "deprecated", "-"),
    ]
    mixed = reading.findings[1]
    assert mixed.parts == (
        ("x86_64/aarch64", StatementStatus.SUPPORTED),
        ("MacOS", StatementStatus.PLANNED),
    )
    # "Deprecated" means "not in V1" here: it must not become a claim that it runs.
    assert reading.findings[9].kind is FindingKind.MAINTENANCE
    assert reading.findings[7].note == "in V1 on Hopper devices only"


def test_once_v0_is_gone_the_statements_hold_for_the_framework() -> None:
    reading = read_engine_guide(page_of(NEW, path=PATH), WORDS)
    assert facts(reading) == [
        ("Encoder-Decoder Models", "Status", "mixed", "+encoder-decoder"),
        ("Encoder-Decoder Models", "Status", "supported", "model=whisper-arch +encoder-decoder"),
        ("Encoder-Decoder Models", "Status", "removed", "model=*-!whisper-arch +encoder-decoder"),
        ("Mamba Models", "Status", "supported", "+hybrid-ssm"),
        ("best_of", "Status", "removed", "+best-of"),
        ("Mystery", "Status", "unknown", "-"),
        ("line 5", "", "deprecated", "-"),
        ("line 26", "", "removed", "model=bart-arch"),
        ("line 20", "", "supported", "model=mamba-arch"),
        ("line 22", "", "unsupported", "model=mamba-arch +prefix-caching"),
    ]
    assert words_of(reading) == [("status", "🟣 Odd"), ("feature", "Mystery")]


def test_a_guide_without_a_legend_is_unexpected() -> None:
    text = "\n".join(line for line in OLD.splitlines() if not line.startswith("- **"))
    with pytest.raises(UnexpectedPage):
        read_engine_guide(page_of(text, path=PATH), NO_WORDS)
