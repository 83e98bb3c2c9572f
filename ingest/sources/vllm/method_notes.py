"""Method pages with one statement each: plug-ins, experiments, emulation, one vendor's hardware."""

import re
from dataclasses import dataclass, replace

from ingest.contract import Finding, FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.sources.scopes import scope_of, statement_key
from ingest.sources.vllm.gather import Gatherer, Line, find_lines
from ingest.sources.vllm.words import fold
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind, Execution, Tier


@dataclass(frozen=True, slots=True)
class Sentence:
    """One known sentence of a method page and what it states.

    **Shapes**: ``words`` are group names whose words the hardware vocabulary maps; ``hardware``
    are nodes that the sentence means without naming them in catalogue words.
    """

    key: str
    pattern: re.Pattern[str]
    status: StatementStatus
    schemes: tuple[str, ...] = ()
    hardware: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    kind: FindingKind = FindingKind.COMPATIBILITY
    execution: Execution = Execution.UNSTATED
    tier: Tier = Tier.OFFICIAL
    note: str = ""
    conditions: tuple[Condition, ...] = ()
    names: tuple[tuple[str, str], ...] = ()


def _plugin(name: str) -> tuple[Condition, ...]:
    link = f"https://github.com/vllm-project/{name}"
    return (Condition(kind=ConditionKind.PLUGIN, name=name, link=link),)


