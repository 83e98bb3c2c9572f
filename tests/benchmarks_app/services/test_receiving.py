"""Receiving: everything or nothing, each content once, archives within bounds."""

import gzip
import io
import zipfile
from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks_app.domain.errors import ResultError
from benchmarks_app.models import Receipt, StoredChunk, StoredFile, Upload
from benchmarks_app.services.file_names import clean_name
from benchmarks_app.services.receiving import TooLarge, receive_upload
from benchmarks_app.services.storing import stored_bytes, stored_pieces
from matrix.domain.errors import InvalidValue
from matrix.models import AuditEntry
from tests.benchmarks_app.services.samples import encoded, pieces, result, send

pytestmark = pytest.mark.django_db


def nothing_kept() -> bool:
    """Whether no table holds anything of an upload."""
    return not any(m.objects.exists() for m in (Upload, StoredFile, StoredChunk, Receipt))


def test_bytes_are_kept_as_they_came_in_pieces_of_a_mebibyte() -> None:
    data = bytes(range(256)) * 9_000
    upload = send(("folder/run.json", data)).upload
    row = upload.files.get()
    assert row.name == "folder/run.json"
    assert stored_bytes(row.file) == data
    assert [len(piece) for piece in stored_pieces(row.file)] == [2**20, 2**20, len(data) - 2**21]


def test_the_same_file_twice_is_one_upload_with_two_receipts() -> None:
    first = send(("a.json", b"{}"), actor="ada")
    again = send(("b.json", b"{}"), actor="bob", declared={"accelerator.driver": "550.54"})
    assert first.is_new and not again.is_new
    assert first.upload.pk == again.upload.pk
    assert list(Receipt.objects.values_list("sent_by", flat=True)) == ["ada", "bob"]
    assert Receipt.objects.get(sent_by="bob").declared == {"accelerator.driver": "550.54"}
    assert Upload.objects.get().declared == {}
    assert StoredFile.objects.count() == 1


def test_files_in_another_order_are_the_same_upload() -> None:
    first = send(("a.json", b"1"), ("b.json", b"2"))
    assert not send(("b.json", b"2"), ("a.json", b"1")).is_new
    assert send(("a.json", b"1")).upload.pk != first.upload.pk


def test_two_files_of_one_name_keep_names_of_their_own() -> None:
    upload = send(("run.json", b"1"), ("run.json", b"2"), ("run.json", b"1")).upload
    assert sorted(upload.files.values_list("name", flat=True)) == ["run (2).json", "run.json"]


def test_too_large_a_file_is_refused_while_it_comes(settings: Any) -> None:
    settings.RUNPROOF_UPLOAD_LIMIT_BYTES = 1_000
    taken = 0

    def endless() -> Iterator[bytes]:
        nonlocal taken
        while True:
            taken += 100
            yield b"x" * 100

    with pytest.raises(TooLarge) as caught:
        receive_upload([("big.json", endless())], actor="ada", way="rest")
    assert taken == 1_100
    assert caught.value.facts["limit_bytes"] == 1_000
    assert "1000 bytes" in caught.value.message
    assert nothing_kept()


def test_the_limit_holds_for_the_sum_of_files(settings: Any) -> None:
    settings.RUNPROOF_UPLOAD_LIMIT_BYTES = 1_000
    with pytest.raises(TooLarge):
        send(("a.json", b"a" * 600), ("b.json", b"b" * 600))
    assert nothing_kept()


def test_an_announced_length_beyond_the_limit_is_refused_before_reading(
    settings: Any,
) -> None:
    settings.RUNPROOF_UPLOAD_LIMIT_BYTES = 1_000

    def untouched() -> Iterator[bytes]:
        pytest.fail("a byte was read")
        yield b""

    with pytest.raises(TooLarge):
        receive_upload([("a.json", untouched())], actor="ada", way="rest", expected_bytes=2**31)


def test_an_upload_cut_off_half_way_keeps_nothing() -> None:
    def broken() -> Iterator[bytes]:
        yield b"{"
        raise ConnectionResetError("gone")

    with pytest.raises(ResultError) as caught:
        receive_upload([("a.json", broken())], actor="ada", way="rest")
    assert caught.value.code == "cut-off"
    with pytest.raises(ResultError) as caught:
        receive_upload([("a.json", pieces(b"{}"))], actor="ada", way="rest", expected_bytes=10)
    assert caught.value.code == "cut-off" and "2 bytes of 10 announced" in caught.value.message
    assert nothing_kept()


def test_no_file_is_no_upload() -> None:
    with pytest.raises(ResultError) as caught:
        receive_upload([], actor="ada", way="rest")
    assert caught.value.code == "no-files"


def test_gzip_and_zip_are_the_same_upload_as_what_they_hold() -> None:
    data = encoded(result())
    plain = send(("run.json", data))
    assert not send(("run.json.gz", gzip.compress(data))).is_new
    assert not send(("all.zip", zipped({"deep/run.json": data}))).is_new
    assert plain.upload.files.count() == 1


