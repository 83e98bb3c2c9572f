"""Known names inside free text: the longest known run of words wins, the rest is left over."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from matrix.domain.aliases import NameTable, normalise_name

_LONGEST_NAME_WORDS = 7
_TOKEN = re.compile(r"[^\s,;()\[\]…→]+")
_EDGES = ".:?!'\"`’“”&=<>≥≤~"
_BRACKETS = re.compile(r"\(([^()]*)\)|\[([^\[\]]*)\]")
_PARTS = re.compile(r"\s*[,;]\s*|\s+[/+&]\s+|\s+(?:and|or|vs|with)\s+|\s*→\s*")
# Spellings that differ between British and American writers, or between a noun and its verb.
_SPELLINGS = (
    ("ised", "ized"),
    ("isation", "ization"),
    ("parallelism", "parallel"),
    ("speculation", "speculative decoding"),
    ("lora adapters", "lora"),
)


def word_set(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


# Words that connect or decorate and never restrict what is asked.
COMMON_WORDS = word_set(
    "a an the of on in at to by for from with and or vs as is are was does do did can "
    "any all every some other its it this that than e.g. i.e. etc via per era used use using "
    "only also both same model models"
)


@dataclass(frozen=True, slots=True)
class Named:
    """A run of words that the catalogue knows.

    **Shapes**: several ``slugs`` of a certain name are all meant; of an uncertain one, one of them.
    """

    word: str
    slugs: tuple[str, ...]
    certain: bool = True


@dataclass(frozen=True, slots=True)
class Scan:
    """What a text names, in its order, and the words that mean nothing to the table."""

    named: tuple[Named, ...] = ()
    left: tuple[str, ...] = ()

    @property
    def slugs(self) -> tuple[str, ...]:
        """All slugs, each once, in order of naming."""
        return tuple(dict.fromkeys(slug for item in self.named for slug in item.slugs))


def find_name(text: str, table: NameTable) -> Named | None:
    """The meaning of the whole text as one name, or nothing."""
    for spelling in _spellings(text):
        if slugs := table.find(spelling):
            return Named(word=text, slugs=slugs)
        if slugs := table.ambiguous.get(normalise_name(spelling), ()):
            return Named(word=text, slugs=slugs, certain=False)
    return None


def _spellings(text: str) -> Iterator[str]:
    yield text
    lowered = text.lower()
    for one, other in _SPELLINGS:
        if one in lowered:
            yield lowered.replace(one, other)
    if lowered.endswith("s") and len(lowered) > 3:
        yield text[:-1]


def scan_names(text: str, table: NameTable, *, noise: frozenset[str] = frozenset()) -> Scan:
    """The known names in a text, longest first from the left; brackets are read as text."""
    whole = find_name(text.strip(), table)
    if whole:
        return Scan(named=(whole,))
    tokens = [t.strip(_EDGES) for t in _TOKEN.findall(text)]
    tokens = [token for token in tokens if token]
    named: list[Named] = []
    left: list[str] = []
    position = 0
    while position < len(tokens):
        found, width = _longest(tokens, position, table)
        if found:
            named.append(found)
        elif "/" in tokens[position].strip("/"):
            inner = scan_names(tokens[position].replace("/", " , "), table, noise=noise)
            named += inner.named
            left += inner.left
        elif not is_noise(tokens[position], noise):
            left.append(tokens[position])
        position += width
    return Scan(named=tuple(named), left=tuple(left))


def _longest(tokens: list[str], start: int, table: NameTable) -> tuple[Named | None, int]:
    for width in range(min(_LONGEST_NAME_WORDS, len(tokens) - start), 0, -1):
        words = tokens[start : start + width]
        if words[0].lower() in COMMON_WORDS or words[-1].lower() in COMMON_WORDS:
            continue
        found = find_name(" ".join(words), table)
        if found:
            return found, width
    return None, 1


def is_noise(word: str, noise: frozenset[str] = frozenset()) -> bool:
    """Whether a word restricts nothing: a connecting word, a bare sign, or one of ``noise``."""
    bare = word.lower().strip(_EDGES + "-–/+")
    return not bare or bare in COMMON_WORDS or bare in noise


def split_brackets(text: str) -> tuple[str, tuple[str, ...]]:
    """The text outside of brackets, and what stands in each pair."""
    inner = tuple((a or b).strip() for a, b in _BRACKETS.findall(text))
    return " ".join(_BRACKETS.sub(" ", text).split()), inner
