"""Attention back ends, fusions, MoE kernels and the NIXL matrix."""

import pytest

from ingest.contract import FindingKind, UnexpectedPage
from ingest.sources.vllm.attention import read_attention_backends
from ingest.sources.vllm.disaggregation import read_nixl
from ingest.sources.vllm.fusions import read_fusions, read_moe_kernels
from tests.ingest.sources.vllm.pages import AMD, NO_WORDS, facts, page_of, vocabulary_of, words_of

WORDS = vocabulary_of(
    feature={
        "FLASH_ATTN": "flash-attention",
        "FLASHINFER": "flashinfer",
        "TRITON_ATTN": "triton-attention",
        "fuse_norm_quant": "fuse-norm-quant",
    }
)

ATTENTION = """\
# Attention

## Standard Attention (MHA) Backends

| Backend | Version | Dtypes | Sink | Compute Cap. |
| ------- | ------- | ------ | ---- | ------------ |
| `FLASHINFER` | Native† | fp16 | ❌ | 7.x-9.x |
| `FLASHINFER` | TRTLLM† | fp16 | ✅ | 10.x |
| `TRITON_ATTN` | | fp16 | ✅ | Any |
| `NEW_ATTN` | | | ❌ | N/A |

> **†** A note on the versions.
"""
OLD = "nvidia-ada,nvidia-ampere,nvidia-hopper,nvidia-turing,nvidia-volta"
CAP = "Compute Cap."


def test_a_back_end_with_two_rows_reaches_what_either_reaches() -> None:
    page = page_of(ATTENTION, path="docs/design/attention_backends.md")
    reading = read_attention_backends(page, WORDS)
    before = "nvidia-kepler,nvidia-maxwell,nvidia-pascal"
    after = "nvidia-sm-110,nvidia-sm-120,nvidia-sm-121"
    assert facts(reading) == [
        ("FLASHINFER", "Version", "value", "-"),
        ("FLASHINFER", "Dtypes", "value", "-"),
        # The native row refuses sinks where it is used, not for the other row's GPUs.
        ("FLASHINFER", "Sink", "unsupported", f"hardware={OLD} +flashinfer +sink-attention"),
        ("FLASHINFER", CAP, "range", "-"),
        ("FLASHINFER", "Version", "value", "-"),
        ("FLASHINFER", "Dtypes", "value", "-"),
        ("FLASHINFER", "Sink", "supported", "+sink-attention +trtllm-mha"),
        ("FLASHINFER", CAP, "range", "-"),
        ("FLASHINFER", CAP, "supported", "hardware=nvidia-sm-100,nvidia-sm-103 +trtllm-mha"),
        (
            "FLASHINFER",
            CAP,
            "unsupported",
            f"hardware=nvidia-ada,nvidia-ampere,nvidia-hopper,{before},{after},"
            "nvidia-turing,nvidia-volta +trtllm-mha",
        ),
        ("TRITON_ATTN", "Version", "not-stated", "-"),
        ("TRITON_ATTN", "Dtypes", "value", "-"),
        ("TRITON_ATTN", "Sink", "supported", "+sink-attention +triton-attention"),
        ("TRITON_ATTN", CAP, "value", "-"),
        ("NEW_ATTN", "Version", "not-stated", "-"),
        ("NEW_ATTN", "Dtypes", "not-stated", "-"),
        ("NEW_ATTN", "Sink", "unsupported", "-"),
        ("NEW_ATTN", CAP, "value", "-"),
        (
            "FLASHINFER",
            CAP,
            "supported",
            "hardware=nvidia-ada,nvidia-ampere,nvidia-hopper,nvidia-sm-100,nvidia-sm-103,"
            "nvidia-turing,nvidia-volta +flashinfer",
        ),
        ("FLASHINFER", CAP, "unsupported", f"hardware={before},{after} +flashinfer"),
    ]
    assert words_of(reading) == [("feature", "NEW_ATTN")]


def test_tables_made_at_build_time_are_said_to_be_missing_not_empty() -> None:
    text = '# Attention\n\n--8<-- "gen:table-standard"\n'
    reading = read_attention_backends(page_of(text, path="docs/design/a.md"), WORDS)
    assert [(f.status, f.value) for f in reading.findings] == [("not-stated", "generated-at-build")]


