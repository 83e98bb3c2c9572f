"""Images, packages, versioning, bits per weight, operators and features."""

from collections.abc import Callable

import pytest

from ingest.contract import Finding, Page, UnexpectedPage, Vocabulary
from ingest.sources.llama_cpp.features import (
    read_function_calling,
    read_multi_gpu,
    read_multimodal,
    read_speculative,
)
from ingest.sources.llama_cpp.ops import read_ops_file, read_ops_table
from ingest.sources.llama_cpp.packages import read_images, read_install, read_release_policy
from ingest.sources.llama_cpp.quantize import read_quantize

Brief = Callable[[Finding], tuple[str, str, str]]
Make = Callable[..., Page]


def test_an_image_carries_its_tag_and_platforms(page: Make, vocabulary: Vocabulary) -> None:
    text = (
        "## Images\n\n"
        "1. `ghcr.io/some-org/llama.cpp:full`: All. (platforms: `linux/amd64`, `linux/arm64`)\n"
        "- `ghcr.io/some-org/llama.cpp:full-rocm`: For AMD. (platforms: `linux/amd64`)\n"
    )
    reading = read_images(page(text), vocabulary)
    assert [(f.locator.line, f.names["tag"], f.value) for f in reading.findings] == [
        (3, "full", "linux/amd64, linux/arm64"),
        (4, "full-rocm", "linux/amd64"),
    ]


INSTALL = """# Install

| Install via | Windows | Mac | Linux |
|-------------|---------|-----|-------|
| Brewer | | ✅ | ✅ |
"""


def test_a_blank_package_cell_states_nothing(page: Make, vocabulary: Vocabulary) -> None:
    reading = read_install(page(INSTALL), vocabulary)
    assert [(f.locator.column, f.status.value) for f in reading.findings] == [
        ("Windows", "not-stated"),
        ("Mac", "supported"),
        ("Linux", "supported"),
    ]


def test_older_releases_say_packages_in_sentences(page: Make, vocabulary: Vocabulary) -> None:
    text = "# Install\n\n## Brewer\n\nOn Mac and Linux, the brewer can be used via\n"
    reading = read_install(page(text), vocabulary)
    assert [(f.names["via"], f.names["os"], f.locator.line) for f in reading.findings] == [
        ("brewer", "Mac", 5),
        ("brewer", "Linux", 5),
    ]


def test_the_version_scheme_is_a_policy(page: Make, vocabulary: Vocabulary) -> None:
    text = (
        "# Release\n\nllama.cpp uses [semantic versioning](https://example.test) "
        "(`MAJOR.MINOR.PATCH`).\n\n| Change type | Version component |\n|---|---|\n"
        "| Small | `PATCH` |\n"
    )
    reading = read_release_policy(page(text), vocabulary)
    assert [(f.kind.value, f.status.value, f.value) for f in reading.findings] == [
        ("policy", "value", "MAJOR.MINOR.PATCH"),
        ("value", "value", "PATCH"),
    ]


QUANTIZE = """# quantize

*(outdated)*

| Model | Measure | F16 | Q4_0 |
|------:|---------|----:|-----:|
| 7B | bits/weight | 16.0 | 4.5 |
| 7B | ms/tok | - | 55 |

**Llama 2 7B**

| Quantization | Bits per Weight (BPW) |
|--------------|-----------------------|
| Q4_K_M | 4.84 |

**Llama 2 13B**

Quantization | Bits per Weight (BPW)
-- | --
Q4_K_M | 4.83

### [org/Model](https://example.test)

| Measure | Q4_0 | Q6_K |
| ------- | ---- | ---- |
| bits/weight | 4.6 | 6.5 |

| Measure | Q6_K | Q8_0 |
| ------- | ---- | ---- |
| bits/weight | 6.5 | 8.5 |
"""


