"""The commands that verify dossiers and load the demonstration."""

import json
import tomllib
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from matrix import dossiers
from matrix.asking import QuestionReader
from matrix.catalog_files import read_catalogue
from matrix.domain.need import read_need
from matrix.dossiers.shipping import SHIPPED_FOLDER, load_shipped_dossiers
from matrix.models import AuditEntry, Dossier
from matrix.queries.dossiers import assess_dossier

SMALL = """
uid = "demo-small"
title = "A small demonstration"
as_of = 2026-01-10
summary = "For tests."
decision = "vLLM."
[need]
required_features = ["lora"]
[[criterion]]
short = "runs"
name = "runs"
kind = "knock-out"
check_code = "verdict"
[[criterion]]
short = "measured"
name = "measured"
kind = "knock-out"
check_code = "slo"
[[criterion]]
short = "care"
name = "care"
kind = "weighted"
weight_percent = 100
[[candidate]]
name = "vLLM"
is_chosen = true
words = { framework = "vllm", version = "0.6.0", hardware = "Turing", quantization = "awq" }
score.care = { points = 3, note = "So." }
waiver.measured = { reason = "Later.", removal_plan = "Test.", remove_by = 2026-02-01 }
[[comment]]
author = "Operations (demonstration)"
text = "Later would be better."
[[sign_off]]
person = "Platform (demonstration)"
stance = "agree"
[[sign_off]]
person = "Operations (demonstration)"
stance = "dissent"
statement = "Not measured."
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a small demonstration."""
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    return tmp_path


def test_a_demonstration_is_loaded_once_frozen_and_signed(world: None, folder: Path) -> None:
    assert load_shipped_dossiers(folder) == [("demo-small", True)]
    assert load_shipped_dossiers(folder) == [("demo-small", False)]
    dossier = Dossier.objects.get()
    assert (dossier.state, dossier.is_demonstration) == ("frozen", True)
    assert [row.stance for row in dossier.sign_offs.all()] == ["agree", "dissent"]
    found = assess_dossier(dossier)
    assert found.as_of.isoformat() == "2026-01-10"
    assert found.scorecard.ranking[0].waived == ("2",)
    assert found.scorecard.entry("1", "3").points == 3
    assert {c.role for c in found.candidates[0].verdict.claims} == {"deciding"}
    call_command("verify_dossier", "demo-small", stdout=StringIO())


def test_a_broken_demonstration_leaves_nothing_behind(world: None, folder: Path) -> None:
    broken = SMALL.replace("weight_percent = 100", "weight_percent = 99")
    (folder / "small.toml").write_text(broken, encoding="utf-8")
    with pytest.raises(CommandError, match="weights that sum to 100"):
        call_command("load_dossiers", folder=folder, stdout=StringIO())
    assert not Dossier.objects.exists()
    assert not AuditEntry.objects.filter(actor="demonstration").exists()


def test_the_shipped_demonstration_names_the_five_and_roles_instead_of_people() -> None:
    path = SHIPPED_FOLDER / "support-bot.toml"
    plain = tomllib.loads(path.read_text(encoding="utf-8"))
    frameworks = [candidate["words"]["framework"] for candidate in plain["candidate"]]
    assert sorted(frameworks) == ["llama.cpp", "sglang", "tensorrt-llm", "tgi", "vllm"]
    assert all("version" in candidate["words"] for candidate in plain["candidate"])
    people = [one["person"] for one in plain["sign_off"]] + [c["author"] for c in plain["comment"]]
    assert all(person.endswith("(demonstration)") for person in people)
    assert sorted(one["stance"] for one in plain["sign_off"]) == ["agree", "agree", "dissent"]
    assert sum(c.get("weight_percent", 0) for c in plain["criterion"]) == 100
    assert plain["need"]["workload"]["request_rate_req_s"] >= 200


def test_the_shipped_demonstration_asks_what_the_shipped_catalogue_knows() -> None:
    plain = tomllib.loads((SHIPPED_FOLDER / "support-bot.toml").read_text(encoding="utf-8"))
    reader = QuestionReader(
        read_catalogue(), today=plain["as_of"], words_of_axis=lambda axis: frozenset()
    )
    for candidate in plain["candidate"]:
        words = {name: [str(word)] for name, word in candidate["words"].items()}
        question = reader.read({**words, "as_of": [plain["as_of"].isoformat()]})
        assert question.cell.version == candidate["words"]["version"]
    need = read_need(plain["need"])
    thresholds = [criterion.get("threshold", {}) for criterion in plain["criterion"]]
    asked = {threshold["feature"] for threshold in thresholds if "feature" in threshold}
    for feature in (*need.required_features, *asked):
        assert reader.resolve("feature", feature) == feature
    for one in need.hardware:
        assert reader.resolve("hardware", one.hardware) == one.hardware


def test_the_command_verifies_a_stored_dossier_and_its_export(
    frozen: Dossier, tmp_path: Path
) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps(dossiers.dossier_export(frozen)), encoding="utf-8")
    out = StringIO()
    call_command("verify_dossier", frozen.uid, str(path), stdout=out)
    lines = out.getvalue().splitlines()
    assert lines[0].startswith(f"{frozen.uid}: holds; sha256 {frozen.content_sha256}")
    assert lines[1].startswith(f"{path}: holds")


def test_the_command_refuses_a_file_that_says_one_thing_twice(
    frozen: Dossier, tmp_path: Path
) -> None:
    text = json.dumps(dossiers.dossier_export(frozen))
    path = tmp_path / "export.json"
    path.write_text('{"frozen_by": "somebody", ' + text[1:], encoding="utf-8")
    out = StringIO()
    with pytest.raises(CommandError, match="1 of 1 dossiers do not hold"):
        call_command("verify_dossier", str(path), stdout=out)
    assert "a name stands twice" in out.getvalue()


@pytest.mark.parametrize("text", ["{", "[]", '{"form": "x"}', "[" * 100_000])
def test_the_command_refuses_what_is_no_export(world: None, tmp_path: Path, text: str) -> None:
    path = tmp_path / "export.json"
    path.write_text(text, encoding="utf-8")
    out = StringIO()
    with pytest.raises(CommandError, match="1 of 1 dossiers do not hold"):
        call_command("verify_dossier", str(path), stdout=out)
    assert "cannot be verified" in out.getvalue()


def test_the_command_ends_with_an_error_for_a_changed_file_and_an_unknown_name(
    frozen: Dossier, tmp_path: Path
) -> None:
    export = dossiers.dossier_export(frozen)
    changed = {**export, "content": {**export["content"], "decision": "Another."}}
    path = tmp_path / "export.json"
    path.write_text(json.dumps(changed), encoding="utf-8")
    out = StringIO()
    with pytest.raises(CommandError, match="2 of 2"):
        call_command("verify_dossier", str(path), "nothing", stdout=out)
    assert "does not hold" in out.getvalue()
    assert "no identifier of a dossier here" in out.getvalue()
