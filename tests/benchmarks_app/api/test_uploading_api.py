"""Result files over REST: taken in once, refused with the place, followed, published, withdrawn."""

import base64
import gzip
import hashlib
import io
import json
import zipfile
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.urls import reverse

from benchmarks_app.models import Receipt, Run, StoredFile, Upload
from matrix.models import Claim
from tests.benchmarks_app.result_files import result, run
from tests.matrix.api.problems import problem
from tests.matrix.api.rows import bearer, make_user

RUNS = "/api/v1/benchmark-runs/"


@pytest.fixture(autouse=True)
def _after_commit(django_capture_on_commit_callbacks: Any, monkeypatch: Any) -> None:
    """What follows a commit happens at once, as it does outside a test's transaction."""
    monkeypatch.setattr("django.db.transaction.on_commit", lambda act, **_options: act())


def send_raw(
    client: Client, data: bytes, headers: dict[str, str], query: str = "", **more: Any
) -> Any:
    media = more.pop("content_type", "application/json")
    return client.post(f"{RUNS}{query}", data, content_type=media, headers=headers, **more)


def send_form(client: Client, headers: dict[str, str], **parts: Any) -> Any:
    return client.post(RUNS, parts, headers=headers)


def file(name: str = "result.json", data: bytes | None = None) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, result() if data is None else data)


def test_a_raw_body_becomes_an_upload_with_a_draft(client: Client, machine: Any) -> None:
    answer = send_raw(client, result(), machine, "?name=result.json")
    assert answer.status_code == 202, answer.content
    plain = answer.json()
    assert answer["Location"] == plain["links"]["status"]
    assert plain["is_new"] is True
    assert [one["name"] for one in plain["files"]] == ["result.json"]
    assert Run.objects.get().state == "draft"
    assert Run.objects.get().created_by == "ci"


def test_the_same_bytes_are_the_same_upload_whoever_sends_them(
    client: Client, machine: Any, ada: Any
) -> None:
    first = send_raw(client, result(), machine, "?name=a.json").json()
    again = send_raw(client, result(), machine, "?name=b.json")
    other = send_form(client, ada, file=file("c.json"))
    assert (again.status_code, other.status_code) == (200, 200)
    assert again.json()["uid"] == other.json()["uid"] == first["uid"]
    assert Upload.objects.count() == Run.objects.count() == 1
    assert Receipt.objects.count() == 3


def test_a_draft_that_own_files_tell_again_can_be_read_but_not_published(
    client: Client, machine: Any, ada: Any
) -> None:
    send_raw(client, result(), machine, "?name=a.json")
    told = send_raw(client, result() + b" ", ada, "?name=a.json").json()
    assert [one["in_upload"] for one in told["runs"]] == [False]
    address = f"{RUNS}{told['runs'][0]['uid']}/"
    assert client.get(address, headers=ada).status_code == 200
    assert client.post(f"{address}publish/", headers=ada).status_code == 403
    problem(client.get(address), 404, "not-found")


def test_a_form_brings_files_facts_and_pasted_output(client: Client, ada: Any) -> None:
    answer = send_form(
        client, ada, file=[file()], declare=["framework.commit=1a2b3c4"],
        environment=SimpleUploadedFile("environment.json", b'{"accelerator": {"driver": "570.1"}}'),
        pasted="CUDA Version: 12.8",
    )  # fmt: skip
    assert answer.status_code == 202, answer.content
    facts = Run.objects.get().facts
    assert facts["framework.commit"]["value"] == "1a2b3c4"
    assert facts["framework.commit"]["origin"] == "uploader"
    assert facts["accelerator.driver"]["value"] == "570.1"


def test_a_zip_and_a_gz_are_opened(client: Client, machine: Any) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("one/a.json", result())
        archive.writestr("two/b.json", result(run(identity="x"), framework__version="0.6.0"))
    answer = send_raw(client, packed.getvalue(), machine, "?name=s.zip",
                      content_type="application/zip")  # fmt: skip
    assert answer.status_code == 202, answer.content
    assert answer.json()["files_count"] == 2
    other = send_raw(client, gzip.compress(result(run(identity="y"), model__revision="abc")),
                     machine, "?name=r.json.gz", content_type="application/gzip")  # fmt: skip
    assert other.status_code == 202, other.content