def test_bits_per_weight_carry_the_model_that_stands_above_the_table(
    page: Make, vocabulary: Vocabulary
) -> None:
    reading = read_quantize(page(QUANTIZE), vocabulary)
    assert [
        (f.names["model"], f.names["measure"], f.names["quantization"], f.status.value, f.value)
        for f in reading.findings
    ] == [
        ("7B", "bits/weight", "F16", "stale", "16.0"),
        ("7B", "bits/weight", "Q4_0", "stale", "4.5"),
        ("7B", "ms/tok", "F16", "not-stated", "-"),
        ("7B", "ms/tok", "Q4_0", "stale", "55"),
        ("Llama 2 7B", "bits/weight", "Q4_K_M", "value", "4.84"),
        ("Llama 2 13B", "bits/weight", "Q4_K_M", "value", "4.83"),
        ("org/Model", "bits/weight", "Q4_0", "value", "4.6"),
        ("org/Model", "bits/weight", "Q6_K", "value", "6.5"),
        ("org/Model", "bits/weight", "Q6_K", "value", "6.5"),
        ("org/Model", "bits/weight", "Q8_0", "value", "8.5"),
    ]
    statements = [f.statement for f in reading.findings]
    assert len(set(statements)) == len(statements)


OPS = """# Operations

| Operation | CPU | CUDA | MTL |
|-----------|------|------|------|
| ABS | ✅ | 🟡 | ❌ |
| SQR | ✅ | ✅ | ?? |
"""


def test_operators_are_values_and_never_claims(
    page: Make, vocabulary: Vocabulary, brief: Brief
) -> None:
    reading = read_ops_table(page(OPS), vocabulary)
    assert [brief(f) for f in reading.findings] == [
        ("ABS | CPU", "supported", "cpu"),
        ("ABS | CUDA", "partial", "cuda"),
        ("ABS | MTL", "unsupported", "metal"),
        ("SQR | CPU", "supported", "cpu"),
        ("SQR | CUDA", "supported", "cuda"),
        ("SQR | MTL", "not-stated", "metal"),
    ]
    assert {f.kind.value for f in reading.findings} == {"value"}
    assert [(u.axis, u.word) for u in reading.unknown_words] == [("status", "??")]


HEADER = (
    '"backend_name","op_name","op_params","test_mode","supported","error_message",'
    '"backend_reg_name"\n'
)
PLAIN = "type_b=f32,m=16,n=1,k=256,bs=[1,1],nr=[1,1],per=[0,1,2,3],o=1"


def _row(op: str, parameters: str, supported: int, *, backend: str = "CUDA") -> str:
    word = "yes" if supported else "no"
    return f'"X0","{op}","{parameters}","support","{supported}","{word}","{backend}"\n'


def test_odd_layouts_do_not_make_a_type_partial_and_a_full_no_is_a_cpu_fall_back(
    page: Make, vocabulary: Vocabulary, brief: Brief
) -> None:
    half = PLAIN.replace("type_b=f32", "type_b=f16")
    text = HEADER + "".join(
        [
            _row("ABS", "type=f16,v=0", 1),
            _row("MUL_MAT", f"type_a=q4_K,{PLAIN}", 1),
            _row("MUL_MAT", f"type_a=q4_K,{half}", 0),
            _row("MUL_MAT", f"type_a=tq1_0,{PLAIN}", 0),
            _row("MUL_MAT", f"type_a=q8_0,{PLAIN}", 0),
            _row("MUL_MAT", f"type_a=q8_0,{half}", 1),
            _row("MUL_MAT_ID", "type_a=q4_K,type_b=f32,n_mats=4,n_used=2,b=0,m=8,n=1,k=8", 1),
        ]
    )
    reading = read_ops_file(page(text, path="docs/ops/CUDA.csv"), vocabulary)
    assert [brief(f) for f in reading.findings] == [
        ("MUL_MAT q4_K | CUDA", "supported", "cuda nvidia gguf-q4-k"),
        ("MUL_MAT tq1_0 | CUDA", "partial", "cuda nvidia gguf-tq1-0"),
        ("MUL_MAT q8_0 | CUDA", "partial", "cuda nvidia gguf-q8-0"),
        ("MUL_MAT_ID q4_K | CUDA", "supported", "cuda nvidia moe gguf-q4-k"),
    ]
    executions = [f.execution.value for f in reading.findings]
    assert executions == ["unstated", "cpu-fallback", "unstated", "unstated"]
    assert [f.value for f in reading.findings] == ["1/2", "0/1", "1/2", "1/1"]
    assert all(f.note for f in reading.findings if f.status.value == "partial")


