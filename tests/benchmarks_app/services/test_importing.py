"""Importing: all runs of an upload or none, whatever the files are like."""

import json
import struct
from typing import Any

import pytest

from benchmarks_app.models import Measurement, Run, RunFile, SampleSet, UnknownName, Upload
from benchmarks_app.services.importing import (
    discard_drafts,
    import_upload,
    needs_reading,
    runs_of_upload,
)
from benchmarks_app.services.receiving import Received
from tests.benchmarks_app.services.samples import encoded, imported, only_run, result, send
from tests.matrix.api.rows import make_world

pytestmark = pytest.mark.django_db
PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + b"\x00" * 20


@pytest.fixture(autouse=True)
def _world() -> None:
    make_world()


def rejected(name: str, data: bytes, **said: Any) -> Upload:
    """An upload of one file that gives no run."""
    upload = import_upload(send((name, data), **said).upload.uid)
    assert upload.state == "rejected"
    assert not Run.objects.exists()
    return upload


def test_a_file_becomes_a_run_with_its_values_and_nodes() -> None:
    run = only_run(imported(result()))
    assert (run.state, run.status, run.run_class) == ("draft", "ok", "measured")
    assert (run.framework, run.framework_version) == ("vllm", "0.7.0")
    assert (run.model, run.quantization) == ("meta--llama-3-8b", "awq-w4a16")
    assert (run.hardware, run.hardware_count) == ("nvidia-t4", 1)
    assert (
        run.measured_at is not None and run.measured_at.isoformat() == "2026-03-01T10:00:00+00:00"
    )
    assert (run.load_mode, run.max_concurrency, run.input_tokens) == ("closed_loop", 4, 512.0)
    assert run.outcome == "completed"
    values = dict(Measurement.objects.filter(run=run, metric="ttft").values_list("stat", "value"))
    assert values == {"mean": 82.5, "p50": 81.25, "p99": 140.5}
    assert RunFile.objects.get(run=run).part == "primary"
    assert run.facts["model.id"]["origin"] == "file"


def test_importing_twice_changes_nothing() -> None:
    upload = imported(result())
    before = list(Run.objects.values_list("pk", "uid"))
    assert import_upload(upload.uid).state == "read"
    assert list(Run.objects.values_list("pk", "uid")) == before


def test_many_runs_of_one_file_are_many_runs() -> None:
    lines = [
        encoded(result(tokens={"output_total": n, "duration_s": 2.0})) for n in (500, 600, 700)
    ]
    upload = import_upload(send(("runs.jsonl", b"\n".join(lines))).upload.uid)
    assert upload.run_count == 3
    assert list(upload.runs.order_by("number").values_list("number", flat=True)) == [1, 2, 3]


def test_statistics_are_made_again_from_samples_and_contradictions_are_said() -> None:
    samples = {"requests": {"ok": [1, 1, 1, 1], "ttft_ms": [80.0, 81.0, 82.0, 84.0]}}
    run = only_run(imported(result(samples=samples)))
    again = dict(
        Measurement.objects.filter(run=run, origin="recomputed", metric="ttft").values_list(
            "stat", "value"
        )
    )
    assert again["p50"] == 81.5 and again["count"] == 4
    said = {(one["code"], one["detail"]) for one in run.notices}
    assert ("contradicts_itself", "ttft.p99") in said
    assert ("contradicts_itself", "ttft.p50") not in said
    assert SampleSet.objects.get(run=run).columns == ["requests.ok", "requests.ttft_ms"]


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("cut.json", encoded(result())[:-40], "ends before it is complete"),
        ("deep.json", b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "levels"),
        ("twice.json", b'{"format":"runproof.run","format":"runproof.run","version":1}', "twice"),
        ("empty.json", b"", "empty"),
        ("picture.json", PNG, "PNG"),
        ("other.json", b'{"answer": 42}', "No importer knows"),
        ("latin.txt", "Zeit für".encode("latin-1") * 3, "not UTF-8"),
        ("nan.json", encoded(result()).replace(b"82.5", b"nonsense"), "broken"),
    ],
)
def test_a_broken_file_is_rejected_with_its_name_and_place(
    name: str, data: bytes, words: str
) -> None:
    upload = rejected(name, data)
    assert upload.error_sentence.startswith(f"{name}: ")
    assert words in upload.error_sentence
    row = upload.files.get()
    assert row.error_code and row.role == "rejected"
    assert upload.error_facts["files"] == {name: row.error_code}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_byte_order_marks_and_utf_16_are_read(encoding: str) -> None:
    text = json.dumps(result(), ensure_ascii=False)
    upload = import_upload(send(("run.json", text.encode(encoding))).upload.uid)
    assert upload.run_count == 1