_SENTENCES: tuple[Sentence, ...] = (
    Sentence(
        key="gguf-experimental",
        pattern=re.compile(r"GGUF support in vLLM is highly experimental and under-optimized"),
        status=StatementStatus.EXPERIMENTAL,
        # No hardware is named, so this must not speak for any: it is a note on the method.
        kind=FindingKind.POLICY,
        tier=Tier.EXPERIMENTAL,
        names=(("quantization", "GGUF"),),
        note="highly experimental and not optimised, by the page",
    ),
    Sentence(
        key="gguf-single-file",
        pattern=re.compile(r"only supports loading single-file GGUF models"),
        status=StatementStatus.REQUIRES,
        kind=FindingKind.REQUIREMENT,
        names=(("quantization", "GGUF"), ("requirement", "single file")),
        note="GGUF models in several files must be merged first",
    ),
    Sentence(
        key="gguf-plugin",
        pattern=re.compile(r"GGUF support has migrated to OOT \[vllm-gguf-plugin\]"),
        status=StatementStatus.VIA_PLUGIN,
        kind=FindingKind.POLICY,
        conditions=_plugin("vllm-gguf-plugin"),
        names=(("quantization", "GGUF"),),
        note="GGUF moved to the plug-in vllm-gguf-plugin",
    ),
    Sentence(
        key="gguf-without-plugin",
        pattern=re.compile(r"GGUF support has migrated to OOT \[vllm-gguf-plugin\]"),
        status=StatementStatus.UNSUPPORTED,
        schemes=("gguf",),
        conditions=(
            replace(_plugin("vllm-gguf-plugin")[0], op="unset", workaround="install the plug-in"),
        ),
        names=(("quantization", "GGUF"), ("plugin", "not installed")),
        note="without the plug-in vllm-gguf-plugin no GGUF model loads",
    ),
    Sentence(
        key="bnb-plugin",
        pattern=re.compile(r"^\[`vllm-bnb-plugin`\]"),
        status=StatementStatus.VIA_PLUGIN,
        kind=FindingKind.POLICY,
        conditions=_plugin("vllm-bnb-plugin"),
        names=(("quantization", "bitsandbytes"),),
        note="bitsandbytes moved to the plug-in vllm-bnb-plugin",
    ),
    Sentence(
        key="bnb-without-plugin",
        pattern=re.compile(r"^\[`vllm-bnb-plugin`\]"),
        status=StatementStatus.UNSUPPORTED,
        schemes=("bitsandbytes",),
        conditions=(
            replace(_plugin("vllm-bnb-plugin")[0], op="unset", workaround="install the plug-in"),
        ),
        names=(("quantization", "bitsandbytes"), ("plugin", "not installed")),
        note="without the plug-in vllm-bnb-plugin no bitsandbytes model loads",
    ),
    Sentence(
        key="bnb-forms",
        pattern=re.compile(r"supports both in-flight quantization and pre-quantized checkpoint"),
        status=StatementStatus.SUPPORTED,
        kind=FindingKind.PAIRING,
        names=(("quantization", "bitsandbytes"), ("container", "in-flight, pre-quantised")),
    ),
    Sentence(
        key="autoawq-library",
        pattern=re.compile(r"The `AutoAWQ` library is deprecated"),
        status=StatementStatus.DEPRECATED,
        kind=FindingKind.MAINTENANCE,
        names=(("component", "AutoAWQ library"),),
        note="the library that makes AWQ checkpoints is deprecated; loading them is not",
    ),
    Sentence(
        key="awq-slow",
        pattern=re.compile(r"AWQ support in vLLM is under-optimized"),
        status=StatementStatus.KNOWN_ISSUES,
        kind=FindingKind.POLICY,
        names=(("quantization", "AWQ"),),
        note="slower than unquantised at this release",
    ),
    Sentence(
        key="fp8-flow",
        pattern=re.compile(r"quantization method described below is deprecated in favor"),
        status=StatementStatus.DEPRECATED,
        kind=FindingKind.MAINTENANCE,
        names=(("component", "AutoFP8 flow"),),
        note="the older way of making FP8 checkpoints is deprecated",
    ),
    Sentence(
        key="gptq-kernels",
        pattern=re.compile(r"for both (?P<a>Ampere) \(A100\+\) and (?P<b>Hopper) \(H100\+\)"),
        status=StatementStatus.SUPPORTED,
        schemes=("gptq",),
        words=("a", "b"),
        names=(("quantization", "GPTQ"),),
    ),
    Sentence(
        key="quark-emulated",
        pattern=re.compile(
            r"devices that do not support (?:MXFP4|OCP MX) operations natively"
            r" \(e\.g\. AMD Instinct (?P<a>\w+), (?P<b>\w+) and (?P<c>\w+)\)"
        ),
        status=StatementStatus.SUPPORTED,
        schemes=("mxfp4",),
        words=("a", "b", "c"),
        execution=Execution.EMULATED,
        names=(("quantization", "MXFP4"),),
        note="simulated: weights are widened to half precision on the fly",
    ),
    Sentence(
        key="quark-native",
        pattern=re.compile(r"\(e\.g\. MXFP4 for AMD Instinct (?P<a>MI355), FP8 for AMD"),
        status=StatementStatus.SUPPORTED,
        schemes=("mxfp4",),
        words=("a",),
        execution=Execution.NATIVE,
        names=(("quantization", "MXFP4"),),
    ),
    Sentence(
        key="quark-fp8",
        pattern=re.compile(
            r"\(e\.g\. MXFP4 for AMD Instinct MI355, FP8 for AMD Instinct (?P<a>MI300)\)"
        ),
        status=StatementStatus.SUPPORTED,
        schemes=("fp8-w8a8",),
        words=("a",),
        names=(("quantization", "FP8"),),
    ),
    Sentence(
        key="inc-gaudi",
        pattern=re.compile(
            r"using Intel® Neural Compressor \(INC\) on (?P<a>Intel® Gaudi® 2) and"
            r" (?P<b>Intel® Gaudi® 3)"
        ),
        status=StatementStatus.SUPPORTED,
        schemes=("inc",),
        words=("a", "b"),
        names=(("quantization", "INC FP8"),),
    ),
    Sentence(
        key="w4a8-arm",
        pattern=re.compile(r"On Arm® CPUs, this is accelerated through"),
        status=StatementStatus.SUPPORTED,
        schemes=("int8-w4a8",),
        hardware=("cpu-arm",),
        names=(("quantization", "INT8 W4A8"), ("hardware", "Arm CPU")),
        note="accelerated by KleidiAI",
    ),
    Sentence(
        key="mxfp8-online",
        pattern=re.compile(r"Requires (?P<word>SM 100\+) \(Blackwell or newer\) for w8a8"),
        status=StatementStatus.SUPPORTED,
        schemes=("mxfp8",),
        hardware=("nvidia-blackwell",),
        execution=Execution.NATIVE,
        names=(("quantization", "MXFP8"), ("hardware", "SM 100+")),
        note="online quantization; other GPUs fall back to weight-only",
    ),
    Sentence(
        key="xpu-fp8",
        pattern=re.compile(r"On XPU, non-block FP8 scaled-mm linear layers default to W8A16"),
        status=StatementStatus.SUPPORTED,
        schemes=("fp8-w8a16",),
        hardware=("intel",),
        execution=Execution.WEIGHT_ONLY,
        names=(("quantization", "FP8"), ("hardware", "Intel XPU")),
        note="weight-only unless a flag asks for W8A8",
    ),
)


