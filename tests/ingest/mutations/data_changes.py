"""Changes of code facts: a key of the JSON renamed, gone, emptied or of another kind."""

import json
from collections.abc import Iterator
from typing import Any

from tests.ingest.mutations.changes import Change, Effect, Subject


def change_data(subject: Subject) -> Iterator[Change]:
    """Yields the page with one key changed, for every key that findings stand under."""
    facts = json.loads(subject.page.text)
    if not isinstance(facts, dict):
        return
    for key in _cited(subject):
        if key not in facts:
            continue
        for kind, changed in _changed(facts, key):
            yield Change(kind=kind, text=json.dumps(changed, indent=1), effect=Effect.DAMAGE)
        yield from _halved(facts, key)
    again = json.dumps(dict(reversed(facts.items())))
    yield Change(kind="keys in another order", text=again, effect=Effect.NOTHING)


def _cited(subject: Subject) -> list[str]:
    """Returns the first keys of the paths that findings cite."""
    return sorted({f.locator.path[0] for f in subject.reading.findings if f.locator.path})


def _changed(facts: dict[str, Any], key: str) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "key removed", {k: v for k, v in facts.items() if k != key}
    yield "key renamed", {f"{k}_v2" if k == key else k: v for k, v in facts.items()}
    yield "key null", {**facts, key: None}
    if isinstance(facts[key], dict | list):
        yield "key emptied", {**facts, key: type(facts[key])()}
        yield "key of another kind", {**facts, key: "see elsewhere"}


def _halved(facts: dict[str, Any], key: str) -> Iterator[Change]:
    """Yields the facts without half of a key's entries, which then are no longer stated."""
    entries = facts[key]
    if isinstance(entries, dict) and len(entries) > 1:
        kept = list(entries)[: len(entries) // 2]
        gone = frozenset((key, str(name)) for name in entries if name not in kept)
        text = json.dumps({**facts, key: {name: entries[name] for name in kept}})
        yield Change(kind="entries gone", text=text, effect=Effect.REMOVAL, paths=gone)
