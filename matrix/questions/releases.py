"""Version words of a question: which release is meant, and on which day it is asked."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from packaging.version import InvalidVersion, Version

from matrix.domain.versions import Release, ReleaseHistory, normalise_version
from matrix.questions.changes import Changes, cited_change

# Dates, pull requests and versions of other software are not versions of the framework.
_NOT_VERSIONS = re.compile(
    r"\b(?:19|20)\d\d-\d\d(?:-\d\d)?(?:/\d\d)?\b|\bPR\s*#?\d+|#\d+"
    r"|\b(?:CUDA|cu|ROCm|torch|PyTorch|Python|driver|CANN)\s*[<>=]*\s*\d[\d.]*\b",
    re.IGNORECASE,
)
_VERSION = re.compile(
    r"(?P<bound><=|≤|<|\bbefore\s+|\bup to\s+|\buntil\s+)?\s*(?<![\w.])v?"
    r"(?P<text>\d+(?:\.\d+)+(?:\.?(?:post|rc|dev|a|b)\d*)?(?P<series>\.x)?|\d+(?P<major>\.x))"
    r"(?:\+[\w.]+)?(?P<after>\s*-?(?:dev|nightly)\b|\s+or (?:earlier|older))?",
    re.IGNORECASE,
)
_BUILD = re.compile(r"(?P<bound><=|≤|<|\bbefore\s+)?\s*\bb(?P<digits>\d{3,5})(?P<open>x?)\b")
_BUILD_WORD = re.compile(r"\bbuild\s+(?P<digits>\d{3,5})\b")
_KNOWN_BUILD = re.compile(r"^b(\d+)$")
_VARIANT = re.compile(r"\bfork\b|\bpatched\b|\bcustom\b", re.IGNORECASE)
_BARE_DEV = re.compile(r"\.?dev$", re.IGNORECASE)
_DEVELOPMENT = re.compile(r"\b(?:main|master|nightly|dev|self-built|source)\b", re.IGNORECASE)
_CHANGE = re.compile(
    r"\b(?:after|since)\b|\bPR\s*#?\d+|#\d+|\bon(?:ward)?\s*\(|…\s*(?:$|\()", re.IGNORECASE
)
_BEFORE = re.compile(r"\b(?:before|until|up to|or earlier)\b|<", re.IGNORECASE)
# "from 0.6.5 on": a version in running text, not a number of something else.
_IN_SENTENCE = re.compile(r"\b(?:from|since|until|before)\s+(v?\d+\.\d+(?:\.\d+)*)\b")
# Names such as "0.14.0-b8.3.1" that no version scheme reads.
_HYPHENATED = re.compile(r"(?<![\w.<=≤-])\d+(?:\.\d+)+-[a-z]+[\d.]*\d\b", re.IGNORECASE)
NO_CHANGES: Changes = {}
_STABLE_LINES = frozenset({"stable", "post"})


@dataclass(frozen=True, slots=True)
class AskedRelease:
    """The release and the day to ask for, with what had to be assumed.

    ``after_change`` holds where the text places the question after a change it names,
    ``change_known`` where a claim tells which release that is; ``next_release`` is the first one
    that can hold a development build, beside the newest one of the day.
    **Dates**: ``as_of`` is the question's day, moved to the release's day where that is later.
    """

    version: str | None
    as_of: date
    notes: tuple[str, ...] = ()
    after_change: bool = False
    change_known: bool = False
    next_release: tuple[str, date] | None = None
    restrictions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Spec:
    """One version as written: exact, a series ("0.6.x"), or a bound."""

    text: str
    version: Version
    series: bool = False
    below: bool = False
    at_most: bool = False
    development: bool = False


def find_release(
    text: str | None,
    *,
    history: ReleaseHistory,
    as_of: date,
    sentence: str = "",
    changes: Changes = NO_CHANGES,
) -> AskedRelease:
    """The release that free version text means on a day.

    The newest named release that was out on the day wins; one that came later moves the day to
    its publication; without a named release the newest stable one on the day is asked, or, after a
    named change, the first one that holds it, where a claim tells, or else can hold it. A version
    that only the sentence names counts where the text names none.
    """
    text = text or ""
    notes: list[str] = []
    found = _named(text, history, as_of, notes)
    change = cited_change(text, history.framework, changes)
    if not found and change is None:
        found = _named(" ".join(_IN_SENTENCE.findall(sentence)), history, as_of, notes)
    following = None
    if not found and change is None and _DEVELOPMENT.search(text):
        notes.append("a development build lies between the newest release of the day and the next")
        following = _first_after(history, as_of)
    before = bool(_BEFORE.search(text))
    after_change = bool(_CHANGE.search(text)) and not before
    told = None if change is None else history.find(change.before if before else change.first)
    if told and (not found or (after_change and _is_later(told, found, history))):
        found = [told]
        notes.append(f"the change is told apart by {told.version}")
    if not found and after_change and (first := _first_after(history, as_of)):
        found, following = [first], None
    version, day = _pick(found, history, as_of, notes)
    variants = dict.fromkeys(_VARIANT.findall(text))
    return AskedRelease(
        version=version,
        as_of=day,
        notes=tuple(notes),
        after_change=after_change,
        change_known=told is not None and found == [told],
        next_release=(following.version, following.released_on) if following else None,
        restrictions=tuple(f"version variant {word!r}" for word in variants),
    )


def _named(text: str, history: ReleaseHistory, as_of: date, notes: list[str]) -> list[Release]:
    literal = [release for word in _HYPHENATED.findall(text) if (release := history.find(word))]
    if literal:
        return literal
    found = (*_builds(text, history, notes), *_versions(text, history, as_of, notes))
    return [release for release in found if release is not None]


def _is_later(told: Release, found: list[Release], history: ReleaseHistory) -> bool:
    """Whether the release that first holds a change comes after all that the text names."""
    return all(history.rank(told.version) > history.rank(r.version) for r in found)


def _first_after(history: ReleaseHistory, day: date) -> Release | None:
    """The first release that can hold a change of that day.

    Projects that cut their stable releases from older branches publish the change in a candidate of
    the next version first: of the next stable and the next of any kind, the higher one is meant.
    """
    order = {release.version: rank for rank, release in enumerate(history.releases)}
    later = sorted((r for r in history.releases if r.released_on > day), key=_published)
    stable = next((r for r in later if r.line in _STABLE_LINES), None)
    found = [release for release in (stable, *later[:1]) if release]
    return max(found, key=lambda r: order[r.version], default=None)


def _published(release: Release) -> date:
    return release.released_on


def _pick(
    found: list[Release], history: ReleaseHistory, as_of: date, notes: list[str]
) -> tuple[str | None, date]:
    """The release of those named that answers, and the day to ask it for."""
    if not found:
        return None, as_of
    order = {release.version: rank for rank, release in enumerate(history.releases)}
    out = [release for release in found if release.released_on <= as_of]
    if out:
        return max(out, key=lambda r: order[r.version]).version, as_of
    first = min(found, key=lambda r: r.released_on)
    notes.append(
        f"{first.version} was released on {first.released_on.isoformat()}, "
        f"after the asked {as_of.isoformat()}: answered for its release day"
    )
    return first.version, first.released_on


def _builds(text: str, history: ReleaseHistory, notes: list[str]) -> Iterator[Release | None]:
    known = (
        sorted(
            (int(match.group(1)), release)
            for release in history.releases
            if (match := _KNOWN_BUILD.match(release.version))
        )
        if _BUILD.search(text) or _BUILD_WORD.search(text)
        else []
    )
    for match in (*_BUILD.finditer(text), *_BUILD_WORD.finditer(text)):
        facts = match.groupdict()
        number = int(facts["digits"] + ("9" if facts.get("open") else ""))
        at_or_before = [item for item in known if item[0] <= number]
        if not at_or_before:
            continue
        nearest, release = at_or_before[-1]
        if nearest != number:
            notes.append(f"b{facts['digits']} is not recorded: nearest at or before is b{nearest}")
        yield release


def _versions(
    text: str, history: ReleaseHistory, as_of: date, notes: list[str]
) -> Iterator[Release | None]:
    parsed = [(v, r) for r in history.releases if (v := _parse(r.version)) is not None]
    if not parsed:
        return
    for spec in _specs(text):
        yield _resolve(spec, parsed, as_of, notes)


def _specs(text: str) -> Iterator[_Spec]:
    for match in _VERSION.finditer(_NOT_VERSIONS.sub(" ", text)):
        bound = (match.group("bound") or "").strip().lower()
        after = (match.group("after") or "").strip(" -").lower()
        series = bool(match.group("series") or match.group("major"))
        word = re.sub(r"\.x$", "", match.group("text"), flags=re.IGNORECASE)
        version = _parse(word)
        if version is None:
            continue
        yield _Spec(
            text=match.group("text"),
            version=version,
            series=series or (len(version.release) < 3 and not version.is_prerelease),
            below=bound in {"<", "before"} or after in {"dev", "nightly"},
            development=bool(_BARE_DEV.search(word)) or after in {"dev", "nightly"},
            at_most=bound in {"<=", "≤", "up to", "until"} or after.startswith("or "),
        )


def _resolve(
    spec: _Spec, parsed: list[tuple[Version, Release]], as_of: date, notes: list[str]
) -> Release | None:
    if spec.below and spec.development:
        # "0.8.0 dev" is on the way to 0.8.0: a dated build of it, else the release itself.
        if dated := _dated(spec, parsed, as_of, notes):
            return dated
        if coming := [r for v, r in parsed if v == spec.version]:
            return coming[0]
    if spec.below or spec.at_most:
        wanted = [
            (v, r)
            for v, r in parsed
            if (v < spec.version or (spec.at_most and _in(spec, v))) and r.released_on <= as_of
        ]
        return _newest(wanted)
    if spec.series:
        members = [(v, r) for v, r in parsed if _in(spec, v)]
        stable = [(v, r) for v, r in members if r.line in _STABLE_LINES and r.released_on <= as_of]
        if members:
            lasting = [item for item in members if item[1].line in _STABLE_LINES] or members
            return _newest(stable) or min(lasting, key=lambda item: item[1].released_on)[1]
    if spec.development and (dated := _dated(spec, parsed, as_of, notes)):
        return dated
    exact = [r for v, r in parsed if v == spec.version]
    if exact:
        return exact[0]
    before = _newest([(v, r) for v, r in parsed if v < spec.version], stable=False)
    if before is not None:
        notes.append(f"{spec.text} is not recorded: nearest at or before is {before.version}")
    return before


def _dated(
    spec: _Spec, parsed: list[tuple[Version, Release]], as_of: date, notes: list[str]
) -> Release | None:
    """The newest published development build of the version on the day."""
    dated = [
        (v, r) for v, r in parsed if v.is_devrelease and _in(spec, v) and r.released_on <= as_of
    ]
    found = _newest(dated, stable=False)
    if found is not None:
        notes.append(f"{spec.text} is answered by {found.version}")
    return found


def _in(spec: _Spec, version: Version) -> bool:
    wanted = spec.version.release
    return version.release[: len(wanted)] == wanted


def _newest(items: list[tuple[Version, Release]], *, stable: bool = True) -> Release | None:
    kept = [item for item in items if item[1].line in _STABLE_LINES] if stable else items
    return max(kept or items, key=lambda item: item[0])[1] if items else None


def _parse(text: str) -> Version | None:
    try:
        return Version(normalise_version(text))
    except InvalidVersion:
        return None
