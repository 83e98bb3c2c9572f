"""What a run says on the matrix: one claim about its very cell, or the reasons why it says none.

A run speaks for one release, one device and its number, one checkpoint and one scheme. Where any
of them is open, a claim would speak for more than was measured, so there is none.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date

from benchmarks_app.domain.levels import RunClass, RunOutcome
from benchmarks_app.models import Run
from benchmarks_app.services.cell_limits import context_of, note_of, scope_numbers
from benchmarks_app.services.stated_facts import facts_from_plain
from matrix.domain.catalogue import Catalogue, Node
from matrix.domain.claims import Claim, Document, Locator, Observation, Validity
from matrix.domain.coordinates import Cell, Condition, NodeSet, Scope
from matrix.domain.levels import (
    Axis,
    ConditionKind,
    EvidenceKind,
    NumberAxis,
    Outcome,
    SupportLevel,
)
from matrix.domain.lint import breaches_of
from matrix.domain.versions import Release
from matrix.index import current_knowledge

SOURCE = "benchmarks"
PARSER = "benchmark-run"
_LEVELS: Mapping[str, tuple[SupportLevel, Outcome]] = {
    RunOutcome.COMPLETED.value: (SupportLevel.SUPPORTED, Outcome.STARTS),
    RunOutcome.DOES_NOT_FIT.value: (SupportLevel.UNSUPPORTED, Outcome.OUT_OF_MEMORY),
    RunOutcome.FAILS.value: (SupportLevel.UNSUPPORTED, Outcome.FAILS),
}
# How ``domain.outcomes`` names reasons, before the quoted line.
_UNDER_LOAD, _NOT_SUPPORTED = "out-of-memory-under-load", "not-supported"
# Types of the KV cache that an engine uses unless told otherwise.
_USUAL_KV = frozenset({"", "auto", "none", "f16", "fp16", "float16", "bf16", "bfloat16", "half"})


@dataclass(frozen=True, slots=True)
class NotAttached:
    """One reason why a run says nothing on the matrix; ``code`` is of ``WHY_NOT``."""

    code: str
    facts: Mapping[str, str] = field(default_factory=dict)


WHY_NOT = (
    "not-measured-here", "outcome-not-shown", "dummy-weights", "framework-unknown",
    "release-unknown", "release-differs", "hardware-unknown", "several-devices",
    "count-unknown", "model-unknown", "no-checkpoint", "quantization-unknown",
    "several-schemes", "backend-unknown", "kv-type-unknown", "limits-unknown",
    "breaks-rule", "fails-under-load", "ended",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Attachment:
    """The claim that a run makes, or ``None`` with every reason why not."""

    claim: Claim | None = None
    why_not: tuple[NotAttached, ...] = ()


def attachment_of(
    run: Run, catalogue: Catalogue | None = None, *, today: date | None = None
) -> Attachment:
    """What publishing the run says, or says now. **Queries**: 1 or none without a catalogue."""
    catalogue = catalogue or current_knowledge().catalogue
    reasons = [*_about_the_run(run), *_about_the_cell(run, catalogue)]
    if reasons:
        return Attachment(None, tuple(reasons))
    claim = _claim(run, catalogue)
    day = today or max(seen.stated_on for seen in claim.observations)
    broken = [f"{what} ({rule})" for rule, what in breaches_of(claim, catalogue, today=day)]
    if broken:
        return Attachment(None, (NotAttached("breaks-rule", {"rule": "; ".join(broken)[:300]}),))
    return Attachment(claim)


def cell_of(run: Run) -> Cell | None:
    """The run's very cell, as far as its names are known; ``None`` without framework."""
    if not run.framework:
        return None
    nodes = {
        axis: slug
        for axis, slug in (
            (Axis.BACKEND, run.backend), (Axis.HARDWARE, run.hardware), (Axis.MODEL, run.model),
            (Axis.QUANTIZATION, run.quantization),
        )
        if slug
    }  # fmt: skip
    numbers = {NumberAxis.HARDWARE_COUNT: run.hardware_count} if run.hardware_count else {}
    return Cell(
        framework=run.framework,
        version=run.framework_version or None,
        nodes=nodes,
        numbers={axis: float(number) for axis, number in numbers.items()},
    )