def test_a_file_with_other_columns_is_unexpected(page: Make, vocabulary: Vocabulary) -> None:
    with pytest.raises(UnexpectedPage, match="op_params"):
        read_ops_file(page("a,b\n1,2\n", path="docs/ops/CUDA.csv"), vocabulary)


SPECULATIVE = """# Speculative

| Type | Description |
|------|-------------|
| `none` | Nothing |
| `draft-mtp` | Heads |
| `ngram-map-k4v` | Maps (experimental) |
| `oracle` | Guesses right |
"""


def test_kinds_of_speculation_carry_their_flag_and_unknown_ones_wait(
    page: Make, vocabulary: Vocabulary, brief: Brief
) -> None:
    reading = read_speculative(page(SPECULATIVE), vocabulary)
    assert [brief(f) for f in reading.findings] == [
        ("none | Description", "not-applicable", "?"),
        ("draft-mtp | Description", "supported", "mtp"),
        ("ngram-map-k4v | Description", "experimental", "ngram"),
        ("oracle | Description", "supported", "?"),
    ]
    assert reading.findings[1].conditions[0].value == "draft-mtp"
    assert [u.word for u in reading.unknown_words] == ["oracle"]


MULTI_GPU = """# GPUs

| Mode | What it does | When to use |
|---|---|---|
| `none` | One only. | Rarely. |
| `layer` (**default**) | Slices. | Mostly. |
| `row` | **Deprecated.** Old. | Never. |
| `tensor` | **EXPERIMENTAL.** New. | Sometimes. |
"""


def test_split_modes_keep_the_pages_own_reservations(
    page: Make, vocabulary: Vocabulary, brief: Brief
) -> None:
    reading = read_multi_gpu(page(MULTI_GPU), vocabulary)
    assert [brief(f)[1:] for f in reading.findings] == [
        ("not-applicable", "?"),
        ("supported", "pipeline-parallel"),
        ("deprecated", "row-split"),
        ("experimental", "tensor-parallel"),
    ]


TOOLS = """# Tools

Function calling is supported for all models here:

- Native tool call formats supported:
  - Format One (with extras)
  - Format Two (WIP / odd)
- Another point

| Template | Format |
|----------|--------|
| a.jinja | One |
"""


def test_a_tool_format_in_progress_is_no_support(page: Make, vocabulary: Vocabulary) -> None:
    reading = read_function_calling(page(TOOLS), vocabulary)
    assert [(f.locator.line, f.kind.value, f.status.value) for f in reading.findings] == [
        (3, "compatibility", "supported"),
        (6, "value", "supported"),
        (7, "value", "work-in-progress"),
        (12, "value", "value"),
    ]


MULTIMODAL = """# Multimodal

Currently, we support **image** and **audio** input. Audio is highly experimental here.

```sh
# a comment
(tool_name) -hf some-org/gemma-3-4b-it-GGUF
```
"""


def test_an_experimental_kind_of_input_is_marked(
    page: Make, vocabulary: Vocabulary, brief: Brief
) -> None:
    reading = read_multimodal(page(MULTIMODAL), vocabulary)
    assert [brief(f) for f in reading.findings] == [
        ("line 3", "supported", "multimodal-image"),
        ("line 3", "experimental", "multimodal-audio"),
        ("line 7", "supported", "google--gemma-3-4b-it"),
    ]


@pytest.mark.parametrize(
    "read",
    [
        read_images,
        read_install,
        read_release_policy,
        read_quantize,
        read_ops_table,
        read_speculative,
        read_multi_gpu,
        read_function_calling,
        read_multimodal,
    ],
)
def test_a_page_in_another_shape_is_unexpected_and_says_what_was_expected(
    page: Make, vocabulary: Vocabulary, read: Callable[[Page, Vocabulary], object]
) -> None:
    with pytest.raises(UnexpectedPage) as caught:
        read(page("# Gardening\n\n| Flower | Month |\n|---|---|\n| Rose | June |\n"), vocabulary)
    assert caught.value.expected
