"""What a llm-d Benchmark Report states of the deployment: model, engines, accelerators, layout.

A report may describe several engines. What all of them share is a fact of the run; what differs
between them stays unmapped. **Source**: an engine's accelerator count is that of one replica.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence

from benchmarks_app.contract import Fact
from benchmarks_app.importers.taking import take_scalar
from benchmarks_app.reading.fields import Fields
from benchmarks_app.reading.private import is_private
from matrix.domain.redaction import mask_text

_DIGEST = re.compile(r"@(sha256:[0-9a-f]{64})\s*\Z")
_LAYOUT = ("tp", "pp", "ep", "dp")


def take_stack(scenario: Fields) -> dict[str, Fact]:
    """The facts of ``scenario.stack`` (0.2)."""
    parts = scenario.children("stack")
    engines = [one for one in parts if one.child("standardized").peek("kind") == "inference_engine"]
    standard = [one.child("standardized") for one in engines]
    accelerators = [one.child("accelerator") for one in standard]
    facts = {
        **_shared([one.child("model") for one in standard], {"model.id": "name"}),
        **_shared(standard, {"framework.name": "tool"}),
        **_versions(standard),
        **_shared(accelerators, {"accelerator.name": "model"}),
        **_total(accelerators, [one.peek("replicas") for one in standard]),
        **_layout([one.child("parallelism") for one in accelerators]),
        **_roles([one.peek("role") for one in standard], standard),
    }
    if len(engines) == 1:
        facts |= _native(engines[0].child("native"))
    return facts


def take_scenario(scenario: Fields) -> dict[str, Fact]:
    """The facts of ``scenario`` with ``host``, ``platform`` and ``model`` (0.1)."""
    host = scenario.child("host")
    accelerators = host.children("accelerator")
    engines = scenario.child("platform").children("engine")
    model = scenario.child("model")
    kinds = host.peek("type")
    facts = {
        **_shared([model], {"model.id": "name", "quantization.weights": "quantization"}),
        **_shared(engines, {"framework.name": "name"}),
        **_versions(engines, "version"),
        **_shared(accelerators, {"accelerator.name": "model"}),
        **_total(accelerators, [1] * len(accelerators)),
        **_layout([one.child("parallelism") for one in accelerators]),
        **_roles(kinds if isinstance(kinds, list) else [kinds], [host]),
    }
    if len(engines) == 1:
        facts |= _arguments(engines[0].child("args"))
    return facts


def _shared(parts: Sequence[Fields], names: Mapping[str, str]) -> dict[str, Fact]:
    """Facts on which all parts agree."""
    found = {}
    for fact, name in names.items():
        values = {str(one.peek(name)).strip() for one in parts if one.peek(name) is not None}
        if len(values) == 1 and all(isinstance(one.peek(name), str) for one in parts):
            text = next(iter(values))
            for one in parts:
                one.text(name)
            if text:
                found[fact] = Fact(mask_text(text).text, pointer=parts[0].place(name))
    return found


def _versions(parts: Sequence[Fields], name: str = "tool_version") -> dict[str, Fact]:
    """The version, which may be a container image."""
    values = {one.peek(name) for one in parts if isinstance(one.peek(name), str)}
    if len(values) != 1 or any(not isinstance(one.peek(name), str) for one in parts):
        return {}
    text = next(iter(values))
    assert isinstance(text, str)
    for one in parts:
        one.text(name)
    place = parts[0].place(name)
    if not text.strip(" /:"):
        return {}
    if "/" not in text:
        return {"framework.version": Fact(text.strip(), pointer=place)}
    found = {"container.image": Fact(text.strip(), pointer=place)}
    digest = _DIGEST.search(text)
    if digest:
        found["container.digest"] = Fact(digest[1], pointer=place)
    return found


def _total(accelerators: Sequence[Fields], replicas: Sequence[object]) -> dict[str, Fact]:
    counts = [one.peek("count") for one in accelerators]
    total = 0
    for count, number in zip(counts, replicas, strict=True):
        if not isinstance(count, int) or not isinstance(number, int) or count <= 0 or number <= 0:
            return {}
        total += count * number
    if not total:
        return {}
    for one in accelerators:
        one.take("count")
    return {"accelerator.count": Fact(total, pointer=accelerators[0].place("count"))}


def _layout(parts: Sequence[Fields]) -> dict[str, Fact]:
    found = {}
    for name in _LAYOUT:
        values = [one.peek(name) for one in parts]
        first = values[0] if values else None
        if (
            isinstance(first, int)
            and not isinstance(first, bool)
            and len(set(map(str, values))) == 1
        ):
            for one in parts:
                one.take(name)
            found[f"parallelism.{name}"] = Fact(first, pointer=parts[0].place(name))
    return found


def _roles(roles: Iterable[object], parts: Sequence[Fields]) -> dict[str, Fact]:
    """Whether prefill and decode run apart; a single role of the two settles nothing."""
    named = {role for role in roles if isinstance(role, str)}
    place = parts[0].pointer if parts else "$"
    if {"prefill", "decode"} <= named:
        return {"parallelism.disagg": Fact(True, pointer=place)}
    if named and named <= {"replica", "aggregate"}:
        return {"parallelism.disagg": Fact(False, pointer=place)}
    return {}


def _native(native: Fields) -> dict[str, Fact]:
    facts = _arguments(native.child("args"))
    variables = native.child("envars")
    for name in list(variables.value):
        if is_private(str(name), variables.peek(name)):
            continue
        value = take_scalar(variables, name)
        if value is not None:
            shown = mask_text(value).text if isinstance(value, str) else value
            facts[f"env.{name}"] = Fact(shown, pointer=variables.place(name))
    return facts


def _arguments(arguments: Fields) -> dict[str, Fact]:
    """The server's arguments as one command line without secrets and addresses."""
    words = []
    for name, value in arguments.value.items():
        if is_private(str(name).lstrip("-"), value):
            arguments.withhold(name)
            continue
        arguments.take(name)
        flag = str(name) if str(name).startswith("-") else f"--{name}"
        shown = json.dumps(value) if isinstance(value, (dict, list)) else str(value)
        words.append(flag if value is None or value is True else f"{flag} {shown}")
    if not words:
        return {}
    line = mask_text(" ".join(words)).text
    return {"framework.arguments": Fact(line, pointer=arguments.pointer)}
