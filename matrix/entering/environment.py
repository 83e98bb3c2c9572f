"""The environment of a test: which items are asked for, and what pasted output says of them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Known(StrEnum):
    """How an item of the environment is known; none is left silently empty."""

    DECLARED = "declared"
    OBSERVED = "observed"
    NOT_CAPTURED = "not-captured"


ENVIRONMENT_ITEMS = (
    "commit", "gpu", "driver", "runtime", "os", "python", "image", "image_digest",
)  # fmt: skip
LONGEST_VALUE = 200

# What tools print: nvidia-smi, rocm-smi, npu-smi, the environment script of PyTorch projects,
# and docker inspect.
_PATTERNS: Mapping[str, Sequence[re.Pattern[str]]] = {
    "driver": (
        re.compile(r"Driver Version:\s*(?P<value>[\w.-]+)"),
        re.compile(r"(?i)nvidia driver version:\s*(?P<value>[\w.-]+)"),
        re.compile(r"(?i)npu-smi\s+(?P<value>\d[\w.]+)"),
        re.compile(r"(?im)^\s*driver version:\s*(?P<value>\S+)"),
    ),
    "runtime": (
        re.compile(r"(?i)\b(?P<name>CUDA) Version:\s*(?P<value>[\d.]+)"),
        re.compile(r"(?i)\b(?P<name>CUDA) runtime version:\s*(?P<value>[\d.]+)"),
        re.compile(r"(?i)\b(?P<name>ROCm)(?:[ _]version)?\s*[:=]\s*(?P<value>\d[\w.-]+)"),
        re.compile(r"(?i)\b(?P<name>CANN)(?:[ _]version)?\s*[:=]\s*(?P<value>\d[\w.]+)"),
    ),
    "gpu": (
        re.compile(r"GPU 0:\s*(?P<value>[^(\n]+?)\s*(?:\(|$)", re.MULTILINE),
        re.compile(r"\|\s+0\s+(?P<value>(?:NVIDIA|Tesla|Quadro|GeForce)[^|]*?)\s{2,}"),
        re.compile(r"(?im)^.*card series:\s*(?P<value>.+?)\s*$"),
    ),
    "os": (
        re.compile(r"(?m)^OS\s*:\s*(?P<value>.+?)\s*$"),
        re.compile(r"PRETTY_NAME=\"(?P<value>[^\"]+)\""),
    ),
    "python": (re.compile(r"(?m)^Python version\s*:\s*(?P<value>[\d.]+)"),),
    "commit": (re.compile(r"(?i)git sha:\s*(?P<value>[0-9a-f]{7,40})"),),
    "image_digest": (re.compile(r"\b(?P<value>sha256:[0-9a-f]{64})\b"),),
}


@dataclass(frozen=True, slots=True)
class EnvironmentItem:
    """One item with its value and how it is known."""

    name: str
    value: str
    how: Known


def read_environment(declared: Mapping[str, str], pasted: str) -> tuple[EnvironmentItem, ...]:
    """All items in order: as typed, else as the pasted output says, else not captured.

    Where both say something, what was typed stays and what the output says stands beside it.
    """
    found = []
    for name in ENVIRONMENT_ITEMS:
        seen = observed_value(name, pasted)
        typed = declared.get(name, "").strip()[:LONGEST_VALUE]
        if typed and typed != seen:
            found.append(EnvironmentItem(name, typed, Known.DECLARED))
        if seen:
            found.append(EnvironmentItem(name, seen, Known.OBSERVED))
        if not typed and not seen:
            found.append(EnvironmentItem(name, "", Known.NOT_CAPTURED))
    return tuple(found)


def observed_value(name: str, pasted: str) -> str:
    """What pasted output says of an item, or an empty text."""
    for pattern in _PATTERNS.get(name, ()):
        found = pattern.search(pasted)
        if found:
            prefix = found.groupdict().get("name")
            value = found["value"].strip()[:LONGEST_VALUE]
            return f"{prefix} {value}" if prefix else value
    return ""
