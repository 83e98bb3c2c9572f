"""A question's fields as cells: alternatives become several cells, the rest is one restriction."""

import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date

from matrix.domain.catalogue import Catalogue
from matrix.domain.coordinates import Cell
from matrix.domain.levels import Axis, NumberAxis
from matrix.questions.changes import Changes
from matrix.questions.features import (
    AskedFeatures,
    read_engine,
    read_features,
    split_cache_type,
)
from matrix.questions.files import Question
from matrix.questions.frameworks import read_framework
from matrix.questions.hardware import AskedHardware, read_hardware
from matrix.questions.models import AskedModels, read_models
from matrix.questions.releases import NO_CHANGES, find_release
from matrix.questions.restrictions import Need, Restriction
from matrix.questions.schemes import AskedSchemes, read_schemes
from matrix.questions.wording import AskedWording, features_of_sentence, read_wording

# Beyond this a question is about everything at once, which no single answer holds.
MOST_CELLS = 64
_PARALLEL_FEATURES = frozenset({"tensor-parallel", "pipeline-parallel", "expert-parallel"})
# "… and is SYCL among them?" asks for one more alternative of what the fields name.
_AMONG = re.compile(r"\b(?:among|includ\w+|as well)\b", re.IGNORECASE)
_MOE = "moe"
_LAYERED = "llama.cpp"

Choices = dict[Axis, tuple[str | None, ...]]


@dataclass(frozen=True, slots=True)
class AskedCells:
    """The cells of a question, and everything that a positive answer would have to cover too.

    **Shapes**: ``restrictions`` are what no cell carries; ``environment`` names the settings that
    only describe the machine; ``after_change`` holds where the question places itself after a
    change, so that a "no" from before it does not answer.
    **Dates**: ``as_of`` may be later than the question's day, see ``notes``.
    """

    cells: tuple[Cell, ...]
    as_of: date
    restrictions: tuple[Restriction, ...] = ()
    environment: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    native: bool = False
    on_device: bool = False
    after_change: bool = False
    change_known: bool = False
    next_release: tuple[str, date] | None = None
    named_container: str | None = None
    feature_words: str = ""


@dataclass(frozen=True, slots=True)
class _Parts:
    """The fields of a question, each read on its own."""

    machine: AskedHardware
    schemes: AskedSchemes
    models: AskedModels
    wanted: AskedFeatures


def read_cells(
    question: Question, catalogue: Catalogue, *, changes: Changes = NO_CHANGES
) -> AskedCells:
    """The cells that a question asks about; none where its framework is not known."""
    framework = read_framework(question.framework, catalogue)
    if framework.slug is None:
        unknown = tuple(map(Restriction, framework.restrictions))
        return AskedCells(cells=(), as_of=question.as_of, restrictions=unknown)
    release = find_release(
        question.framework_version,
        history=catalogue.histories[framework.slug],
        as_of=question.as_of,
        sentence=question.question,
        changes=changes,
    )
    parts = _read_parts(question, catalogue)
    choices = _choices(parts, framework.backends)
    features = _features(question, parts, catalogue)
    family = catalogue.area("framework")[framework.slug]
    # llama.cpp computes experts by an operation of their own, so there "MoE" names a layer.
    if _MOE in features and _LAYERED in (family.slug, family.parent):
        choices[Axis.LAYER] = (_MOE,)
        features -= {_MOE}
    wording = read_wording(
        question.question,
        kind=question.kind,
        asked=_asked_slugs(choices, features),
        stated=_stated(question),
        framework=question.framework,
        catalogue=catalogue,
    )
    wording = _take_model(_take_further(question.question, wording, choices), choices)
    machine, schemes, models, wanted = parts.machine, parts.schemes, parts.models, parts.wanted
    plain = Cell(
        framework=framework.slug,
        version=release.version,
        features=features,
        numbers=_numbers(parts, features),
        settings={**machine.settings, **wording.settings, **wanted.settings},
    )
    cells, too_many = _alternatives(plain, choices, catalogue)
    narrowing = (framework, release, machine, schemes, models, wanted)
    assuming = (framework, release, machine, schemes, models)
    words = [text for part in narrowing for text in part.restrictions]
    without = [Restriction(f"hardware {text!r}", Need.TOPIC) for text in machine.exclusions]
    found = [*map(Restriction, words), *without, *wording.restrictions, *map(Restriction, too_many)]
    return AskedCells(
        cells=cells,
        as_of=release.as_of,
        restrictions=tuple(dict.fromkeys(found)),
        environment=frozenset(
            name
            for name, version in machine.settings.items()
            # "CUDA 12" only tells the generation that the machine has.
            if name not in wording.settings or "." not in version
        ),
        notes=tuple(note for part in assuming for note in part.notes),
        native=wording.native,
        on_device=wording.on_device,
        after_change=release.after_change,
        change_known=release.change_known,
        next_release=release.next_release,
        named_container=schemes.container,
        feature_words=question.feature,
    )


def _take_model(wording: AskedWording, choices: Choices) -> AskedWording:
    """Takes the one model that the sentence names where the fields name none."""
    named = [r for r in wording.restrictions if r.area == Axis.MODEL.value]
    if len(named) != 1 or len(named[0].slugs) != 1 or choices[Axis.MODEL] != (None,):
        return wording
    choices[Axis.MODEL] = tuple(named[0].slugs)
    return replace(wording, restrictions=tuple(r for r in wording.restrictions if r != named[0]))


