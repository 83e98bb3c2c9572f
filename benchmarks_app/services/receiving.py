"""Receives uploads: all bytes of all files, or nothing; the same bytes are the same upload."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from benchmarks_app import importers
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.domain.levels import RunClass, UploadState
from benchmarks_app.models import Receipt, Upload, UploadFile
from benchmarks_app.services.declared import LONGEST_PASTED, read_declared
from benchmarks_app.services.environment import mask_pasted
from benchmarks_app.services.file_names import LONGEST_NAME, clean_name
from benchmarks_app.services.importing import needs_reading
from benchmarks_app.services.spooling import (
    Budget,
    Spooled,
    TooLarge,
    cut_off,
    read_pieces,
    spool,
    upload_limit_bytes,
)
from benchmarks_app.services.storing import store_files
from benchmarks_app.services.uids import new_uid
from benchmarks_app.services.unpacking import unpack
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase
from matrix.services import write_audit

__all__ = ["Received", "TooLarge", "read_pieces", "receive_upload", "upload_limit_bytes"]

SHIPPED = "shipped"
WAYS = ("web", "rest", "command", SHIPPED)
_ENDED = (UploadState.READ.value, UploadState.REJECTED.value, UploadState.FAILED.value)
# What a sender says of the bytes, and who says it.
_SAID_FIELDS = ("tool", "run_class", "declared", "pasted", "publish", "received_by", "way")


@dataclass(frozen=True, slots=True)
class Received:
    """An upload, and whether its bytes are new here."""

    upload: Upload
    is_new: bool


@dataclass(frozen=True, slots=True)
class _Said:
    """What the sender said beside the bytes, checked and masked."""

    declared: Mapping[str, object]
    pasted: str
    tool: str
    run_class: str
    publish: bool


def receive_upload(
    files: Iterable[tuple[str, Iterable[bytes]]],
    *,
    actor: str,
    way: str,
    declared: Mapping[str, object] | None = None,
    pasted: str = "",
    tool: str = "",
    run_class: str = RunClass.MEASURED.value,
    publish: bool = False,
    expected_bytes: int | None = None,
) -> Received:
    """Keeps the files as one upload and notes who sent it.

    **Shapes**: ``files`` are (name, pieces of bytes); ``expected_bytes`` is the announced length
    of a body that is one file. **Units**: bytes.
    **Raises**: ``ResultError`` (``TooLarge``, cut off, broken archive, no files) and
    ``InvalidValue``; nothing is kept then.
    """
    said = _read_said(declared or {}, pasted, tool, run_class, publish)
    if way not in WAYS:
        raise InvalidValue(name="way", value=way, accepted=", ".join(WAYS))
    limit = upload_limit_bytes()
    if expected_bytes is not None and expected_bytes > limit:
        raise TooLarge(
            what=Phrase("The upload"), place="", size_bytes=expected_bytes, limit_bytes=limit
        )
    spooled: list[Spooled] = []
    try:
        _spool_all(files, spooled, Budget(limit), expected_bytes)
        return _keep(spooled, said, actor=actor, way=way)
    finally:
        for file in spooled:
            file.close()


def _read_said(
    declared: Mapping[str, object], pasted: str, tool: str, run_class: str, publish: bool
) -> _Said:
    tools = sorted({importer.tool for importer in importers.IMPORTERS})
    if tool and tool not in tools:
        raise InvalidValue(name="tool", value=tool[:60], accepted=", ".join(tools))
    classes = [one.value for one in RunClass]
    if run_class not in classes:
        raise InvalidValue(name="class", value=run_class[:60], accepted=", ".join(classes))
    if len(pasted) > LONGEST_PASTED:
        raise InvalidValue(
            name="pasted output", value=f"{len(pasted)} characters",
            accepted=Phrase("up to {longest_pasted} characters", longest_pasted=LONGEST_PASTED),
        )  # fmt: skip
    plain = pasted.replace("\x00", "")
    return _Said(read_declared(declared), mask_pasted(plain), tool, run_class, publish)


def _spool_all(
    files: Iterable[tuple[str, Iterable[bytes]]],
    spooled: list[Spooled],
    budget: Budget,
    expected_bytes: int | None,
) -> None:
    for name, pieces in files:
        file = spool(clean_name(name), pieces, budget)
        try:
            if expected_bytes is not None and file.size_bytes != expected_bytes:
                raise cut_off(file.size_bytes, place=file.name, announced=expected_bytes)
            spooled += unpack(file, budget)
        except BaseException:
            file.close()
            raise
    if not spooled:
        raise ResultError(
            code="no-files",
            what=Phrase("The upload holds no file"),
            accepted=Phrase("one or more result files"),
        )


def _digest(files: Sequence[Spooled]) -> str:
    """The digest of a set of files, whatever their names and order."""
    return hashlib.sha256("\n".join(sorted({f.sha256 for f in files})).encode()).hexdigest()


def _names(files: Sequence[Spooled]) -> dict[str, str]:
    """Names by digest: the first name of each file, told apart where two files share one."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for file in files:
        if file.sha256 in names:
            continue
        name, number = file.name, 1
        while name in taken:
            number += 1
            stem, dot, suffix = file.name.rpartition(".")
            name = f"{stem} ({number}){dot}{suffix}" if stem else f"{file.name} ({number})"
        taken.add(name)
        names[file.sha256] = name[-LONGEST_NAME:]
    return names


def _say_anew(upload: Upload, said: Upload) -> None:
    """Takes over what the new sender says of bytes that brought no run so far.

    Else a wrong choice of the first one, such as of the tool, would stand for good.
    """
    if upload.state not in _ENDED or not needs_reading(upload):
        return
    for name in _SAID_FIELDS:
        setattr(upload, name, getattr(said, name))
    upload.save(update_fields=_SAID_FIELDS)


@transaction.atomic
def _keep(files: Sequence[Spooled], said: _Said, *, actor: str, way: str) -> Received:
    now = timezone.now()
    fresh = Upload(
        uid=new_uid(),
        digest=_digest(files),
        state=UploadState.RECEIVED.value,
        tool=said.tool,
        run_class=said.run_class,
        declared=dict(said.declared),
        pasted=said.pasted,
        publish=said.publish,
        received_by=actor,
        received_at=now,
        way=way,
    )
    # A second sender of the same bytes waits here until the first one's transaction ends.
    Upload.objects.bulk_create([fresh], ignore_conflicts=True)
    upload = Upload.objects.select_for_update().get(digest=fresh.digest)
    is_new = upload.uid == fresh.uid
    if not is_new:
        _say_anew(upload, fresh)
    if is_new:
        rows = store_files(files, now=now)
        names = _names(files)
        UploadFile.objects.bulk_create(
            UploadFile(upload=upload, file=rows[sha], name=name) for sha, name in names.items()
        )
        write_audit(
            actor=actor, action="receive-upload", subject=f"upload:{upload.uid}",
            after={"files": len(names), "way": way, "digest": upload.digest},
        )  # fmt: skip
    if is_new or way != SHIPPED:
        # What is shipped comes at every start; saying so each time would tell nobody anything.
        Receipt.objects.create(
            upload=upload, sent_by=actor, sent_at=now, declared=dict(said.declared)
        )
    return Received(upload, is_new)
