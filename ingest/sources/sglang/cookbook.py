"""Cookbook data: which model runs on which hardware in which precision, and whether it was run."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ingest.contract import (
    FindingKind,
    Page,
    PageRule,
    Reading,
    StatementStatus,
    UnexpectedPage,
    Vocabulary,
)
from ingest.sources.collecting import Collector, Facet, facet_of, one_line
from ingest.sources.sglang.literals import BrokenLiteral, Object, Value, read_exports
from matrix.domain.claims import Locator
from matrix.domain.coordinates import NumberRange
from matrix.domain.levels import Axis, NumberAxis

_KEYS = ("hw", "variant", "quant", "strategy", "nodes")
_TP = re.compile(r"^--(?:tp|tp-size|tensor-parallel-size)[ =](\d+)$")
_STATES = {
    "verified": StatementStatus.VALIDATED,
    "in-progress": StatementStatus.WORK_IN_PROGRESS,
    "unverified": StatementStatus.UNTESTED,
}
_HARDWARE = {
    "rtx6000": ("nvidia-rtx-pro-6000-blackwell",),
    "rtx5090": ("nvidia-rtx-5090",),
    "dgx-spark": ("nvidia-gb10",),
    "h20-3e": ("nvidia-h20-141gb",),
    "mac": ("apple",),
}
_SCHEMES = {
    "mlx-q4": ("mlx-q4",),
    "mlx-q4km": ("mlx-q4-k-m",),
    "mlx-q4k-dyn": ("mlx-q4-k-dynamic",),
    "int4": ("int4-w4a16",),
}


@dataclass(frozen=True, slots=True)
class Recipe:
    """One cell of a cookbook page: what it matches, its state, its parallel layout."""

    match: dict[str, str]
    status: StatementStatus
    line: int
    line_end: int
    raw: str
    tensor_parallel: int | None = None
    warning: bool = False

    @property
    def key(self) -> str:
        """The choices as one key."""
        return "/".join(self.match.get(name, "") for name in _KEYS)


def read_recipes(page: Page, vocabulary: Vocabulary) -> Reading:
    """The deployments of one model's data file; those run on real hardware also make claims."""
    collector = Collector(page, vocabulary, plain=True)
    exports = _exports(page)
    config = exports.get("config")
    if not isinstance(config, Object):
        raise UnexpectedPage(
            path=page.path, expected="export const config = {…}", nearest=", ".join(exports)
        )
    for recipe in recipes_of(config):
        at = _place(page, recipe.key, recipe.line, recipe.line_end)
        _state_recipe(collector, config, recipe, at)
    if not collector.findings and "cells" in config.members:
        raise UnexpectedPage(
            path=page.path, expected="cells with a match object", nearest="none of that shape"
        )
    return collector.reading()


def read_benchmarks(page: Page, vocabulary: Vocabulary) -> Reading:
    """The measured rows of one model's benchmark file, as values in the units the page uses."""
    collector = Collector(page, vocabulary)
    model = "/".join(page.path.split("/")[-2:]).removesuffix("-benchmarks.jsx")
    for value in _exports(page).values():
        for entry in value if isinstance(value, tuple) else ():
            if isinstance(entry, Object):
                _read_benchmark(collector, page, model, entry)
    return collector.reading()


def _is_derived(page: Page) -> bool:
    """Whether the page is the bare data of such a file, evaluated to JSON."""
    return page.text.lstrip()[:1] in {"{", "["}


def _place(page: Page, row: str, line: int, line_end: int | None = None) -> Locator:
    """A place in the file; JSON made from it keeps the choices but not the lines."""
    if _is_derived(page):
        return Locator(row=row)
    return Locator(row=row, line=line, line_end=line_end)


def _exports(page: Page) -> dict[str, Value]:
    text = f"export const config = {page.text}" if _is_derived(page) else page.text
    try:
        return read_exports(text)
    except BrokenLiteral as error:
        raise UnexpectedPage(
            path=page.path, expected="one exported object literal", nearest=str(error)
        ) from error


def recipes_of(config: Object) -> Iterator[Recipe]:
    """The cells of a configuration, in file order."""
    for cell in config.items("cells"):
        match = cell.child("match")
        names = {key: match.text(key) for key in match.members if match.text(key)}
        if not names:
            continue
        tensor = [int(found.group(1)) for flag in cell.texts("flags") if (found := _TP.match(flag))]
        yield Recipe(
            match=names,
            status=_status_of(cell),
            line=match.line,
            line_end=cell.line_end,
            raw=_say_state(cell),
            tensor_parallel=tensor[0] if tensor else None,
            warning="warn" in cell.members,
        )


def _status_of(cell: Object) -> StatementStatus:
    """The state of a cell; a cell without any is a third state, not "unverified"."""
    named = cell.text("verificationStatus")
    if named:
        return _STATES.get(named, StatementStatus.UNKNOWN)
    verified = cell.members.get("verified")
    if isinstance(verified, bool):
        return StatementStatus.VALIDATED if verified else StatementStatus.UNTESTED
    return StatementStatus.NOT_STATED


def _say_state(cell: Object) -> str:
    if named := cell.text("verificationStatus"):
        return f'verificationStatus: "{named}"'
    verified = cell.members.get("verified")
    return f"verified: {str(verified).lower()}" if isinstance(verified, bool) else ""


