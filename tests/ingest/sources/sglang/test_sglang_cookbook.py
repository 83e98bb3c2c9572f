"""The cookbook's data files: literals with comments and code, recipes, measured rows."""

import time

import pytest

from ingest.contract import UnexpectedPage
from ingest.sources.sglang import SOURCE
from ingest.sources.sglang.literals import BrokenLiteral, Expression, Object, read_exports
from tests.ingest.sources.said import page_of, rule_named, said, vocabulary_of

WORDS = vocabulary_of(
    model={"acme/Alpha": "acme--alpha", "acme/Alpha-NVFP4": "acme--alpha-nvfp4"},
    hardware={"b200": "nvidia-b200", "Odd Card": "odd-card"},
    quantization={"bf16": "bf16"},
)

LITERAL = """\
// one literal
export const config = {
  name: "Al\\u0070ha", 'quoted': 'it''s'.length, /* odd */ count: 1_000, rate: -2.5e1,
  list: ["a", "b" /* c */, , `t ${x}`],
  when: (s) => ({ a: [1, 2], b: "}" }),
  ...spread,
  short,
  nested: { deep: true, gone: undefined },
};
export const other = [1, { a: null }];
"""


def test_literals_are_read_and_code_is_kept_as_text() -> None:
    exports = read_exports(LITERAL)
    config = exports["config"]
    assert isinstance(config, Object)
    assert config.text("name") == "Alpha"
    assert (config.members["count"], config.members["rate"]) == (1000, -25.0)
    assert config.texts("list") == ("a", "b", "t ${x}")
    assert isinstance(config.members["quoted"], Expression)
    assert config.members["when"] == Expression('(s) => ({ a: [1, 2], b: "}" })')
    assert config.child("nested").members == {"deep": True, "gone": None}
    assert (config.line, config.line_end) == (2, 9)
    assert exports["other"] == (1, Object(members={"a": None}, line=10, line_end=10))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("export const a = {\n  b: 1,", "line 2: expected the end of an object"),
        ("export const a = [1,", "line 1: expected the end of a list"),
        ("export const a = {\n  =: 1}", "line 2: expected the name of a member"),
        ("export const a = " + "[" * 100, "line 1: expected at most 60 nested literals"),
    ],
)
def test_a_broken_literal_names_the_line(text: str, message: str) -> None:
    with pytest.raises(BrokenLiteral) as refused:
        read_exports(text)
    assert str(refused.value).startswith(message)


def test_hostile_text_ends_quickly() -> None:
    started = time.monotonic()
    for text in ("export const a = (" + "(" * 200_000, "export const a = { b: `" + "\\" * 100_001):
        read_exports_or_refuse(text)
    assert time.monotonic() - started < 5


def read_exports_or_refuse(text: str) -> None:
    try:
        read_exports(text)
    except BrokenLiteral:
        return


RECIPES = """\
export const config = {
  modelName: "Alpha",
  hardware: [{ id: "oddcard", label: "Odd Card" }],
  modelNames: { "default|fp4": "acme/Alpha", "oddcard|default|fp4": "acme/Alpha-NVFP4" },
  cells: [
    {
      match: { hw: "b200", variant: "default", quant: "fp4", strategy: "fast", nodes: "single" },
      verified: true,
      flags: ["--model-path {{MODEL_NAME}}", "--tp 4"],
    },
    {
      match: { hw: "oddcard", variant: "default", quant: "fp4", strategy: "fast", nodes: "single" },
      verified: false,
      flags: [],
    },
    {
      match: { hw: "b200", variant: "default", quant: "bf16", strategy: "fast", nodes: "single" },
      verificationStatus: "in-progress",
      warn: "slow",
    },
    { match: { hw: "mac", variant: "default", quant: "zz", strategy: "fast", nodes: "single" } },
  ],
};
"""
PATH = "docs/src/snippets/configs/acme/alpha.jsx"


def test_only_a_recipe_that_was_run_makes_a_claim_and_only_for_as_many_devices() -> None:
    reading = rule_named(SOURCE, "cookbook-recipes").parse(page_of(RECIPES, path=PATH), WORDS)
    assert said(reading) == [
        "validated deployment/b200/default/fp4/fast/single/acme--alpha/mxfp4/nvidia-b200"
        " (deployment) = tp=4",
        "supported cookbook/acme--alpha/mxfp4/nvidia-b200"
        " [model=acme--alpha quantization=mxfp4 hardware=nvidia-b200 hardware_count>=4]",
        "untested deployment/oddcard/default/fp4/fast/single/acme--alpha-nvfp4/nvfp4/odd-card"
        " (deployment)",
        "work-in-progress deployment/b200/default/bf16/fast/single/alpha/bf16/nvidia-b200"
        " (deployment)",
        "not-stated deployment/mac/default/zz/fast/single/alpha/zz/apple (deployment)",
    ]
    run = reading.findings[0]
    assert (run.locator.line, run.locator.line_end, run.raw) == (7, 10, "verified: true")
    assert reading.findings[3].note == "the page warns about this recipe"


def test_a_data_file_without_config_or_with_a_broken_one_is_refused() -> None:
    rule = rule_named(SOURCE, "cookbook-recipes")
    for text in ("export const list = [];\n", "export const config = {\n"):
        with pytest.raises(UnexpectedPage):
            rule.parse(page_of(text, path=PATH), WORDS)


BENCHMARKS = """\
export const benchmarks = [
  {
    match: { hw: "b200", variant: "default", quant: "fp4", strategy: "fast", nodes: "single" },
    sglang_version: "0.5.16",
    speed: [
      { workload: { isl: 8192, osl: 1024, max_concurrency: 16 }, ttft_ms: 218.9, tpot_ms: null },
    ],
    accuracy: { gsm8k_pct: 95.1 },
  },
];
"""


def test_measured_rows_are_values_with_their_workload_and_version() -> None:
    path = "docs/src/snippets/configs/acme/alpha-benchmarks.jsx"
    reading = rule_named(SOURCE, "cookbook-benchmarks").parse(page_of(BENCHMARKS, path=path), WORDS)
    assert said(reading) == [
        "value benchmark/acme/alpha/b200/default/fp4/fast/single/8192/1024@16/ttft_ms (benchmark)"
        " = 218.9",
        "value benchmark/acme/alpha/b200/default/fp4/fast/single/gsm8k_pct (benchmark) = 95.1",
    ]
    assert reading.findings[0].names["version"] == "0.5.16"
