"""Platform pages: which hardware they serve, what runs there, what does not yet."""

import re
from collections.abc import Callable
from dataclasses import replace

from ingest.contract import Page, PageRule, Reading, StatementStatus, UnexpectedPage, Vocabulary
from ingest.reading.document import Cell, Table, fold_label
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of, one_line
from ingest.sources.images import numbered_lines, read_images, read_patterns
from ingest.sources.sglang.attention import read_attention_on
from ingest.sources.sglang.words import SYMBOLS, method
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind, Limit, Tier

_IMAGE = "lmsysorg/sglang"
_JAX = Condition(ConditionKind.PLUGIN, "sglang-jax", "set")
_NOT_YET = re.compile(r"not yet (?:supported|implemented)", re.IGNORECASE)
_VERIFIED_ON = re.compile(r"have been verified on (.+?)(?: platforms)?\.?$")
_TPU_MODELS = {
    "llama/llama": ("llamaforcausallm",),
    "bailing moe": ("bailingmoeforcausallm",),
    "qwen 2 moe": ("qwen2-moe",),
}
_TPU_STATES = {
    "needs improvement": "runs, but the page says that performance needs work",
    "verified on tpu": "verified on TPU",
}


def read_xpu(page: Page, vocabulary: Vocabulary) -> Reading:
    """Intel GPUs: optimised products, verified checkpoints, limitations, P/D disaggregation."""
    collector = Collector(page, vocabulary)
    gpu = facet_of(Axis.HARDWARE, "Intel GPU", "intel")
    for text in page.document.paragraphs:
        flat = one_line(text.text)
        if "SGLang is optimized for" in flat:
            for link in text.links:
                if "Series" in link.text:
                    word = re.sub(r"[®™]", "", one_line(link.text))
                    _state_hardware(collector, word, text.line, flat)
        if "only supports installation from source" in flat:
            collector.state(
                "platform",
                [gpu, facet_of(FEATURE, "wheel", "binary-wheels")],
                StatementStatus.UNSUPPORTED,
                replace(
                    collector.at_line(text.line, "only supports installation from source"),
                    limit=Limit.ARTEFACT,
                    note="Intel GPUs need a build from source",
                ),
            )
    for table in page.document.tables:
        if table.has_columns(("Model Name", "BF16")):
            _read_checkpoints(collector, table, "intel")
        elif table.has_columns(("Feature", "Status")):
            _read_limitations(collector, table, gpu)
        elif table.has_columns(("Model", "Notes")) and "Disaggregation" in str(table.heading[-1:]):
            _read_disaggregated(collector, table, gpu)
    return _finish(collector, "an Intel GPU product or a table of verified models")


def read_cpu(page: Page, vocabulary: Vocabulary) -> Reading:
    """CPU servers: the instruction set they need and the checkpoints verified on them."""
    collector = Collector(page, vocabulary)
    for text in page.document.paragraphs:
        flat = one_line(text.text)
        if "CPUs equipped with Intel® AMX®" in flat:
            finding = collector.at_line(text.line, "CPUs equipped with Intel® AMX®")
            slugs = ("cpu-x86-amx", "cpu-x86-xeon-4", "cpu-x86-xeon-5", "cpu-x86-xeon-6")
            collector.state(
                "platform",
                [facet_of(Axis.HARDWARE, "Intel AMX", *slugs, key="cpu-x86-amx")],
                StatementStatus.SUPPORTED,
                replace(finding, note="4th generation Xeon Scalable or newer"),
            )
    for table in page.document.tables:
        if table.has_columns(("Model Name", "BF16", "FP8")):
            _read_checkpoints(collector, table, "cpu-x86-amx")
    read_images(collector, _IMAGE)
    return _finish(collector, "the AMX requirement or a table of optimised models")


# The page's table of TPU types lists none older than v6e.
_TPU = Facet(
    Axis.HARDWARE,
    "TPU",
    frozenset({"google-tpu"}),
    frozenset({"google-tpu-v3", "google-tpu-v4", "google-tpu-v5e", "google-tpu-v5p"}),
    key="google-tpu",
)