def _take_further(sentence: str, wording: AskedWording, choices: Choices) -> AskedWording:
    """Adds to the alternatives what the sentence asks about besides them."""
    if not _AMONG.search(sentence):
        return wording
    kept = []
    for restriction in wording.restrictions:
        named = restriction.need is Need.NAMED and restriction.area != "feature"
        axis = Axis(restriction.area) if named else None
        if axis is None or choices.get(axis, (None,)) == (None,):
            kept.append(restriction)
        else:
            choices[axis] = tuple(dict.fromkeys([*choices[axis], *sorted(restriction.slugs)]))
    return replace(wording, restrictions=tuple(kept))


def _alternatives(
    plain: Cell, choices: Choices, catalogue: Catalogue
) -> tuple[tuple[Cell, ...], tuple[str, ...]]:
    """One cell for each combination of alternatives, and a restriction where there are too many.

    "NVIDIA / Apple" with "CUDA, Metal" asks for each card with its own backend.
    """
    every = (
        dict(zip(choices, picked, strict=True)) for picked in itertools.product(*choices.values())
    )
    combinations = list(itertools.islice(every, MOST_CELLS + 1))
    fitting = [nodes for nodes in combinations if _belong_together(nodes, catalogue)]
    picked = fitting or combinations
    cells = tuple(
        replace(plain, nodes={axis: slug for axis, slug in nodes.items() if slug})
        for nodes in picked[:MOST_CELLS]
    )
    many = len(combinations) > MOST_CELLS
    return cells, (f"more than {MOST_CELLS} combinations",) if many else ()


def _belong_together(nodes: Mapping[Axis, str | None], catalogue: Catalogue) -> bool:
    backend, hardware = nodes.get(Axis.BACKEND), nodes.get(Axis.HARDWARE)
    if backend is None or hardware is None:
        return True
    root = catalogue.surroundings.backend_hardware.get(backend)
    return root is None or catalogue.trees.tree(Axis.HARDWARE).up(hardware)[-1] == root


def _read_parts(question: Question, catalogue: Catalogue) -> _Parts:
    models = read_models(question.model, catalogue)
    cache_type, feature = split_cache_type(question.feature)
    schemes = read_schemes(question.quantization, catalogue, hints=models.schemes_in_name)
    if cache_type and not schemes.kv_dtypes:
        found = read_schemes(f"KV cache {cache_type}", catalogue)
        schemes = replace(schemes, kv_dtypes=found.kv_dtypes)
    return _Parts(
        machine=read_hardware(
            question.device,
            question.arch,
            question.backend,
            count=question.count,
            catalogue=catalogue,
        ),
        schemes=schemes,
        models=models,
        wanted=read_features(feature, catalogue),
    )


def _choices(parts: _Parts, backends: tuple[str, ...]) -> Choices:
    """The alternatives of each axis; one that is open has the single alternative ``None``."""
    schemes = parts.schemes
    asked: dict[Axis, tuple[str, ...]] = {
        Axis.HARDWARE: parts.machine.nodes,
        Axis.BACKEND: backends or parts.machine.backends,
        Axis.MODEL: parts.models.nodes,
        Axis.QUANTIZATION: schemes.schemes or parts.models.schemes_in_name[-1:],
        Axis.KV_DTYPE: schemes.kv_dtypes,
        Axis.CONTAINER: (schemes.container,) if schemes.container else (),
    }
    return {axis: slugs or (None,) for axis, slugs in asked.items()}


def _features(question: Question, parts: _Parts, catalogue: Catalogue) -> frozenset[str]:
    """All asked features; one that only names an axis of the cell, or a wider one, is dropped."""
    table = catalogue.vocabulary.table("feature")
    found = {
        *parts.wanted.features,
        *parts.schemes.features,
        *parts.models.features,
        *parts.machine.features,
        *read_engine(question.framework_version, table),
        *features_of_sentence(question.question),
    }
    if parts.schemes.kv_dtypes:
        found.discard("kv-cache-dtype")
    if parts.schemes.schemes:
        found.discard("quantization")
    if parts.wanted.settings or parts.schemes.schemes:
        found.discard("dtype")
    tree = catalogue.trees.features
    wider = {up for slug in found for up in tree.up(slug)[1:]}
    return frozenset(found - wider)


def _stated(question: Question) -> str:
    fields = (question.model, question.quantization, question.device, question.arch)
    return " | ".join((*fields, question.backend, question.feature, question.framework))


def _numbers(parts: _Parts, features: frozenset[str]) -> dict[NumberAxis, float]:
    """Numbers of all fields; a single device is no statement where parallelism is asked."""
    numbers = {**parts.machine.numbers, **parts.wanted.numbers}
    parallel = not features.isdisjoint(_PARALLEL_FEATURES)
    if numbers.get(NumberAxis.HARDWARE_COUNT) == 1 and parallel:
        del numbers[NumberAxis.HARDWARE_COUNT]
    return numbers


def _asked_slugs(
    choices: Mapping[Axis, tuple[str | None, ...]], features: Iterable[str]
) -> dict[str, frozenset[str]]:
    def slugs(*axes: Axis) -> frozenset[str]:
        return frozenset(s for axis in axes for s in choices[axis] if s)

    # "FP8" beside an asked FP8 cache type is the same word.
    cache_types = {slug.removeprefix("kv-") for slug in slugs(Axis.KV_DTYPE)}
    plain = {name for slug in cache_types for name in (slug, slug.split("-")[0], f"gguf-{slug}")}
    return {
        "hardware": slugs(Axis.HARDWARE),
        "backend": slugs(Axis.BACKEND),
        "model": slugs(Axis.MODEL),
        "quantization": slugs(Axis.QUANTIZATION, Axis.KV_DTYPE, Axis.CONTAINER) | plain,
        "feature": frozenset(features),
    }