def read_method_notes(page: Page, vocabulary: Vocabulary) -> Reading:
    """The known sentences of a method page; a page without any of them states nothing here."""
    gather = Gatherer(page=page, vocabulary=vocabulary)
    for sentence in _SENTENCES:
        for line in find_lines(gather.document, sentence.pattern):
            gather.add(*_read_sentence(gather, line, sentence))
    _read_intel_recipes(gather)
    return gather.reading()


def _read_sentence(gather: Gatherer, line: Line, sentence: Sentence) -> list[Finding]:
    """One finding, or one per named device so that each has a key of its own."""
    locator = gather.line_locator(line.number)
    base = Finding(
        kind=sentence.kind,
        statement=statement_key("method", sentence.key),
        status=sentence.status,
        raw=line.fragment,
        locator=locator,
        names=dict(sentence.names),
        execution=sentence.execution,
        tier=sentence.tier,
        note=sentence.note,
        conditions=sentence.conditions,
    )
    if not sentence.schemes:
        return [base]
    if not sentence.words and not sentence.hardware:
        return [replace(base, scope=scope_of({Axis.QUANTIZATION: sentence.schemes}))]
    targets = {node: frozenset({node}) for node in sentence.hardware}
    for group in sentence.words:
        word = line.match.group(group)
        targets[word] = gather.find("hardware", word, locator)
    found = []
    for word, nodes in targets.items():
        scope = None
        if nodes:
            scope = scope_of({Axis.QUANTIZATION: sentence.schemes, Axis.HARDWARE: nodes})
        found.append(
            replace(
                base,
                statement=statement_key("method", sentence.key, nodes or fold(word)),
                names={"hardware": word, **base.names},
                scope=scope,
            )
        )
    return found


_RECIPE = re.compile(r"^\**(?P<scheme>W\dA16)\**: weight-only")
_EAGER = re.compile(r"models on Intel GPU/CPU, please add `--enforce-eager`")


def _read_intel_recipes(gather: Gatherer) -> None:
    """AutoRound recipes on Intel platforms, with the flag that some releases ask for."""
    eager = find_lines(gather.document, _EAGER)
    conditions = (Condition(kind=ConditionKind.FLAG, name="--enforce-eager"),) if eager else ()
    for item in gather.document.items_under("Supported Recipes on Intel Platforms"):
        match = _RECIPE.match(item.text)
        if match is None:
            continue
        gather.add(
            Finding(
                kind=FindingKind.COMPATIBILITY,
                statement=statement_key("method", "auto-round", fold(match.group("scheme"))),
                status=StatementStatus.SUPPORTED,
                raw=match.group("scheme"),
                locator=gather.line_locator(item.line),
                names={"quantization": match.group("scheme"), "hardware": "Intel platforms"},
                scope=scope_of({Axis.QUANTIZATION: "auto-round", Axis.HARDWARE: "intel"}),
                execution=Execution.WEIGHT_ONLY,
                conditions=conditions,
            )
        )