def _state_recipe(collector: Collector, config: Object, recipe: Recipe, at: Locator) -> None:
    """Add a deployment; one that was run end to end on real hardware is a claim as well."""
    model = _model_name(config, recipe.match)
    quant = recipe.match.get("quant", "")
    facets = [
        collector.facet(Axis.MODEL, model, at),
        _scheme(collector, quant, model, at),
        _hardware(collector, config, recipe.match.get("hw", ""), at),
    ]
    numbers: dict[NumberAxis, NumberRange] = {}
    if recipe.tensor_parallel:
        # A recipe shows that this many devices suffice; fewer were not shown to.
        count = NumberRange(minimum=recipe.tensor_parallel)
        numbers = {NumberAxis.HARDWARE_COUNT: count}
    draft = replace(
        collector.draft(at, recipe.raw),
        names={**recipe.match, "model": model},
        value=f"tp={recipe.tensor_parallel}" if recipe.tensor_parallel else "",
        note="the page warns about this recipe" if recipe.warning else "",
    )
    done = collector.state(
        f"deployment/{recipe.key}", facets, recipe.status, draft, numbers=numbers
    )
    collector.findings[-1] = replace(done, kind=FindingKind.DEPLOYMENT)
    if recipe.status is StatementStatus.VALIDATED:
        layout = f" with tensor parallelism {recipe.tensor_parallel}" if numbers else ""
        collector.state(
            "cookbook",
            facets,
            StatementStatus.SUPPORTED,
            replace(draft, note=f"run end to end by the cookbook{layout}"),
            numbers=numbers,
        )


def _model_name(config: Object, match: dict[str, str]) -> str:
    """The checkpoint of a cell: looked up by hardware, variant and precision, as the page does."""
    names = config.child("modelNames")
    hardware, variant, quant = (match.get(key, "") for key in ("hw", "variant", "quant"))
    for key in (f"{hardware}|{variant}|{quant}", f"{variant}|{quant}", variant, "default"):
        if found := names.text(key):
            return found
    return config.text("modelName")


def _hardware(collector: Collector, config: Object, name: str, at: Locator) -> Facet:
    """The hardware of an id, by our table, by the page's own label, by the catalogue."""
    if name in _HARDWARE:
        return facet_of(Axis.HARDWARE, name, *_HARDWARE[name])
    labels = {item.text("id"): item.text("label") for item in config.items("hardware")}
    return collector.facet(Axis.HARDWARE, labels.get(name, name), at)


def _scheme(collector: Collector, name: str, model: str, at: Locator) -> Facet:
    """The scheme of an id; "fp4" is NVFP4 where the checkpoint says so and MXFP4 elsewhere."""
    if name == "fp4":
        return facet_of(Axis.QUANTIZATION, name, "nvfp4" if "NVFP4" in model.upper() else "mxfp4")
    return collector.facet(Axis.QUANTIZATION, name, at, table=_SCHEMES)


def _read_benchmark(collector: Collector, page: Page, model: str, entry: Object) -> None:
    """Add the speed rows and accuracies of one benchmark entry."""
    match = entry.child("match")
    names = {key: match.text(key) for key in match.members if match.text(key)}
    key = "/".join([model, *(names.get(name, "") for name in _KEYS)])
    version = one_line(entry.text("sglang_version"))
    for row in entry.items("speed"):
        load = row.child("workload")
        at = _place(page, key, row.line, row.line_end)
        for metric in ("ttft_ms", "tpot_ms", "tokens_per_sec_per_gpu"):
            text = row.text(metric)
            if not text:
                continue
            where = f"{load.text('isl')}/{load.text('osl')}@{load.text('max_concurrency')}"
            collector.value(
                FindingKind.BENCHMARK,
                f"benchmark/{key}/{where}/{metric}",
                StatementStatus.VALUE,
                replace(
                    collector.draft(at, text),
                    names={**names, "metric": metric, "workload": where, "version": version},
                ),
                value=text,
            )
    accuracy = entry.child("accuracy")
    for metric in accuracy.members:
        if text := accuracy.text(metric):
            collector.value(
                FindingKind.BENCHMARK,
                f"benchmark/{key}/{metric}",
                StatementStatus.VALUE,
                replace(
                    collector.draft(_place(page, key, accuracy.line), text),
                    names={**names, "metric": metric, "version": version},
                ),
                value=text,
            )


def read_moved(page: Page, vocabulary: Vocabulary) -> Reading:
    """The heading of the former cookbook repository that says where it went."""
    collector = Collector(page, vocabulary)
    for heading in page.document.headings:
        if match := re.search(r"now migrated to (\S+)", heading.text):
            collector.value(
                FindingKind.MAINTENANCE,
                "maintenance/sgl-cookbook",
                StatementStatus.MOVED,
                replace(
                    collector.at_line(heading.line, heading.text),
                    names={"framework": "sgl-cookbook", "to": "sglang"},
                    note="the recipes moved into the main repository's documentation",
                ),
                value=match.group(1),
            )
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected='a heading with "now migrated to"',
            nearest="; ".join(h.text for h in page.document.headings[:3]),
        )
    return collector.reading()


_CONFIGS = r"(?:docs|docs_new)/src/snippets/configs/[\w.-]+/"

RULES = (
    PageRule("cookbook-benchmarks", (_CONFIGS + r"[\w.-]+-benchmarks\.jsx",), read_benchmarks),
    PageRule(
        "cookbook-recipes",
        (_CONFIGS + r"(?![\w.-]+-benchmarks\.jsx)[\w.-]+\.jsx",),
        read_recipes,
    ),
)
