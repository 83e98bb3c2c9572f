"""Reads pasted output of tools, and environment files, into facts of a run.

What a tool prints of the machine was observed. How many devices a machine has is not how many a
run used, so a count of several keeps the pointer ``MACHINE``.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from benchmarks_app.contract import Fact
from benchmarks_app.domain.levels import Origin
from benchmarks_app.domain.provenance import NOT_CAPTURED
from benchmarks_app.services.environment_json import facts_of_inspect, flatten
from benchmarks_app.services.masking import mask, storable
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase

# The pointer of a count that is the machine's.
MACHINE = "devices of the machine"
_LONGEST = 200
# No tool's line says anything of interest behind so many letters.
_LONGEST_LINE = 400
_WIDE_GAP = re.compile(r"[ \t]{9,}")
# Text that begins like JSON again and again and is none would be read from each line anew.
_MOST_ATTEMPTS = 200
_DEEPEST_LEVELS = 40
_Patterns = tuple[re.Pattern[str], ...]

# One device each; the group ``name`` is the device as the tool calls it.
_DEVICES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("nvidia-smi -q", re.compile(r"(?m)^\s*Product Name\s*:\s*(?P<name>.+?)\s*$")),
    ("nvidia-smi -L", re.compile(
        r"(?m)^\s*GPU (?P<index>\d+)\s*:\s*(?P<name>[^(\n]+?)\s*(?:\(UUID[^\n]*)?$")),
    ("nvidia-smi", re.compile(
        r"(?m)^\|\s+(?P<index>\d+)\s{1,4}(?P<name>(?:NVIDIA|Tesla|Quadro|GeForce|Graphics)[^|]*?)"
        r"\s+(?:On|Off|N/A|WDDM|TCC)\s*\|")),
    ("rocm-smi", re.compile(
        r"(?mi)^GPU\[(?P<index>\d+)\]\s*:\s*Card series\s*:\s*(?P<name>.+?)\s*$")),
    ("amd-smi", re.compile(r"(?mi)^\s*MARKET_NAME\s*:\s*(?P<name>.+?)\s*$")),
    ("npu-smi", re.compile(
        r"(?m)^\|\s*(?P<index>\d+)\s+(?P<name>\d{3}[A-Z][\w-]*|Ascend\s?\w+)\s*"
        r"\|\s*(?:OK|Warning|Alarm|Critical)")),
    ("mthreads-gmi", re.compile(r"(?m)^\s*Product Name\s*:\s*(?P<name>MTT .+?)\s*$")),
)  # fmt: skip
_SINGLE: Mapping[str, _Patterns] = {
    "accelerator.driver": (
        re.compile(r"(?i)(?:nvidia )?driver version\s*:\s*(?P<value>\d[\w.-]*)"),
        re.compile(r"(?i)amdgpu version\s*:\s*(?P<value>\d[\w.-]*)"),
        re.compile(r"(?i)\|\s*npu-smi\s+(?P<value>\d[\w.]+)"),
    ),
    "accelerator.runtime": (
        re.compile(r"(?i)\b(?P<name>CUDA) runtime version\s*:\s*(?P<value>\d[\d.]*)"),
        re.compile(r"(?i)\b(?P<name>ROCm)(?:[ _]version)?\s*[:=]\s*(?P<value>\d[\w.-]+)"),
        re.compile(r"(?i)\b(?P<name>CANN)(?:[ _]version)?\s*[:=]\s*(?P<value>\d[\w.]+)"),
        re.compile(r"(?i)\b(?P<name>CUDA) Version\s*:\s*(?P<value>\d[\d.]*)"),
    ),
    "host.cpu": (
        re.compile(r"(?mi)^\s*(?:BIOS )?Model name\s*:\s*(?P<value>.+?)\s*$"),
        re.compile(r"(?m)^machdep\.cpu\.brand_string:\s*(?P<value>.+?)\s*$"),
    ),
    "host.os": (
        re.compile(r"(?m)^OS\s*:\s*(?P<value>.+?)\s*$"),
        re.compile(r"PRETTY_NAME=\"(?P<value>[^\"]+)\""),
    ),
    "host.kernel": (
        re.compile(r"(?m)^Linux (?:\S+ )?(?P<value>\d+\.\d+\.\d+[\w.+-]*)(?:\s|$)"),
        re.compile(
            r"(?m)^Python platform:\s*Linux-(?P<value>\d+\.\d+\.\d+[\w.+-]*?)-(?:x86_64|aarch64)"
        ),
    ),
    "host.python": (re.compile(r"(?m)^Python version\s*:\s*(?P<value>\d[\d.]*)"),),
}  # fmt: skip
# Packages that are engines; a list that names two does not say which one served.
_ENGINES = (
    "vllm", "sglang", "lmdeploy", "tensorrt-llm", "vllm-ascend", "ktransformers",
    "llama-cpp-python",
)  # fmt: skip
_FREEZE = re.compile(r"(?m)^(?P<name>[A-Za-z0-9][\w.-]*)==(?P<version>[\w.+!-]+)\s*$")
_STATED_VERSION = re.compile(
    r"(?mi)^(?P<name>vLLM|SGLang|LMDeploy)(?: Build)? Version\s*:\s*(?P<version>\d[\w.+-]*)"
)
_MEMORY = re.compile(r"/\s*(?P<mib>\d{3,7})\s?MiB\s*\|")
_MEMORY_Q = re.compile(r"FB Memory Usage\s*\n\s*Total\s*:\s*(?P<mib>\d{3,7})\s*MiB")


def read_pasted(text: str) -> dict[str, Fact]:
    """What the pasted output says, by fact name; an empty mapping where it says nothing."""
    found: dict[str, Fact] = {}
    plain, documents = split_json(text)
    plain = _tidy(plain)
    for document in documents:
        for name, value in facts_of_inspect(document).items():
            found.setdefault(name, Fact(value, Origin.PASTED, "docker inspect"))
        for name, value in flatten(document)[0].items():
            if value == NOT_CAPTURED:
                continue
            found.setdefault(name, Fact(value, Origin.PASTED, "environment JSON"))
    for name, fact in (*_devices(plain), *_singles(plain), *_engine(plain)):
        found.setdefault(name, fact)
    return found


def _tidy(text: str) -> str:
    """The text without blank lines, wide gaps and endless lines, over which patterns take long."""
    lines = (_WIDE_GAP.sub(" " * 8, line[:_LONGEST_LINE]).rstrip() for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def read_environment_json(text: str) -> tuple[dict[str, str | int | float | bool], list[str]]:
    """The facts of an environment file, and its keys that name none.

    **Shapes**: an object of fact names, nested or dotted; output of ``docker inspect`` as well.
    **Raises**: ``InvalidValue`` for a text that is no JSON object.
    """
    accepted = 'a JSON object of facts such as {"accelerator": {"driver": "550.54"}}'
    try:
        value = json.loads(text, object_pairs_hook=_each_key_once)
    except (ValueError, RecursionError) as error:
        raise InvalidValue(name="environment file", value=text[:40], accepted=accepted) from error
    inspected = facts_of_inspect(value)
    if not inspected and not isinstance(value, dict):
        raise InvalidValue(name="environment file", value=text[:40], accepted=accepted)
    facts, unknown = flatten(value)
    return {**inspected, **facts}, [] if inspected else unknown


def _each_key_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise InvalidValue(
            name="environment file", value=f"{twice[:80]} twice", accepted=Phrase("each key once")
        )
    return found


def split_json(text: str) -> tuple[str, list[object]]:
    """The text without the JSON documents that begin at a line's start, and these."""
    decoder = json.JSONDecoder()
    documents: list[object] = []
    plain: list[str] = []
    at = failed = 0
    for found in re.finditer(r"(?m)^[\[{]", text):
        if found.start() < at:
            continue
        try:
            value, end = decoder.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            failed += 1
            if failed == _MOST_ATTEMPTS:
                break
            continue
        if isinstance(value, (dict, list)) and value:
            plain.append(text[at : found.start()])
            documents.append(value)
            at = end
    plain.append(text[at:])
    return "".join(plain), documents


