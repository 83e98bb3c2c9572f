"""The TPU plug-in's result files and pages."""

import pytest

from ingest.contract import FindingKind, Reading, UnexpectedPage
from ingest.sources.tpu_inference import SOURCE
from matrix.domain.levels import EvidenceKind, Limit
from tests.ingest.sources.said import page_of, rule_named, said, unknown, vocabulary_of

WORDS = vocabulary_of(
    model={"org/alpha-31b": "org--alpha-31b", "org/beta": "org--beta"},
    hardware={
        "v6e": "google-tpu-v6e",
        "TPU v6e": "google-tpu-v6e",
        "TPU v5e": "google-tpu-v5e",
        "TPU v4": "google-tpu-v4",
    },
    feature={
        "Prefix Caching": "prefix-caching",
        "PP": "pipeline-parallel",
        "TP": "tensor-parallel",
    },
)
RELEASE = "support_matrices/release/v6e/default/"
NIGHTLY = "support_matrices/nightly/v6e/default/"


def read(rule: str, text: str, *, path: str) -> Reading:
    page = page_of(text, path=path, version="v0.27.0", framework="tpu-inference")
    return rule_named(SOURCE, rule).parse(page, WORDS)


MODELS = """\
Model,Type,UnitTest,Accuracy/Correctness,Benchmark
"org/alpha-31b",Text,✅ Passing,✅ Passing,not enough HBM
"org/beta",Text,✅ Passing,❌ Failing,❓ Untested
"org/beta/multimodal",Multimodal,not enough HBM,not enough HBM,❓ Untested
"org/new",Text,❓ Untested,❓ Untested,💤
"""


def test_correctness_on_a_release_is_the_claim_and_the_other_tests_are_values() -> None:
    reading = read("model-results", MODELS, path=RELEASE + "model_support_matrix.csv")
    claims = [f for f in reading.findings if f.kind is FindingKind.COMPATIBILITY]
    chip = "hardware=google-tpu-v6e"
    assert [line for line in said(reading) if "(value)" not in line] == [
        f"validated model-hardware/org/alpha-31b/google-tpu-v6e [model=org--alpha-31b {chip}]",
        f"unsupported model-hardware/org/beta/google-tpu-v6e [model=org--beta {chip}]",
        "does-not-fit model-hardware/org/beta/multimodal/multimodal/google-tpu-v6e "
        f"[model=org--beta {chip} features=multimodal]",
        "untested model-hardware/org/new/google-tpu-v6e [?]",
    ]
    assert {f.evidence for f in claims} == {EvidenceKind.CI}
    assert claims[0].note == "the speed test does not fit into the memory of the test machine"
    assert (claims[1].limit, claims[1].note) == (
        Limit.FRAMEWORK,
        "the project's correctness test fails",
    )
    # How many chips the machine has is not written, so the no holds under that condition only.
    assert [c.name for c in claims[2].conditions] == ["machine"]
    assert unknown(reading) == ["model: org/new", "status: 💤"]


def test_every_cell_is_a_finding_with_its_place() -> None:
    reading = read("model-results", MODELS, path=RELEASE + "model_support_matrix.csv")
    first = [f for f in reading.findings if f.locator.line == 2]
    assert [(f.locator.column, f.status.value) for f in first] == [
        ("UnitTest", "validated"),
        ("Accuracy/Correctness", "validated"),
        ("Benchmark", "does-not-fit"),
    ]
    assert len(reading.findings) == 12


def test_nightly_results_claim_nothing_about_a_release() -> None:
    reading = read("model-results", MODELS, path=NIGHTLY + "model_support_matrix.csv")
    assert {f.kind for f in reading.findings} == {FindingKind.VALUE}
    assert len(reading.findings) == 12


def test_a_chosen_code_path_claims_nothing_about_the_default() -> None:
    path = "support_matrices/release/v6e/flax_nnx/model_support_matrix.csv"
    assert {f.kind for f in read("model-results", MODELS, path=path).findings} == {
        FindingKind.VALUE
    }


def test_the_first_files_name_no_chip() -> None:
    text = 'Model,UnitTest,IntegrationTest,Benchmark\n"org/beta",✅,✅,✅\n'
    path = "support_matrices/text_only_model_support_matrix.csv"
    lines = [line for line in said(read("model-results", text, path=path)) if "(value)" not in line]
    assert lines == ["validated model-hardware/org/beta [model=org--beta]"]


def test_one_host_and_several_hosts_are_two_statements() -> None:
    text = (
        "Feature,Single-Host CorrectnessTest,Single-Host PerformanceTest,"
        "Multi-Host CorrectnessTest,Multi-Host PerformanceTest\n"
        '"PP",✅ Passing,✅ Passing,✅ Passing,✅ Passing\n'
        '"TP",✅ Passing,❌ Failing,❓ Untested,❓ Untested\n'
    )
    path = RELEASE + "parallelism_support_matrix.csv"
    reading = read("feature-results", text, path=path)
    chip = "hardware=google-tpu-v6e"
    assert [line for line in said(reading) if "(value)" not in line] == [
        f"validated feature-hardware/pp/google-tpu-v6e [{chip} features=pipeline-parallel]",
        "validated feature-hardware/pp/multi-node/google-tpu-v6e "
        f"[{chip} features=multi-node+pipeline-parallel]",
        f"validated feature-hardware/tp/google-tpu-v6e [{chip} features=tensor-parallel]",
        "untested feature-hardware/tp/multi-node/google-tpu-v6e "
        f"[{chip} features=multi-node+tensor-parallel]",
    ]
    assert reading.findings[4].note == "correct by the project's tests; the speed test fails"


