"""Release notes: what each release added, removed, deprecated, pinned and knows to be broken."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from ingest.contract import (
    Finding,
    FindingKind,
    Page,
    Reading,
    StatementStatus,
    UnexpectedPage,
    Vocabulary,
)
from ingest.reading.document import Item, fold_label
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of
from ingest.sources.tensorrt_llm.issues import read_known_issue
from ingest.sources.tensorrt_llm.pins import read_pins
from ingest.sources.tensorrt_llm.words import device, models
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind, EvidenceKind, Limit, Tier

_RELEASE = re.compile(r"(?:Release|Versions?)\s+v?(\d+(?:\.\d+)+)", re.IGNORECASE)
_MODEL_SECTIONS = ("model support", "model updates")
_ADDED = re.compile(r"^(?:Added|Add|Supported|Support)\b", re.IGNORECASE)


def read_release_notes(page: Page, vocabulary: Vocabulary) -> Reading:
    """The findings of release-notes.md, each with the release that its section is about."""
    collector = Collector(page, vocabulary, evidence=EvidenceKind.RELEASE_NOTE)
    if not any(_RELEASE.search(heading.text) for heading in page.document.headings):
        raise UnexpectedPage(
            path=page.path,
            expected='headings such as "TensorRT-LLM Release 0.16.0"',
            nearest="; ".join(heading.text for heading in page.document.headings[:4]),
        )
    for item in page.document.items:
        release = release_of(item.heading)
        if not release:
            continue
        note = Note(
            collector, item, replace(collector.at_line(item.line, item.raw), release=release)
        )
        if not read_pins(collector, item.text, note.finding):
            _read_note(note)
    return collector.reading()


@dataclass(frozen=True, slots=True)
class Note:
    """One bullet of the release notes with the draft of its finding."""

    collector: Collector
    item: Item
    finding: Finding

    @property
    def since(self) -> Finding:
        """The draft of an addition: it holds from the release on, as long as the page says so."""
        return replace(self.finding, release="", since=self.finding.release)

    @property
    def text(self) -> str:
        """The bullet's text without its "breaking change" label."""
        return re.sub(r"^\[BREAKING CHANGES?\]\s*", "", self.item.text, flags=re.IGNORECASE)

    def under(self, *words: str) -> bool:
        """Whether a heading or an enclosing bullet names one of the words."""
        places = [fold_label(part) for part in (*self.item.heading, *self.item.parents)]
        return any(word in place for place in places for word in words)


def release_of(heading: tuple[str, ...]) -> str:
    """The release of the section that a heading path lies in, or an empty string."""
    for part in reversed(heading):
        if match := _RELEASE.search(part):
            version = match.group(1)
            return version if version.count(".") > 1 else f"{version}.0"
    return ""


def _read_note(note: Note) -> None:
    """Try the readers of single statements in order; the first that understands the bullet ends."""
    for reader in _READERS:
        if reader(note):
            return


def _read_removed(note: Note) -> bool:
    """ "Removed NVIDIA V100 GPU support", "NVIDIA Volta GPU support is removed in this …"."""
    match = re.search(
        r"^Removed (?:NVIDIA )?(.+?) GPU support|^(?:NVIDIA )?(.+?) GPU support is removed",
        note.text,
    )
    if not match:
        return False
    word = match.group(1) or match.group(2)
    hardware = device(word, note.finding.locator, note.collector)
    note.collector.state(
        "release-platform",
        [hardware],
        StatementStatus.REMOVED,
        replace(
            note.finding,
            limit=Limit.FRAMEWORK,
            open_ended=True,
            note="support was removed with this release",
        ),
    )
    return True


def _read_windows(note: Note) -> bool:
    """ "Windows platform support is deprecated"; examples that do not run on Windows."""
    systems = [facet_of(FEATURE, "Windows", "windows")]
    if re.search(r"^Windows platform support is deprecated", note.text):
        note.collector.state(
            "release-system",
            systems,
            StatementStatus.DEPRECATED,
            replace(
                note.finding,
                tier=Tier.DEPRECATED,
                open_ended=True,
                note="deprecated; to be removed in a later release",
            ),
        )
        return True
    if match := re.search(r"^(\S+) examples are not supported on Windows", note.text):
        note.collector.value(
            FindingKind.VALUE,
            f"limitation/windows/{fold_label(match.group(1))}",
            StatementStatus.UNSUPPORTED,
            note.finding,
            value=match.group(1),
        )
        return True
    return False


