"""Cookbook data evaluated to JSON: the same deployments, without lines of the original file."""

import json

from ingest.contract import FindingKind, StatementStatus
from ingest.sources.sglang import SOURCE
from tests.ingest.sources.said import page_of, places, rule_named, vocabulary_of

WORDS = vocabulary_of(
    model={"acme/Alpha": "acme--alpha"},
    hardware={"b200": "nvidia-b200"},
    quantization={"bf16": "bf16"},
)
CONFIG = {
    "modelName": "Alpha",
    "modelNames": {"big|bf16": "acme/Alpha"},
    "cells": [
        {
            "match": {"hw": "b200", "variant": "big", "quant": "bf16", "nodes": "single"},
            "verified": True,
            "flags": ["--tp 4"],
        },
        {
            "match": {"hw": "b200", "variant": "big", "quant": "bf16", "nodes": "multi-2"},
            "verified": False,
            "flags": [],
        },
    ],
}


def test_cells_of_derived_json_are_deployments_without_lines() -> None:
    page = page_of(json.dumps(CONFIG, indent=1), path="docs/src/snippets/configs/acme/alpha.jsx")
    reading = rule_named(SOURCE, "cookbook-recipes").parse(page, WORDS)
    deployments = [f for f in reading.findings if f.kind is FindingKind.DEPLOYMENT]
    assert [(f.status, f.value) for f in deployments] == [
        (StatementStatus.VALIDATED, "tp=4"),
        (StatementStatus.UNTESTED, ""),
    ]
    assert places(reading) == [
        ("b200/big/bf16//single", "", None),
        ("b200/big/bf16//single", "", None),
        ("b200/big/bf16//multi-2", "", None),
    ]


def test_measured_rows_of_derived_json_are_values() -> None:
    entries = [
        {
            "match": {"hw": "b200", "quant": "bf16"},
            "speed": [
                {"workload": {"isl": 1024, "osl": 16, "max_concurrency": 1}, "ttft_ms": 12.5}
            ],
        }
    ]
    path = "docs/src/snippets/configs/acme/alpha-benchmarks.jsx"
    page = page_of(json.dumps(entries), path=path)
    reading = rule_named(SOURCE, "cookbook-benchmarks").parse(page, WORDS)
    assert [(f.value, f.names["metric"], f.locator.line) for f in reading.findings] == [
        ("12.5", "ttft_ms", None)
    ]