def test_a_dash_in_the_fusion_matrix_is_a_no_and_a_mark_a_condition() -> None:
    text = """\
# Fusions

## Support Matrix

| Fusion              | SM100 (Blackwell) | SM90 (Hopper)  | ROCm                   |
| ------------------- | ----------------- | -------------- | ---------------------- |
| `fuse_norm_quant`\\* | FP8 static\\*      | FP8 static     | FP8 static\\* (untested) |
| `fuse_other`        | —                 | —              |                        |

\\* Depends on the attention backend.
"""
    reading = read_fusions(page_of(text, path="docs/design/fusions.md"), WORDS)
    fusion = "fuse_norm_quant"
    assert facts(reading) == [
        (fusion, "SM100 (Blackwell)", "partial", "hardware=nvidia-sm-100 +fuse-norm-quant"),
        (fusion, "SM90 (Hopper)", "supported", "hardware=nvidia-hopper +fuse-norm-quant"),
        (fusion, "ROCm", "partial", f"{AMD} +fuse-norm-quant"),
        ("fuse_other", "SM100 (Blackwell)", "unsupported", "-"),
        ("fuse_other", "SM90 (Hopper)", "unsupported", "-"),
        ("fuse_other", "ROCm", "not-stated", "-"),
    ]
    assert reading.findings[2].note == "for FP8 static, untested"
    assert words_of(reading) == [("feature", "fuse_other")]


def test_moe_kernel_cells_are_pairings_and_claim_nothing() -> None:
    text = """\
# MoE

| Kernel | Quant. types | Modular |
| ------ | ------------ | ------- |
| flash<sup>4</sup> | nvfp4,</br>fp8 | Y |
| slow   | N/A          | N |
"""
    reading = read_moe_kernels(page_of(text, path="docs/design/moe_kernel_features.md"), NO_WORDS)
    assert [(f.locator.row, f.status.value, f.value) for f in reading.findings] == [
        ("flash", "value", "nvfp4, fp8"),
        ("flash", "supported", "Y"),
        ("slow", "not-applicable", "N/A"),
        ("slow", "unsupported", "N"),
    ]
    assert {f.kind for f in reading.findings} == {FindingKind.PAIRING}


def test_the_nixl_matrix_joins_model_type_and_capability() -> None:
    text = """\
# Nixl

| Model type | <abbr title="x">Basic PD</abbr> | Spec Decode | <abbr title="y">Hetero TP</abbr> |
| - | - | - | - |
| Hybrid SSM / Mamba | ✅ | ❔ | 🟠<sup>5</sup> |
| Encoder-Decoder | ❌ | 🚧 | 💤 |

<sup>5</sup> Holds provided one size is an integer multiple of the other.
"""
    reading = read_nixl(page_of(text, path="docs/features/nixl.md"), NO_WORDS)
    hybrid = "Hybrid SSM / Mamba"
    assert facts(reading) == [
        (hybrid, "Basic PD", "supported", "+hybrid-ssm +nixl"),
        (hybrid, "Spec Decode", "unknown", "+hybrid-ssm +nixl +speculative-decoding"),
        (hybrid, "Hetero TP", "partial", "+hetero-tp +hybrid-ssm +nixl"),
        ("Encoder-Decoder", "Basic PD", "unsupported", "+encoder-decoder +nixl"),
        (
            "Encoder-Decoder",
            "Spec Decode",
            "work-in-progress",
            "+encoder-decoder +nixl +speculative-decoding",
        ),
        ("Encoder-Decoder", "Hetero TP", "unknown", "-"),
    ]
    assert reading.findings[2].note == (
        "where one tensor-parallel size is a whole multiple of the other"
    )
    assert words_of(reading) == [("status", "💤")]


@pytest.mark.parametrize("read", [read_attention_backends, read_fusions, read_nixl,
                                  read_moe_kernels])  # fmt: skip
def test_a_page_without_its_table_is_unexpected(read: object) -> None:
    with pytest.raises(UnexpectedPage):
        read(page_of("# Moved\n\nElsewhere.\n", path="docs/design/x.md"), NO_WORDS)  # type: ignore[operator]
