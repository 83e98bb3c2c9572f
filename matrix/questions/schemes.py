"""Quantization words of a question: schemes, KV-cache types, containers and what is left."""

import re
from dataclasses import dataclass

from matrix.domain.aliases import NameTable, Vocabulary
from matrix.domain.catalogue import Catalogue
from matrix.domain.levels import Axis
from matrix.domain.trees import Tree
from matrix.questions.words import Named, find_name, scan_names, split_brackets, word_set

_SPLIT = re.compile(r"\s*[,;]\s*|\s*/\s*|\s+[+&]\s+|\s+(?:and|or|vs)\s+")
_KV = re.compile(
    r"\b(?:kv|[kv])[\s-]*(?:cache)?\b(?:[\s-]*(?:dtype|type|quant\w*))?", re.IGNORECASE
)
_STARTS_KV = re.compile(r"^\s*(?:kv\b|[kv][\s-]?cache\b)", re.IGNORECASE)
_PIECES = re.compile(r"\s*,\s*")
_STORED = re.compile(r"\bstored as\b|\bsaved as\b|\bin\s+(?=[\w-]+\s+format)", re.IGNORECASE)
_OPEN = frozenset({"any", "all", "various", "unknown", "n/a", "default"})
# Producers and formats that hold schemes of several kinds.
_PRODUCERS = frozenset({"compressed-tensors", "modelopt", "quark", "torchao"})
_NOISE = word_set(
    "quant quants quantized quantised quantization quantisation weights weight checkpoint "
    "checkpoints format type types default experts expert linear layers class files file "
    "scales activations asym sym"
)


