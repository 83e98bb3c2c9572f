"""Names of sent files as they are kept: folders inside the upload, never paths of a machine."""

import re
import unicodedata

from matrix.domain.redaction import mask_text

LONGEST_NAME = 400
_LONGEST_PART = 120
_DRIVE = re.compile(r"^[A-Za-z]:")
# Folders that hold people: what lies below one is named after somebody.
_HOMES = frozenset({"home", "users"})


def clean_name(name: str) -> str:
    """The name with folders, without control characters, roots, drives, ``.`` and ``..``.

    An absolute path tells where somebody keeps files, so only its last part is kept.
    """
    plain = "".join(c for c in unicodedata.normalize("NFC", name) if c.isprintable())
    plain = plain.replace("\\", "/")
    absolute = plain.startswith("/") or bool(_DRIVE.match(plain))
    parts = [part.strip() for part in _DRIVE.sub("", plain).split("/")]
    parts = [part for part in parts if part not in {"", ".", ".."}]
    if absolute:
        parts = parts[-1:]
    for at, part in enumerate(parts[:-2]):
        if part.lower() in _HOMES:
            parts = parts[at + 2 :]
            break
    kept = "/".join(_shorten(part) for part in parts)
    kept = mask_text(kept).text
    while len(kept) > LONGEST_NAME and "/" in kept:
        kept = kept.partition("/")[2]
    return kept[-LONGEST_NAME:] or "file"


def _shorten(part: str) -> str:
    if len(part) <= _LONGEST_PART:
        return part
    # The end of a name says what it is.
    return part[: _LONGEST_PART // 2] + "…" + part[-(_LONGEST_PART // 2 - 1) :]


def is_hidden(name: str) -> bool:
    """Whether an archive's member is bookkeeping of an operating system, not a file of somebody."""
    parts = name.replace("\\", "/").split("/")
    return "__MACOSX" in parts or parts[-1] in {".DS_Store", "Thumbs.db", "desktop.ini"}
