"""The README: its table of backends, its bullets, its list of model families."""

from collections.abc import Callable

import pytest

from ingest.contract import Finding, FindingKind, Page, StatementStatus, UnexpectedPage, Vocabulary
from ingest.sources.llama_cpp.backends import read_backends
from ingest.sources.llama_cpp.models import read_model_list

Brief = Callable[[Finding], tuple[str, str, str]]
Make = Callable[..., Page]

README = """# tool

- Runs with AVX2 support for x86 architectures, and AVX support for x86 too
- Something without meaning for us

## Supported backends

| Backend | Target devices |
| --- | --- |
| [BLAS](docs/a.md) | All |
| [CUDA](docs/b.md) | Nvidia GPU |
| [hipBLAS](docs/c.md) | AMD GPU |
| [SYCL](docs/d.md) | Intel and Nvidia GPU |
| [Vulkan](docs/e.md) | GPU |
| [WebGPU [In Progress]](docs/f.md) | All |
| [Teleport](docs/g.md) | Blue boxes |
"""


def test_every_backend_row_becomes_one_statement(
    page: Make, vocabulary: Vocabulary, brief: Brief
) -> None:
    reading = read_backends(page(README), vocabulary)
    gpu = "vulkan -ascend-aws-neuron-cpu-google-tpu-intel-gaudi-intel-npu"
    assert [brief(f) for f in reading.findings] == [
        ("BLAS | Target devices", "supported", "blas"),
        ("CUDA | Target devices", "supported", "cuda nvidia"),
        ("hipBLAS | Target devices", "supported", "rocm amd"),
        ("SYCL | Target devices", "supported", "sycl intel+nvidia-intel-gen9"),
        ("Vulkan | Target devices", "supported", gpu),
        ("WebGPU [In Progress] | Target devices", "work-in-progress", "webgpu"),
        ("Teleport | Target devices", "supported", "?"),
        ("line 3", "supported", "cpu cpu-x86"),
    ]
    assert [(u.axis, u.word) for u in reading.unknown_words] == [
        ("backend", "Teleport"),
        ("hardware", "Blue boxes"),
    ]


def test_a_renamed_backend_keeps_its_statement(page: Make, vocabulary: Vocabulary) -> None:
    old = read_backends(page(README), vocabulary).findings[2]
    new = read_backends(page(README.replace("hipBLAS", "HIP")), vocabulary).findings[2]
    assert old.statement == new.statement
    assert old.scope == new.scope


def test_a_readme_without_the_table_is_unexpected(page: Make, vocabulary: Vocabulary) -> None:
    text = README.replace("Target devices", "Runs on")
    with pytest.raises(UnexpectedPage) as caught:
        read_backends(page(text), vocabulary)
    assert "Target devices" in caught.value.expected
    assert "Runs on" in caught.value.nearest


MODELS = """# tool

- [x] LLaMA 2 🦙🦙
- [X] [Falcon](https://example.test/falcon)
- [x] [GPT-NeoX](https://example.test/a) + [Pythia](https://example.test/b)
- [x] [Falcon](https://example.test/a) + [Nobody](https://example.test/b)
- [ ] BERT
- a plain bullet
"""


def test_ticked_models_are_supported_and_half_known_names_stay_unknown(
    page: Make, vocabulary: Vocabulary, brief: Brief
) -> None:
    reading = read_model_list(page(MODELS), vocabulary)
    assert [brief(f) for f in reading.findings] == [
        ("line 3", "supported", "llama-2"),
        ("line 4", "supported", "falcon"),
        ("line 5", "supported", "gpt-neox+pythia"),
        ("line 6", "supported", "?"),
        ("line 7", "not-stated", "bert"),
    ]
    assert [u.word for u in reading.unknown_words] == ["Falcon + Nobody"]
    assert reading.complete_lists == ()


def test_a_readme_whose_list_was_dropped_states_no_models(
    page: Make, vocabulary: Vocabulary
) -> None:
    assert read_model_list(page(README), vocabulary).findings == ()


def test_backend_rows_are_compatibility_statements(page: Make, vocabulary: Vocabulary) -> None:
    reading = read_backends(page(README), vocabulary)
    assert {f.kind for f in reading.findings} == {FindingKind.COMPATIBILITY}
    progress = [f for f in reading.findings if f.status is StatementStatus.WORK_IN_PROGRESS]
    assert [f.note for f in progress] == ["the WebGPU backend is marked as in progress"]
