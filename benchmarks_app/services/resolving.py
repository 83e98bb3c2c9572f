"""Names that results use to nodes of the catalogue: found, or left open for review, never guessed.

A name is looked up as it stands and in spellings that say no more than it does. Several meanings
are none.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks_app.contract import Fact
from benchmarks_app.domain.provenance import NOT_CAPTURED
from benchmarks_app.services.environment import is_machine_count
from benchmarks_app.services.hardware_names import device_spellings, processor_node, read_devices
from benchmarks_app.services.weight_names import (
    bits_per_weight,
    described_type,
    file_stem,
    fits_bits,
    names_quantized,
    read_cache_path,
    split_type,
)
from matrix.domain.aliases import normalise_name
from matrix.domain.catalogue import Catalogue

AXES = ("framework", "model", "quantization", "hardware", "backend")
# Facts whose value may be the name of an axis.
NAME_FACTS: Mapping[str, tuple[str, ...]] = {
    "framework": ("framework.name",),
    "model": ("model.id", "model.file", "model.raw"),
    "quantization": ("quantization.weights", "model.desc", "dtype"),
    "hardware": ("accelerator.name", "host.cpu"),
    "backend": ("accelerator.backend", "framework.backend"),
}
# The columns of a run that follow from names; written of published runs too, because which nodes
# a name means is no part of what a run says.
NODES = (
    "framework", "framework_version", "model", "quantization", "hardware", "hardware_count",
    "backend",
)  # fmt: skip
LONGEST_NAME = 300
LONGEST_VERSION = 80
# Names are shorter; patterns over names need not read more.
_LONGEST_READ = 2_000
_CPU_BACKENDS = frozenset({"cpu", "blas", "cpu,blas", "blas,cpu", "openblas", "mkl"})
_UNQUANTIZED = frozenset({"none", "null", "no", "unquantized", "false", ""})
_SIXTEEN = "none"
_OF_COMMIT = re.compile(r"\+(?:[\w.]*\.)?g[0-9a-f]{6,40}\b|\.dev\d")
# How far a file's number of parameters may be from the catalogue's.
_SAME_SIZE = 0.02


@dataclass(frozen=True, slots=True)
class Resolved:
    """Slugs of a run, empty where unknown; ``unknown`` are (axis, name) that nothing carries."""

    framework: str = ""
    framework_version: str = ""
    model: str = ""
    quantization: str = ""
    hardware: str = ""
    hardware_count: int | None = None
    backend: str = ""
    unknown: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Resolver:
    """Looks names up in one catalogue and in what people decided.

    **Shapes**: ``decided`` maps (axis, normalised name) to a slug, empty for "no node".
    """

    catalogue: Catalogue
    decided: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def resolve(self, facts: Mapping[str, Fact]) -> Resolved:
        """The nodes of a run by its facts."""
        words = {
            name: str(fact.value).strip()[:_LONGEST_READ]
            for name, fact in facts.items()
            if str(fact.value).strip().casefold() != NOT_CAPTURED
        }
        unknown: list[tuple[str, str]] = []
        framework = self._one("framework", words.get("framework.name", ""), unknown)
        model = self._model(words, facts, unknown)
        hardware, count = self._hardware(words, facts, unknown)
        return Resolved(
            framework=framework,
            framework_version=self._version(framework, words),
            model=model,
            quantization=self._quantization(words, facts, model, unknown),
            hardware=hardware,
            hardware_count=count,
            backend=self._backend(words, unknown),
            unknown=tuple(dict.fromkeys((a, n[:LONGEST_NAME]) for a, n in unknown)),
        )

    def _find(self, axis: str, *spellings: str) -> str:
        """The one node of the first spelling that is known; empty for none and for several."""
        table = self.catalogue.vocabulary.table(axis)
        for spelling in spellings:
            if not spelling:
                continue
            key = (axis, normalise_name(spelling[:LONGEST_NAME]))
            if key in self.decided:
                return self.decided[key]
            slugs = table.find(spelling)
            if slugs:
                return slugs[0] if len(slugs) == 1 else ""
        return ""

    def _is_decided(self, axis: str, name: str) -> bool:
        return (axis, normalise_name(name[:LONGEST_NAME])) in self.decided

    def _one(self, axis: str, name: str, unknown: list[tuple[str, str]], *more: str) -> str:
        if not name:
            return ""
        slug = self._find(axis, name, *more)
        if not slug and not self._is_decided(axis, name):
            unknown.append((axis, name))
        return slug

    def _version(self, framework: str, words: Mapping[str, str]) -> str:
        """The release as the history spells it, else the text as it stands."""
        text = words.get("framework.version", "")
        build = words.get("framework.build_number", "")
        history = self.catalogue.histories.get(framework)
        candidates = [text, f"b{build}" if build.isdigit() else ""]
        for candidate in candidates:
            # A build of a commit names the release before it and is another program.
            is_build = bool(_OF_COMMIT.search(candidate))
            release = history.find(candidate) if history and candidate and not is_build else None
            if release is not None:
                return release.version
        return next((one for one in candidates if one), "")[:LONGEST_VERSION]

    def _model(
        self, words: Mapping[str, str], facts: Mapping[str, Fact], unknown: list[tuple[str, str]]
    ) -> str:
        name = words.get("model.id", "") or read_cache_path(words.get("model.raw", ""))[0]
        if name:
            cached, _revision = read_cache_path(name)
            return self._one("model", cached or name, unknown)
        file = words.get("model.file", "") or words.get("model.raw", "")
        if not file:
            return ""
        stem = file_stem(file)
        slug = self._find("model", file, stem)
        if slug or self._is_decided("model", stem):
            return slug
        base, _type = split_type(stem)
        slug = self._find("model", base)
        if slug and self._is_as_large(slug, facts):
            return slug
        unknown.append(("model", stem))
        return ""

    def _is_as_large(self, slug: str, facts: Mapping[str, Fact]) -> bool:
        """Whether the file has as many parameters as the node: a file's name alone is no proof."""
        counted = facts.get("model.n_params")
        node = self.catalogue.area("model").get(slug)
        stated = node.facts.get("parameters_total") if node else None
        if counted is None or not isinstance(counted.value, (int, float)):
            return False
        if not isinstance(stated, (int, float)) or stated <= 0:
            return False
        return abs(counted.value - stated) <= _SAME_SIZE * stated

    def _quantization(
        self,
        words: Mapping[str, str],
        facts: Mapping[str, Fact],
        model: str,
        unknown: list[tuple[str, str]],
    ) -> str:
        own = self._of_checkpoint(model)
        stated = words.get("quantization.weights", "")
        if stated and stated.lower() not in _UNQUANTIZED:
            return self._deeper(self._one("quantization", stated, unknown), own)
        in_file = self._type_of_file(words, facts)
        if in_file:
            return self._one("quantization", in_file, unknown)
        if words.get("model.desc") or words.get("model.file", "").lower().endswith(".gguf"):
            # Somebody converted the checkpoint: what it was before says nothing of the file.
            return ""
        if own:
            return own
        dtype = self._find("quantization", words.get("dtype", ""))
        plain = _SIXTEEN in self._up("quantization", dtype)
        if not plain:
            return _SIXTEEN if stated else ""
        if stated or (model and not names_quantized(words.get("model.id", ""))):
            return dtype
        return ""

    def _type_of_file(self, words: Mapping[str, str], facts: Mapping[str, Fact]) -> str:
        size, count = facts.get("model.size_bytes"), facts.get("model.n_params")
        bits = bits_per_weight(size.value if size else None, count.value if count else None)
        described = words.get("model.desc", "")
        if described:
            return described_type(described, bits=bits)
        _base, word = split_type(file_stem(words.get("model.file", "")))
        return word if word and fits_bits(word, bits) else ""

    def _of_checkpoint(self, model: str) -> str:
        node = self.catalogue.area("model").get(model)
        return str(node.facts.get("quantization", "")) if node else ""

    def _deeper(self, stated: str, own: str) -> str:
        """The checkpoint's own scheme where what is stated only names its family or loader."""
        if not own or not stated:
            return stated
        node = self.catalogue.area("quantization").get(stated)
        if stated in self._up("quantization", own):
            return own
        return own if node is not None and node.kind == "method" else stated

    def _up(self, area: str, slug: str) -> tuple[str, ...]:
        nodes = self.catalogue.area(area)
        found = []
        while slug and slug in nodes:
            found.append(slug)
            slug = nodes[slug].parent or ""
        return tuple(found)

    def _hardware(
        self, words: Mapping[str, str], facts: Mapping[str, Fact], unknown: list[tuple[str, str]]
    ) -> tuple[str, int | None]:
        name = words.get("accelerator.name", "")
        if not name:
            return self._processor(words, unknown)
        devices = read_devices(name)
        count = _device_count(facts, devices.count)
        if devices.mixed and not self._is_decided("hardware", name):
            unknown.append(("hardware", name))
            return "", count
        return self._one("hardware", devices.name, unknown, *device_spellings(devices.name)), count

    def _processor(
        self, words: Mapping[str, str], unknown: list[tuple[str, str]]
    ) -> tuple[str, int | None]:
        """The processor, where the run says that nothing else computed."""
        backend = words.get("accelerator.backend", words.get("framework.backend", "")).lower()
        name = words.get("host.cpu", "")
        if not name or backend.replace(" ", "") not in _CPU_BACKENDS:
            return "", None
        slug = self._find("hardware", name, *device_spellings(name)) or processor_node(name)
        if slug not in self.catalogue.area("hardware"):
            slug = ""
            if not self._is_decided("hardware", name):
                unknown.append(("hardware", name))
        return slug, 1

    def _backend(self, words: Mapping[str, str], unknown: list[tuple[str, str]]) -> str:
        name = words.get("accelerator.backend", "")
        return self._one("backend", name, unknown)


