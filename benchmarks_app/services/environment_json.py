"""Takes facts out of environment files and of what ``docker inspect`` prints."""

import re
from collections.abc import Mapping

from benchmarks_app.domain.facts import is_fact
from benchmarks_app.domain.provenance import ITEMS, NOT_CAPTURED

Value = str | int | float | bool
# Variables that steer engines and devices; others say more of people than of runs.
_TELLING_VARIABLE = re.compile(
    r"^(?:VLLM|SGL|SGLANG|LMDEPLOY|TLLM|TRTLLM|TRT|NCCL|RCCL|HCCL|CUDA|HIP|ROCR|HSA|ASCEND|"
    r"PYTORCH|TORCH|OMP|MKL|GGML|LLAMA|FLASHINFER|AITER|UCX|TP|XPU|SYCL|ONEAPI)_?\w*$"
)
_VERSION_SUFFIX = re.compile(r"(?:_VERSION|_HOME|_PATH|_ROOT)$")
_LONGEST = 400
# What may be stated as not captured although it is no fact of one value.
_ITEMS = frozenset(item.name for item in ITEMS)


def facts_of_inspect(value: object) -> dict[str, Value]:
    """Image, digest, arguments and telling variables of an inspected container or image.

    The ``Image`` of a container is the identifier of its configuration, no digest that could be
    pulled, so it is left out. An empty mapping for any other JSON.
    """
    one = value[0] if isinstance(value, list) and len(value) == 1 else value
    if not isinstance(one, Mapping) or not ("Config" in one or "RepoDigests" in one):
        return {}
    config = one.get("Config")
    config = config if isinstance(config, Mapping) else {}
    found: dict[str, Value] = {}
    tags = [tag for tag in _texts(one.get("RepoTags")) if tag]
    image = config.get("Image") or (tags[0] if tags else "")
    if isinstance(image, str) and image and not image.startswith("sha256:"):
        name, _at, digest = image.partition("@")
        found["container.image"] = name[:_LONGEST]
        if digest:
            found["container.digest"] = digest[:_LONGEST]
    digests = {text.partition("@")[2] for text in _texts(one.get("RepoDigests"))} - {""}
    if len(digests) == 1:
        found["container.digest"] = digests.pop()[:_LONGEST]
    arguments = [*_texts(one.get("Args"))] or [*_texts(config.get("Cmd"))]
    if arguments and "State" in one:
        found["framework.arguments"] = " ".join(arguments)[:4000]
    for text in _texts(config.get("Env")):
        name, sign, content = text.partition("=")
        telling = _TELLING_VARIABLE.match(name) and not _VERSION_SUFFIX.search(name)
        if sign and content and telling:
            found[f"env.{name}"[:120]] = content[:_LONGEST]
    return found


def flatten(value: object) -> tuple[dict[str, Value], list[str]]:
    """The facts of nested or dotted objects, and the keys that name none.

    Null states that something was not captured.
    """
    found: dict[str, Value] = {}
    unknown: list[str] = []
    if not isinstance(value, Mapping):
        return found, unknown
    waiting: list[tuple[str, object]] = [(str(k), v) for k, v in value.items()][::-1]
    while waiting:
        name, inner = waiting.pop()
        if isinstance(inner, Mapping) and name.count(".") < 3:
            waiting += [(f"{name}.{key}", one) for key, one in inner.items()][::-1]
        elif inner in (None, NOT_CAPTURED) and (is_fact(name) or name in _ITEMS):
            found[name] = NOT_CAPTURED
        elif isinstance(inner, (str, int, float, bool)) and len(name) <= 120 and is_fact(name):
            if inner != "":
                found[name] = inner
        elif len(unknown) < 100:
            unknown.append(name[:120])
    return found, unknown


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