def test_what_json_cannot_hold_is_kept_as_words() -> None:
    data = encoded(result(mystery=0)).replace(b'"mystery": 0', b'"mystery": [NaN, "a\\u0000b"]')
    run = only_run(import_upload(send(("run.json", data)).upload.uid))
    assert next(iter(run.unmapped.values())) == ["NaN", "a␀b"]


def test_marks_that_nobody_sees_are_kept_as_visible_names() -> None:
    unseen = "\u202egpj.exe\u202c \u2067a\x1b[2J\x9f\tb"
    run = only_run(imported(result(mystery=unseen, facts={"accelerator.name": unseen})))
    shown = "‹U+202E›gpj.exe‹U+202C› ‹U+2067›a␛[2J‹U+009F›\tb"
    assert next(iter(run.unmapped.values())) == shown
    assert run.facts["accelerator.name"]["value"] == shown
    assert run.label.isprintable()


def test_what_a_new_sender_says_of_bytes_without_a_run_counts() -> None:
    said = send(("run.json", encoded(result())), tool="vllm", run_class="published")
    assert import_upload(said.upload.uid).error_code == "wrong-tool"
    again = send(("run.json", encoded(result())), actor="bob", declared={"host.os": "Debian 12"})
    assert again.upload.pk == said.upload.pk
    run = only_run(import_upload(again.upload.uid))
    assert (run.created_by, run.run_class) == ("bob", "measured")
    assert run.facts["host.os"]["value"] == "Debian 12"


def test_what_a_second_sender_says_of_a_run_that_is_here_changes_nothing() -> None:
    first = imported(result())
    send(("run.json", encoded(result())), actor="bob", declared={"host.os": "Debian 12"})
    first.refresh_from_db()
    assert (first.received_by, first.declared) == ("ada", {})


def test_negative_values_are_kept_and_flagged() -> None:
    payload = result()
    payload["metrics"][0]["stats"]["p50"] = -3.0
    run = only_run(imported(payload))
    assert Measurement.objects.get(run=run, metric="ttft", stat="p50").value == -3.0
    assert ("negative_value", "ttft.p50") in {(n["code"], n["detail"]) for n in run.notices}
    assert run.outcome == "not-shown"


def test_one_bad_file_of_many_is_said_and_the_others_are_imported() -> None:
    upload = import_upload(
        send(("a.json", encoded(result())), ("b.json", b"{"), ("c.json", PNG)).upload.uid
    )
    assert (upload.state, upload.run_count, upload.files_read) == ("read", 1, 3)
    codes = dict(upload.files.values_list("name", "error_code"))
    assert codes["a.json"] == "" and codes["b.json"] and codes["c.json"] == "not-recognised"


def test_the_wrong_tool_chosen_by_hand_is_said() -> None:
    upload = rejected("run.json", encoded(result()), tool="llama_bench")
    assert upload.error_code == "wrong-tool"
    assert "runproof" in upload.error_sentence


def test_the_same_content_in_another_upload_is_no_second_run() -> None:
    first = only_run(imported(result()))
    pretty = json.dumps(result(), indent=2).encode()
    second = import_upload(send(("again.json", pretty), actor="bob").upload.uid)
    assert (second.state, second.run_count) == ("read", 1)
    assert Run.objects.count() == 1
    assert runs_of_upload(second) == [first]
    assert not needs_reading(second)
    assert second.files.get().notices[-1] == {
        "code": "same_run",
        "detail": first.uid,
        "pointer": "$",
    }