def _read_not_fully(note: Note) -> bool:
    """ "GB200 NVL is not fully supported"."""
    match = re.search(r"^(.+?)(?: NVL)? is not fully supported", note.text)
    if not match:
        return False
    note.collector.state(
        "release-platform",
        [device(match.group(1), note.finding.locator, note.collector)],
        StatementStatus.PARTIAL,
        replace(note.finding, note="not fully supported in this release"),
    )
    return True


def _read_beta_hardware(note: Note) -> bool:
    """ "DGX Spark Support (Beta)" and "DGX Spark: DGX Spark support is in beta …"."""
    match = re.search(
        r"^(?:.+?:\s*)?(.+?) support (?:is (?:currently )?in beta|\(beta\))",
        note.text,
        re.IGNORECASE,
    )
    if match and (hardware := _known_device(note, match.group(1))):
        only_single = "single-node" in note.text
        # The remark about one node is a statement of its own: one release may make both.
        note.collector.state(
            "release-platform-single-node" if only_single else "release-platform",
            [hardware],
            StatementStatus.EXPERIMENTAL,
            replace(
                note.since,
                tier=Tier.EXPERIMENTAL,
                note="beta" + ("; validated on a single node only" if only_single else ""),
            ),
        )
        return True
    match = re.search(
        r"Support for (\S+) in multi-node configurations is currently in beta", note.text
    )
    if match and (hardware := _known_device(note, match.group(1))):
        note.collector.state(
            "release-platform",
            [hardware, facet_of(FEATURE, "multi-node", "multi-node")],
            StatementStatus.EXPERIMENTAL,
            replace(note.since, tier=Tier.EXPERIMENTAL, note="multi-node is in beta"),
        )
        return True
    return False


def _read_pip_refusal(note: Note) -> bool:
    """ "pip installation is not supported … on Blackwell platforms only"."""
    match = re.search(r"pip installation is not supported .* on (\w+) platforms only", note.text)
    if not match:
        return False
    hardware = device(match.group(1), note.finding.locator, note.collector)
    # It holds for this one release, so it is kept as a value and claims nothing for later ones.
    note.collector.value(
        FindingKind.VALUE,
        f"release-wheel/{hardware.key_part}",
        StatementStatus.UNSUPPORTED,
        replace(note.finding, names={"hardware": match.group(1)}, limit=Limit.ARTEFACT),
        value="no wheel",
    )
    return True


def _read_scheme_hardware(note: Note) -> bool:
    """ "Added W4A8 quantization support … on Ada (SM89)", row-wise FP8 "on Ada"."""
    match = re.search(r"^Added (?:support for )?.*?\bon (Ada|Hopper|Ampere|Blackwell)\b", note.text)
    slug = next((slug for word, slug in _SCHEMES.items() if word in note.text), "")
    if not match or not slug:
        return False
    scheme = facet_of(Axis.QUANTIZATION, slug, slug)
    hardware = device(match.group(1), note.finding.locator, note.collector)
    note.collector.state(
        "release-quantization-hardware", [hardware, scheme], StatementStatus.SUPPORTED, note.since
    )
    return True


_SCHEMES = {"W4A8 quantization": "awq-w4a8", "row-wise FP8": "fp8-w8a8-row"}


def _read_added_hardware(note: Note) -> bool:
    """ "Added support for B200", "B300/GB300: Added support …", "… for GH200 systems"."""
    match = re.search(
        r"(?:^|:\s*)Added (functional )?support for ([^.]+?)(?: systems)?(?: using ([^.]+))?\.?$",
        note.text,
    )
    if not match:
        return False
    found = [_known_device(note, word) for word in re.split(r"/|, ", match.group(2))]
    if not found or None in found:
        return False
    engine = note.under("pytorch workflow")
    through_wsl = "WSL" in (match.group(3) or "")
    condition = Condition(ConditionKind.OS, "WSL", "=", "required")
    for hardware in found:
        facets = [hardware] if hardware else []
        if engine:
            facets.append(facet_of(FEATURE, "PyTorch workflow", "engine-pytorch"))
        note.collector.state(
            "release-platform",
            facets,
            StatementStatus.PARTIAL if through_wsl else StatementStatus.SUPPORTED,
            replace(
                note.since,
                conditions=(condition,) if through_wsl else (),
                note=_added_note(bool(match.group(1)), through_wsl),
            ),
        )
    return True


