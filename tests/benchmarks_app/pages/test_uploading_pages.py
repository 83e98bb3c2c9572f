"""The pages of uploads: who sees them, what they say, what they never say."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from benchmarks_app.models import Run, StoredFile, UnknownName, Upload
from matrix.index import forget_knowledge
from matrix.models import Claim
from tests.benchmarks_app.result_files import result, run
from tests.matrix.api.rows import make_user, make_world

FORM = "/benchmarks/upload/"


@pytest.fixture(autouse=True)
def _world(db: None, monkeypatch: Any) -> Iterator[None]:
    """The small world; what follows a commit happens at once."""
    monkeypatch.setattr("django.db.transaction.on_commit", lambda act, **_options: act())
    forget_knowledge()
    make_world()
    yield
    forget_knowledge()


def signed_in(name: str, role: str) -> Client:
    client = Client()
    client.force_login(make_user(name, role))
    return client


@pytest.fixture
def ada() -> Client:
    """A contributor."""
    return signed_in("ada", "contributor")


@pytest.fixture
def curator() -> Client:
    """A curator."""
    return signed_in("carla", "curator")


def file(name: str = "result.json", data: bytes | None = None) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, result() if data is None else data)


def send(client: Client, *files: Any, headers: Any = None, **fields: Any) -> Any:
    data = {"results": list(files), "complete": "1", "run_class": "measured", **fields}
    return client.post(FORM, data, headers=headers)


def sent(client: Client, *files: Any, **fields: Any) -> str:
    answer = send(client, *(files or (file(),)), **fields)
    assert answer.status_code == 302, answer.content.decode()[:3000]
    return str(answer["Location"])


def text_of(answer: Any) -> str:
    return str(answer.content.decode())


def test_a_stranger_is_told_who_may_upload_and_offered_to_sign_in(client: Client) -> None:
    answer = client.get(FORM)
    assert answer.status_code == 200
    assert f"/accounts/login/?next={FORM}" in text_of(answer)
    assert send(client, file()).status_code == 401
    assert not Upload.objects.exists()


def test_a_reader_is_told_which_roles_may_upload() -> None:
    reader = signed_in("rita", "reader")
    assert "contributor" in text_of(reader.get(FORM))
    assert send(reader, file()).status_code == 403
    assert not Upload.objects.exists()


def test_the_form_shows_limit_tools_and_the_command(ada: Client) -> None:
    text = text_of(ada.get(FORM))
    assert "256" in text
    assert "curl -fsS" in text
    assert "http://testserver/api/v1/benchmark-runs/" in text
    assert "accelerator.driver" in text


def test_files_become_a_preview_that_says_what_was_understood_and_missing(ada: Client) -> None:
    text = text_of(ada.get(sent(ada, file(data=result(run(weather="fine"))))))
    assert "holds runs" in text
    assert "runproof" in text
    assert "meta/Llama-3-8B" in text
    assert "items are missing" in text
    assert "1 field was not understood" in text
    assert "weather" in text
    assert "Publishing it says on the matrix" in text


def test_no_file_is_a_problem_beside_the_field_and_what_was_typed_stays(ada: Client) -> None:
    answer = send(ada, declared="framework.commit = 1a2b")
    assert answer.status_code == 422
    assert "Choose one or more files." in text_of(answer)
    assert "framework.commit = 1a2b" in text_of(answer)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"declared": "framework.comit = 1"}, "framework.commit"),
        ({"declared": "nothing"}, "name = value"),
        ({"declared": "accelerator.count = many"}, "whole number"),
        ({"tool": "abacus"}, "Select a valid choice"),
    ],
)
def test_wrong_words_are_named_and_nothing_is_kept(
    ada: Client, fields: dict[str, str], said: str
) -> None:
    answer = send(ada, file(), **fields)
    assert answer.status_code == 422
    assert said in text_of(answer)
    assert not StoredFile.objects.exists()


def test_a_body_without_its_end_is_no_upload(ada: Client) -> None:
    answer = ada.post(FORM, {"results": [file()], "run_class": "measured"})
    assert answer.status_code == 400
    assert "broke off" in text_of(answer)
    assert not StoredFile.objects.exists()


def test_a_body_over_the_limit_is_refused_before_it_is_read(ada: Client, settings: Any) -> None:
    settings.RUNPROOF_UPLOAD_LIMIT_BYTES = 100
    answer = ada.generic(
        "POST", FORM, b"", content_type="multipart/form-data; boundary=x",
        CONTENT_LENGTH=str(10 * 2**20),
    )  # fmt: skip
    assert answer.status_code == 413
    assert send(ada, file()).status_code == 413
    assert not StoredFile.objects.exists()


def test_a_form_without_its_token_is_refused(ada: Client) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = ada.cookies
    answer = strict.post(FORM, {"results": [file()], "complete": "1"})
    assert answer.status_code == 403
    assert not StoredFile.objects.exists()


def test_the_script_is_answered_in_json(ada: Client) -> None:
    accept = {"Accept": "application/json"}
    done = send(ada, file(), headers=accept)
    assert done.status_code == 202
    assert done.json()["url"].startswith("/benchmarks/uploads/")
    again = send(ada, file(), headers=accept)
    assert (again.status_code, again.json()["url"]) == (200, done.json()["url"])
    wrong = send(ada, headers=accept)
    assert wrong.status_code == 422
    assert wrong.json()["problems"]


def test_places_in_a_folder_keep_runs_of_different_folders_apart(ada: Client) -> None:
    files = [file("a.json"), file("a.json", result(run(identity="z"), model__revision="abc"))]
    address = sent(ada, *files, paths=json.dumps(["sweep/one/a.json", "sweep/two/a.json"]))
    text = text_of(ada.get(address))
    assert "one/a.json" in text
    assert "two/a.json" in text


def test_a_file_that_is_none_is_named_with_the_reason(ada: Client) -> None:
    address = sent(ada, file(), file("p.json", b"\x89PNG\r\n\x1a\n" + bytes(50)))
    text = text_of(ada.get(address))
    assert "not taken" in text or "could not be read" in text
    assert "holds runs" in text
    alone = sent(ada, file("w.json", b'{"weather": 1}'))
    assert "rejected" in text_of(ada.get(alone))


def test_nothing_private_is_shown(ada: Client) -> None:
    private = run(
        command="bench --api-key sk-abcdefghijklmnopqrstuvwx --model /home/eve/models/m",
        remark="token=hf_abcdefghijklmnopqrst on gpu7.internal at /srv/secret/place/file",
        prompts=["once upon a midnight dreary"],
    )
    address = sent(ada, file(data=result(private)), pasted="Hostname: gpu9.internal")
    draft = Run.objects.get()
    for page in (address, f"/benchmarks/runs/{draft.uid}/"):
        text = text_of(ada.get(page))
        for word in ("sk-abc", "/eve", "hf_abc", "gpu7", "gpu9", "/srv/secret", "midnight"):
            assert word not in text, (page, word)


def test_markup_in_a_file_stays_text(ada: Client) -> None:
    hostile = "<script>alert(1)</script>"
    address = sent(
        ada, file(f"{hostile}.json", result(run(**{hostile: hostile}), model__id=hostile))
    )
    assert "<script>alert" not in text_of(ada.get(address))
    curator = signed_in("cy", "curator")
    assert "<script>alert" not in text_of(curator.get("/benchmarks/names/"))


def test_an_upload_is_its_senders_and_the_curators(ada: Client, curator: Client) -> None:
    address = sent(ada)
    bob = signed_in("bob", "contributor")
    assert bob.get(address).status_code == 404
    assert bob.post(f"{address}publish/").status_code == 404
    assert curator.get(address).status_code == 200
    assert Client().get(address)["Location"].startswith("/accounts/login/")
    # Who sends the same bytes sees the same upload.
    assert sent(bob) == address
    assert "ada sent these bytes first" in text_of(bob.get(address))
    for action in ("publish", "discard", "declare"):
        assert bob.post(f"{address}{action}/").status_code == 403
    assert Run.objects.get().state == "draft"


def test_the_lists_of_uploads_show_own_ones_or_all(ada: Client, curator: Client) -> None:
    address = sent(ada)
    uid = Upload.objects.get().uid
    assert uid in text_of(ada.get("/benchmarks/uploads/"))
    assert uid in text_of(curator.get("/benchmarks/uploads/"))
    assert uid not in text_of(signed_in("bob", "contributor").get("/benchmarks/uploads/"))
    assert address.endswith(f"{uid}/")


def test_the_status_asks_again_until_everything_is_read(ada: Client) -> None:
    address = sent(ada)
    done = ada.get(f"{address}status/")
    assert done["HX-Refresh"] == "true"
    Upload.objects.update(state="reading", files_read=0)
    going_on = ada.get(f"{address}status/")
    assert "HX-Refresh" not in going_on
    assert "hx-get" in text_of(going_on)
    assert "0 of 1 files read" in text_of(going_on)


def test_what_is_stated_stands_beside_what_was_observed(ada: Client) -> None:
    address = sent(ada)
    answer = ada.post(
        f"{address}declare/",
        {
            "run": "all",
            "fact_accelerator_driver": "570.86.15",
            "fact_framework_version": "0.6.0",
            "none_container_digest": "on",
            "declared": "env.CUDA_VISIBLE_DEVICES = 0",
        },
    )
    assert answer.status_code == 302, text_of(answer)[:3000]
    facts = Run.objects.get().facts
    assert facts["accelerator.driver"]["origin"] == "uploader"
    assert facts["framework.version"]["value"] == "0.7.0"
    assert facts["env.CUDA_VISIBLE_DEVICES"]["value"] == "0"
    text = text_of(ada.get(address))
    assert 'value="570.86.15"' in text
    assert "differs from what was observed" in text
    taken_back = {"run": "all", "fact_accelerator_driver": "", "none_container_digest": "on"}
    ada.post(f"{address}declare/", taken_back)
    assert "accelerator.driver" not in Run.objects.get().facts


def test_a_wrong_statement_is_put_beside_its_field(ada: Client) -> None:
    address = sent(ada)
    answer = ada.post(f"{address}declare/", {"run": "all", "fact_accelerator_count": "many"})
    assert answer.status_code == 422
    assert 'href="#id_fact_accelerator_count"' in text_of(answer)
    assert 'value="many"' in text_of(answer)


def test_one_draft_is_stated_and_published_alone(ada: Client) -> None:
    address = sent(ada, file(data=result(run(), run(identity="2", load={"mode": "burst"}))))
    first, second = Run.objects.order_by("number")
    ada.post(f"{address}declare/", {"run": first.uid, "fact_model_revision": "abc"})
    answer = ada.post(f"{address}publish/", {"run": first.uid})
    assert answer["Location"] == f"/benchmarks/runs/{first.uid}/"
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.state, second.state) == ("published", "draft")
    assert first.facts["model.revision"]["value"] == "abc"
    assert "model.revision" not in second.facts


def test_publishing_records_the_claim_and_discarding_leaves_no_draft(ada: Client) -> None:
    address = sent(ada)
    ada.post(f"{address}publish/", {"run": "all"})
    assert Claim.objects.filter(source="benchmarks").count() == 1
    later = result(run(facts={"run.started_at": "2026-10-31T12:00:00Z"}))
    other = sent(ada, file(data=later))
    assert Run.objects.filter(state="draft").count() == 1
    ada.post(f"{other}discard/")
    assert Run.objects.filter(state="draft").count() == 0
    assert Run.objects.count() == 1
    # The same files sent again are read again.
    assert sent(ada, file(data=later)) == other
    assert Run.objects.filter(state="draft").count() == 1


def test_only_curators_save_the_bytes_and_only_as_a_download(ada: Client, curator: Client) -> None:
    address = sent(ada)
    raw = f"{address}files/{StoredFile.objects.get().sha256}/"
    assert ada.get(raw).status_code == 403
    assert raw not in text_of(ada.get(address))
    assert raw in text_of(curator.get(address))
    answer = curator.get(raw)
    assert b"".join(answer.streaming_content) == result()
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["Content-Disposition"].startswith("attachment;")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert curator.get(f"{address}files/{'0' * 64}/").status_code == 404


def test_a_preview_takes_the_same_queries_for_many_runs(
    ada: Client, django_assert_max_num_queries: Any
) -> None:
    runs = [run(identity=str(number)) for number in range(30)]
    address = sent(ada, file(data=result(*runs)))
    ada.get(address)
    with django_assert_max_num_queries(26):
        ada.get(address)


def test_unknown_names_are_offered_with_near_nodes_and_decided_once_for_all(
    ada: Client, curator: Client
) -> None:
    sent(ada, file(data=result(accelerator__name="nvidia t4 mystery")))
    name = UnknownName.objects.get(axis="hardware")
    assert ada.get("/benchmarks/names/").status_code == 403
    assert "nvidia t4 mystery" in text_of(curator.get("/benchmarks/names/"))
    decide = reverse("benchmark-name-decide", args=[name.pk])
    assert curator.post(decide, {"action": "means", "slug": ""}).status_code == 422
    assert curator.post(decide, {"action": "means", "slug": "nvidia-t5"}).status_code == 422
    assert curator.post(decide, {"action": "means", "slug": "nvidia-t4"}).status_code == 302
    assert Run.objects.get().hardware == "nvidia-t4"
    text = text_of(curator.get("/benchmarks/names/"))
    assert "Every name in runs is known." in text
    assert "nvidia-t4" in text
    # A decision can be replaced by another one.
    curator.post(decide, {"action": "no-node"})
    assert Run.objects.get().hardware == ""


def test_a_name_may_mean_no_node(ada: Client, curator: Client) -> None:
    sent(ada, file(data=result(model__id="somebody/own-model")))
    name = UnknownName.objects.get(axis="model")
    curator.post(reverse("benchmark-name-decide", args=[name.pk]), {"action": "no-node"})
    name.refresh_from_db()
    assert name.no_node
    assert Run.objects.get().model == ""


def test_a_run_is_withdrawn_with_a_reason_that_stays(ada: Client) -> None:
    address = sent(ada)
    ada.post(f"{address}publish/", {"run": "all"})
    published = Run.objects.get()
    page = reverse("benchmark-run-withdraw", args=[published.uid])
    assert ada.post(page, {"reason": " "}).status_code == 422
    assert signed_in("bob", "contributor").get(page).status_code == 403
    assert ada.post(page, {"reason": "It ran on another card."}).status_code == 302
    published.refresh_from_db()
    assert published.state == "withdrawn"
    assert "It ran on another card." in text_of(Client().get(f"/benchmarks/runs/{published.uid}/"))
    assert "Only a published run" in text_of(ada.get(page))
    assert not Claim.objects.filter(source="benchmarks", withdrawn_at=None).exists()


def test_a_run_is_corrected_by_a_new_version(ada: Client) -> None:
    address = sent(ada)
    ada.post(f"{address}publish/", {"run": "all"})
    old = Run.objects.get()
    page = reverse("benchmark-run-correct", args=[old.uid])
    assert ada.get(page).status_code == 200
    assert ada.post(page, {"reason": "", "fact_accelerator_driver": "1"}).status_code == 422
    answer = ada.post(page, {"reason": "The driver.", "fact_accelerator_driver": "550.1"})
    assert answer.status_code == 302, text_of(answer)[:3000]
    old.refresh_from_db()
    new = Run.objects.get(replaces=old)
    assert (old.state, new.state, new.version) == ("replaced", "published", 2)
    assert new.facts["accelerator.driver"]["value"] == "550.1"
    assert answer["Location"] == f"/benchmarks/runs/{new.uid}/"


def test_every_page_offers_to_sign_in_or_out(ada: Client, client: Client) -> None:
    assert "/accounts/login/?next=/about/" in text_of(client.get("/about/"))
    text = text_of(ada.get("/about/"))
    assert "Sign out" in text
    assert "ada" in text
    assert "?next=/accounts/login/" not in text_of(client.get("/accounts/login/"))
    assert ada.post("/accounts/logout/").status_code == 302


def test_the_schema_of_our_own_form_is_offered(ada: Client) -> None:
    address = reverse("benchmark-json-schema")
    assert address in text_of(ada.get(FORM))
    answer = ada.get(address)
    assert answer["Content-Type"] == "application/schema+json"
    assert json.loads(answer.content)["$schema"]
