"""Data files that a capture folder holds only as JSON made from them.

The SGLang cookbook's data files are JavaScript; ``_derived/sglang-cookbook-<label>/`` beside the
frameworks' folders holds their values as ``<organisation>__<model>.json``.
"""

import re
from collections.abc import Iterator
from pathlib import Path

DERIVED_FOLDER = "_derived"
_FRAMEWORK = "sglang"
_COOKBOOK = "sglang-cookbook-"
_ORIGINAL = re.compile(r"docs/src/snippets/configs/([\w.-]+)/([\w.-]+)\.jsx")


def find_derived(captures: Path, *, framework: str, label: str, path: str) -> Path | None:
    """The JSON made from a page that was not captured itself, or ``None``."""
    match = _ORIGINAL.fullmatch(path)
    if framework != _FRAMEWORK or match is None:
        return None
    file = captures / DERIVED_FOLDER / f"{_COOKBOOK}{label}" / f"{match[1]}__{match[2]}.json"
    return file if file.is_file() else None


def list_derived(captures: Path, *, framework: str) -> Iterator[tuple[str, str, Path]]:
    """Label, path of the original and file of everything derived for a framework, sorted."""
    if framework != _FRAMEWORK:
        return
    for folder in sorted((captures / DERIVED_FOLDER).glob(f"{_COOKBOOK}*")):
        for file in sorted(folder.glob("*.json")):
            organisation, _, name = file.stem.partition("__")
            path = f"docs/src/snippets/configs/{organisation}/{name}.jsx"
            if _ORIGINAL.fullmatch(path):
                yield folder.name.removeprefix(_COOKBOOK), path, file