def test_the_same_run_in_another_form_is_no_second_run() -> None:
    """A form with fewer values and facts, but with numbers equal to the last of their digits."""
    exact = {"mean": 82.512345678, "p50": 81.2500012345, "p99": 140.598765432}
    rate = {
        "metric": "output_token_throughput",
        "definition": "output_token_throughput/successful",
        "stats": {"value": 256.123456789},
    }
    latency = {"metric": "ttft", "definition": "ttft/first-output", "stats": exact}
    first = only_run(imported(result(metrics=[latency, rate])))
    Run.objects.filter(pk=first.pk).update(format="another form")
    short = latency | {"stats": {"mean": exact["mean"], "p99": exact["p99"]}}
    second = imported(result(metrics=[short, rate], tokens={"output_total": 512}))
    assert runs_of_upload(second) == [first]
    other = latency | {"stats": {"mean": exact["mean"], "p99": 139.0}}
    assert imported(result(metrics=[other, rate])).runs.count() == 1


def test_a_bare_failure_is_never_taken_for_another_one() -> None:
    bare = result(
        status="failed", metrics=[], requests={}, tokens={}, facts={"run.started_at": None}
    )
    imported(bare)
    import_upload(send(("b.json", json.dumps(bare, indent=1).encode())).upload.uid)
    assert Run.objects.count() == 2


def test_the_same_bytes_of_two_people_are_one_run_with_both_named() -> None:
    upload = imported(result())
    again: Received = send(("run-0.json", encoded(result())), actor="bob")
    assert import_upload(again.upload.uid).pk == upload.pk
    assert Run.objects.count() == 1
    assert set(upload.receipts.values_list("sent_by", flat=True)) == {"ada", "bob"}


def test_unknown_names_are_noted_once_and_never_guessed() -> None:
    for number in (1, 2):
        imported(
            result(
                facts={"accelerator.name": "Acme X9000", "model.id": "acme/tiny"},
                tokens={"output_total": number},
            )
        )
    assert list(Run.objects.values_list("hardware", "model")) == [("", ""), ("", "")]
    names = set(UnknownName.objects.values_list("axis", "name"))
    assert names == {("hardware", "Acme X9000"), ("model", "acme/tiny")}


def test_secrets_people_paths_and_hosts_are_masked_in_what_is_kept() -> None:
    payload = result(
        facts={
            "model.raw": "/lustre/team/ada/models/Llama-3-8B",
            "framework.arguments": "--host gpu17.corp.internal --api-key sk-abcdefghijklmnopqrst",
            "env.HF_TOKEN": "abcdef123",
            "server_param.base_url": "http://10.3.4.5:8000/v1",
        },
        command="bench --base-url http://gpu17:8000 --model /home/ada/m --token hf_abcdefghijklmn",
    )
    run = only_run(imported(payload))
    shown = json.dumps([run.facts, run.command, run.notices, run.label], ensure_ascii=False)
    for secret in ("ada", "lustre", "gpu17", "sk-abc", "abcdef123", "10.3.4.5", "hf_abc"):
        assert secret not in shown
    assert "‹path›/Llama-3-8B" in shown and "http://‹host›:8000" in shown


def test_a_version_of_four_numbers_is_no_address() -> None:
    run = only_run(imported(result(), declared={"accelerator.driver": "32.0.15.6094"}))
    assert run.facts["accelerator.driver"]["value"] == "32.0.15.6094"


def test_what_was_declared_and_pasted_completes_the_file() -> None:
    pasted = "Driver Version: 550.54.15   CUDA Version: 12.4\n"
    upload = imported(
        result(),
        declared={"framework.version": "0.6.0", "container.image": "vllm/vllm-openai:v0.7.0"},
        pasted=pasted,
    )
    run = only_run(upload)
    assert run.facts["framework.version"] == {
        "value": "0.7.0", "origin": "file", "pointer": "$.facts.framework.version",
        "declared": "0.6.0",
    }  # fmt: skip
    assert run.facts["container.image"]["origin"] == "uploader"
    assert run.facts["accelerator.driver"]["origin"] == "pasted"
    assert ("declared_differs", "framework.version") in {
        (one["code"], one["detail"]) for one in run.notices
    }
    assert run.framework_version == "0.7.0"


def test_discarded_drafts_are_gone_and_can_be_read_again() -> None:
    upload = imported(result())
    assert discard_drafts(upload, actor="ada") == 1
    upload.refresh_from_db()
    assert not Run.objects.exists() and needs_reading(upload)
    assert import_upload(upload.uid).run_count == 1


def test_an_upload_that_asks_for_it_is_published_when_read() -> None:
    run = only_run(imported(result(), publish=True))
    assert (run.state, run.published_by) == ("published", "ada")
    assert run.claim_uid
