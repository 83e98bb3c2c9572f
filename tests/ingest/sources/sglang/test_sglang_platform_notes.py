"""SGLang's AMD page on quantization, and the models that run through MindSpore."""

import pytest

from ingest.contract import Reading, UnexpectedPage
from ingest.sources.sglang import SOURCE
from matrix.domain.levels import Execution, Limit
from tests.ingest.sources.said import page_of, rule_named, said, unknown, vocabulary_of

WORDS = vocabulary_of(model={"Alpha": "alpha"})
AMD = "docs/docs/hardware-platforms/amd_gpu.mdx"


def read(rule: str, text: str, *, path: str) -> Reading:
    page = page_of(text, path=path, version="v0.5.18", framework="sglang")
    return rule_named(SOURCE, rule).parse(page, WORDS)


NOTES = """\
## Quantization on AMD GPUs

There is a matrix. The short version: FP8, MXFP4, and **petit_nvfp4** (NVFP4 via \
[Petit](https://example.org)) all work on AMD. Methods that depend on Marlin or \
NVIDIA-specific kernels (`awq_marlin`, `modelopt_fp4`) do not.

- AWQ uses Triton dequantization kernels on AMD. The faster Marlin path is not available.
- MXFP4 requires CDNA3/CDNA4 and `SGLANG_USE_AITER=1`.
- `petit_nvfp4` enables NVFP4 models (e.g., [One](https://e.org)) on MI250/MI300X via Petit.
"""


def test_a_yes_is_for_the_listed_cards_and_a_no_for_every_amd_card() -> None:
    reading = read("amd-quantization", NOTES, path=AMD)
    listed = "hardware=amd-mi300x,amd-mi325x,amd-mi350x"
    petit = "hardware=amd-mi250,amd-mi300x"
    assert said(reading) == [
        f"supported amd-works/fp8/amd [quantization=fp8 {listed}]",
        f"supported amd-works/mxfp4/amd [quantization=mxfp4 {listed}]",
        f"supported amd-works/petit-nvfp4/amd-mi250+amd-mi300x [quantization=petit-nvfp4 {petit}]",
        "unsupported amd-lacks/awq-marlin/amd [quantization=awq-marlin hardware=amd]",
        "unsupported amd-lacks/modelopt-fp4/amd [quantization=modelopt-fp4 hardware=amd]",
        f"supported amd-note/awq/amd [quantization=awq {listed}]",
        "unsupported amd-note/awq/kernel-marlin/amd "
        "[quantization=awq hardware=amd features=kernel-marlin]",
        "supported amd-note/mxfp4/amd-cdna3+amd-cdna4 "
        "[quantization=mxfp4 hardware=amd-cdna3,amd-cdna4]",
        "unsupported amd-note/mxfp4/amd-other "
        "[quantization=mxfp4 hardware=amd,-amd-cdna3,-amd-cdna4]",
        f"supported amd-note/petit-nvfp4/amd-mi250+amd-mi300x [quantization=petit-nvfp4 {petit}]",
    ]
    needs = {f.statement: [c.name for c in f.conditions] for f in reading.findings}
    assert needs["amd-works/mxfp4/amd"] == ["SGLANG_USE_AITER"]
    assert needs["amd-note/petit-nvfp4/amd-mi250+amd-mi300x"] == ["petit-kernel"]
    assert reading.findings[5].execution is Execution.WEIGHT_ONLY
    assert reading.findings[8].limit is Limit.HARDWARE


def test_an_older_page_says_nothing_and_a_changed_section_is_refused() -> None:
    assert said(read("amd-quantization", "# AMD GPUs\n\nMI300X works.\n", path=AMD)) == []
    with pytest.raises(UnexpectedPage, match="short version"):
        read("amd-quantization", "## Quantization on AMD GPUs\n\nNew words.\n", path=AMD)


MINDSPORE = """\
## Requirements

It needs CANN. The recommended version is 8.3.RC2.

## Supported Models

- **Alpha**: Dense models
- **Omega**
- *More models coming soon...*
"""


def test_mindspore_models_need_a_flag_and_a_package() -> None:
    path = "docs/docs/hardware-platforms/ascend-npus/mindspore_backend.mdx"
    reading = read("mindspore", MINDSPORE, path=path)
    assert said(reading) == [
        "supported mindspore/alpha/ascend-a2+ascend-a3 [model=alpha hardware=ascend-a2,ascend-a3]",
        "supported mindspore/omega/ascend-a2+ascend-a3 [?]",
        "value requirement/mindspore/cann (requirement) = 8.3.RC2",
    ]
    assert [c.name for c in reading.findings[0].conditions] == ["model-impl", "sgl-mindspore"]
    assert unknown(reading) == ["model: Omega"]
    with pytest.raises(UnexpectedPage):
        read("mindspore", "# MindSpore\n", path=path)
