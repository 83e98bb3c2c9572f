"""Facts of a model or tokenizer name as tools write it: repository, cache folder or local path."""

import re

from benchmarks_app.contract import Fact, Notice
from matrix.domain.redaction import mask_text

# A downloaded repository lies in "models--<owner>--<name>/snapshots/<revision>".
_CACHE = re.compile(r"(?:^|[/\\])models--([^/\\]+)[/\\]snapshots[/\\]([^/\\]+)[/\\]*$")
_LOCAL = re.compile(r"^(?:[/\\~]|\.{1,2}[/\\]|[A-Za-z]:[/\\])")


def model_facts(name: str, pointer: str) -> tuple[dict[str, Fact], tuple[Notice, ...]]:
    """``model.id`` with revision and raw path where the name is one, and what to say of it.

    A local path says only what its folder is called; the whole path stays in ``model.raw``.
    """
    cached = _CACHE.search(name)
    if cached:
        facts = {
            "model.id": Fact(_repository(cached[1]), pointer=pointer),
            "model.revision": Fact(cached[2], pointer=pointer),
            "model.raw": Fact(mask_text(name).text, pointer=pointer),
        }
        return facts, (Notice("model_id_from_hf_cache_path", pointer=pointer),)
    folder = re.split(r"[/\\]", name.rstrip("/\\"))[-1]
    if _LOCAL.match(name) and folder:
        facts = {
            "model.id": Fact(folder, pointer=pointer),
            "model.raw": Fact(mask_text(name).text, pointer=pointer),
        }
        return facts, (Notice("model_id_is_local_path", pointer=pointer),)
    return {"model.id": Fact(mask_text(name).text, pointer=pointer)}, ()


def tokenizer_fact(name: str, pointer: str) -> Fact:
    """The tokenizer's repository, or its path as it stands, without names of people."""
    cached = _CACHE.search(name)
    return Fact(_repository(cached[1]) if cached else mask_text(name).text, pointer=pointer)


def _repository(folder: str) -> str:
    return folder.replace("--", "/", 1)
