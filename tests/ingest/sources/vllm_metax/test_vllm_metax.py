"""vLLM MetaX: tested models, version table in both generations, branches, requirements."""

import pytest

from ingest.contract import StatementStatus, UnexpectedPage
from ingest.sources.vllm_metax import SOURCE
from tests.ingest.sources.said import page_of, places, rule_named, said, unknown, vocabulary_of

WORDS = vocabulary_of(
    model={
        "AlphaForCausalLM": "alphaforcausallm",
        "BetaModel": "betamodel",
        "BetaForCausalLM": "betaforcausallm",
        "SeeForConditionalGeneration": "seeforconditionalgeneration",
        "Gamma4": "gamma-4",
    }
)
CARD = "hardware=metax-c-series"


def read(rule: str, text: str, *, path: str, version: str = "v0.22.0") -> list[str]:
    return said(rule_named(SOURCE, rule).parse(page_of(text, path=path, version=version), WORDS))


MODELS = """\
# Supported Models

Here the plugin would list all the **tested** model on Maca.

- ✅︎ indicates that it works.
- 🚧 indicates that it is planned.
- ⚠️ indicates that it is there with limits.

## Text

| Architecture | Models | Example HF Models | [LoRA](https://e.org/l) | [PP](https://e.org/p) |
|--|--|--|--|--|
| `AlphaForCausalLM` | Alpha | `a/alpha`, etc. | | ✅︎ |
| `BetaModel`, `BetaForCausalLM` | Beta | `b/beta` | 🚧 | ⚠️ |

## Multimodal

| Architecture | Models | Inputs | Example HF Models | LoRA | PP |
|--|--|--|--|--|--|
| `SeeForConditionalGeneration`<sup>^</sup> | See | T + I<sup>+</sup> + (V<sup>E+</sup>) \
| `s/see` | ✅︎ | ? |
"""
MODEL_PATH = "docs/models/supported_models.md"


def test_listed_models_are_tested_and_a_blank_cell_is_never_a_no() -> None:
    reading = rule_named(SOURCE, "models").parse(page_of(MODELS, path=MODEL_PATH), WORDS)
    assert said(reading) == [
        f"validated model/alphaforcausallm/metax-c-series [model=alphaforcausallm {CARD}]",
        "value model-models/alphaforcausallm (value) = Alpha",
        "value model-example hf models/alphaforcausallm (value) = a/alpha, etc.",
        f"validated model/betamodel/metax-c-series [model=betamodel {CARD}]",
        f"validated model/betaforcausallm/metax-c-series [model=betaforcausallm {CARD}]",
        "value model-models/betamodel, betaforcausallm (value) = Beta",
        "value model-example hf models/betamodel, betaforcausallm (value) = b/beta",
        "not-stated model-feature/alphaforcausallm/lora/metax-c-series "
        f"[model=alphaforcausallm {CARD} features=lora]",
        "supported model-feature/alphaforcausallm/pipeline-parallel/metax-c-series "
        f"[model=alphaforcausallm {CARD} features=pipeline-parallel]",
        "planned model-feature/betamodel/lora/metax-c-series "
        f"[model=betamodel {CARD} features=lora]",
        "planned model-feature/betaforcausallm/lora/metax-c-series "
        f"[model=betaforcausallm {CARD} features=lora]",
        "known-issues model-feature/betamodel/pipeline-parallel/metax-c-series "
        f"[model=betamodel {CARD} features=pipeline-parallel]",
        "known-issues model-feature/betaforcausallm/pipeline-parallel/metax-c-series "
        f"[model=betaforcausallm {CARD} features=pipeline-parallel]",
        "validated model/seeforconditionalgeneration/metax-c-series "
        f"[model=seeforconditionalgeneration {CARD}]",
        "value model-models/seeforconditionalgeneration (value) = See",
        "supported model-input/seeforconditionalgeneration/multimodal-image/metax-c-series "
        f"[model=seeforconditionalgeneration {CARD} features=multimodal-image]",
        "partial model-input/seeforconditionalgeneration/multimodal-video/metax-c-series "
        f"[model=seeforconditionalgeneration {CARD} features=multimodal-video]",
        "value model-inputs/seeforconditionalgeneration (value) = T + I + (V)",
        "value model-example hf models/seeforconditionalgeneration (value) = s/see",
        "supported model-feature/seeforconditionalgeneration/lora/metax-c-series "
        f"[model=seeforconditionalgeneration {CARD} features=lora]",
        "not-stated model-feature/seeforconditionalgeneration/pipeline-parallel/metax-c-series [?]",
        "legend legend/models/✅ (legend) = supported for the model",
        "legend legend/models/🚧 (legend) = planned, not yet supported for the model",
        "legend legend/models/⚠ (legend) = there, with known issues or limits",
        "legend legend/models/list all the **tested** model (legend) = listed models are tested",
    ]
    assert unknown(reading) == ["status: ?"]
    assert reading.complete_lists == ("models",)
    assert places(reading)[0] == ("AlphaForCausalLM", "Architecture", 13)


def test_a_page_without_the_model_tables_is_refused() -> None:
    with pytest.raises(UnexpectedPage, match="LoRA"):
        read("models", "# Supported Models\n\n| Model | Status |\n|--|--|\n| A | ✅ |\n",
             path=MODEL_PATH)  # fmt: skip