def mask_pasted(text: str) -> str:
    """Pasted output with masks; documents in it stay readable as JSON."""
    plain, documents = split_json(text)
    parts = [json.dumps(_masked(one), indent=1, ensure_ascii=False) for one in documents]
    return "\n".join([mask(plain).strip(), *parts]).strip()


def _masked(value: object, key: str = "", depth: int = 0) -> object:
    """The value with masked texts; nothing of a tool lies as deep as what is cut here."""
    if isinstance(value, (dict, list)) and depth >= _DEEPEST_LEVELS:
        return "…"
    if isinstance(value, str):
        # Variables stand as NAME=value in lists, and as members in objects.
        return mask(f"{key}={value}").partition("=")[2] if key else mask(value)
    if isinstance(value, dict):
        return {
            str(name)[:200]: _masked(inner, str(name), depth + 1) for name, inner in value.items()
        }
    if isinstance(value, list):
        return [_masked(inner, depth=depth + 1) for inner in value]
    return storable(value)


def _devices(text: str) -> Iterator[tuple[str, Fact]]:
    for tool, pattern in _DEVICES:
        by_index: dict[str, str] = {}
        for number, found in enumerate(pattern.finditer(text)):
            index = found.groupdict().get("index") or str(number)
            by_index.setdefault(index, found["name"].strip()[:_LONGEST])
        if by_index:
            names = list(by_index.values())
            if tool == "npu-smi":
                names = [n if n.startswith("Ascend") else f"Ascend {n}" for n in names]
            yield from _device_facts(tool, names, text)
            return