def test_a_file_that_nobody_knows_says_what_was_seen(client: Client, machine: Any) -> None:
    answer = send_raw(client, b'{"weather": "fine"}', machine, "?name=w.json")
    members = problem(answer, 422, "unreadable-result")
    assert "weather" in members["detail"]
    assert members["upload"].startswith("/api/v1/benchmark-uploads/")


def test_a_truncated_file_names_its_place(client: Client, machine: Any) -> None:
    answer = send_raw(client, result()[:200], machine, "?name=t.json")
    members = problem(answer, 422, "unreadable-result")
    assert members["place"]


def test_a_body_that_was_cut_off_keeps_nothing(client: Client, machine: Any) -> None:
    body = io.BytesIO(result()[:100])
    answer = client.generic(
        "POST", RUNS, b"", content_type="application/json", headers=machine,
        CONTENT_LENGTH="5000", **{"wsgi.input": body},
    )  # fmt: skip
    problem(answer, 400, "cut-off-upload")
    assert not StoredFile.objects.exists()


def test_a_form_that_was_cut_off_keeps_nothing(client: Client, machine: Any) -> None:
    whole = encode_multipart(BOUNDARY, {"file": file()})
    answer = client.generic(
        "POST", RUNS, b"", content_type=MULTIPART_CONTENT, headers=machine,
        CONTENT_LENGTH=str(len(whole)), **{"wsgi.input": io.BytesIO(whole[:-400])},
    )  # fmt: skip
    problem(answer, 400, "cut-off-upload")
    assert not StoredFile.objects.exists()


@pytest.mark.parametrize("header", ["X-Content-SHA256", "Content-Digest"])
def test_a_digest_that_differs_keeps_nothing_and_one_that_fits_passes(
    client: Client, machine: Any, header: str
) -> None:
    def given(data: bytes) -> str:
        digest = hashlib.sha256(data)
        if header == "X-Content-SHA256":
            return digest.hexdigest()
        return f"sha-256=:{base64.b64encode(digest.digest()).decode()}:"

    wrong = send_raw(client, result(), {**machine, header: given(b"other")})
    assert problem(wrong, 400, "cut-off-upload")["reason_code"] == "digest-differs"
    assert not StoredFile.objects.exists()
    broken = send_raw(client, result(), {**machine, header: "sha-256=:abc:"})
    problem(broken, 400, "invalid-value")
    assert send_raw(client, result(), {**machine, header: given(result())}).status_code == 202


def test_more_than_the_limit_is_refused_and_nothing_kept(
    client: Client, machine: Any, settings: Any
) -> None:
    settings.RUNPROOF_UPLOAD_LIMIT_BYTES = 500
    raw = send_raw(client, result(), machine)
    members = problem(raw, 413, "too-large")
    assert members["limit_bytes"] == 500
    problem(send_form(client, machine, file=file()), 413, "too-large")
    assert not StoredFile.objects.exists()


def test_nothing_is_no_upload(client: Client, machine: Any) -> None:
    problem(client.post(RUNS, b"", content_type="application/json", headers=machine), 400,
            "bad-request")  # fmt: skip
    problem(send_form(client, machine, pasted="x"), 400, "invalid-value")


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("?nam=x.json", "unknown-parameter"),
        ("?tool=abacus", "invalid-value"),
        ("?run_class=great", "invalid-value"),
        ("?publish=perhaps", "invalid-value"),
        ("?declare=framework.comit=1", "invalid-value"),
        ("?declare=nothing", "invalid-value"),
    ],
)
def test_what_is_said_beside_the_bytes_is_checked(
    client: Client, machine: Any, query: str, code: str
) -> None:
    problem(send_raw(client, result(), machine, query), 400, code)
    assert not StoredFile.objects.exists()


def test_an_environment_with_unknown_keys_is_refused(client: Client, ada: Any) -> None:
    answer = send_form(client, ada, file=file(), environment='{"accelerator": {"colour": "red"}}')
    assert "accelerator.colour" in problem(answer, 400, "invalid-value")["detail"]


