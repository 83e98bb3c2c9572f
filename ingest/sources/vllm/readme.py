"""The project's README: vendors, features and model families of the releases without docs.

**Source**: README.md. 0.4 lists every model family; later ones name kinds of models only. A
vendor is named as a whole there, so the platform statements carry a condition.
"""

import re

from ingest.contract import Finding, FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.reading.document import Item
from ingest.sources.scopes import scope_of, statement_key
from ingest.sources.vllm.gather import FRAGMENT_LENGTH, Gatherer
from ingest.sources.vllm.model_cells import checkpoints_in
from ingest.sources.vllm.words import fold
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind, Tier

_VENDORS = re.compile(r"^Support (?:for )?(?P<list>(?:NVIDIA|AMD|Intel).*)$")
_VENDOR_WORDS: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (re.compile(r"NVIDIA GPUs"), "NVIDIA GPUs", "nvidia"),
    (re.compile(r"AMD (?:CPUs and )?GPUs"), "AMD GPUs", "amd"),
    (re.compile(r"AMD CPUs"), "AMD CPUs", "cpu-x86-amd"),
    (re.compile(r"Intel (?:CPUs and )?GPUs"), "Intel GPUs", "intel"),
    (re.compile(r"Intel CPUs"), "Intel CPUs", "cpu-x86-intel"),
    (re.compile(r"PowerPC"), "PowerPC CPUs", "cpu-ppc64le"),
    (re.compile(r"\bA(?:rm|RM)(?: CPUs|/)"), "Arm CPUs", "cpu-arm"),
    (re.compile(r"x86[/ ]"), "x86 CPUs", "cpu-x86"),
    (re.compile(r"\bTPU"), "TPU", "google-tpu"),
    (re.compile(r"AWS (?:Trainium|Neuron|Inferentia)"), "AWS Neuron", "aws-neuron"),
)
_PLUGIN_WORDS: tuple[tuple[str, str], ...] = (
    ("Google TPU", "google-tpu"),
    ("Intel Gaudi", "intel-gaudi"),
    ("IBM Spyre", "ibm-spyre"),
    ("Huawei Ascend", "ascend"),
    ("Rebellions", "rebellions"),
    ("Apple Silicon", "apple"),
    ("MetaX", "metax"),
)
_EXPERIMENTAL = re.compile(r"^\(Experimental\) (?P<feature>Prefix caching|Multi-lora) support")
_EXPERIMENTAL_FEATURES = {"prefix caching": "prefix-caching", "multi-lora": "lora"}
_QUANTIZATION = re.compile(r"^(?:Quantizations?|Quantization support): ?(?P<list>.+)$")
_MODELS = re.compile(r"vLLM seamlessly supports .*following architectures")

# A README names whole vendors; which devices of them run is said on the installation page.
ANY_DEVICE = Condition(
    kind=ConditionKind.OTHER,
    name="hardware-generation",
    op="=",
    value="a device that the installation page of the release names",
)


def read_readme(page: Page, vocabulary: Vocabulary) -> Reading:
    """Vendors, experimental features, schemes and, at 0.4, the model families.

    **Raises**: ``UnexpectedPage`` when no line names the supported hardware.
    """
    gather = Gatherer(page=page, vocabulary=vocabulary)
    vendors = [item for item in gather.document.items if _VENDORS.match(item.text)]
    if not vendors:
        raise gather.unexpected(expected="an item “Support … NVIDIA GPUs …”")
    for item in vendors:
        _read_vendors(gather, item)
    for item in gather.document.items:
        _read_experimental(gather, item)
        _read_schemes(gather, item)
    for item in _model_items(gather):
        _read_models(gather, item)
    return gather.reading()


def _read_vendors(gather: Gatherer, item: Item) -> None:
    main, _, outside = item.text.partition("plugins such as")
    for pattern, word, node in _VENDOR_WORDS:
        if pattern.search(main):
            gather.add(_vendor(gather, item, word=word, node=node))
    for word, node in _PLUGIN_WORDS:
        if word in outside:
            gather.add(_vendor(gather, item, word=word, node=node, plugin=True))


def _vendor(gather: Gatherer, item: Item, *, word: str, node: str, plugin: bool = False) -> Finding:
    return Finding(
        kind=FindingKind.COMPATIBILITY,
        statement=statement_key("readme-plugin" if plugin else "readme-hardware", node),
        status=StatementStatus.VIA_PLUGIN if plugin else StatementStatus.SUPPORTED,
        raw=word,
        locator=gather.line_locator(item.line),
        names={"hardware": word},
        scope=scope_of({Axis.HARDWARE: node}),
        conditions=(ANY_DEVICE,),
        note="by a hardware plug-in" if plugin else "",
    )


def _read_experimental(gather: Gatherer, item: Item) -> None:
    match = _EXPERIMENTAL.match(item.text)
    if match is None:
        return
    word = match.group("feature")
    gather.add(
        Finding(
            kind=FindingKind.COMPATIBILITY,
            statement=statement_key("readme-feature", _EXPERIMENTAL_FEATURES[fold(word)]),
            status=StatementStatus.EXPERIMENTAL,
            raw=match.group(0),
            locator=gather.line_locator(item.line),
            names={"feature": word},
            scope=scope_of(features=_EXPERIMENTAL_FEATURES[fold(word)]),
            tier=Tier.EXPERIMENTAL,
        )
    )


def _read_schemes(gather: Gatherer, item: Item) -> None:
    """The quantization line: no hardware is named, so it is kept and claims nothing."""
    match = _QUANTIZATION.match(item.text)
    if match is None:
        return
    for word in re.split(r",\s*(?:and )?", match.group("list").rstrip(".")):
        gather.add(
            Finding(
                kind=FindingKind.POLICY,
                statement=statement_key("readme-quantization", fold(word)[:60]),
                status=StatementStatus.SUPPORTED,
                raw=word[:FRAGMENT_LENGTH],
                locator=gather.line_locator(item.line),
                names={"quantization": word},
            )
        )


def _model_items(gather: Gatherer) -> list[Item]:
    """The items of the model list, which follows the sentence that announces it."""
    document = gather.document
    starts = [p.line for p in document.paragraphs if _MODELS.search(" ".join(p.text.split()))]
    if not starts:
        return []
    return [i for i in document.items if i.line > starts[0] and checkpoints_in(i.text)]


def _read_models(gather: Gatherer, item: Item) -> None:
    """One family line: its example checkpoints, each listed by name."""
    locator = gather.line_locator(item.line)
    family = re.split(r"\s*\(", item.text, maxsplit=1)[0]
    families = gather.vocabulary.find("model", family)
    if families:
        gather.add(_listed(gather, item, word=family, models=frozenset(families)))
    for example in checkpoints_in(item.text):
        models = gather.find("model", example.name, locator)
        gather.add(_listed(gather, item, word=example.name, models=models))


def _listed(gather: Gatherer, item: Item, *, word: str, models: frozenset[str]) -> Finding:
    return Finding(
        kind=FindingKind.COMPATIBILITY,
        statement=statement_key("readme-models", models or fold(word)),
        status=StatementStatus.SUPPORTED,
        raw=word[:FRAGMENT_LENGTH],
        locator=gather.line_locator(item.line),
        names={"model": word},
        scope=scope_of({Axis.MODEL: models}) if models else None,
    )