def read_tpu(page: Page, vocabulary: Vocabulary) -> Reading:
    """TPUs, which a separate engine (SGLang-JAX) serves; every statement carries it."""
    collector = Collector(page, vocabulary)
    for table in page.document.tables:
        if table.has_columns(("TPU Type", "HBM Memory")):
            _read_tpu_types(collector, table)
        elif table.has_columns(("Feature", "Support Status")):
            _read_tpu_features(collector, table)
        elif table.has_columns(("Backend", "MLA", "Sliding Window")):
            read_attention_on(collector, table, "google-tpu", _JAX)
        elif table.has_columns(("Model Family", "Performance Status")):
            _read_tpu_models(collector, table)
    _read_tpu_prose(collector)
    return _finish(collector, "TPU tables or the note that TPU support is being developed")


def _read_tpu_types(collector: Collector, table: Table) -> None:
    """Add the TPU generations that the page lists."""
    for cells in table.rows:
        finding = collector.at_cell(table, cells[0], row=cells[0].text, column=table.columns[0])
        hardware = collector.facet(Axis.HARDWARE, cells[0].text, finding.locator)
        collector.state(
            "platform",
            [hardware],
            StatementStatus.VIA_PLUGIN,
            replace(finding, conditions=(_JAX,), note="through SGLang-JAX"),
        )


def _read_tpu_prose(collector: Collector) -> None:
    """Add what the TPU page says outside its tables."""
    for text in collector.document.paragraphs:
        if "supports TPU inference via" in one_line(text.text):
            collector.state(
                "platform",
                [_TPU],
                StatementStatus.VIA_PLUGIN,
                replace(
                    collector.at_line(text.line, "supports TPU inference via the SGLang-Jax"),
                    conditions=(_JAX,),
                    note="through SGLang-JAX",
                ),
            )
        if "support for TPU is under active development" in one_line(text.text):
            collector.state(
                "platform",
                [facet_of(Axis.HARDWARE, "TPU", "google-tpu")],
                StatementStatus.PLANNED,
                replace(
                    collector.at_line(text.line, "under active development"),
                    tier=Tier.PLANNED,
                    note="announced, not there yet",
                ),
            )
        if "Docker support for TPU is currently under development" in one_line(text.text):
            collector.state(
                "platform-image",
                [
                    _TPU,
                    facet_of(FEATURE, "Docker", "docker-image"),
                ],
                StatementStatus.WORK_IN_PROGRESS,
                replace(
                    collector.at_line(text.line, "Docker support … under development"),
                    note="no image yet",
                ),
            )


def read_jetson(page: Page, vocabulary: Vocabulary) -> Reading:
    """Jetson Orin: the kit and the JetPack it needs."""
    collector = Collector(page, vocabulary)
    for item in page.document.items:
        match = re.search(r"(Jetson AGX Orin)\b.*?JetPack ([\d.]+)", item.text)
        if match:
            finding = collector.at_line(item.line, item.text)
            hardware = collector.facet(Axis.HARDWARE, match.group(1), finding.locator)
            jetpack = match.group(2).rstrip(".")
            collector.state(
                "platform",
                [hardware],
                StatementStatus.SUPPORTED,
                replace(finding, note=f"with JetPack {jetpack} or newer"),
            )
    for number, line in numbered_lines(page.document):
        if "--torchao-config int4wo-128" in line and "usage" in line:
            finding = collector.at_line(number, "--torchao-config int4wo-128")
            collector.state(
                "quantization-hardware",
                [
                    facet_of(Axis.QUANTIZATION, "int4wo-128", "torchao-int4wo"),
                    facet_of(Axis.HARDWARE, "Jetson", "nvidia-jetson-orin"),
                ],
                StatementStatus.SUPPORTED,
                finding,
            )
    return _finish(collector, "a Jetson kit with a JetPack version")