def zipped(files: dict[str, bytes], **info: object) -> bytes:
    """An archive of the files; ``info`` changes the entry of each."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            for key, value in info.items():
                setattr(entry, key, value)
            archive.writestr(entry, data)
    return out.getvalue()


def test_a_zip_keeps_its_folders_and_leaves_bookkeeping_out() -> None:
    upload = send(
        ("all.zip", zipped({"a/run.json": b"1", "b/run.json": b"2", "__MACOSX/a/._run": b"3"}))
    ).upload
    assert list(upload.files.values_list("name", flat=True)) == ["a/run.json", "b/run.json"]


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("bomb.gz", gzip.compress(b" " * 30_000_000, mtime=0), "archive-bomb"),
        ("bomb.zip", zipped({"a.json": b" " * 30_000_000}), "archive-bomb"),
        ("nested.zip", zipped({"inner.zip": zipped({"a": b"1"})}), "unsupported-archive"),
        ("nested.gz", gzip.compress(gzip.compress(b"1", mtime=0), mtime=0), "unsupported-archive"),
        ("up.zip", zipped({"../../etc/run.json": b"1"}), "unsafe-name"),
        ("root.zip", zipped({"/etc/run.json": b"1"}), "unsafe-name"),
        ("link.zip", zipped({"a": b"b"}, external_attr=0o120777 << 16), "unsupported-archive"),
        ("cut.zip", zipped({"a.json": b"123456789" * 50})[:-30], "broken-archive"),
        ("cut.gz", gzip.compress(bytes(range(256)) * 9, mtime=0)[:-20], "broken-archive"),
        ("empty.zip", zipped({}), "empty-archive"),
        ("many.zip", zipped({f"{n}.json": b"1" for n in range(2_001)}), "too-many-files"),
        ("a.7z", b"7z\xbc\xaf\x27\x1c" + b"0" * 40, "unsupported-archive"),
    ],
)  # fmt: skip
def test_an_archive_beyond_the_bounds_is_refused_and_nothing_kept(
    name: str, data: bytes, code: str
) -> None:
    with pytest.raises(ResultError) as caught:
        send((name, data))
    assert caught.value.code == code
    assert name.partition(".")[0] in caught.value.message or code == "too-many-files"
    assert nothing_kept()


def test_an_encrypted_archive_is_refused() -> None:
    data = bytearray(zipped({"a.json": b"1"}))
    # Bit 0 of the flags, in the local header and in the directory.
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(ResultError) as caught:
        send(("a.zip", bytes(data)))
    assert caught.value.code == "unsupported-archive" and "encrypted" in caught.value.message


def test_unpacked_bytes_count_against_the_limit(settings: Any) -> None:
    settings.RUNPROOF_UPLOAD_LIMIT_BYTES = 10_000
    data = bytes(range(256)) * 100
    packed = gzip.compress(data)
    assert len(packed) < 10_000
    with pytest.raises(TooLarge):
        send(("a.json.gz", packed))


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("run.json", "run.json"),
        ("/home/ada/secret project/run.json", "run.json"),
        ("C:\\Users\\ada\\run.json", "run.json"),
        ("a/../../b/run.json", "a/b/run.json"),
        ("home/ada/out/run.json", "out/run.json"),
        ("a\x00b\n.json", "ab.json"),
        ("", "file"),
        ("..", "file"),
    ],
)
def test_names_are_kept_without_machines_and_people(given: str, kept: str) -> None:
    assert clean_name(given) == kept


def test_a_very_long_name_keeps_its_end() -> None:
    kept = clean_name("x" * 5_000 + "/" + "y" * 5_000 + ".json")
    assert len(kept) <= 400 and kept.endswith(".json")


def test_what_is_declared_is_checked_and_masked() -> None:
    declared = {
        "container.image": " vllm/vllm-openai:v0.11.0 ",
        "accelerator.count": "8",
        "env.HF_TOKEN": "hf_" + "a" * 30,
        "accelerator.driver": None,
        "model.revision": "",
    }
    upload = send(("a.json", b"{}"), declared=declared).upload
    assert upload.declared == {
        "container.image": "vllm/vllm-openai:v0.11.0",
        "accelerator.count": 8,
        "env.HF_TOKEN": "‹secret›",
        "accelerator.driver": "not captured",
    }


@pytest.mark.parametrize(
    "said",
    [
        {"declared": {"acelerator.name": "A100"}},
        {"declared": {"accelerator.count": "many"}},
        {"declared": {"accelerator.count": -1}},
        {"declared": {"model.id": "a\nb"}},
        {"declared": {"model.id": ["a"]}},
        {"tool": "no such tool"},
        {"run_class": "wishful"},
        {"pasted": "x" * 400_001},
        {"way": "pigeon"},
    ],
)
def test_wrong_words_beside_the_bytes_are_refused(said: dict[str, object]) -> None:
    with pytest.raises(InvalidValue) as caught:
        send(("a.json", b"{}"), **said)
    assert "accepted" in caught.value.message
    assert nothing_kept()


def test_receiving_is_audited_with_the_actor() -> None:
    upload = send(("a.json", b"{}"), actor="ada").upload
    entry = AuditEntry.objects.get(action="receive-upload")
    assert (entry.actor, entry.subject) == ("ada", f"upload:{upload.uid}")