def write_nodes(run: Any, resolved: Resolved) -> bool:
    """Writes the nodes into a run's row, unsaved; whether any of them changed."""
    changed = [one for one in NODES if getattr(run, one) != getattr(resolved, one)]
    for name in changed:
        setattr(run, name, getattr(resolved, name))
    return bool(changed)


def _device_count(facts: Mapping[str, Fact], named: int | None) -> int | None:
    """How many devices the run used, as stated; ``None`` where only the machine's are known."""
    stated = facts.get("accelerator.count")
    if stated is not None and not is_machine_count(stated):
        value = stated.value
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return None
        return int(value) if 1 <= value <= 100_000 and float(value).is_integer() else None
    layout = _layout_devices(facts)
    if stated is None:
        return named or layout
    # A machine of one device used it; of several, the layout says how many took part.
    return layout


def _layout_devices(facts: Mapping[str, Fact]) -> int | None:
    """Devices of a stated layout: all of tensor and pipeline parallel, times data parallel."""
    sizes = []
    for name in ("parallelism.tp", "parallelism.pp", "parallelism.dp"):
        fact = facts.get(name)
        if fact is not None and isinstance(fact.value, int) and not isinstance(fact.value, bool):
            sizes.append(fact.value)
    if "parallelism.tp" not in facts or any(size < 1 for size in sizes):
        return None
    product = 1
    for size in sizes:
        product *= size
    return product
