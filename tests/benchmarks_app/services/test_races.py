"""Two at once: a name decided while a file is read, a draft discarded while it is published."""

import logging

import pytest
from django.utils import timezone

from benchmarks_app.domain.merging import merge_files
from benchmarks_app.models import Run, StoredFile
from benchmarks_app.services import importing
from benchmarks_app.services.deciding import decide_name
from benchmarks_app.services.importing import discard_drafts, import_upload
from benchmarks_app.services.publishing import publish_run, withdraw_run
from benchmarks_app.services.reading_files import named_readings, read_files
from benchmarks_app.services.unknown_names import current_resolver, note_unknown
from benchmarks_app.services.writing_runs import build_all, write_runs
from matrix.domain.errors import InvalidValue
from tests.benchmarks_app.services.samples import encoded, imported, only_run, result, send
from tests.matrix.api.rows import make_world

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _world() -> None:
    make_world()


def test_a_name_decided_while_a_file_is_read_counts_for_its_runs() -> None:
    note_unknown([("hardware", "Lab Card")], now=timezone.now())
    upload = send(("run.json", encoded(result(facts={"accelerator.name": "Lab Card"})))).upload
    rows = list(upload.files.select_related("file"))
    files = list(read_files(rows, tool=""))
    resolver = current_resolver()
    candidates = merge_files(named_readings(files)).runs
    built = build_all(candidates, upload=upload, files=rows, resolver=resolver, now=timezone.now())
    assert built[0].run.hardware == ""
    decide_name("hardware", "Lab Card", slug="nvidia-t4", actor="cleo")
    write_runs(upload, rows, built, resolver=resolver)
    assert only_run(upload).hardware == "nvidia-t4"


def test_a_draft_that_was_discarded_meanwhile_is_no_draft_to_publish() -> None:
    run = only_run(imported(result()))
    discard_drafts(run.upload, actor="ada")
    with pytest.raises(InvalidValue, match="discarded"):
        publish_run(run, actor="ada")


def test_a_run_that_was_published_meanwhile_is_not_discarded() -> None:
    run = only_run(imported(result()))
    upload = run.upload
    publish_run(run, actor="ada")
    assert discard_drafts(upload, actor="ada") == 0
    assert Run.objects.filter(pk=run.pk).exists()


def test_a_run_is_withdrawn_once() -> None:
    run = publish_run(only_run(imported(result())), actor="ada").run
    withdraw_run(run, actor="ada", reason="wrong card")
    with pytest.raises(InvalidValue, match="withdrawn"):
        withdraw_run(run, actor="ada", reason="wrong card")


def test_files_are_stored_in_one_order_whatever_the_order_of_the_sender() -> None:
    send(("b.json", b"[2]"), ("a.json", b"[1]"), ("c.json", b"[3]"))
    stored = list(StoredFile.objects.order_by("pk").values_list("sha256", flat=True))
    assert stored == sorted(stored)


def test_a_fault_of_ours_is_logged_without_the_words_of_the_file(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    upload = send(("run.json", encoded(result()))).upload

    def break_down(*args: object, **kwargs: object) -> None:
        raise ValueError("could not convert string to float: 'my prompt'")

    monkeypatch.setattr(importing, "merge_files", break_down)
    with caplog.at_level(logging.ERROR), pytest.raises(ValueError, match="my prompt"):
        import_upload(upload.uid)
    assert "ValueError in " in caplog.text
    assert "my prompt" not in caplog.text


def test_settings_of_the_load_hide_paths_and_addresses() -> None:
    extra = {"engine_dir": "/data/ada/engines/llama", "target": "http://me:XYZ@inner:8000/v1"}
    load = {"mode": "burst", "warmup": "/home/ada/warm.txt", "extra": extra}
    run = only_run(imported(result(load=load)))
    assert (
        "ada" not in str(run.load) and "XYZ" not in str(run.load) and "inner" not in str(run.load)
    )
    assert run.load["extra"]["engine_dir"].endswith("llama")


def test_an_endless_fact_is_cut_and_read_as_fast_as_any_other() -> None:
    name = "a" + " " * 200_000 + "(" * 200_000
    run = only_run(imported(result(facts={"accelerator.name": name})))
    assert len(run.facts["accelerator.name"]["value"]) <= 16_000
    assert run.hardware == ""


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:00:00-14:00"])
def test_a_date_at_the_end_of_the_calendar_is_unknown(moment: str) -> None:
    run = only_run(imported(result(facts={"run.started_at": moment})))
    assert (run.measured_at, run.measured_on) == (None, None)