def run_path(uid: str) -> str:
    """The address of a run's page on this site."""
    return f"/benchmarks/runs/{uid}/"


def _about_the_run(run: Run) -> Iterator[NotAttached]:
    hosted = any(one.get("code") == "hosted_api" for one in run.notices)
    if run.run_class != RunClass.MEASURED.value or hosted:
        kind = "hosted" if hosted else run.run_class
        yield NotAttached("not-measured-here", {"class": kind})
        return
    if _has_dummy_weights(run):
        yield NotAttached("dummy-weights")
    if run.outcome not in _LEVELS:
        reason = run.outcome_detail.partition(":")[0]
        yield NotAttached("outcome-not-shown", {"status": run.status, "reason": reason})
    elif run.outcome_detail.startswith(_UNDER_LOAD):
        yield NotAttached("fails-under-load")
    elif _hangs_on_length(run) and context_of(run) is None:
        yield NotAttached("limits-unknown")


def _hangs_on_length(run: Run) -> bool:
    """Whether a failure may be one of the asked length alone; a scheme is refused at any."""
    if run.outcome == RunOutcome.COMPLETED.value:
        return False
    return not run.outcome_detail.startswith(_NOT_SUPPORTED)


def _has_dummy_weights(run: Run) -> bool:
    facts = facts_from_plain(run.facts).facts
    texts = [
        str(facts[name].value)
        for name in ("framework.arguments", "server_param.load_format", "server_param.load-format")
        if name in facts
    ]
    return any("dummy" in text.lower() for text in (*texts, run.command))


def _about_the_cell(run: Run, catalogue: Catalogue) -> Iterator[NotAttached]:
    yield from _about_release(run, catalogue)
    yield from _about_hardware(run, catalogue)
    node = catalogue.area("model").get(run.model)
    if node is None:
        yield NotAttached("model-unknown", {"name": stated_name(run, "model")})
    elif node.kind != "checkpoint":
        yield NotAttached("no-checkpoint", {"name": node.name})
    scheme = catalogue.area("quantization").get(run.quantization)
    if scheme is None:
        yield NotAttached("quantization-unknown", {"name": stated_name(run, "quantization")})
    elif not _is_one_scheme(run, scheme, catalogue):
        yield NotAttached("several-schemes", {"name": scheme.name})
    if _kv_word(run) and not _kv_node(run, catalogue):
        yield NotAttached("kv-type-unknown", {"name": _kv_word(run)})


def _is_one_scheme(run: Run, scheme: Node, catalogue: Catalogue) -> bool:
    """Whether the run's scheme is one: by itself, or because the checkpoint has only one.

    A GGUF repository holds files of many types, so that its family alone says none.
    """
    tree = catalogue.trees.tree(Axis.QUANTIZATION)
    if scheme.kind == "method":
        return False
    if not tree.down(scheme.slug):
        return True
    model = catalogue.area("model").get(run.model)
    own = str(model.facts.get("quantization", "")) if model else ""
    up = tree.up(own)
    return bool(own) and scheme.slug in up and up[-1] != "gguf"


def _about_release(run: Run, catalogue: Catalogue) -> Iterator[NotAttached]:
    if run.framework not in catalogue.area("framework"):
        yield NotAttached("framework-unknown", {"name": stated_name(run, "framework")})
        return
    release = _release(run, catalogue)
    if release is None:
        yield NotAttached(
            "release-unknown", {"framework": run.framework, "version": run.framework_version}
        )
        return
    stated = facts_from_plain(run.facts).facts.get("framework.commit")
    commit = str(stated.value).lower() if stated else ""
    if commit and release.commit and not _same_commit(commit, release.commit):
        yield NotAttached(
            "release-differs", {"version": release.version, "commit": commit[:12],
                                "released": release.commit[:12]},
        )  # fmt: skip


def _release(run: Run, catalogue: Catalogue) -> Release | None:
    """The release that the run names exactly; resolving leaves builds of commits as text."""
    history = catalogue.histories[run.framework]
    release = history.find(run.framework_version) if run.framework_version else None
    return release if release and release.version == run.framework_version else None


def _same_commit(one: str, other: str) -> bool:
    return one.startswith(other.lower()) or other.lower().startswith(one)


