"""Domain values to plain JSON data and back: one form for tables, files, REST and exports."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from matrix.domain.claims import Claim, Locator
from matrix.domain.coordinates import CONDITION_OPS, Condition, NodeSet, NumberRange, Scope
from matrix.domain.levels import Axis, ConditionKind, NumberAxis
from matrix.domain.phrases import Phrase

Plain = dict[str, Any]
FEATURES = "features"


def scope_to_plain(scope: Scope) -> Plain:
    """``{"hardware": {"include": […]}, "features": […], "tensor_parallel": {"min": 2}}``."""
    plain: Plain = {}
    for axis, nodes in sorted(scope.nodes.items()):
        entry = {}
        if nodes.include:
            entry["include"] = sorted(nodes.include)
        if nodes.exclude:
            entry["exclude"] = sorted(nodes.exclude)
        plain[axis.value] = entry
    if scope.features:
        plain[FEATURES] = sorted(scope.features)
    for number, span in sorted(scope.numbers.items()):
        limits = {"min": span.minimum, "max": span.maximum}
        plain[number.value] = {key: value for key, value in limits.items() if value is not None}
    return plain


_CONDITION_KEYS = frozenset({"kind", "name", "op", "value", "workaround", "link"})
_AXES = {axis.value: axis for axis in Axis}
_NUMBERS = {number.value: number for number in NumberAxis}


def scope_from_plain(plain: Mapping[str, Any]) -> Scope:
    """The scope of its plain form.

    **Raises**: ``ValueError`` naming an axis that does not exist or an entry of a wrong form.
    """
    nodes: dict[Axis, NodeSet] = {}
    numbers: dict[NumberAxis, NumberRange] = {}
    features: frozenset[str] = frozenset()
    if not isinstance(plain, Mapping):
        raise ValueError(
            Phrase("the scope is {plain!r}; accepted: axes with their nodes", plain=plain)
        )
    for key, entry in plain.items():
        if key == FEATURES:
            features = frozenset(_texts(key, entry))
        elif key in _AXES:
            nodes[_AXES[key]] = _node_set(key, entry)
        elif key in _NUMBERS:
            numbers[_NUMBERS[key]] = _number_range(key, entry)
        else:
            accepted = ", ".join([*_AXES, FEATURES, *_NUMBERS])
            raise ValueError(
                Phrase(
                    "the scope names {key!r}; accepted axes: {accepted}", key=key, accepted=accepted
                )
            )
    return Scope(nodes=nodes, features=features, numbers=numbers)


def _texts(key: str, entry: object) -> list[str]:
    if not isinstance(entry, list | tuple) or not all(isinstance(item, str) for item in entry):
        raise ValueError(
            Phrase("{key} is {entry!r}; accepted: a list of slugs", key=key, entry=entry)
        )
    return list(entry)


def _node_set(key: str, entry: object) -> NodeSet:
    if not isinstance(entry, Mapping) or not set(entry) <= {"include", "exclude"}:
        raise ValueError(
            Phrase(
                "{key} is {entry!r}; accepted: include and exclude with lists of slugs",
                key=key,
                entry=entry,
            )
        )
    include = frozenset(_texts(key, entry.get("include", [])))
    exclude = frozenset(_texts(key, entry.get("exclude", [])))
    return NodeSet(include=include, exclude=exclude)


def _number_range(key: str, entry: object) -> NumberRange:
    if not isinstance(entry, Mapping) or not set(entry) <= {"min", "max"}:
        raise ValueError(
            Phrase("{key} is {entry!r}; accepted: min and max with numbers", key=key, entry=entry)
        )
    values = [entry.get("min"), entry.get("max")]
    if any(v is not None and (isinstance(v, bool) or not isinstance(v, int | float))
           for v in values):  # fmt: skip
        raise ValueError(
            Phrase("{key} is {entry!r}; accepted: min and max with numbers", key=key, entry=entry)
        )
    return NumberRange(minimum=values[0], maximum=values[1])


def condition_to_plain(condition: Condition) -> Plain:
    """Only the fields that say something."""
    plain: Plain = {"kind": condition.kind.value, "name": condition.name}
    if condition.op != "set":
        plain["op"] = condition.op
    for key in ("value", "workaround", "link"):
        if text := getattr(condition, key):
            plain[key] = text
    return plain


def condition_from_plain(plain: Mapping[str, Any]) -> Condition:
    """The condition of its plain form.

    **Raises**: ``ValueError`` for an unknown kind, operator or key, or a missing name.
    """
    if not isinstance(plain, Mapping) or not plain.get("name"):
        raise ValueError(
            Phrase("the condition is {plain!r}; accepted: an object with a name", plain=plain)
        )
    if unknown := sorted(set(plain) - _CONDITION_KEYS):
        accepted = ", ".join(sorted(_CONDITION_KEYS))
        raise ValueError(
            Phrase(
                "the condition holds {unknown}; accepted: {accepted}",
                unknown=unknown,
                accepted=accepted,
            )
        )
    op = str(plain.get("op", "set"))
    if op not in CONDITION_OPS:
        raise ValueError(
            Phrase(
                "the condition's op is {op!r}; accepted: {names}",
                op=op,
                names=", ".join(CONDITION_OPS),
            )
        )
    return Condition(
        kind=ConditionKind(plain.get("kind", "other")),
        name=str(plain["name"]),
        op=op,
        value=str(plain.get("value", "")),
        workaround=str(plain.get("workaround", "")),
        link=str(plain.get("link", "")),
    )


def locator_to_plain(locator: Locator) -> Plain:
    """Only the fields that say something."""
    plain: Plain = {}
    for key in ("heading", "tabs", "path"):
        if value := getattr(locator, key):
            plain[key] = list(value)
    for key in ("row", "column"):
        if text := getattr(locator, key):
            plain[key] = text
    for key in ("line", "line_end", "table"):
        if (number := getattr(locator, key)) is not None:
            plain[key] = number
    return plain


def locator_from_plain(plain: Mapping[str, Any]) -> Locator:
    """The locator of its plain form; unknown keys are an error of the caller."""
    return Locator(
        heading=tuple(plain.get("heading", ())),
        row=plain.get("row", ""),
        column=plain.get("column", ""),
        line=plain.get("line"),
        line_end=plain.get("line_end"),
        table=plain.get("table"),
        tabs=tuple(plain.get("tabs", ())),
        path=tuple(plain.get("path", ())),
    )


def conditions_from_plain(items: Sequence[Mapping[str, Any]]) -> tuple[Condition, ...]:
    """Conditions in their written order."""
    return tuple(condition_from_plain(item) for item in items)


def locator_text(locator: Locator) -> str:
    """The locator as a person reads it: heading path, row, column, line."""
    parts = []
    if locator.heading:
        parts.append(" › ".join(locator.heading[-2:]))
    if locator.path:
        parts.append(".".join(locator.path))
    if locator.row:
        parts.append(f"row “{locator.row}”")
    if locator.column:
        parts.append(f"column “{locator.column}”")
    if locator.line is not None:
        parts.append(f"line {locator.line}")
    return ", ".join(parts)


def claim_to_plain(claim: Claim) -> Plain:
    """What was said, without evidence; optional fields only where they say something."""
    validity = claim.validity
    plain: Plain = {
        "uid": claim.uid,
        "framework": claim.framework,
        "source": claim.source,
        "statement": claim.statement,
        "scope": scope_to_plain(claim.scope),
        "level": claim.level.value,
        "kind": claim.kind.value,
        "first": validity.first,
        "first_kind": validity.first_kind.value,
        "last": validity.last,
    }
    optional: Plain = {
        "execution": claim.execution.value if claim.execution != "unstated" else "",
        "tier": claim.tier.value if claim.tier != "official" else "",
        "outcome": claim.outcome.value if claim.outcome != "unstated" else "",
        "limit": claim.limit.value if claim.limit else "",
        "note": claim.note,
        "after": validity.after,
        "gone": validity.gone,
        "gone_on": _iso(validity.gone_on),
        "open_ended": validity.open_ended,
        "reference": claim.reference,
        "parser": claim.parser,
        "conditions": [condition_to_plain(c) for c in claim.conditions],
    }
    return plain | {key: value for key, value in optional.items() if value}


def _iso(day: date | None) -> str:
    return day.isoformat() if day else ""
