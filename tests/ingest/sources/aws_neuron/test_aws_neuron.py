"""AWS Neuron: announcements, release content, NxD Inference, recipes and the vLLM plug-in."""

import pytest

from ingest.contract import FindingKind, Reading, Source, UnexpectedPage
from ingest.sources.aws_neuron import PLUGIN_SOURCE, README_SOURCE, SOURCE
from matrix.domain.levels import Tier
from tests.ingest.sources.said import page_of, rule_named, said, unknown, vocabulary_of

WORDS = vocabulary_of(
    model={
        "org/alpha-20b": "org--alpha-20b",
        "org/beta-8b": "org--beta-8b",
        "org/beta-4b": "org--beta-4b",
        "Alpha 2": "alpha-2",
        "Alpha 3.1": "alpha-3.1",
        "Llama 2": "llama-2",
    },
    feature={
        "Continuous batching": "continuous-batching",
        "Prefix caching": "prefix-caching",
        "Speculative Decoding": "speculative-decoding",
        "Multimodal": "multimodal",
    },
)
THREE = "hardware=aws-inferentia2,aws-trainium1,aws-trainium2"
NOTICES = "about-neuron/announcements/neuron2.x/"


def read(source: Source, rule: str, text: str, *, path: str) -> Reading:
    page = page_of(text, path=path, version="v2.32.0", framework=source.framework)
    return rule_named(source, rule).parse(page, WORDS)


def notice(day: str, title: str, body: str) -> str:
    return (
        f".. post:: {day}\n    :language: en\n\n.. _ref:\n\n{title}\n{'-' * len(title)}\n\n{body}\n"
    )


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        (
            "NxD Inference APIs are now in maintenance mode starting with Neuron 2.30",
            "maintenance maintenance/aws-neuron/nxd-inference/maintenance (maintenance)"
            " = 2026-05-20 2.30",
        ),
        (
            "Neuron no longer supports vLLM V0 starting with Neuron 2.28",
            "removed maintenance/aws-neuron/vllm-v0/removed (maintenance) = 2026-05-20 2.28",
        ),
        (
            "Announcing End of Support for vLLM V0 starting with Neuron 2.28",
            "deprecated maintenance/aws-neuron/vllm-v0/deprecated (maintenance) = 2026-05-20 2.28",
        ),
        (
            "Announcing changes to NxDI in the upcoming releases",
            "policy maintenance/aws-neuron/nxd-inference/policy (maintenance) = 2026-05-20",
        ),
    ],
)
def test_an_announcement_says_what_from_when_and_from_which_release(
    title: str, expected: str
) -> None:
    text = notice("May 20, 2026", title, "Some words.")
    reading = read(SOURCE, "announcements", text, path=NOTICES + "announce-a.rst")
    assert said(reading) == [expected]
    found = reading.findings[0]
    assert found.names["announced"] == "2026-05-20"
    assert (found.locator.line, found.locator.line_end) == (6, 9)


def test_an_announcement_names_component_versions_of_its_text() -> None:
    text = notice(
        "August 12, 2026",
        "NxD Inference maintenance support",
        "NxD Inference 0.10.1 and NxD Core 0.19.2 go on. No new releases are planned.",
    )
    found = read(SOURCE, "announcements", text, path=NOTICES + "announce-b.rst").findings[0]
    assert (found.names["NxD Inference"], found.names["NxD Core"]) == ("0.10.1", "0.19.2")


def test_an_announcement_without_known_words_waits_and_a_page_without_day_is_refused() -> None:
    text = notice("May 20, 2026", "A new colour", "It is blue.")
    path = NOTICES + "announce-c.rst"
    reading = read(SOURCE, "announcements", text, path=path)
    assert (said(reading), unknown(reading)) == ([], ["status: A new colour"])
    with pytest.raises(UnexpectedPage):
        read(SOURCE, "announcements", "Title\n=====\n\nText.\n", path=path)


CONTENT = """\
Release Content
===============

Neuron 2.32.0 (08/17/2026)
--------------------------

   vllm-neuron                         vllm_neuron-0.24.0.1.1.0+e82-py3-none-any.whl

Supported vLLM Versions
^^^^^^^^^^^^^^^^^^^^^^^

Neuron currently supports vLLM version 0.16.0.

Supported Hugging Face Transformers Versions
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
+----------------+------------------------+
| Package        | Supported Hugging Face |
|                | Transformers Versions  |
+================+========================+
| torch-neuronx  | >= 4.52                |
+----------------+------------------------+
"""