VERSIONS = """\
# Quickstart

## Releases

| plugin version | maca version | mcoplib version | docker image url |
|:--:|:--:|:--:|:--:|
|v0.9.9 |maca3.0.0.5 | N/A | [vllm:0.9.9](https://e.org/d?package_name=vllm:ai-torch2.6-x) |
|v0.16.0 | N/A | N/A | **Skipped** |
|v0.18.0 |maca3.5.3.x | 0.4.2+ | *WIP* |
|master |maca3.3 | >=0.3.0 | not released |
"""
TAGS = """\
# Quickstart

| plugin version | maca version | mcoplib version | docker distribution tag |
|:--:|:--:|:--:|:--:|
|v0.11.0 |maca3.3.0.15 | 0.1.1 | vllm-metax:0.11.0-torch2.6-py312 |
"""
START = "docs/getting_started/quickstart.md"


def test_each_row_of_the_version_table_is_a_pairing_and_a_skipped_one_is_no_release() -> None:
    assert read("versions", VERSIONS, path=START) == [
        "supported pairing/0.9.9 (pairing) = maca3.0.0.5",
        "published image/0.9.9 (artefact) = vllm:ai-torch2.6-x",
        "skipped pairing/0.16.0 (release) = N/A",
        "work-in-progress pairing/0.18.0 (pairing) = maca3.5.3.x",
        "unknown pairing/master (pairing) = maca3.3",
    ]


def test_the_torch_version_comes_from_the_tag_in_either_form_of_the_column() -> None:
    rule = rule_named(SOURCE, "versions")
    for text, torch in ((VERSIONS, "2.6"), (TAGS, "2.6")):
        first = rule.parse(page_of(text, path=START), WORDS).findings[0]
        assert first.names["torch"] == f"{torch} (from image tag)"
        assert first.names["maca"] in {"3.0.0.5", "3.3.0.15"}


README = """\
# Plugin

- [2026/5] Released vllm-metax **v0.19.0** — aligned with vLLM *v0.19.0*, \
but fully supported Gamma4!

## Prerequisites

- Hardware: MetaX C-series
- OS: Linux
- Software:
  - Python >= 3.10, <= 3.12
  - Docker support

Deployment is there only with Docker images of the vendor.

| Branch | Status | Note |
|--|--|--|
| master | N/A | Tracks vLLM main; functionality is not guaranteed |
| v0.20.0-dev | N/A | under testing |
| v0.16.0 | N/A | **Skipped** |
| releases/v0.19.0 | Released | Corresponds to vLLM release v0.19.0 |
"""


def test_the_readme_says_which_branches_are_maintained_and_what_they_follow() -> None:
    assert read("branches", README, path="README.md") == [
        "experimental branch/master (release) = Tracks vLLM main; functionality is not guaranteed",
        "maintained maintenance/master (maintenance) = master",
        "untested branch/v0.20.0-dev (release) = under testing",
        "maintained maintenance/v0.20.0-dev (maintenance) = v0.20.0-dev",
        "skipped branch/v0.16.0 (release) = Skipped",
        "released branch/releases/v0.19.0 (release) = Corresponds to vLLM release v0.19.0",
        "maintained maintenance/releases/v0.19.0 (maintenance) = releases/v0.19.0",
        "supported upstream/releases/v0.19.0 (pairing) = 0.19.0",
        "released news/0.19.0 (release) = 2026/5",
        "supported news-upstream/0.19.0 (pairing) = 0.19.0",
        f"supported news-model/gamma-4/metax-c-series [model=gamma-4 {CARD}]",
        "requires requirement/os (requirement) = Linux",
        "requires requirement/python (requirement) = >= 3.10, <= 3.12",
        "requires requirement/docker (requirement) = Docker",
        f"supported platform/metax-c-series [{CARD}]",
        "supported deployment/docker-only (deployment) = docker",
    ]


def test_news_about_a_release_speak_about_that_release() -> None:
    reading = rule_named(SOURCE, "branches").parse(page_of(README, path="README.md"), WORDS)
    model = next(f for f in reading.findings if f.statement.startswith("news-model"))
    assert (model.release, model.status) == ("0.19.0", StatementStatus.SUPPORTED)


NEEDS = """\
# Installation

- OS: Linux
- Python: 3.10 -- 3.12
- Hardware: MetaX C-series
- SDK: MACA-SDK

    git clone --depth 1 --branch releases/v0.22.0 https://github.com/vllm-project/vllm
"""


def test_installation_pages_pin_vllm_and_the_kernel_package() -> None:
    path = "docs/getting_started/installation/"
    assert read("requirements", NEEDS, path=path + "maca.md") == [
        "requires requirement/os (requirement) = Linux",
        "requires requirement/python-span (requirement) = 3.10 -- 3.12",
        "requires requirement/sdk (requirement) = MACA-SDK",
        "pinned requirement/vllm (requirement) = 0.22.0",
        f"supported platform/metax-c-series [{CARD}]",
    ]
    snippet = (
        "pip install mcoplib==0.4.7+maca3.8.0.23.torch2.10\n"
        "VLLM_TARGET_DEVICE=empty pip install .\n"
    )
    assert read("requirements", snippet, path=path + "pip.inc.md") == [
        "pinned requirement/mcoplib (requirement) = 0.4.7+maca3.8.0.23.torch2.10",
        "requires requirement/vllm-target-device (requirement) = empty",
    ]
    with pytest.raises(UnexpectedPage):
        read("requirements", "# Installation\n", path=path + "maca.md")