def _about_hardware(run: Run, catalogue: Catalogue) -> Iterator[NotAttached]:
    node = catalogue.area("hardware").get(run.hardware)
    if node is None:
        yield NotAttached("hardware-unknown", {"name": stated_name(run, "hardware")})
        return
    if node.kind != "device" or catalogue.trees.tree(Axis.HARDWARE).down(node.slug):
        yield NotAttached("several-devices", {"name": node.name})
    if run.hardware_count is None:
        yield NotAttached("count-unknown")
    if not run.backend and len(_possible_backends(run, catalogue)) > 1:
        yield NotAttached(
            "backend-unknown", {"backends": ", ".join(sorted(_possible_backends(run, catalogue)))}
        )


def _possible_backends(run: Run, catalogue: Catalogue) -> list[str]:
    """Backends of the framework that drive the run's hardware."""
    facts = catalogue.surroundings.frameworks.get(run.framework)
    root = catalogue.trees.tree(Axis.HARDWARE).up(run.hardware)[-1]
    backends = catalogue.area("backend")
    found = []
    for slug in facts.backends if facts else ():
        roots = backends[slug].facts.get("hardware_roots") if slug in backends else None
        if isinstance(roots, list) and root in roots:
            found.append(slug)
    return found


def stated_name(run: Run, axis: str) -> str:
    """The name by which a run's facts call an axis, for messages; empty where none is stated."""
    names = {
        "framework": ("framework.name",),
        "model": ("model.id", "model.file", "model.raw"),
        "quantization": ("quantization.weights", "model.desc", "dtype"),
        "hardware": ("accelerator.name", "host.cpu"),
    }
    facts = facts_from_plain(run.facts).facts
    return next((str(facts[name].value)[:200] for name in names[axis] if name in facts), "")


def _kv_word(run: Run) -> str:
    facts = facts_from_plain(run.facts).facts
    for name in ("quantization.kv_cache", "kv_cache.type_k", "kv_cache.type_v"):
        if name in facts and str(facts[name].value).strip().lower() not in _USUAL_KV:
            return str(facts[name].value).strip()
    return ""


def _kv_node(run: Run, catalogue: Catalogue) -> str:
    word = _kv_word(run)
    slugs = catalogue.vocabulary.find("quantization", f"kv-{word}") if word else ()
    return slugs[0] if len(slugs) == 1 else ""


def _claim(run: Run, catalogue: Catalogue) -> Claim:
    level, outcome = _LEVELS[run.outcome]
    release = _release(run, catalogue)
    version = release.version if release else run.framework_version
    received = run.upload.received_at.date()
    stated_on = min(run.measured_on, received) if run.measured_on else received
    slugs = {
        Axis.BACKEND: run.backend,
        Axis.HARDWARE: run.hardware,
        Axis.MODEL: run.model,
        Axis.QUANTIZATION: run.quantization,
        Axis.KV_DTYPE: _kv_node(run, catalogue),
    }
    nodes = {axis: NodeSet(frozenset({slug})) for axis, slug in slugs.items() if slug}
    document = Document(
        key=f"{SOURCE}:{run.uid}",
        url=run_path(run.uid),
        title=run.label,
        stated_on=stated_on,
        retrieved_at=run.upload.received_at,
    )
    return Claim(
        uid="",
        framework=run.framework,
        source=SOURCE,
        statement=f"run {run.uid}",
        scope=Scope(nodes=nodes, numbers=scope_numbers(run)),
        level=level,
        kind=EvidenceKind.BENCHMARK_RUN,
        validity=Validity(first=version, last=version),
        observations=(
            Observation(
                document=document,
                locator=Locator(row=run.outcome, path=(run.pointer or "$",)),
                release=version,
                stated_on=stated_on,
                raw=(run.outcome_detail or run.outcome)[:200],
            ),
        ),
        outcome=outcome,
        note=note_of(run),
        conditions=tuple(_conditions(run)),
        reference=f"{SOURCE}:run:{run.uid}",
        parser=PARSER,
    )


def _conditions(run: Run) -> Iterator[Condition]:
    """What a failure was seen under; a success without it is likely, so it has none."""
    if run.outcome == RunOutcome.COMPLETED.value or not _hangs_on_length(run):
        return
    if run.max_concurrency and run.max_concurrency > 1:
        yield Condition(ConditionKind.OTHER, "concurrency", ">=", str(run.max_concurrency))