@dataclass(frozen=True, slots=True)
class AskedSchemes:
    """What a question says of quantization.

    **Shapes**: ``schemes`` and ``kv_dtypes`` are alternatives asked one by one; an empty tuple
    leaves the axis open. ``container`` is set where the text names a file format or producer.
    """

    schemes: tuple[str, ...] = ()
    kv_dtypes: tuple[str, ...] = ()
    container: str | None = None
    features: tuple[str, ...] = ()
    restrictions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Reader:
    """Collects while the parts of one text are read."""

    vocabulary: Vocabulary
    tree: Tree
    schemes: dict[str, None]
    kv: dict[str, None]
    containers: dict[str, None]
    features: dict[str, None]
    left: list[str]
    notes: list[str]
    hints: tuple[str, ...] = ()

    def read(self, text: str) -> None:
        """Reads the whole text: as one name, else part by part."""
        table = self.vocabulary.table(Axis.QUANTIZATION.value)
        whole = find_name(text.strip(), table)
        if whole and not _STARTS_KV.match(text):
            self._take(whole)
            return
        outside, inside = split_brackets(text)
        before = ""
        in_kv = False
        for part in filter(None, _SPLIT.split(outside)):
            # After "KV cache q8_0" the alternatives "/q4_0/bf16" are cache types as well.
            in_kv = bool(_STARTS_KV.match(part)) or (in_kv and "/" in outside)
            self._read_part(part, before, inside, in_kv=in_kv)
            before = part
        for words in inside:
            self._refine(words, outside)

    def _read_part(self, part: str, before: str, inside: tuple[str, ...], *, in_kv: bool) -> None:
        if in_kv:
            self._read_kv(part)
            return
        table = self.vocabulary.table(Axis.QUANTIZATION.value)
        attempts = [part, *(f"{part} ({words})" for words in inside)]
        head = before.split()
        attempts += [" ".join([*head[:n], part]) for n in range(len(head) - 1, 0, -1)]
        certain = [n for a in attempts if (n := find_name(a, table)) and n.certain]
        named = certain[0] if certain else find_name(part, table)
        if named and not (self._is_kv(named) and not named.certain):
            self._take(named)
            return
        first, *stored = _STORED.split(part)
        for words in stored:
            self._take_container(words)
        self._read_words(first)

    def _read_words(self, text: str) -> None:
        scan = scan_names(text, self.vocabulary.table(Axis.QUANTIZATION.value), noise=_NOISE)
        for named in scan.named:
            self._take(named)
        for word in _rejoin(text, scan.left):
            if not self._take_container(word) and not self._take_feature(word):
                self.left.append(word)

    def _read_kv(self, part: str) -> None:
        table = self.vocabulary.table(Axis.KV_DTYPE.value)
        bare = _KV.sub(" ", part).strip(" =:")
        for attempt in (part, f"KV cache {bare}", f"{bare} KV cache", bare):
            named = find_name(attempt, table)
            if named and self._is_kv(named):
                kept = [s for s in named.slugs if "kv-cache" in self.tree.up(s)]
                self.kv.update(dict.fromkeys(kept))
                return
        self.left.append(f"KV cache type {bare!r}")

    def _is_kv(self, named: Named) -> bool:
        return any("kv-cache" in self.tree.up(slug) for slug in named.slugs)

    def _refine(self, words: str, outside: str) -> None:
        """A bracket narrows a scheme, names a container or a feature, or is not understood."""
        if outside.strip().lower() == "none" or words.lower() in _OPEN:
            self._refine_unquantized(words)
            return
        table = self.vocabulary.table(Axis.QUANTIZATION.value)
        for piece in filter(None, _PIECES.split(words)):
            joined = self._joined(piece, outside, table)
            if joined:
                self._narrow(tuple(s for s in joined if s not in self.schemes))
            elif not self._take_container(piece) and not self._take_feature(piece):
                self._refine_words(piece, table)

    def _joined(self, piece: str, outside: str, table: NameTable) -> tuple[str, ...]:
        """What outside and bracket mean as one name, where that lies on the asked branch."""
        head = outside.split()
        attempts = [f"{outside} ({piece})", f"{outside} {piece}"]
        attempts += [f"{word} {piece}" for word in head]
        for attempt in attempts:
            named = find_name(attempt, table)
            if named and named.certain and all(self._is_near(slug) for slug in named.slugs):
                return named.slugs
        return ()

    def _is_near(self, slug: str) -> bool:
        near = {s for t in self.schemes for s in (*self.tree.up(t), *self.tree.down(t))}
        return not self.schemes or slug in near

    def _refine_words(self, words: str, table: NameTable) -> None:
        scan = scan_names(words, table, noise=_NOISE)
        known = tuple(s for s in scan.slugs if any(s in self.tree.down(t) for t in self.schemes))
        if known:
            self._narrow(known)
        stray = [n for n in scan.named if not set(n.slugs) & {*known, *self.schemes}]
        for word in (*scan.left, *(n.word for n in stray)):
            if not self._take_container(word) and not self._take_feature(word):
                self.left.append(word)

    def _refine_unquantized(self, words: str) -> None:
        named = find_name(words, self.vocabulary.table(Axis.QUANTIZATION.value))
        if named and len(named.slugs) == 1 and named.slugs[0] in self.tree.down("none"):
            self.schemes.pop("none", None)
            self.schemes[named.slugs[0]] = None

    def _narrow(self, slugs: tuple[str, ...]) -> None:
        for slug in slugs:
            if any(slug in self.tree.up(asked) for asked in self.schemes):
                continue
            for ancestor in self.tree.up(slug)[1:]:
                self.schemes.pop(ancestor, None)
            self.schemes[slug] = None

    def _take(self, named: Named) -> None:
        if not named.certain:
            known = [*self.schemes, *self.hints]
            inside = [s for s in named.slugs if any(t in self.tree.up(s) for t in known)]
            if inside:
                self._narrow(tuple(inside))
                return
            self.notes.append(f"{named.word!r} may mean {', '.join(named.slugs)}: all were asked")
        for slug in named.slugs:
            if "kv-cache" in self.tree.up(slug):
                self.kv[slug] = None
            else:
                self._narrow((slug,))

    def settle_containers(self, text: str) -> None:
        """A producer beside a scheme is its format; words such as "pre-quantised" name one too."""
        producers = [s for s in self.schemes if s in _PRODUCERS]
        if producers and len(self.schemes) > len(producers):
            for slug in producers:
                self.schemes.pop(slug)
                self.containers.setdefault(slug)
        schemes = self.vocabulary.table(Axis.QUANTIZATION.value)
        for named in scan_names(text, self.vocabulary.table(Axis.CONTAINER.value)).named:
            if not find_name(named.word, schemes) or named.slugs[0] in _PRODUCERS:
                self.containers.update(dict.fromkeys(named.slugs[:1]))

    def _take_container(self, words: str) -> bool:
        table = self.vocabulary.table(Axis.CONTAINER.value)
        bare = re.sub(r"\b(?:checkpoint|format)s?\b", "", words, flags=re.IGNORECASE)
        named = find_name(words, table) or find_name(bare.strip(), table)
        if named:
            self.containers.update(dict.fromkeys(named.slugs[:1]))
        return named is not None

    def _take_feature(self, words: str) -> bool:
        named = find_name(words, self.vocabulary.table("feature"))
        if named:
            self.features.update(dict.fromkeys(named.slugs))
        return named is not None


def _rejoin(text: str, left: tuple[str, ...]) -> list[str]:
    """Words that stand together in the text are one phrase."""
    phrase = " ".join(left)
    return [phrase] if len(left) > 1 and phrase in text else list(left)


def read_schemes(
    text: str | None, catalogue: Catalogue, *, hints: tuple[str, ...] = ()
) -> AskedSchemes:
    """The schemes, cache types and container that free quantization text names.

    ``hints`` are schemes named elsewhere in the question; they only settle an ambiguous word.
    """
    if not text or text.strip().lower() in _OPEN:
        return AskedSchemes()
    reader = _Reader(
        vocabulary=catalogue.vocabulary,
        tree=catalogue.trees.tree(Axis.QUANTIZATION),
        schemes={},
        kv={},
        containers={},
        features={},
        left=[],
        notes=[],
        hints=hints,
    )
    reader.read(text)
    reader.settle_containers(text)
    left = [word for word in reader.left if word.lower() not in _OPEN]
    return AskedSchemes(
        schemes=tuple(reader.schemes),
        kv_dtypes=tuple(reader.kv),
        container=next(iter(reader.containers), None),
        features=tuple(reader.features),
        restrictions=tuple(f"quantization word {word!r}" for word in dict.fromkeys(left)),
        notes=tuple(reader.notes),
    )
