"""Hardware words of a question: devices, counts, architectures, backends, toolkits."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from matrix.domain.aliases import NameTable
from matrix.domain.catalogue import Catalogue
from matrix.domain.levels import Axis, NumberAxis
from matrix.domain.trees import Tree
from matrix.questions.words import Named, find_name, scan_names, split_brackets, word_set

_COUNT = re.compile(r"(?<![\w.])(\d{1,3})\s?[x×]\s+(?=\S)")
_CARDS = re.compile(
    r"(?<![\w.])(\d{1,3})\s+(?:\w+\s+){0,2}(?:GPU|card|device|NPU)s\b", re.IGNORECASE
)
_NODES = re.compile(r"(?<![\w.])(\d{1,3})\s+nodes?\b", re.IGNORECASE)
_LAYOUT = re.compile(r"\b(TP|PP|EP|DP)\s?=?\s?(\d{1,3})(?!\d)", re.IGNORECASE)
_JOINED_LAYOUT = re.compile(r"(?<=\d)\s?[x×]\s?(?=[TPED]P)", re.IGNORECASE)
_MEMORY = re.compile(r"(?<![\w.])\d+(?:/\d+)?\s?G(?:i?B)\b", re.IGNORECASE)
_SEVERAL = re.compile(r"\b(?:multi|multiple|several|many)\b", re.IGNORECASE)
_TOOLKIT = re.compile(
    r"\b(?P<name>CUDA|ROCm|CANN|oneAPI)\s*(?P<op>[<>=≥≤]*)\s*(?P<number>\d[\d.]*)(?P<up>\+?)",
    re.IGNORECASE,
)
_SPLIT = re.compile(r"\s*[,;/]\s*|\s+(?:and|or|vs)\s+")
_RANGE = re.compile(r"\s*[–…]\s*|\s*>=?\s*|\s*≥\s*")
_FROM_ON = re.compile(r"\+\s*$|>=|≥")
_NOISE = word_set(
    "gpu gpus card cards device devices multi multiple several mixed class consumer node nodes "
    "single dual host reporter system server box series instance family chip chips accelerator "
    "accelerators soc vram memory ram newer later up edition desktop laptop"
)
_LAYOUT_AXES = {
    "tp": NumberAxis.TENSOR_PARALLEL,
    "pp": NumberAxis.PIPELINE_PARALLEL,
    "ep": NumberAxis.EXPERT_PARALLEL,
    "dp": NumberAxis.DATA_PARALLEL,
}


@dataclass(frozen=True, slots=True)
class AskedHardware:
    """What a question says of the machine.

    **Shapes**: ``nodes`` and ``backends`` are alternatives to be asked one by one; ``restrictions``
    are words that narrow the question but that no axis takes; ``settings`` are the toolkits it has
    ({"cuda": "12.8"}); ``exclusions`` what it is said not to be ("no AVX-512"); ``notes`` say what
    was assumed.
    """

    nodes: tuple[str, ...] = ()
    backends: tuple[str, ...] = ()
    numbers: Mapping[NumberAxis, float] = field(default_factory=dict)
    features: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    exclusions: tuple[str, ...] = ()
    restrictions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def read_hardware(
    device: str, arch: str, backend: str, *, count: int | None, catalogue: Catalogue
) -> AskedHardware:
    """The machine a question asks about, from its four free-text fields."""
    table = catalogue.vocabulary.table(Axis.HARDWARE.value)
    tree = catalogue.trees.tree(Axis.HARDWARE)
    restrictions: list[str] = []
    notes: list[str] = []
    numbers = read_layout(device)
    numbers |= _count_of(device, count)
    settings = {
        match.group("name").lower(): match.group("number").rstrip(".")
        for text in (device, backend)
        for match in _TOOLKIT.finditer(text)
    }
    words: list[str] = []
    devices = _read_nodes(_TOOLKIT.sub(" ", device), tree, table, words, notes)
    arch_words: list[str] = []
    arches = _read_nodes(arch, tree, table, arch_words, notes)
    words += [text for text in arch_words if _excludes(text)]
    nodes = _reconcile(devices, arches, tree)
    backends = _read_backends(backend, catalogue, words)
    # An operating system stands where a device is expected: "Windows", "CUDA (WSL)".
    systems = {w: find_name(w, catalogue.vocabulary.table("feature")) for w in words}
    unknown = [word for word, named in systems.items() if not named]
    restrictions += [f"hardware word {word!r}" for word in unknown if not _excludes(word)]
    return AskedHardware(
        nodes=nodes,
        backends=backends,
        numbers=numbers,
        features=tuple(slug for named in systems.values() if named for slug in named.slugs),
        settings=settings,
        exclusions=tuple(dict.fromkeys(word for word in unknown if _excludes(word))),
        restrictions=tuple(dict.fromkeys(restrictions)),
        notes=tuple(dict.fromkeys(notes)),
    )


def read_layout(text: str) -> dict[NumberAxis, float]:
    """Parallel layouts such as ``TP2xPP2``."""
    spread = _JOINED_LAYOUT.sub(" ", text)
    return {_LAYOUT_AXES[name.lower()]: float(n) for name, n in _LAYOUT.findall(spread)}


def _count_of(device: str, count: int | None) -> dict[NumberAxis, float]:
    """The number of devices; a count of one beside words for several is no statement."""
    stated = [int(n) for n in (*_COUNT.findall(device), *_CARDS.findall(device))]
    best = max([*stated, count or 0])
    several = bool(_SEVERAL.search(device) or _NODES.search(device) or _LAYOUT.search(device))
    if best < 1 or (best == 1 and several):
        return {}
    return {NumberAxis.HARDWARE_COUNT: float(best)}


def _read_nodes(
    text: str, tree: Tree, table: NameTable, words_left: list[str], notes: list[str]
) -> tuple[str, ...]:
    apart = _JOINED_LAYOUT.sub(" ", text)
    bare = _CARDS.sub(" GPUs ", _COUNT.sub(" ", _NODES.sub(" ", _LAYOUT.sub(" ", apart))))
    bare = " ".join(bare.split())
    if not bare:
        return ()
    outside, inside = split_brackets(bare)
    words_left += [text for text in inside if _excludes(text)]
    for attempt in (bare, outside, _MEMORY.sub(" ", bare), _MEMORY.sub(" ", outside)):
        if _FROM_ON.search(attempt):
            break
        if named := find_name(attempt.strip(), table):
            return _chosen(named, notes)
    slugs: list[str] = []
    before = ""
    for part in filter(None, _SPLIT.split(outside)):
        named_parts, left = _read_part(part, before, table)
        before = part
        for named in named_parts:
            slugs += _opened(_chosen(named, notes), part, tree, notes)
        words_left += left
    if not slugs:
        for words in inside:
            for named in scan_names(words, table, noise=_NOISE).named:
                slugs += _chosen(named, notes)
    return tuple(dict.fromkeys(slugs))


def _opened(slugs: tuple[str, ...], part: str, tree: Tree, notes: list[str]) -> tuple[str, ...]:
    """``Ampere+`` and ``>= Ampere`` leave open which of the vendor's devices is meant."""
    if not _FROM_ON.search(part):
        return slugs
    notes.append(f"{part!r} is asked for any device of the vendor")
    return tuple(dict.fromkeys(tree.up(slug)[-1] for slug in slugs))


