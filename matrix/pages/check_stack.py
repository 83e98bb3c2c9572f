"""The context of a stack check: the answer first, then each finding with its evidence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from matrix.checking.stacks import StackAnswer
from matrix.domain.catalogue import Catalogue
from matrix.domain.check_requirements import LeftOut
from matrix.domain.check_stack import Answer, StackEvidence, StackFinding
from matrix.index import Knowledge
from matrix.pages.check_words import OutcomeSign
from matrix.pages.links import cell_url, node_name
from matrix.pages.memory_words import size_text

ANSWER_SIGNS: Mapping[Answer, OutcomeSign] = {
    Answer.WORKS: OutcomeSign("works", "supported", "✓", _("known to work")),
    Answer.CONDITIONAL: OutcomeSign("conditional", "conditional", "◐", _("under conditions")),
    Answer.UNKNOWN: OutcomeSign("unknown", "unknown", "?", _("unknown")),
    Answer.BREAKS: OutcomeSign("breaks", "unsupported", "✕", _("known to break")),
}
ANSWER_SENTENCES: Mapping[Answer, Promise] = {
    Answer.WORKS: _("Everything that was checked is known to work together."),
    Answer.CONDITIONAL: _("It works under the conditions below; nothing is known to break."),
    Answer.UNKNOWN: _("For a part of it nothing is known; that is neither a yes nor a no."),
    Answer.BREAKS: _("At least one part is known to break."),
}
FINDING_SENTENCES: Mapping[str, Promise] = {
    "pin-met": _("%(name)s is pinned at %(seen)s; %(framework)s requires %(wanted)s."),
    "pin-broken": _("%(name)s is pinned at %(seen)s, but %(framework)s requires %(wanted)s."),
    "build-for-other-hardware": _(
        "%(name)s %(seen)s is a build for other hardware than that of %(vendor)s."
    ),
    "torch-supported": _("The wheels of torch %(seen)s are built for %(hardware)s."),
    "torch-conditional": _(
        "The wheels of torch %(seen)s are built for %(hardware)s in some CUDA releases only."
    ),
    "torch-partial": _("The wheels of torch %(seen)s are built for %(hardware)s in part."),
    "torch-unsupported": _("The wheels of torch %(seen)s are not built for %(hardware)s."),
    "build-not-named": _(
        "Which build of %(framework)s is installed is not named; for %(vendor)s it must be one for"
        " that hardware, which a package index may not carry."
    ),
    "pin-differs": _("%(name)s is pinned at %(seen)s; a page of %(framework)s names %(wanted)s."),
    "pin-under-marker": _(
        "%(name)s is pinned at %(seen)s; %(framework)s requires %(wanted)s where %(marker)s."
    ),
    "version-open": _("%(name)s may become %(seen)s; %(framework)s requires %(wanted)s."),
    "version-unreadable": _(
        "%(name)s is pinned at %(seen)s, which is no version that compares with %(wanted)s."
    ),
    "pins-unknown": _(
        "What %(framework)s requires of %(names)s is not recorded, so nothing is said of them."
    ),
    "file-not-sent": _(
        "%(name)s names another file that was not sent along; nothing is said of what it pins."
    ),
    "framework-version-open": _(
        "The stack leaves the version of %(framework)s open (%(seen)s); the newest stable release"
        " is asked about."
    ),
    "release-unknown": _("%(framework)s %(seen)s is no release that is known here."),
    "release-withdrawn": _("%(framework)s %(seen)s was withdrawn from its index."),
    "no-framework": _("No package and no image of a known inference framework was found."),
    "image-known": _("%(image)s was seen in its registry as an image of %(framework)s %(seen)s."),
    "image-tag-moved": _(
        "The tag of %(image)s has stood for several images; the newest one is of"
        " %(framework)s %(seen)s. Name a digest."
    ),
    "image-by-tag": _(
        "%(image)s is taken for %(framework)s %(seen)s by its tag; no registry answer about it is"
        " recorded."
    ),
    "image-release-unknown": _("The tag of %(image)s names no known release of %(framework)s."),
    "image-digest-unknown": _("%(image)s has a digest that was never seen in its registry."),
    "image-unknown": _("%(image)s is no image of a known framework."),
    "image-and-lock-differ": _(
        "The image holds %(framework)s %(seen)s, the lock file pins %(wanted)s."
    ),
    "upstream-met": _("%(plugin)s is made for %(framework)s %(wanted)s, which the stack pins."),
    "upstream-broken": _(
        "%(plugin)s is made for %(framework)s %(wanted)s, but the stack pins %(seen)s."
    ),
    "upstream-unknown": _("For which release of %(framework)s %(plugin)s is made is not known."),
    "verdict-supported": _("%(framework)s supports what is asked about."),
    "verdict-conditional": _("%(framework)s supports what is asked about under conditions."),
    "verdict-partial": _("%(framework)s supports what is asked about in part."),
    "verdict-unsupported": _("%(framework)s does not support what is asked about."),
    "verdict-unknown": _("Whether %(framework)s supports what is asked about is unknown."),
    "memory-does-not-fit": _(
        "The weights alone do not fit: %(low)s per device of %(have)s under %(framework)s."
    ),
    "memory-exceeds": _(
        "By the estimate it does not fit: at least %(low)s per device of %(have)s under"
        " %(framework)s."
    ),
    "memory-unknown": _("Whether there is room for it under %(framework)s could not be told."),
    "memory-tight": _(
        "It may not fit: at least %(low)s per device of %(have)s under %(framework)s."
    ),
}
LEFT_OUT_WORDS: Mapping[str, Promise] = {
    "include": _("another file, which is not followed"),
    "option": _("an option of the installer"),
    "address": _("an address that names no package"),
    "no-version": _("a package without a version"),
}


@dataclass(frozen=True, slots=True)
class FindingView:
    """One finding as it is shown."""

    sign: OutcomeSign
    sentence: str
    line: int | None
    evidence: Sequence[StackEvidence]


@dataclass(frozen=True, slots=True)
class StackFrameworkView:
    """A framework of the stack, with the page of its verdict where one was asked for."""

    name: str
    version: str
    found_as: str
    level: str
    page: str


@dataclass(frozen=True, slots=True)
class StackPage:
    """Everything that the page of a checked stack shows."""

    sign: OutcomeSign
    sentence: Promise
    frameworks: Sequence[StackFrameworkView]
    findings: Sequence[FindingView]
    packages: int
    left_out: Sequence[tuple[LeftOut, Promise]]


def build_stack_page(knowledge: Knowledge, answer: StackAnswer) -> StackPage:
    """The context of a checked stack."""
    catalogue = knowledge.catalogue
    return StackPage(
        sign=ANSWER_SIGNS[answer.answer],
        sentence=ANSWER_SENTENCES[answer.answer],
        frameworks=[
            StackFrameworkView(
                name=node_name(catalogue, "framework", one.slug),
                version=one.version or "",
                found_as=one.found_as,
                level=one.answer.verdict.level.value if one.answer else "",
                page=cell_url(one.answer.verdict.cell, as_of=answer.as_of) if one.answer else "",
            )
            for one in answer.frameworks
        ],
        findings=[
            FindingView(
                sign=ANSWER_SIGNS[finding.answer],
                sentence=finding_sentence(catalogue, finding),
                line=finding.line,
                evidence=finding.evidence,
            )
            for finding in answer.findings
        ],
        packages=len(answer.stack.packages),
        left_out=[(one, LEFT_OUT_WORDS[one.code]) for one in answer.stack.left_out],
    )


def finding_sentence(catalogue: Catalogue, finding: StackFinding) -> str:
    """A finding in one sentence."""
    facts = dict(finding.facts)
    facts.setdefault("framework", finding.name)
    facts["framework"] = node_name(catalogue, "framework", facts["framework"])
    if finding.code.startswith("verdict-"):
        facts["framework"] = f"{facts['framework']} {finding.seen}".strip()
    if finding.code.startswith("memory-"):
        facts["low"] = size_text(int(finding.seen) if finding.seen else None)
        facts["have"] = size_text(int(finding.wanted) if finding.wanted else None)
    return str(FINDING_SENTENCES[finding.code] % facts)
