"""The claim form filled in from a review item, and its claim with the item's bytes as evidence."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from ingest.models import ReviewItem
from ingest.pages.review_sides import statements_of
from ingest.queries_review import page_of_item
from matrix.domain import codec
from matrix.domain.catalogue import Catalogue
from matrix.domain.claims import Claim
from matrix.domain.coordinates import Scope
from matrix.domain.levels import Axis, NumberAxis
from matrix.pages.evidence import scope_lines

_AXES = ("hardware", "model", "quantization", "backend", "kv_dtype", "container")
_NUMBERS = {
    "count": NumberAxis.HARDWARE_COUNT,
    "tensor_parallel": NumberAxis.TENSOR_PARALLEL,
    "context_tokens": NumberAxis.CONTEXT_TOKENS,
}
_PLAIN = ("level", "note", "execution", "tier", "limit", "kind", "raw", "path", "url", "release")


def prefilled_words(item: ReviewItem) -> dict[str, Sequence[str]]:
    """The words of the claim form for an item; what a proposal says, or what the page says now.

    **Queries**: 1.
    """
    proposed = item.new.get("proposed")
    if isinstance(proposed, dict):
        return {name: [word] for name, word in _proposed_words(proposed).items() if word}
    said = next(iter([*statements_of(item.new), *statements_of(item.old)]), {})
    words: dict[str, str] = {
        "framework": item.framework,
        "statement": item.statement,
        "release": item.release,
        "path": item.path,
        "url": item.url,
        **{name: str(said[name]) for name in _PLAIN if said.get(name)},
    }
    words |= _scope_words(said.get("scope", {}))
    words |= _place_words(said.get("locator", item.locator))
    words["conditions"] = "\n".join(_condition_line(c) for c in said.get("conditions", ()))
    page = page_of_item(item)
    if page is not None:
        words["stated_on"] = page.stated_on.isoformat() if page.stated_on else ""
        words["commit"] = page.commit
    if item.version != item.release:
        # The form takes a lone "version" for the release, so it is left to the title.
        words["title"] = f"{item.path} @ {item.version}"
    return {name: [word] for name, word in words.items() if word}


def unsaid_scope(item: ReviewItem, catalogue: Catalogue) -> list[str]:
    """The parts of a finding's scope that the form has no field for; a claim without says more."""
    said = next(iter([*statements_of(item.new), *statements_of(item.old)]), {})
    scope = codec.scope_from_plain(said.get("scope", {}))
    fields = {Axis(name) for name in _AXES}
    nodes = {
        axis: held
        for axis, held in scope.nodes.items()
        if axis not in fields or (held.exclude and axis is not Axis.HARDWARE)
    }
    shown = set(_NUMBERS.values())
    numbers = {axis: span for axis, span in scope.numbers.items() if axis not in shown}
    return scope_lines(catalogue, Scope(nodes=nodes, numbers=numbers))


def _proposed_words(line: Mapping[str, Any]) -> dict[str, str]:
    """The words of a line as people write it: names stay as they were written."""
    found = {name: value for name, value in line.items() if isinstance(value, str)}
    evidence = line.get("evidence")
    first = evidence[0] if isinstance(evidence, list) and evidence else evidence
    if isinstance(first, dict):
        found |= {name: str(value) for name, value in first.items() if not isinstance(value, dict)}
    scope = line.get("scope")
    for name, entry in (scope if isinstance(scope, dict) else {}).items():
        names = entry.get("include", ()) if isinstance(entry, dict) else entry
        word = ", ".join(map(str, names)) if isinstance(names, list | tuple) else str(names)
        found["feature" if name == "features" else name] = word
    found["conditions"] = "\n".join(
        _condition_line(c) for c in line.get("conditions", ()) if isinstance(c, dict)
    )
    return found


def _scope_words(scope: Mapping[str, Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in _AXES:
        entry = scope.get(Axis(name).value, {})
        found[name] = ", ".join(entry.get("include", ()))
        if name == "hardware":
            found["hardware_exclude"] = ", ".join(entry.get("exclude", ()))
    found["feature"] = ", ".join(scope.get("features", ()))
    for name, axis in _NUMBERS.items():
        span = scope.get(axis.value, {})
        low, high = span.get("min"), span.get("max")
        if low is not None and high is not None:
            found[name] = f"{low:g}" if low == high else f"{low:g}-{high:g}"
        elif low is not None:
            found[name] = f">={low:g}"
        elif high is not None:
            found[name] = f"<={high:g}"
    return found


def _place_words(locator: Mapping[str, Any]) -> dict[str, str]:
    found = {name: str(locator.get(name, "")) for name in ("row", "column")}
    heading = locator.get("heading", ())
    found["heading"] = heading[-1] if heading else ""
    if locator.get("line"):
        found["line"] = str(locator["line"])
    return found


def _condition_line(condition: Mapping[str, Any]) -> str:
    parts = [condition.get("kind", "other"), condition.get("name", "")]
    if condition.get("value"):
        parts += [condition.get("op", "="), condition["value"]]
    return " ".join(map(str, parts))


def with_bytes(claim: Claim, item: ReviewItem, *, today: date) -> Claim:
    """The claim with the item's bytes as its document, so that its evidence can be looked up."""
    if not item.snapshot_sha256:
        return claim
    seen = tuple(
        replace(
            observation,
            document=replace(
                observation.document,
                key=f"review:{item.pk}:{today.isoformat()}:{number}",
                sha256=item.snapshot_sha256,
            ),
        )
        for number, observation in enumerate(claim.observations, 1)
    )
    return replace(claim, observations=seen)