def _added_note(functional: bool, through_wsl: bool) -> str:
    if through_wsl:
        return "through WSL and for a limited set of models"
    return "functional support" if functional else ""


def _read_experimental_engine(note: Note) -> bool:
    """ "The PyTorch workflow is an experimental feature"."""
    if not re.search(r"The PyTorch workflow is an experimental feature", note.text):
        return False
    note.collector.state(
        "release-engine",
        [facet_of(FEATURE, "PyTorch workflow", "engine-pytorch")],
        StatementStatus.EXPERIMENTAL,
        replace(note.since, tier=Tier.EXPERIMENTAL),
    )
    return True


def _read_default_engine(note: Note) -> bool:
    """ "Promote PyTorch to be the default LLM backend" of release 1.0."""
    if not re.search(r"Promote PyTorch to be the default", note.text):
        return False
    note.collector.state(
        "release-engine",
        [facet_of(FEATURE, "PyTorch", "engine-pytorch")],
        StatementStatus.SUPPORTED,
        replace(note.since, note="the default engine from this release on", open_ended=True),
    )
    return True


def _read_added_models(note: Note) -> bool:
    """Models of the "Model Support" and "Model Updates" lists.

    A bullet without a verb ("Mixtral-8x7B model") counts only where the name is known.
    """
    parents = [fold_label(part) for part in note.item.parents]
    if not note.under(*_MODEL_SECTIONS) or any(p not in _MODEL_SECTIONS for p in parents):
        return False
    if re.match(r"^(?:Add|Added|Support) (?:example|documentation|weight loading)\b", note.text):
        return False
    verb = bool(_ADDED.match(note.text))
    stated = False
    for word in _model_words(note.text):
        if not verb and not note.collector.vocabulary.find(Axis.MODEL, word):
            continue
        stated = True
        for model in models(word, note.finding.locator, note.collector):
            note.collector.state("release-model", [model], StatementStatus.SUPPORTED, note.since)
    return stated


def _model_words(text: str) -> list[str]:
    """The model names of a bullet such as "Added support for Qwen3-Next and Qwen3-VL."."""
    plain = re.split(r",? (?:see|thanks|Thanks|with|w/) |\.\s|\(", text)[0].strip(" .")
    plain = re.sub(
        r"^(?:Added|Add|Supported|Support)(?: support for)?(?: HuggingFace)?(?: the)?\s+", "", plain
    )
    plain = re.sub(
        r"(?: multimodal)?(?: models?)?(?: small| family)?(?: support)?(?: in .*)?$", "", plain
    )
    return [word for part in plain.split(", ") for word in re.split(r" and ", part) if word.strip()]


def _known_device(note: Note, word: str) -> Facet | None:
    """The hardware a word means, or ``None``; a word that is none is not listed for review."""
    trial = Collector(note.collector.page, note.collector.vocabulary)
    plain = re.sub(r" series$", "", word.strip())
    for name in (word.strip(), plain):
        found = device(name, note.finding.locator, trial)
        if found.known:
            return found
    return None


def _read_known_issue(note: Note) -> bool:
    """Bullets under "Known Issues"."""
    if not note.under("known issue"):
        return False
    read_known_issue(note.collector, note.text, note.finding)
    return True


_READERS: tuple[Callable[[Note], bool], ...] = (
    _read_removed,
    _read_windows,
    _read_not_fully,
    _read_beta_hardware,
    _read_pip_refusal,
    _read_scheme_hardware,
    _read_added_hardware,
    _read_experimental_engine,
    _read_default_engine,
    _read_known_issue,
    _read_added_models,
)