def _device_facts(tool: str, names: Sequence[str], text: str) -> Iterator[tuple[str, Fact]]:
    counted = Counter(names)
    name = names[0]
    if len(counted) > 1:
        name = ", ".join(f"{count} x {one}" for one, count in counted.items())[:_LONGEST]
    yield "accelerator.name", Fact(name, Origin.PASTED, tool)
    pointer = tool if len(names) == 1 else MACHINE
    yield "accelerator.count", Fact(len(names), Origin.PASTED, pointer)
    sizes = {int(m["mib"]) for p in (_MEMORY, _MEMORY_Q) for m in p.finditer(text)}
    if len(sizes) == 1 and tool.startswith("nvidia"):
        gib = round(sizes.pop() / 1024, 2)
        yield "accelerator.memory_gib", Fact(gib, Origin.PASTED, tool)


def _singles(text: str) -> Iterator[tuple[str, Fact]]:
    for name, patterns in _SINGLE.items():
        for pattern in patterns:
            found = pattern.search(text)
            if found:
                prefix = found.groupdict().get("name")
                value = found["value"].strip()[:_LONGEST]
                yield name, Fact(f"{prefix} {value}" if prefix else value, Origin.PASTED)
                break


def _engine(text: str) -> Iterator[tuple[str, Fact]]:
    stated = _STATED_VERSION.search(text)
    listed = {
        found["name"].lower().replace("_", "-"): found["version"]
        for found in _FREEZE.finditer(text)
    }
    engines = [name for name in _ENGINES if name in listed]
    if stated:
        engine, version = stated["name"], stated["version"]
    elif len(engines) == 1:
        engine, version = engines[0], listed[engines[0]]
    else:
        return
    yield "framework.name", Fact(engine, Origin.PASTED)
    yield "framework.version", Fact(version, Origin.PASTED)


def is_machine_count(fact: Fact) -> bool:
    """Whether a count is that of the machine's devices, of which a run may have used fewer."""
    return fact.pointer == MACHINE