def read_metal(page: Page, vocabulary: Vocabulary) -> Reading:
    """Apple silicon through MLX, and the MLX quantization presets."""
    collector = Collector(page, vocabulary)
    apple = facet_of(Axis.HARDWARE, "Apple Silicon", "apple")
    mlx = Condition(ConditionKind.ENV, "SGLANG_USE_MLX", "=", "1")
    for text in page.document.paragraphs:
        if "SGLang on Apple Silicon" in one_line(text.text):
            collector.state(
                "platform",
                [apple],
                StatementStatus.SUPPORTED,
                replace(
                    collector.at_line(text.line, "SGLang on Apple Silicon using Metal (MLX)"),
                    note="built from source; less is supported unless MLX is switched on",
                ),
            )
    seen: set[str] = set()
    for number, line in numbered_lines(page.document):
        for preset in re.findall(r"--quantization (mlx_q\d)", line):
            if preset in seen:
                continue
            seen.add(preset)
            finding = collector.at_line(number, f"--quantization {preset}")
            scheme = collector.facet(
                Axis.QUANTIZATION, preset, finding.locator, table={"mlx_q4": ("mlx-q4",)}
            )
            collector.state(
                "quantization-hardware",
                [scheme, apple],
                StatementStatus.SUPPORTED,
                replace(finding, conditions=(mlx,)),
            )
    return _finish(collector, "the statement that SGLang runs on Apple Silicon")


def read_simple(words: str, slug: str, note: str) -> Callable[[Page, Vocabulary], Reading]:
    """A reader of a page whose first sentence states the platform and nothing else."""

    def read(page: Page, vocabulary: Vocabulary) -> Reading:
        collector = Collector(page, vocabulary)
        for text in page.document.paragraphs:
            if words in one_line(text.text):
                collector.state(
                    "platform",
                    [facet_of(Axis.HARDWARE, words, slug)],
                    StatementStatus.SUPPORTED,
                    replace(collector.at_line(text.line, words), note=note),
                )
                break
        read_images(collector, _IMAGE)
        return _finish(collector, f'a sentence with "{words}"')

    return read


def _finish(collector: Collector, expected: str) -> Reading:
    """The reading; **Raises** ``UnexpectedPage`` when nothing was found on the page."""
    document = collector.document
    if not collector.findings:
        nearest = "; ".join(heading.text for heading in document.headings[:5])
        raise UnexpectedPage(path=collector.page.path, expected=expected, nearest=nearest)
    return collector.reading()


def _state_hardware(collector: Collector, word: str, line: int, raw: str) -> None:
    finding = collector.at_line(line, raw)
    collector.state(
        "platform",
        [collector.facet(Axis.HARDWARE, word, finding.locator)],
        StatementStatus.SUPPORTED,
        finding,
    )


def _read_checkpoints(collector: Collector, table: Table, platform: str) -> None:
    """Add checkpoints by precision; the note below says on which processor they were verified."""
    hardware = facet_of(Axis.HARDWARE, platform, platform)
    note = ""
    for text in collector.document.paragraphs:
        match = _VERIFIED_ON.search(one_line(text.text))
        if match and text.heading == table.heading:
            note = f"verified on {match.group(1)}"[:140]
            name = re.sub(r"[®™]| P-core$", "", match.group(1)).strip()
            slugs = collector.vocabulary.find(Axis.HARDWARE, name)
            hardware = Facet(Axis.HARDWARE, match.group(1), frozenset(slugs or {platform}))
    for cells in table.rows:
        for column, cell in zip(table.columns[1:], cells[1:], strict=False):
            finding = collector.at_cell(table, cell, row=cells[0].text, column=column)
            scheme = method(column, finding.locator, collector)
            names = [link.text for link in cell.links] or [one_line(cell.text)]
            for name in names:
                stated = bool(name)
                model = collector.facet(
                    Axis.MODEL, name if stated else cells[0].text, finding.locator
                )
                collector.state(
                    "model-quantization-hardware",
                    [model, scheme, hardware],
                    StatementStatus.SUPPORTED if stated else StatementStatus.NOT_STATED,
                    replace(finding, note=note if stated else ""),
                )


def _read_limitations(collector: Collector, table: Table, hardware: Facet) -> None:
    """Add what is "not yet supported"; the feature's flag stands in parentheses."""
    for cells in table.rows:
        finding = collector.at_cell(table, cells[1], row=cells[0].text, column=table.columns[1])
        word = re.sub(r"\s*\(.*\)$", "", one_line(cells[0].text))
        refused = bool(_NOT_YET.search(cells[1].text))
        if not refused:
            collector.miss("status", cells[1].text, finding.locator)
        collector.state(
            "feature-hardware",
            [collector.facet(FEATURE, word, finding.locator), hardware],
            StatementStatus.UNSUPPORTED if refused else StatementStatus.NOT_STATED,
            replace(finding, limit=Limit.FRAMEWORK, note="not there yet on this platform"),
        )


