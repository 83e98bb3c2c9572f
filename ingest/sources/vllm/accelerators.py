"""Installation pages of TPU, Neuron, Gaudi and OpenVINO: versions, features, configurations."""

import re
from dataclasses import replace

from ingest.contract import Finding, FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.reading.document import Item
from ingest.sources.scopes import scope_of, statement_key
from ingest.sources.vllm.gather import FRAGMENT_LENGTH, Gatherer, Line, find_lines
from ingest.sources.vllm.words import fold
from matrix.domain.coordinates import NumberRange
from matrix.domain.levels import Axis, NumberAxis

_TPU_VERSIONS = re.compile(r"TPU versions: (?P<list>v[\w, ]+)")
_NEURON_CORES = re.compile(r"Accelerator: (?P<list>NeuronCore.+)$")
_NEURON_CORE = re.compile(
    r"(?P<core>NeuronCore[-_]v\d) \(in (?P<chips>[\w/]+) (?:chips|instances)\)"
)
_NEURON_SINCE = re.compile(r"vLLM (?P<since>\d[\d.]*) onwards supports .*Trainium")
_NEURON_SDK = re.compile(r"AWS Neuron SDK (?P<version>\d[\d./]*)")
_NEURON_DTYPES = re.compile(r"Data types currently supported in Neuron SDK are FP16 and BF16")
_GAUDI = re.compile(r"^\s*[-*] (?P<name>Intel Gaudi) accelerator\s*$")
_GAUDI_SOFTWARE = re.compile(r"Intel Gaudi software version (?P<version>\d[\d.]*)")
_OPENVINO = re.compile(r"on all (?P<cpu>x86-64 CPUs) with, at least, (?P<isa>AVX2) support")
_OPENVINO_LORA = re.compile(r"LoRA serving is not supported")
_OPENVINO_MODELS = re.compile(r"LLaVa and encoder-decoder models are not currently enabled")

# Items of the Gaudi feature lists that are features of the catalogue; the rest are details.
_GAUDI_FEATURES: dict[str, str] = {
    "beam search": "beam-search",
    "lora adapters": "lora",
    "prefill chunking (mixed-batch inferencing)": "chunked-prefill",
    "offline inference": "offline-inference",
    "online serving via openai-compatible server": "openai-api",
    "tensor parallelism support for multi-card inference": "tensor-parallel",
    "inference with hpu graphs for accelerating low-batch latency and throughput": "hpu-graphs",
}
_TENSOR_PARALLEL = re.compile(r"with tensor parallelism on (\d+)x")


def _hardware(
    gather: Gatherer,
    line: Line,
    *,
    word: str,
    nodes: frozenset[str],
    since: str = "",
    status: StatementStatus = StatementStatus.SUPPORTED,
) -> Finding:
    return Finding(
        kind=FindingKind.COMPATIBILITY,
        statement=statement_key("platform", nodes or fold(word)),
        status=status,
        raw=line.fragment,
        locator=gather.line_locator(line.number),
        names={"hardware": word},
        scope=scope_of({Axis.HARDWARE: nodes}) if nodes else None,
        since=since,
    )


def _requirement(gather: Gatherer, line: Line, *, hardware: str, name: str) -> Finding:
    return Finding(
        kind=FindingKind.REQUIREMENT,
        statement=statement_key("requirement", fold(name)),
        status=StatementStatus.SUPPORTED,
        raw=line.fragment,
        locator=gather.line_locator(line.number),
        names={"hardware": hardware, "requirement": name},
        value=line.match.group("version"),
    )


def read_tpu_versions(page: Page, vocabulary: Vocabulary) -> Reading:
    """The TPU generations of the requirements; **Raises** ``UnexpectedPage`` without them."""
    gather = Gatherer(page=page, vocabulary=vocabulary)
    lines = find_lines(gather.document, _TPU_VERSIONS)
    if not lines:
        raise gather.unexpected(expected="a line “TPU versions: v…”")
    for line in lines:
        for word in re.split(r",\s*", line.match.group("list").strip()):
            nodes = gather.find("hardware", f"TPU {word}", gather.line_locator(line.number))
            gather.add(_hardware(gather, line, word=f"TPU {word}", nodes=nodes))
    return gather.reading()


def read_neuron_cores(page: Page, vocabulary: Vocabulary) -> Reading:
    """The Neuron cores of the requirements; **Raises** ``UnexpectedPage`` without them."""
    gather = Gatherer(page=page, vocabulary=vocabulary)
    lines = find_lines(gather.document, _NEURON_CORES)
    if not lines:
        raise gather.unexpected(expected="a line “Accelerator: NeuronCore…”")
    for line in lines:
        for core in _NEURON_CORE.finditer(line.match.group("list")):
            locator = gather.line_locator(line.number)
            chips = core.group("chips").split("/")
            nodes = gather.find_all("hardware", chips, locator)
            gather.add(_hardware(gather, line, word=core.group("core"), nodes=nodes))
    for line in find_lines(gather.document, _NEURON_SINCE):
        finding = _hardware(
            gather,
            line,
            word="AWS Trainium/Inferentia",
            nodes=frozenset({"aws-trainium1", "aws-inferentia2"}),
            since=line.match.group("since"),
        )
        gather.add(replace(finding, statement="platform-since/aws-neuron"))
    for line in find_lines(gather.document, _NEURON_SDK):
        gather.add(_requirement(gather, line, hardware="AWS Neuron", name="Neuron SDK"))
    for line in find_lines(gather.document, _NEURON_DTYPES):
        for scheme in ("fp16", "bf16"):
            gather.add(
                Finding(
                    kind=FindingKind.COMPATIBILITY,
                    statement=statement_key("dtype-hardware", scheme, "aws-neuron"),
                    status=StatementStatus.SUPPORTED,
                    raw=line.fragment,
                    locator=gather.line_locator(line.number),
                    names={"quantization": scheme.upper(), "hardware": "AWS Neuron"},
                    scope=scope_of({Axis.QUANTIZATION: scheme, Axis.HARDWARE: "aws-neuron"}),
                )
            )
    return gather.reading()


