"""``manage.py check_facts``: hand-set facts against pages on disk; no database."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.ingest.capture_folders import QUANTIZATION_PAGE, table_page

PLACE = {"framework": "vllm", "version": "0.2.0", "page": QUANTIZATION_PAGE, "table_line": 5}
AWQ_ON_TURING = {**PLACE, "id": "a", "row": "AWQ", "column": "Turing", "status": "yes"}
GGUF_ON_VOLTA = {**PLACE, "id": "b", "row": "GGUF", "column": "Volta", "status": "not_stated"}


@pytest.fixture
def captures(tmp_path: Path) -> Path:
    file = tmp_path / "captures" / "vllm" / "0.2.0" / QUANTIZATION_PAGE
    file.parent.mkdir(parents=True)
    file.write_text(table_page(AWQ="no yes yes", GGUF="blank yes unknown"), encoding="utf-8")
    return tmp_path / "captures"


def check(captures: Path, facts: list[dict[str, Any]] | str, *options: str) -> tuple[str, str]:
    """What the command wrote to stdout and stderr."""
    file = captures.parent / "facts.jsonl"
    text = facts if isinstance(facts, str) else "\n".join(json.dumps(fact) for fact in facts)
    file.write_text(text, encoding="utf-8")
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command(
            "check_facts", str(file), "--captures", str(captures), *options, stdout=out, stderr=err
        )
    except CommandError as error:
        assert error.returncode == 1
        return out.getvalue(), f"{err.getvalue()}failed: {error}"
    return out.getvalue(), err.getvalue()


def test_the_last_line_counts_the_outcomes(captures: Path) -> None:
    wrong_row = {**AWQ_ON_TURING, "id": "c", "row": "FP8"}
    out, err = check(captures, [AWQ_ON_TURING, GGUF_ON_VOLTA, wrong_row])
    assert "precision 100.0%, recall" in out
    assert out.splitlines()[-1] == "facts: 3 checked, 2 right, 0 opposite, 1 missing"
    assert err == ""


def test_every_miss_names_page_row_column_found_and_expected(captures: Path) -> None:
    out, _ = check(captures, [{**AWQ_ON_TURING, "status": "partial"}])
    assert out.splitlines()[0] == (
        f"missing: a vllm 0.2.0 {QUANTIZATION_PAGE} | row 'AWQ' | column 'Turing' | "
        "expected partial | found supported (AWQ/Turing: '✅︎')"
    )


def test_an_opposite_reading_fails_the_command(captures: Path) -> None:
    out, err = check(captures, [{**AWQ_ON_TURING, "status": "no"}, GGUF_ON_VOLTA])
    assert out.splitlines()[-1] == "facts: 2 checked, 1 right, 1 opposite, 0 missing"
    assert err == "failed: 1 facts are read as the opposite"


def test_a_share_below_the_asked_one_fails_the_command(captures: Path) -> None:
    facts = [AWQ_ON_TURING, {**AWQ_ON_TURING, "row": "FP8"}]
    assert check(captures, facts, "--fail-under", "50")[1] == ""
    assert check(captures, facts, "--fail-under", "97")[1] == "failed: 1 of 2 right is below 97 %"


def test_the_right_cell_of_another_page_is_not_right(captures: Path) -> None:
    other = {**AWQ_ON_TURING, "page": "docs/features/quantization/other.md"}
    file = captures / "vllm" / "0.2.0" / other["page"]
    file.write_text(table_page(AWQ="no yes yes"), encoding="utf-8")
    # The table stands there, but no rule reads that page.
    out, _ = check(captures, [other])
    assert out.splitlines()[-1] == "facts: 1 checked, 0 right, 0 opposite, 1 missing"


def test_a_page_that_is_not_captured_is_a_miss_and_named(captures: Path) -> None:
    out, err = check(captures, [{**AWQ_ON_TURING, "version": "0.9.0"}])
    assert out.splitlines()[-1] == "facts: 1 checked, 0 right, 0 opposite, 1 missing"
    assert err == f"a: vllm/0.9.0/{QUANTIZATION_PAGE} is not in the captures\n"


def test_a_page_outside_the_captures_is_not_read(captures: Path) -> None:
    (captures.parent / "secret.md").write_text(table_page(AWQ="no yes yes"), encoding="utf-8")
    _, err = check(captures, [{**AWQ_ON_TURING, "local": "../secret.md"}])
    assert "../secret.md is not in the captures" in err


def test_a_page_of_an_unexpected_shape_misses_its_facts(captures: Path) -> None:
    file = captures / "vllm" / "0.2.0" / QUANTIZATION_PAGE
    file.write_text("# Quantization\n\n| A | B |\n|---|---|\n| AWQ | yes |\n", encoding="utf-8")
    absent = {**PLACE, "id": "d", "absent": "column", "facet": {"hardware": "TPU"}, "status": "-"}
    out, err = check(captures, [AWQ_ON_TURING, absent])
    assert out.splitlines()[-1] == "facts: 2 checked, 0 right, 0 opposite, 2 missing"
    assert err.count("expected ") == 1


def test_facts_of_frameworks_without_a_source_are_counted_apart(captures: Path) -> None:
    out, _ = check(captures, [AWQ_ON_TURING, {**AWQ_ON_TURING, "framework": "somewhere-else"}])
    assert "1 facts are about frameworks without a source here" in out
    assert out.splitlines()[-1] == "facts: 1 checked, 1 right, 0 opposite, 0 missing"


def test_code_facts_and_derived_recipes_are_read_like_pages(captures: Path) -> None:
    facts = {
        "framework": "vllm",
        "version": "0.2.0",
        "quantization_methods": ["awq", "gptq"],
        "quant_method_config": {},
    }
    (captures / "vllm" / "facts-0.2.0.json").write_text(json.dumps(facts), encoding="utf-8")
    folder = captures / "_derived" / "sglang-cookbook-v1"
    folder.mkdir(parents=True)
    recipe = {
        "modelName": "acme/Alpha",
        "cells": [{"match": {"hw": "b200", "quant": "fp8"}, "verified": True, "flags": ["--tp 4"]}],
    }
    (folder / "acme__alpha.json").write_text(json.dumps(recipe), encoding="utf-8")
    code = {
        "id": "e",
        "framework": "vllm",
        "version": "0.2.0",
        "source": "code",
        "facts_file": "vllm/facts-0.2.0.json",
        "facts_path": ["quantization_methods"],
        "value": "awq",
        "status": "yes",
    }
    path = "docs/src/snippets/configs/acme/alpha.jsx"
    deployment = {
        "id": "f",
        "framework": "sglang",
        "version": "v1",
        "kind": "deployment",
        "page": path,
        "local": f"sglang/v1/{path}",
        "line": 465,
        "facets": {"model": "acme/Alpha", "hardware": "B200", "quantization": "FP8", "tp": 4},
        "status": "validated",
    }
    out, _ = check(captures, [code, deployment, {**deployment, "status": "untested"}])
    assert out.splitlines()[-1] == "facts: 3 checked, 2 right, 0 opposite, 1 missing"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "facts.jsonl, line 1: "),
        ("[]", "facts.jsonl, line 1: a fact needs framework and status"),
        ('{"framework": "vllm"}', "facts.jsonl, line 1: a fact needs framework and status"),
    ],
)
def test_a_broken_facts_file_names_the_line(captures: Path, text: str, message: str) -> None:
    assert message in check(captures, text)[1]


def test_a_missing_file_or_folder_is_named(captures: Path) -> None:
    nowhere = str(captures / "nowhere")
    with pytest.raises(CommandError, match="nowhere is no file"):
        call_command("check_facts", nowhere, "--captures", str(captures))
    check(captures, [AWQ_ON_TURING])
    with pytest.raises(CommandError, match="nowhere is no folder of captures"):
        call_command("check_facts", str(captures.parent / "facts.jsonl"), "--captures", nowhere)
