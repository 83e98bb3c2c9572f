"""Recipes of the vLLM Neuron plug-in: checkpoints, features, limits, pooling tasks."""

import pytest

from ingest.contract import Reading, UnexpectedPage
from ingest.sources.aws_neuron import PLUGIN_SOURCE
from matrix.domain.levels import Limit, Tier
from tests.ingest.sources.said import page_of, rule_named, said, unknown, vocabulary_of

WORDS = vocabulary_of(
    model={"org/alpha-20b": "org--alpha-20b", "org/beta-4b": "org--beta-4b"},
    feature={"Prefix caching": "prefix-caching", "Segmented prefill": "segmented-prefill"},
)
TWO = "hardware=aws-trainium2,aws-trainium3"


def read(rule: str, text: str, *, path: str) -> Reading:
    page = page_of(text, path=path, version="v2.32.0", framework="vllm-neuron")
    return rule_named(PLUGIN_SOURCE, rule).parse(page, WORDS)


RECIPE = """\
# Alpha Model Recipe

| Model | HuggingFace | Hardware | Quantization | Validated |
|-------|-------------|----------|--------------|-----------|
| alpha | [org/alpha-20b](https://hf.co/a) | Trn2, Trn3 | BF16 (Trn2), MXFP8 (Trn3 only) | ✅ |
| beta | [org/beta-4b](https://hf.co/b) | Trn2, Trn3 | BF16 | ❌ |

> MXFP4 is Trn3 only.

## Features

| Category | Feature | Status |
|---|---|---|
| **Inputs** | Text | ✅ |
| **Quantization** | KV cache FP8 | ✅ |
| | MXFP4 weights (Trn3) | ✅ |
| **Parallelism** | Data parallelism (DP) | ✅ (see [Known issues](#known-issues)) |
| | Expert parallelism (EP) | N/A |
| | Pipeline parallelism (PP) | ❌ |
| **Serving** | Structured outputs / tool calling | ✅ |
| | A new thing | ✅ |

- ❌ Not supported: may be considered for future releases

## Known limitations

- **Segmented prefill and prefix caching are not supported yet.** So it is.
"""
RECIPES = "vllm-neuron/docs/model-recipes/alpha.md"


def test_a_recipe_states_checkpoints_features_and_limits() -> None:
    reading = read("recipes", RECIPE, path=RECIPES)
    chips = "aws-trainium2+aws-trainium3"
    model = "model=org--alpha-20b"
    assert said(reading) == [
        f"validated checkpoint/org--alpha-20b/bf16/aws-trainium2 "
        f"[{model} quantization=bf16 hardware=aws-trainium2]",
        f"validated checkpoint/org--alpha-20b/mxfp8/aws-trainium3 "
        f"[{model} quantization=mxfp8 hardware=aws-trainium3]",
        f"unsupported checkpoint/org--alpha-20b/mxfp8/aws-trainium2 "
        f"[{model} quantization=mxfp8 hardware=aws-trainium2]",
        "validated validated/org--alpha-20b (value)",
        f"untested checkpoint/org--beta-4b/bf16/{chips} "
        f"[model=org--beta-4b quantization=bf16 {TWO}]",
        "untested validated/org--beta-4b (value)",
        "supported recipe/alpha/text (value)",
        f"supported model-scheme/alpha/kv-fp8/{chips} [{model} kv_dtype=kv-fp8 {TWO}]",
        f"supported model-scheme/alpha/mxfp4/aws-trainium3 "
        f"[{model} quantization=mxfp4 hardware=aws-trainium3]",
        f"supported model-feature/alpha/data parallelism (dp)/{chips} "
        f"[{model} {TWO} features=data-parallel]",
        f"not-applicable model-feature/alpha/expert parallelism (ep)/{chips} "
        f"[{model} {TWO} features=expert-parallel]",
        f"unsupported model-feature/alpha/pipeline parallelism (pp)/{chips} "
        f"[{model} {TWO} features=pipeline-parallel]",
        f"supported model-feature/alpha/structured-output/{chips} "
        f"[{model} {TWO} features=structured-output]",
        f"supported model-feature/alpha/tool-calling/{chips} [{model} {TWO} features=tool-calling]",
        f"supported model-feature/alpha/a new thing/{chips} [?]",
        f"unsupported limit/alpha/segmented-prefill/{chips} "
        f"[{model} {TWO} features=segmented-prefill]",
        f"unsupported limit/alpha/prefix-caching/{chips} [{model} {TWO} features=prefix-caching]",
        f"unsupported checkpoint/alpha/mxfp4/aws-trainium2 "
        f"[{model} quantization=mxfp4 hardware=aws-trainium2]",
        "legend legend/recipes/❌ (legend) = Not supported",
    ]
    assert unknown(reading) == ["feature: A new thing"]


def test_a_beta_yes_is_experimental_and_a_no_is_the_frameworks() -> None:
    found = read("recipes", RECIPE, path=RECIPES).findings
    by_statement = {f.statement: f for f in found}
    chips = "aws-trainium2+aws-trainium3"
    assert by_statement[f"model-scheme/alpha/kv-fp8/{chips}"].tier is Tier.EXPERIMENTAL
    refused = by_statement[f"model-feature/alpha/pipeline parallelism (pp)/{chips}"]
    assert (refused.limit, refused.names["category"]) == (Limit.FRAMEWORK, "parallelism")
    shaky = by_statement[f"model-feature/alpha/data parallelism (dp)/{chips}"]
    assert shaky.note == "throughput does not scale as expected"


def test_a_recipe_without_its_tables_is_refused() -> None:
    with pytest.raises(UnexpectedPage, match="HuggingFace"):
        read("recipes", "# Recipe\n", path=RECIPES)


def test_pooling_tasks_are_read_by_the_status_on_neuron() -> None:
    text = (
        "| Task | Family | Status on Neuron |\n| --- | --- | --- |\n"
        "| `embed` | sequence-wise | ✅ Supported |\n"
        "| `score` | sequence-wise | ❌ Not supported |\n"
        "| `token_embed` | token-wise | ❌ Not supported |\n"
    )
    path = "vllm-neuron/docs/design/vllm/pooling-models.md"
    chips = "aws-trainium2+aws-trainium3"
    assert said(read("tasks", text, path=path)) == [
        f"supported task/embed/{chips} [{TWO} features=embeddings]",
        f"unsupported task/score/{chips} [{TWO} features=reranking]",
        "unsupported task/token_embed (value)",
    ]
    with pytest.raises(UnexpectedPage):
        read("tasks", "# Pooling\n", path=path)
