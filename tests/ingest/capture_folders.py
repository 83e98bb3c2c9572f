"""Small capture folders in the captured layout, written by the tests that read them."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.builders import released_on

QUANTIZATION_PAGE = "docs/features/quantization/README.md"


def table_page(**rows: str) -> str:
    """A page in the shape of vLLM's quantization table: per scheme the words for Volta, Turing,
    Ampere, with blanks between them (``AWQ="no yes yes"``)."""
    signs = {"yes": "✅︎", "no": "❌", "blank": "", "unknown": "❔"}
    lines = [
        "# Quantization",
        "",
        "## Supported Hardware",
        "",
        "| Implementation | Volta | Turing | Ampere |",
        "| --- | --- | --- | --- |",
    ]
    for name, words in rows.items():
        cells = " | ".join(signs[word] for word in words.split())
        lines.append(f"| {name} | {cells} |")
    return "\n".join(lines) + "\n"


def write_captures(
    folder: Path, pages: Mapping[tuple[str, str], str], **changes: Any
) -> list[dict[str, Any]]:
    """Writes pages and their manifest below the folder; returns the manifest's entries.

    **Shapes**: ``pages`` by (version, path); ``changes`` go into every entry.
    """
    entries = []
    for (version, path), text in pages.items():
        data = text.encode()
        file = folder / version / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        entries.append(
            {
                "version": version,
                "path": path,
                "bytes": len(data),
                "sha256": hashlib.sha256(data).hexdigest(),
                **changes,
            }
        )
    write_manifest(folder, entries)
    return entries


def write_manifest(folder: Path, entries: list[dict[str, Any]]) -> None:
    """The manifest alone."""
    lines = [json.dumps(entry) for entry in entries]
    (folder / "manifest.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def uploaded(version: str) -> str:
    """The upload moment of a test release as manifests write it."""
    return f"{released_on(version).isoformat()}T10:00:00+00:00"