def _excludes(words: str) -> bool:
    return bool(re.match(r"(?:no|non|not|without)\b", words, re.IGNORECASE))


def _chosen(named: Named, notes: list[str]) -> tuple[str, ...]:
    if not named.certain:
        notes.append(f"{named.word!r} may mean {', '.join(named.slugs)}: all were asked")
    return named.slugs


def _read_part(part: str, before: str, table: NameTable) -> tuple[list[Named], tuple[str, ...]]:
    """One alternative; ``3090/4090`` and ``sm_86/89`` take the words or letters of the first."""
    bare = _MEMORY.sub(" ", part).strip()
    words = before.split()
    attempts = [part, bare, re.sub(r"^any\s+", "", bare).strip("+>=≥ ")]
    attempts += [" ".join([*words[:n], bare]) for n in range(len(words) - 1, 0, -1)]
    stem = re.match(r"[A-Za-z_]+", before)
    attempts += [f"{stem.group(0)}{bare}"] if stem else []
    for attempt in attempts:
        if attempt and (named := find_name(attempt, table)):
            return [named], ()
    pieces = [p for p in _RANGE.split(bare) if p]
    scans = [scan_names(piece, table, noise=_NOISE) for piece in pieces]
    left = tuple(w for scan in scans for w in scan.left if not w.isdigit())
    return [named for scan in scans for named in scan.named], left


def _reconcile(devices: tuple[str, ...], arches: tuple[str, ...], tree: Tree) -> tuple[str, ...]:
    """Devices narrowed by their architecture; an unrelated architecture is asked as well."""
    found: list[str] = []
    used: set[str] = set()
    for device in devices:
        narrower = [arch for arch in arches if arch in tree.down(device)]
        used.update(arch for arch in arches if arch in tree.up(device))
        used.update(narrower)
        found += narrower or [device]
    found += [arch for arch in arches if arch not in used]
    # "T4 / Turing" names one thing twice: a node above another one asked adds nothing.
    above = {up for slug in found for up in tree.up(slug)[1:]}
    return tuple(dict.fromkeys(slug for slug in found if slug not in above))


def _read_backends(backend: str, catalogue: Catalogue, words_left: list[str]) -> tuple[str, ...]:
    table = catalogue.vocabulary.table(Axis.BACKEND.value)
    bare, inside = split_brackets(_TOOLKIT.sub(lambda m: m.group("name"), backend))
    scan = scan_names(bare, table)
    words_left += [*inside, *scan.left]
    return scan.slugs
