"""Loads the runs that are shipped with the product: demonstrations and published tables.

They go the way of every upload, so that nothing about them is special but their sender; the same
bytes are the same upload, so that loading again writes nothing.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.utils import timezone

from benchmarks_app.domain.levels import RunClass
from benchmarks_app.models import UnknownName, Upload
from benchmarks_app.services.importing import import_upload, needs_reading
from benchmarks_app.services.receiving import receive_upload

SHIPPED = Path(__file__).resolve().parent.parent / "shipped"
ACTOR = "shipped"
_MANIFEST = "shipped.toml"
_PUBLISHED = "published"
_PIECE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class ShippedUpload:
    """Files that form one upload. **Shapes**: ``facts`` are those of the machine and the tool."""

    paths: tuple[Path, ...]
    run_class: RunClass
    facts: Mapping[str, object]


def load_shipped(folder: Path = SHIPPED) -> Iterator[tuple[Upload, bool]]:
    """Receives and reads each shipped upload; yields it, and whether it was new here.

    What a name of a shipped table means is decided before, unless somebody here decided already.
    """
    _decide_names(_manifest(folder))
    for shipped in shipped_uploads(folder):
        received = receive_upload(
            [(str(path.relative_to(folder)), _pieces(path)) for path in shipped.paths],
            actor=ACTOR,
            way="shipped",
            declared=shipped.facts,
            run_class=shipped.run_class.value,
            publish=True,
        )
        upload = received.upload
        yield (import_upload(upload.uid) if needs_reading(upload) else upload), received.is_new


def shipped_uploads(folder: Path = SHIPPED) -> Iterator[ShippedUpload]:
    """What is shipped, in the order of the manifest, published tables last."""
    manifest = _manifest(folder)
    for entry in manifest["upload"]:
        facts = dict(entry.get("facts", {}))
        for name in entry.get("shared", ()):
            facts = {**manifest["facts"][name], **facts}
        if entry.get("command"):
            facts["client.command"] = entry["command"]
        paths = sorted(path for path in (folder / entry["folder"]).iterdir() if path.is_file())
        yield ShippedUpload(tuple(paths), RunClass.DEMONSTRATION, facts)
    for path in sorted((folder / _PUBLISHED).rglob("*.json")):
        yield ShippedUpload((path,), RunClass.PUBLISHED, {})


def _manifest(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / _MANIFEST).read_text(encoding="utf-8"))


def _decide_names(manifest: Mapping[str, Any]) -> None:
    now = timezone.now()
    rows = [
        UnknownName(
            axis=axis, name=name, slug=slug, first_seen_at=now, decided_by=ACTOR, decided_at=now
        )
        for axis, names in manifest.get("names", {}).items()
        for name, slug in names.items()
    ]
    UnknownName.objects.bulk_create(rows, ignore_conflicts=True)


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(_PIECE_BYTES):
            yield piece