def test_a_test_that_is_to_be_added_and_a_row_without_feature_state_nothing() -> None:
    text = 'Feature,CorrectnessTest,PerformanceTest\n"CP",to be added,N/A\n"MoE Expert IDs",✅,✅\n'
    reading = read("feature-results", text, path="support_matrices/feature_support_matrix.csv")
    assert [(f.kind.value, f.status.value) for f in reading.findings] == [
        ("compatibility", "untested"),
        ("value", "not-applicable"),
        ("value", "validated"),
        ("value", "validated"),
    ]


def test_schemes_keep_their_recommended_generations_as_a_value() -> None:
    text = (
        "Quantization dtype,Quantization methods,Recommended TPU Generations,"
        "CorrectnessTest,PerformanceTest\n"
        '"INT4 W4A16",awq,"v5, v6",❓ Untested,❓ Untested\n"X9",new,v7,✅ Passing,✅ Passing\n'
    )
    reading = read("quantization-results", text, path=RELEASE + "quantization_support_matrix.csv")
    assert said(reading)[:2] == [
        "value test-recommended/int4 w4a16/recommended tpu generations/v6e/default (value)"
        " = v5, v6",
        "untested quantization-hardware/awq-w4a16/google-tpu-v6e "
        "[quantization=awq-w4a16 hardware=google-tpu-v6e]",
    ]
    assert unknown(reading) == ["quantization: X9"]
    assert reading.findings[4].scope is None


def test_native_types_are_values_of_a_generation_and_no_claim_on_a_scheme() -> None:
    text = 'TPU Generations,Natively Supported FP4/FP8\nv7,"fp8_e4m3fn, bf16"\nv9,bf16\n'
    path = "support_matrices/release/hardware_acceleration_and_dtype_support_matrix.csv"
    reading = read("native-types", text, path=path)
    assert said(reading)[0] == ("supported native-types/google-tpu-v7x (value) = fp8_e4m3fn, bf16")
    assert reading.findings[0].names["hardware"] == "TPU v7"
    assert unknown(reading) == ["hardware: v9"]


def test_kernel_precisions_are_values() -> None:
    text = 'Kernel,W16 A16 (Corr),W16 A16 (Perf)\n"fused<br>moe*",❓ Untested,✅ Passing\n'
    path = RELEASE + "kernel_support_matrix-microbenchmarks.csv"
    found = read("kernel-results", text, path=path).findings
    assert [(f.status.value, f.names["kernel"]) for f in found] == [
        ("untested", "fused moe*"),
        ("validated", "fused moe*"),
    ]


@pytest.mark.parametrize(
    "rule", ["model-results", "feature-results", "kernel-results", "quantization-results",
             "native-types"],
)  # fmt: skip
def test_a_file_with_other_columns_is_refused(rule: str) -> None:
    with pytest.raises(UnexpectedPage, match="columns"):
        read(rule, "Name,Result\na,b\n", path=RELEASE + "model_support_matrix.csv")


README = """\
**Compatible TPU Generations**
- Recommended: v6e, v5e
- Experimental: v4

> - ✅ **Passing:** Tested and works as expected. Ready for use.
> - ❓ **Untested:** Not verified.

| Model | Unit&nbsp;Test |
| --- | --- |
| [org/beta](https://example.org/b) | <span title="✅ Passing">✅</span> |
"""


def test_the_readme_states_generations_legend_and_shown_results() -> None:
    reading = read("readme", README, path="README.md")
    assert said(reading) == [
        "supported platform/google-tpu-v6e [hardware=google-tpu-v6e]",
        "supported platform/google-tpu-v5e [hardware=google-tpu-v5e]",
        "experimental platform/google-tpu-v4 [hardware=google-tpu-v4]",
        "legend legend/results/✅ (legend) = Passing",
        "legend legend/results/❓ (legend) = Untested",
        "validated shown/0/org/beta/unit test (value) = ✅",
    ]
    with pytest.raises(UnexpectedPage):
        read("readme", "# TPU\n", path="README.md")


def test_the_setup_page_groups_generations_in_either_shape() -> None:
    old = "### Recommended\n- [TPU v6e](https://e.org)\n\n- [TPU v4 topologies](https://e.org)\n"
    new = "**Experimental**\n\n- __TPU v6e (Trillium)__\n\n## Quota\n\n- __TPU v4__\n"
    path = "docs/getting_started/tpu_setup.md"
    assert said(read("setup", old, path=path)) == [
        "supported platform/google-tpu-v6e [hardware=google-tpu-v6e]"
    ]
    assert said(read("setup", new, path=path)) == [
        "experimental platform/google-tpu-v6e [hardware=google-tpu-v6e]"
    ]
    with pytest.raises(UnexpectedPage):
        read("setup", "# Setup\n", path=path)


def test_what_a_shown_table_tests_is_a_legend() -> None:
    text = "> **Note:**\n> - *This table only tests loading.*\n"
    reading = read("shown-results", text, path="docs/includes/quantization.md")
    assert [(f.status.value, f.locator.line) for f in reading.findings] == [("legend", 2)]