def test_release_content_pairs_the_sdk_with_what_goes_with_it() -> None:
    path = "release-notes/releasecontent.rst"
    assert said(read(SOURCE, "content", CONTENT, path=path)) == [
        "pinned pairing/vllm-neuron (pairing) = neuron-sdk 2.32.0 = vllm_neuron 0.24.0.1.1.0",
        "supported pairing/vllm (pairing) = neuron-sdk 2.32.0 = vllm 0.16.0",
        "range requirement/transformers/torch-neuronx (requirement) = >= 4.52",
    ]
    with pytest.raises(UnexpectedPage):
        read(SOURCE, "content", "Release Content\n===============\n", path=path)


def test_a_beta_plug_in_is_paired_as_experimental() -> None:
    text = "**Latest version (in 2.32.0)**: v0.24.0.1.1.0 (Beta)\n"
    path = "release-notes/components/vllm-neuron.rst"
    assert said(read(SOURCE, "plugin-version", text, path=path)) == [
        "experimental pairing/vllm-neuron (pairing) = neuron-sdk 2.32.0 = vllm_neuron 0.24.0.1.1.0"
    ]
    with pytest.raises(UnexpectedPage):
        read(SOURCE, "plugin-version", "nothing\n", path=path)


@pytest.mark.parametrize("heading", ["Trn1 / Inf2 (NeuronCore v2)", "NeuronCore v2 Data Types"])
def test_data_types_are_values_of_a_core(heading: str) -> None:
    text = f"{heading}\n{'-' * len(heading)}\n\n* TensorFloat-32 (TF32)\n"
    path = "about-neuron/arch/neuron-features/data-types.rst"
    reading = read(SOURCE, "data-types", text, path=path)
    assert [(f.kind, f.value, f.names["hardware"]) for f in reading.findings] == [
        (FindingKind.VALUE, "TensorFloat-32 (TF32)", "Trn1, Inf2")
    ]
    with pytest.raises(UnexpectedPage):
        read(SOURCE, "data-types", "* nothing\n", path=path)


MODELS = """\
Production Ready Models
=======================

Alpha
~~~~~

NxD Inference supports Llama text models. It supports all Llama text models, including Llama 2.
You can also use others.

Compatible Checkpoint Examples
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

- https://huggingface.co/org/alpha-20b (requires Trn2)
- https://huggingface.co/org/beta-8b
- https://huggingface.co/org/beta-4b (Not tested, but expected to work out of the box)
"""


def test_checkpoints_that_need_trn2_or_were_not_tested_are_said_so() -> None:
    path = "libraries/nxd-inference/developer_guides/model-reference.rst"
    reading = read(SOURCE, "nxd-models", MODELS, path=path)
    chips = "aws-inferentia2+aws-trainium1+aws-trainium2"
    assert said(reading) == [
        "supported checkpoint/org--alpha-20b/aws-trainium2 "
        "[model=org--alpha-20b hardware=aws-trainium2]",
        f"supported checkpoint/org--beta-8b/{chips} [model=org--beta-8b {THREE}]",
        f"untested checkpoint/org--beta-4b/{chips} [model=org--beta-4b {THREE}]",
        f"supported family/llama-2/{chips} [model=llama-2 {THREE}]",
    ]
    with pytest.raises(UnexpectedPage):
        read(SOURCE, "nxd-models", "Models\n======\n", path=path)


def test_weights_and_kv_cache_name_their_types() -> None:
    text = (
        "Model Weight Quantization\n~~~~~~~~~~~~~~~~~~~~~~~~~\n\nTypes:\n\n"
        "- INT8 (``int8``) - 8 bit int.\n\n"
        "KV Cache Quantization\n~~~~~~~~~~~~~~~~~~~~~\n\n"
        "It quantizes the KV cache to the ``torch.float8_e4m3fn`` data type.\n"
    )
    path = "libraries/nxd-inference/developer_guides/feature-guide.rst"
    chips = "aws-inferentia2+aws-trainium1+aws-trainium2"
    assert said(read(SOURCE, "nxd-features", text, path=path)) == [
        f"supported quantization/int8/{chips} [quantization=int8 {THREE}]",
        f"supported kv-cache/kv-fp8-e4m3/{chips} [kv_dtype=kv-fp8-e4m3 {THREE}]",
    ]
    with pytest.raises(UnexpectedPage):
        read(SOURCE, "nxd-features", "Features\n========\n", path=path)


README = """\
# vLLM Neuron Plugin (Beta)

* vLLM v0.11.0 is automatically installed as part of this installation.

## Prerequisites

- AWS Neuron SDK 2.26.1 ([Release Notes](https://example.org))
- Supported AWS instances: Inf2, Trn1/Trn1n, Trn2

## Feature Support

| Feature | Status | Notes |
|:--------|:------:|-------|
| Continuous batching | 🟢 | |
| Speculative Decoding | 🟢 | Only Eagle V1 is supported |
| Multimodal | 🚧 | Only Llama 2 is supported |
| Quantization | 🟢 | INT8/FP8 quantization support |

## Models Supported
* Alpha 2/3.1

## Known Issues
1. Prefix caching with batch_size=1 generates incorrect outputs.
"""


