"""What is known of a stack: findings with their evidence, and the weakest of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from matrix.domain.check_requirements import StackPackage


class Answer(StrEnum):
    """What a finding or a whole stack says; nothing works by not being known."""

    WORKS = "works"
    CONDITIONAL = "conditional"
    UNKNOWN = "unknown"
    BREAKS = "breaks"


_WEAKEST_LAST = tuple(Answer)


class Subject(StrEnum):
    """What a finding is about."""

    PACKAGE = "package"
    IMAGE = "image"
    PLUGIN = "plug-in"
    VERDICT = "verdict"
    STACK = "stack"


@dataclass(frozen=True, slots=True)
class StackEvidence:
    """Where a finding stands: a claim by its uid, or the file that states a requirement."""

    text: str
    claim: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class StackFinding:
    """What is known of one part of a stack.

    ``code`` is constant and has a sentence in the pages; ``facts`` fill it.
    """

    code: str
    answer: Answer
    subject: Subject
    name: str
    seen: str = ""
    wanted: str = ""
    line: int | None = None
    evidence: tuple[StackEvidence, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)


def weakest_answer(findings: Iterable[StackFinding]) -> Answer:
    """The answer of a stack: its weakest finding, unknown where there is none.

    That an image is known says what it is, and nothing of how it works.
    """
    found = list(findings)
    if all(finding.subject is Subject.IMAGE for finding in found):
        found = [finding for finding in found if finding.answer is not Answer.WORKS]
    answers = [finding.answer for finding in found]
    return max(answers, key=_WEAKEST_LAST.index, default=Answer.UNKNOWN)


@dataclass(frozen=True, slots=True)
class StatedRequirement:
    """One requirement that a file of a release states, as the line reads."""

    name: str
    value: str
    source: str
    url: str = ""
    statement: str = ""


def judge_pin(
    package: StackPackage, stated: StatedRequirement, *, framework: str
) -> StackFinding | None:
    """Whether a package's version meets what a release requires of it.

    ``None`` where the requirement holds only on other machines or names no version. A local part
    (``2.8.0+cu128``) is compared only where the requirement names one.
    """
    requirement = _line_of(stated) or _named_in_words(stated)
    if requirement is None or not str(requirement.specifier):
        return None
    evidence = (StackEvidence(text=f"{stated.source}: {stated.value}"[:300], url=stated.url),)
    wanted = str(requirement.specifier) if _line_of(stated) else stated.value.strip()
    facts = {"framework": framework, "name": package.name, "wanted": wanted}
    if not package.version:
        seen = package.specifier or "any version"
        return StackFinding(
            code="version-open", answer=Answer.CONDITIONAL, subject=Subject.PACKAGE,
            name=package.name, seen=seen, wanted=wanted, line=package.line, evidence=evidence,
            facts={**facts, "seen": seen},
        )  # fmt: skip
    try:
        version = Version(package.version)
    except InvalidVersion:
        return StackFinding(
            code="version-unreadable", answer=Answer.UNKNOWN, subject=Subject.PACKAGE,
            name=package.name, seen=package.version, wanted=wanted, line=package.line,
            evidence=evidence, facts={**facts, "seen": package.version},
        )  # fmt: skip
    met = requirement.specifier.contains(version, prereleases=True)
    if not met and _line_of(stated) is None:
        # A page that names a version says what was tried, not what the installer refuses.
        code, answer = "pin-differs", Answer.CONDITIONAL
    elif not met and requirement.marker is not None:
        # The requirement may be for another machine than this stack's.
        code, answer = "pin-under-marker", Answer.CONDITIONAL
        facts["marker"] = str(requirement.marker)
    else:
        code, answer = ("pin-met", Answer.WORKS) if met else ("pin-broken", Answer.BREAKS)
    return StackFinding(
        code=code, answer=answer, subject=Subject.PACKAGE, name=package.name,
        seen=package.version, wanted=wanted, line=package.line, evidence=evidence,
        facts={**facts, "seen": package.version},
    )  # fmt: skip


# Other names under which pages speak of packages.
_NAMES_IN_WORDS = {"pytorch": "torch"}


def package_of(stated: StatedRequirement) -> str:
    """The canonical name of the package that a requirement is about."""
    name = canonicalize_name(stated.name)
    return _NAMES_IN_WORDS.get(name, name)


def _line_of(stated: StatedRequirement) -> Requirement | None:
    """The requirement where the statement is a line for an installer."""
    try:
        found = Requirement(stated.value.split(" #", 1)[0].strip())
    except InvalidRequirement:
        return None
    return found if canonicalize_name(found.name) == canonicalize_name(stated.name) else None


def _named_in_words(stated: StatedRequirement) -> Requirement | None:
    """The requirement of a page's words: a range, or a version of which a part may be left out."""
    value = stated.value.strip()
    texts = [f"{package_of(stated)}=={value}.*", f"{package_of(stated)}=={value}"]
    if value[:1] in "<>!=~":
        texts = [f"{package_of(stated)}{value}"]
    for text in texts:
        try:
            return Requirement(text)
        except InvalidRequirement:
            continue
    return None
