"""``manage.py check_memory`` over files of measured rows."""

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tests.matrix.domain.memory.test_truth_compare import LOAD


def printed(tmp_path, *rows, words=(), name="rows.jsonl"):
    file = tmp_path / name
    file.write_text("\n".join(r if isinstance(r, str) else json.dumps(r) for r in rows))
    out = StringIO()
    call_command("check_memory", str(file), *words, stdout=out)
    return out.getvalue().splitlines()


def test_the_last_lines_are_one_a_quantity(tmp_path):
    lines = printed(tmp_path, LOAD)
    assert lines[-4] == ("weights: 1 rows, 1 exact, median 0.00 %, p95 0.00 %, worst under 0.00 %")
    assert lines[-3].startswith("kv: 1 rows, 1 exact, ")
    assert lines[-2].startswith("compute: 1 rows, ")
    assert lines[-1].startswith("total: 1 rows, ")


def test_the_shipped_catalogue_knows_models_by_their_hub_name(tmp_path):
    row = {
        "kind": "model_size", "hf_id": "Qwen/Qwen3-32B", "quant": "Q6_K", "model_size_GiB": 25.03,
    }  # fmt: skip
    assert printed(tmp_path, row)[-4].startswith("weights: 1 rows, 1 exact")


def test_rows_that_are_not_read_are_named_with_their_line(tmp_path):
    lines = printed(tmp_path, LOAD, "{broken", "[1]", {"a": 1}, {**LOAD, "args": 3})
    said = [line for line in lines if line.startswith("not read: ")]
    assert len(said) == 3
    assert said[0].startswith("not read: rows.jsonl:2")
    assert any("rows.jsonl:4" in line and "known format" in line for line in said)
    assert any("not estimated" in line and "args" in line for line in lines)
    assert lines[-4].startswith("weights: 1 rows")


def test_rows_outside_are_listed_with_their_reason(tmp_path):
    row = {
        "kind": "model_size", "hf_id": "Qwen/Qwen3-32B", "quant": "Q6_K", "model_size_GiB": 30.0,
    }  # fmt: skip
    lines = printed(tmp_path, row, words=("--list",))
    listed = [line for line in lines if line.startswith("outside: weights -16.")]
    assert len(listed) == 1
    assert "other-mix" in listed[0]
    assert not any(line.startswith("outside") for line in printed(tmp_path, row))


def test_what_is_not_estimated_is_counted_before_the_last_lines(tmp_path):
    row = {"kind": "model_size", "hf_id": "no/such", "quant": "Q6_K", "model_size_GiB": 3.0}
    lines = printed(tmp_path, row)
    assert "not estimated: weights, 1 rows: no shape of no/such" in lines
    assert lines[-4].startswith("weights: 0 rows")


def test_peers_are_printed_beside_ours(tmp_path):
    peers = tmp_path / "peers.json"
    peers.write_text(
        json.dumps([{
            "peer": "other 1.0", "model": "small", "what": "kv_8192", "value": 2**31,
            "truth": 2**30,
        }])
    )  # fmt: skip
    lines = printed(tmp_path, LOAD, words=("--peers", str(peers)))
    line = next(line for line in lines if line.startswith("peer: "))
    assert "worst 100.00 %" in line
    assert line.endswith("here on the same: 1 rows, median 0.00 %, worst 0.00 %")


def test_a_file_that_is_not_there_is_said(tmp_path):
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("check_memory", str(tmp_path / "no.jsonl"), stdout=StringIO())


def test_lines_that_are_no_json_of_numbers_are_named_and_left_out(tmp_path):
    lines = printed(
        tmp_path,
        LOAD,
        '{"kind": "model_size", "model_size_GiB": NaN}',
        '{"a": ' + "9" * 5000 + "}",
        "[" * 100_000,
        {**LOAD, "result": {}},
        {**LOAD, "result": {"model_size_bytes": "x", "breakdown": {}}},
        {**LOAD, "result": {"model_size_bytes": 5, "breakdown": [1]}},
        {**LOAD, "hparams": {**LOAD["hparams"], "n_layer": 10**15}},
    )
    said = [line for line in lines if line.startswith("not read: ")]
    assert [line.split(":")[2].split()[0] for line in said] == ["2", "3", "4", "5", "7", "8"]
    assert "it states no 'breakdown'" in said[3]
    assert any("not estimated: total, 1 rows: row is 'x'" in line for line in lines)
    assert lines[-4].startswith("weights: 1 rows, 1 exact")