def read_gaudi(page: Page, vocabulary: Vocabulary) -> Reading:
    """Gaudi in the main repository: requirements, features with and without, configurations.

    **Raises**: ``UnexpectedPage`` when the page does not require a Gaudi accelerator.
    """
    gather = Gatherer(page=page, vocabulary=vocabulary)
    lines = find_lines(gather.document, _GAUDI)
    if not lines:
        raise gather.unexpected(expected="a requirement “Intel Gaudi accelerator”")
    for line in lines:
        gather.add(_hardware(gather, line, word="Intel Gaudi", nodes=frozenset({"intel-gaudi"})))
    for line in find_lines(gather.document, _GAUDI_SOFTWARE):
        gather.add(_requirement(gather, line, hardware="Intel Gaudi", name="Gaudi software"))
    for item in gather.document.items_under("Supported features"):
        _read_gaudi_feature(gather, item, StatementStatus.SUPPORTED)
    for item in gather.document.items_under("Unsupported features"):
        _read_gaudi_feature(gather, item, StatementStatus.UNSUPPORTED)
    for item in gather.document.items_under("Supported configurations"):
        _read_configuration(gather, item)
    return gather.reading()


def _read_gaudi_feature(gather: Gatherer, item: Item, status: StatementStatus) -> None:
    if (
        item.heading
        and item.heading[-1].lower().startswith("unsupported")
        and (status is StatementStatus.SUPPORTED)
    ):
        # "Supported features" is part of the other heading's text too.
        return
    text = " ".join(item.text.split())
    feature = _GAUDI_FEATURES.get(fold(text))
    scope = None
    if feature:
        scope = scope_of({Axis.HARDWARE: "intel-gaudi"}, features=feature)
    elif fold(text) == "quantization":
        scope = scope_of(
            {Axis.HARDWARE: "intel-gaudi", Axis.QUANTIZATION: ()},
            exclude={Axis.QUANTIZATION: "none"},
        )
    gather.add(
        Finding(
            kind=FindingKind.COMPATIBILITY if scope else FindingKind.VALUE,
            statement=statement_key("feature-platform", feature or fold(text)[:60], "intel-gaudi"),
            status=status,
            raw=text[:FRAGMENT_LENGTH],
            locator=gather.line_locator(item.line),
            names={"feature": text[:FRAGMENT_LENGTH], "hardware": "Intel Gaudi"},
            scope=scope,
        )
    )


def _read_configuration(gather: Gatherer, item: Item) -> None:
    """A validated model on Gaudi 2 with the numbers of cards it was validated on."""
    if not item.links or "tensor parallelism" not in item.text:
        return
    name = item.links[0].text
    locator = gather.line_locator(item.line)
    models = gather.find("model", name, locator)
    cards = _TENSOR_PARALLEL.search(item.text)
    numbers = {}
    if cards and "single HPU" not in item.text:
        count = float(cards.group(1))
        numbers = {NumberAxis.TENSOR_PARALLEL: NumberRange(minimum=count, maximum=count)}
    scope = None
    if models:
        scope = scope_of(
            {Axis.MODEL: models, Axis.HARDWARE: "intel-gaudi2", Axis.QUANTIZATION: "bf16"},
            numbers=numbers,
        )
    gather.add(
        Finding(
            kind=FindingKind.COMPATIBILITY,
            statement=statement_key("model-hardware", "gaudi2", models or fold(name)),
            status=StatementStatus.SUPPORTED,
            raw=name[:FRAGMENT_LENGTH],
            locator=locator,
            names={"model": name, "hardware": "Gaudi2"},
            scope=scope,
            note="validated in BF16",
        )
    )


def read_openvino(page: Page, vocabulary: Vocabulary) -> Reading:
    """The OpenVINO back end of early releases; **Raises** ``UnexpectedPage`` without its CPUs."""
    gather = Gatherer(page=page, vocabulary=vocabulary)
    lines = find_lines(gather.document, _OPENVINO)
    if not lines:
        raise gather.unexpected(expected="a sentence on x86-64 CPUs with at least AVX2")
    for line in lines:
        finding = _hardware(gather, line, word="x86-64 CPU", nodes=frozenset({"cpu-x86"}))
        gather.add(
            replace(
                finding,
                statement="platform/openvino+cpu-x86",
                scope=scope_of({Axis.HARDWARE: "cpu-x86", Axis.BACKEND: "openvino"}),
                note="with AVX2 at least, by the OpenVINO back end",
            )
        )
    for pattern, features in (
        (_OPENVINO_LORA, ("lora",)),
        (_OPENVINO_MODELS, ("multimodal", "encoder-decoder")),
    ):
        for line in find_lines(gather.document, pattern):
            for feature in features:
                gather.add(
                    Finding(
                        kind=FindingKind.COMPATIBILITY,
                        statement=statement_key("feature-platform", feature, "openvino"),
                        status=StatementStatus.UNSUPPORTED,
                        raw=line.fragment,
                        locator=gather.line_locator(line.number),
                        names={"feature": feature, "hardware": "OpenVINO"},
                        scope=scope_of({Axis.BACKEND: "openvino"}, features=feature),
                    )
                )
    return gather.reading()