def test_the_plug_ins_readme_states_everything_for_the_named_instances() -> None:
    reading = read(README_SOURCE, "readme", README, path="README.md")
    chips = "aws-inferentia2+aws-trainium1+aws-trainium2"
    assert said(reading) == [
        "pinned pairing/vllm (pairing) = 0.11.0",
        "pinned pairing/neuron-sdk (pairing) = 2.26.1",
        "supported platform/aws-inferentia2 [hardware=aws-inferentia2]",
        "supported platform/aws-trainium1 [hardware=aws-trainium1]",
        "supported platform/aws-trainium2 [hardware=aws-trainium2]",
        f"known-issues feature-issue/prefix-caching/{chips} [{THREE} features=prefix-caching]",
        f"supported feature/continuous-batching/{chips} [{THREE} features=continuous-batching]",
        f"supported feature/eagle-v1/{chips} [{THREE} features=eagle]",
        f"work-in-progress feature/llama-2/multimodal/{chips} "
        f"[model=llama-2 {THREE} features=multimodal]",
        f"supported feature/fp8+int8/{chips} [quantization=fp8,int8 {THREE}]",
        f"supported model/alpha-2/{chips} [model=alpha-2 {THREE}]",
        f"supported model/alpha-3.1/{chips} [model=alpha-3.1 {THREE}]",
    ]
    claims = [f for f in reading.findings if f.kind is FindingKind.COMPATIBILITY]
    assert {f.tier for f in claims} == {Tier.EXPERIMENTAL}
    with pytest.raises(UnexpectedPage):
        read(README_SOURCE, "readme", "# Plugin\n", path="README.md")


GUIDE = """\
vLLM User Guide
===============

Plugin Version: ``0.5.0``

vLLM Version: ``0.16.0``

- Supported AWS instances: Inf2, Trn1/Trn1n, Trn2

Feature Support
---------------

.. list-table::
   :header-rows: 1

   * - Feature
     - Status
     - Notes
   * - Speculative Decoding
     - 🟢
     - Eagle V1 and V3 are supported

Known Issues
------------

- Chunked prefill is not supported on Neuron.
"""


def test_the_user_guide_belongs_to_the_sdk_and_names_its_plug_in() -> None:
    path = "libraries/nxd-inference/developer_guides/vllm-user-guide-v1.rst"
    reading = read(SOURCE, "nxd-vllm-guide", GUIDE, path=path)
    assert {f.names["vllm_neuron"] for f in reading.findings[:2]} == {"0.5.0"}
    chips = "aws-inferentia2+aws-trainium1+aws-trainium2"
    assert said(reading)[5:] == [
        f"unsupported feature/chunked-prefill/{chips} [{THREE} features=chunked-prefill]",
        f"supported feature/eagle-v1/{chips} [{THREE} features=eagle]",
        f"supported feature/eagle-v3/{chips} [{THREE} features=eagle3]",
    ]
    with pytest.raises(UnexpectedPage):
        read(SOURCE, "nxd-vllm-guide", "Guide\n=====\n", path=path)


OVERVIEW = """\
Overview
========

It supports Inf2, Trn1, and Trn2 instances. Supports vLLM 0.16
via plugin version 0.5.x.

It is a beta. It supports vLLM 0.24.0
on Trn2 and Trn3 instances.

For Inf2 and Trn1, or models not yet supported, use Option 1.
"""


def test_the_overview_tells_the_two_lines_apart() -> None:
    path = "libraries/vllm-neuron/neuron-inference-overview.rst"
    assert [line.split(" [")[0] for line in said(read(SOURCE, "nxd-overview", OVERVIEW, path=path))
            ] == [
        "supported platform/aws-inferentia2",
        "supported platform/aws-trainium1",
        "supported platform/aws-trainium2",
        "supported pairing/vllm/0.5.x (pairing) = 0.16",
    ]  # fmt: skip
    reading = read(PLUGIN_SOURCE, "overview", OVERVIEW, path=path)
    assert [line.split(" [")[0] for line in said(reading)] == [
        "experimental platform/aws-trainium2",
        "experimental platform/aws-trainium3",
        "supported pairing/vllm/beta (pairing) = 0.24.0",
        "unsupported platform/aws-inferentia2",
        "unsupported platform/aws-trainium1",
    ]


@pytest.mark.parametrize(
    ("source", "rule"), [(SOURCE, "nxd-overview"), (PLUGIN_SOURCE, "overview")]
)
def test_an_overview_without_its_sentences_is_refused(source: Source, rule: str) -> None:
    with pytest.raises(UnexpectedPage):
        read(
            source,
            rule,
            "Overview\n========\n",
            path="libraries/vllm-neuron/neuron-inference-overview.rst",
        )