def _read_disaggregated(collector: Collector, table: Table, hardware: Facet) -> None:
    """Add models tested with prefill and decode on separate devices of an experimental path."""
    feature = facet_of(FEATURE, "P/D disaggregation", "disaggregated-prefill")
    for cells in table.rows:
        finding = collector.at_cell(table, cells[0], row=cells[0].text, column=table.columns[0])
        model = collector.facet(Axis.MODEL, one_line(cells[0].text), finding.locator)
        collector.state(
            "model-feature-hardware",
            [model, feature, hardware],
            StatementStatus.EXPERIMENTAL,
            replace(
                finding, tier=Tier.EXPERIMENTAL, note="experimental; both sides on the same vendor"
            ),
        )


def _read_tpu_features(collector: Collector, table: Table) -> None:
    """Add the feature list of the TPU engine."""
    tpu = _TPU
    for cells in table.rows:
        cell = cells[1]
        finding = collector.at_cell(table, cell, row=cells[0].text, column=table.columns[1])
        status = SYMBOLS.read(cell)
        facets = [collector.facet(FEATURE, one_line(cells[0].text), finding.locator), tpu]
        if status is None:
            collector.miss("status", cell.text, finding.locator)
            facets.append(Facet("status", cell.text))
        collector.state(
            "feature-hardware",
            facets,
            status or StatementStatus.NOT_STATED,
            replace(finding, conditions=(_JAX,)),
        )


def _read_tpu_models(collector: Collector, table: Table) -> None:
    """Add models tested on TPU; a remark about speed is a note, not a refusal."""
    tpu = _TPU
    for cells in table.rows:
        cell: Cell = cells[1]
        finding = collector.at_cell(table, cell, row=cells[0].text, column=table.columns[1])
        # "Llama/LLaMA" is one name in two spellings; the page speaks of the whole architecture.
        names = [one_line(cells[0].text)]
        note = _TPU_STATES.get(fold_label(cell.text), "")
        for name in names:
            collector.state(
                "model-hardware",
                [collector.facet(Axis.MODEL, name, finding.locator, table=_TPU_MODELS), tpu],
                StatementStatus.SUPPORTED,
                replace(finding, conditions=(_JAX,), note=note),
            )


_REQUIREMENTS = (
    ("python", StatementStatus.PINNED, re.compile(r"[Oo]nly `python==([\d.]+)` is supported")),
    ("torch", StatementStatus.PINNED, re.compile(r"Only `torch==([\d.]+)` is supported")),
    ("torch", StatementStatus.PINNED, re.compile(r"\btorch==([\d.]+)(?:\+\w+)?")),
    ("vllm", StatementStatus.PINNED, re.compile(r"only vLLM v([\d.]+\d) is supported")),
)


def read_pins(page: Page, vocabulary: Vocabulary) -> Reading:
    """Version requirements that a platform page states in prose or commands."""
    collector = Collector(page, vocabulary)
    read_patterns(collector, _REQUIREMENTS, numbered_lines(page.document))
    return collector.reading()


_FOLDER = r"(?:docs|docs_new/docs|docs/docs)/(?:platforms|hardware-platforms|references)/"


def _paths(name: str) -> tuple[str, ...]:
    return (_FOLDER + name + r"\.(?:mdx?|rst)",)


RULES = (
    PageRule("xpu", _paths("xpu"), read_xpu),
    PageRule("cpu", _paths("cpu_server"), read_cpu),
    PageRule("tpu", _paths("tpu"), read_tpu),
    PageRule("jetson", _paths("nvidia_jetson"), read_jetson),
    PageRule("metal", _paths("apple_metal"), read_metal),
    PageRule(
        "musa",
        _paths("mthreads_gpu"),
        read_simple("SGLang on Moore Threads GPUs", "moore-threads", "built from source"),
    ),
    PageRule("amd", _paths("(?:amd|amd_gpu)"), read_simple("MI300X", "amd-mi300x", "")),
    PageRule("platform-pins", _paths("(?:ascend_npu|xpu|cpu_server)"), read_pins),
)