def test_roles_and_scopes_decide_who_uploads(client: Client, world: None, reader: Any) -> None:
    problem(send_raw(client, result(), {}), 401, "not-authenticated")
    problem(send_raw(client, result(), reader), 403, "permission-denied")
    looks = bearer(make_user("leo", "contributor"), "read")
    assert (
        "'upload'" in problem(send_raw(client, result(), looks), 403, "permission-denied")["detail"]
    )


def test_a_token_that_only_uploads_publishes_nothing(client: Client, machine: Any) -> None:
    problem(send_raw(client, result(), machine, "?publish=1"), 403, "permission-denied")
    sent = send_raw(client, result(), machine).json()
    address = reverse("api-benchmark-run-publish", args=[sent["runs"][0]["uid"]])
    problem(client.post(address, headers=machine), 403, "permission-denied")


def test_the_status_is_for_its_sender_and_for_curators(
    client: Client, machine: Any, ada: Any, curator: Any
) -> None:
    sent = send_raw(client, result(), machine).json()
    status = sent["links"]["status"]
    answer = client.get(status, headers=machine)
    assert answer.json()["done"] is True
    assert answer.json()["runs"][0]["missing"]
    assert (
        client.get(status, headers={**machine, "If-None-Match": answer["ETag"]}).status_code == 304
    )
    assert client.get(status, headers=curator).status_code == 200
    problem(client.get(status, headers=ada), 404, "not-found")
    problem(client.get(status), 401, "not-authenticated")


def test_a_draft_is_hidden_until_it_is_published_and_its_claim_goes_when_it_is_withdrawn(
    client: Client, ada: Any, machine: Any
) -> None:
    sent = send_form(client, ada, file=file()).json()
    uid = sent["runs"][0]["uid"]
    one = reverse("api-benchmark-run", args=[uid])
    problem(client.get(one), 404, "not-found")
    assert client.get(RUNS).json()["results"] == []
    publish = reverse("api-benchmark-run-publish", args=[uid])
    published = client.post(publish, headers=ada)
    assert published.status_code == 200, published.content
    plain = published.json()
    assert plain["state"] == "published"
    assert plain["not_attached"] == [], plain["not_attached"]
    assert Claim.objects.get(uid=plain["claim"]).withdrawn_at is None
    problem(client.post(publish, headers=ada), 409, "conflict")
    assert client.get(one).json()["uid"] == uid
    withdraw = reverse("api-benchmark-run-withdraw", args=[uid])
    problem(client.post(withdraw, {}, content_type="application/json", headers=ada), 400,
            "invalid-value")  # fmt: skip
    taken = client.post(withdraw, {"reason": "another driver"}, content_type="application/json",
                        headers=ada)  # fmt: skip
    assert taken.json()["state"] == "withdrawn"
    assert taken.json()["reason"] == "another driver"
    assert Claim.objects.get(uid=plain["claim"]).withdrawn_at is not None


def test_nobody_publishes_or_withdraws_the_run_of_another(
    client: Client, ada: Any, curator: Any
) -> None:
    uid = send_form(client, ada, file=file()).json()["runs"][0]["uid"]
    publish = reverse("api-benchmark-run-publish", args=[uid])
    client.post(publish, headers=ada)
    bob = bearer(make_user("bob", "contributor"), "write")
    withdraw = reverse("api-benchmark-run-withdraw", args=[uid])
    body = json.dumps({"reason": "no"})
    problem(client.post(withdraw, body, content_type="application/json", headers=bob), 403,
            "permission-denied")  # fmt: skip
    done = client.post(withdraw, body, content_type="application/json", headers=curator)
    assert done.status_code == 200


def test_a_session_sends_a_form_with_the_token_against_forgery(world: None) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_user("sam", "contributor"))
    client.get("/benchmarks/upload/")
    token = {"X-CSRFToken": client.cookies["csrftoken"].value}
    refused = client.post(RUNS, {"file": file()})
    problem(refused, 403, "permission-denied")
    digest = {**token, "X-Content-SHA256": hashlib.sha256(b"x").hexdigest()}
    wrong = client.post(RUNS, {"file": file()}, headers=digest)
    assert problem(wrong, 400, "cut-off-upload")["reason_code"] == "digest-differs"
    sent = client.post(RUNS, {"file": file()}, headers=token)
    assert sent.status_code == 202, sent.content
    assert Run.objects.get().created_by == "sam"
