"""Answers which parts of a stack are known to work or to break for a model and a hardware."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from matrix.asking import QuestionReader
from matrix.checking.answering import FrameworkAnswer, answer_check
from matrix.checking.asking import read_check
from matrix.checking.stack_images import find_image
from matrix.checking.stack_names import ImageReference, framework_of_package, read_image
from matrix.checking.stack_pins import judge_pins, settings_of
from matrix.checking.stack_torch import judge_build, judge_torch
from matrix.domain.catalogue import Catalogue
from matrix.domain.check_outcomes import Outcome
from matrix.domain.check_requirements import Stack, StackPackage, read_stack
from matrix.domain.check_stack import (
    Answer,
    StackEvidence,
    StackFinding,
    Subject,
    weakest_answer,
)
from matrix.domain.errors import RunproofError, UnknownVersion
from matrix.domain.levels import Axis, SupportLevel
from matrix.domain.memory.values import FitLevel, MemoryEstimate
from matrix.domain.phrases import Phrase
from matrix.domain.versions import normalise_version
from matrix.index import Knowledge

MOST_EVIDENCE = 5
QUESTION_NAMES = ("model", "quantization", "hardware", "count", "feature")

_ANSWER_OF_LEVEL = {
    SupportLevel.SUPPORTED: Answer.WORKS,
    SupportLevel.CONDITIONAL: Answer.CONDITIONAL,
    SupportLevel.PARTIAL: Answer.CONDITIONAL,
    SupportLevel.UNKNOWN: Answer.UNKNOWN,
    SupportLevel.UNSUPPORTED: Answer.BREAKS,
}
# What memory adds to a verdict; what fits adds nothing of its own.
_ANSWER_OF_FIT = {
    FitLevel.DOES_NOT_FIT: Answer.BREAKS,
    FitLevel.EXCEEDS: Answer.CONDITIONAL,
    FitLevel.TIGHT: Answer.CONDITIONAL,
}


class NothingToCheck(RunproofError):
    """Neither a lock file nor an image."""

    def __init__(self) -> None:
        super().__init__(
            message=Phrase(
                "requirements is missing; accepted: the text of a requirements or "
                "lock file, or image, or both."
            ),
            code="missing-parameter",
            facts={"parameter": "requirements"},
        )


@dataclass(frozen=True, slots=True)
class StackFramework:
    """A framework of the stack: the release that was recognised, and its answer.

    ``version`` is ``None`` where the stack leaves it open, or names no known release; then
    ``is_release_known`` is off and nothing is asked, and ``answer`` is ``None``.
    """

    slug: str
    version: str | None
    found_as: str
    line: int | None = None
    answer: FrameworkAnswer | None = None
    is_release_known: bool = True


@dataclass(frozen=True, slots=True)
class StackAnswer:
    """Everything that is known of a stack; the weakest finding is the answer."""

    answer: Answer
    frameworks: tuple[StackFramework, ...]
    findings: tuple[StackFinding, ...]
    stack: Stack
    as_of: date
    revision: int


def check_stack(
    knowledge: Knowledge,
    reader: QuestionReader,
    *,
    requirements: str = "",
    image: str = "",
    words: Mapping[str, Sequence[str]] | None = None,
) -> StackAnswer:
    """The findings of a stack with the verdict for what ``words`` ask about.

    **Raises**: ``UnreadableStack``, ``NothingToCheck``, and what reading a check raises.
    **Queries**: 1 for an image and 1 for each framework found.
    """
    if not requirements.strip() and not image.strip():
        raise NothingToCheck
    stack = read_stack(requirements)
    reference = read_image(image) if image.strip() else None
    as_of = reader.read_day("as_of", (words or {}).get("as_of", [""])[0]) or reader.today
    found, findings = _recognise(knowledge.catalogue, stack, reference, as_of=as_of)
    findings += _plugin_findings(knowledge.catalogue, found)
    findings += _missing_files(stack)
    frameworks = []
    for one in _asked_ones(knowledge.catalogue, found):
        hardware, answered = "", one
        asks = any((words or {}).get(name) for name in QUESTION_NAMES)
        if asks and one.is_release_known:
            answered, hardware = _ask(knowledge, reader, one, stack, words or {})
            findings += _verdict_findings(answered)
        vendor = _vendor_of(knowledge.catalogue, hardware)
        from_package = one.line is not None
        findings += judge_build(
            knowledge.catalogue, stack, one.slug, hardware=vendor, from_package=from_package
        )
        findings += judge_torch(knowledge, stack, hardware=hardware, as_of=as_of)
        findings += judge_pins(knowledge.catalogue, stack, one.slug, one.version, hardware=vendor)
        frameworks.append(answered)
    return StackAnswer(
        answer=weakest_answer(findings),
        frameworks=tuple(frameworks),
        findings=tuple(sorted(findings, key=_weakest_first)),
        stack=stack,
        as_of=as_of,
        revision=knowledge.revision,
    )


def _missing_files(stack: Stack) -> Iterable[StackFinding]:
    """Files that the lock file goes on in: what they pin, nobody has seen."""
    for one in stack.left_out:
        if one.code == "include":
            yield StackFinding(
                code="file-not-sent",
                answer=Answer.UNKNOWN,
                subject=Subject.PACKAGE,
                name=one.text,
                line=one.line,
                facts={"name": one.text},
            )


def _vendor_of(catalogue: Catalogue, hardware: str) -> str:
    return catalogue.trees.tree(Axis.HARDWARE).up(hardware)[-1] if hardware else ""


def _weakest_first(finding: StackFinding) -> int:
    return -list(Answer).index(finding.answer)


# -- what the stack holds -------------------------------------------------------------------------


def _recognise(
    catalogue: Catalogue, stack: Stack, reference: ImageReference | None, *, as_of: date
) -> tuple[list[StackFramework], list[StackFinding]]:
    found: dict[str, StackFramework] = {}
    findings: list[StackFinding] = []
    for package in stack.packages:
        slug = framework_of_package(catalogue, package.name)
        if slug and slug not in found:
            found[slug], said = _of_package(catalogue, slug, package, as_of=as_of)
            findings += said
    if reference is not None:
        of_image, said = find_image(catalogue, reference, as_of=as_of)
        findings += said
        if of_image is not None:
            slug, version = of_image
            pinned = found.get(slug)
            if pinned is None:
                found[slug] = StackFramework(
                    slug, version, reference.raw, is_release_known=version is not None
                )
            elif pinned.version and version and pinned.version != version:
                findings.append(_differing(catalogue, pinned, reference, version))
    if not found:
        findings.append(
            StackFinding(
                code="no-framework", answer=Answer.UNKNOWN, subject=Subject.STACK, name="stack"
            )
        )
    return list(found.values()), findings


def _of_package(
    catalogue: Catalogue, slug: str, package: StackPackage, *, as_of: date
) -> tuple[StackFramework, list[StackFinding]]:
    name = catalogue.area("framework")[slug].name
    facts = {"framework": name, "name": package.name, "seen": package.version}
    if not package.version:
        seen = package.specifier or "any version"
        finding = StackFinding(
            code="framework-version-open", answer=Answer.CONDITIONAL, subject=Subject.PACKAGE,
            name=package.name, seen=seen, line=package.line, facts={**facts, "seen": seen},
        )  # fmt: skip
        return StackFramework(slug, None, package.name, package.line), [finding]
    history = catalogue.histories[slug]
    release = history.find(package.version)
    if release is None or release.released_on > as_of:
        near = _nearest(history.asked_rank, package.version, as_of)
        finding = StackFinding(
            code="release-unknown", answer=Answer.UNKNOWN, subject=Subject.PACKAGE,
            name=package.name, seen=package.version, wanted=near, line=package.line, facts=facts,
        )  # fmt: skip
        unknown = StackFramework(slug, None, package.name, package.line, is_release_known=False)
        return unknown, [finding]
    findings = []
    if release.yanked:
        findings.append(
            StackFinding(
                code="release-withdrawn", answer=Answer.CONDITIONAL, subject=Subject.PACKAGE,
                name=package.name, seen=package.version, line=package.line, facts=facts,
            )
        )  # fmt: skip
    return StackFramework(slug, release.version, package.name, package.line), findings


def _nearest(asked_rank: object, version: str, as_of: date) -> str:
    """Near releases in words, for a version that is none."""
    try:
        asked_rank(version, as_of=as_of)  # type: ignore[operator]
    except UnknownVersion as error:
        near = error.facts.get("nearest")
        return ", ".join(str(name) for name in near) if isinstance(near, list) else ""
    except RunproofError:
        return ""
    return ""


def _differing(
    catalogue: Catalogue, pinned: StackFramework, reference: ImageReference, version: str
) -> StackFinding:
    return StackFinding(
        code="image-and-lock-differ",
        answer=Answer.UNKNOWN,
        subject=Subject.IMAGE,
        name=reference.raw,
        seen=version,
        wanted=str(pinned.version),
        line=pinned.line,
        facts={
            "framework": catalogue.area("framework")[pinned.slug].name,
            "seen": version,
            "wanted": str(pinned.version),
        },
    )


def _asked_ones(catalogue: Catalogue, found: Sequence[StackFramework]) -> list[StackFramework]:
    """Those whose verdict decides: a plug-in speaks for the framework that it is plugged into."""
    slugs = {one.slug for one in found}
    parents = {
        catalogue.area("framework")[slug].parent
        for slug in slugs
        if catalogue.area("framework")[slug].kind in ("plugin", "binding")
    }
    return [one for one in found if one.slug not in parents]


def _plugin_findings(
    catalogue: Catalogue, found: Sequence[StackFramework]
) -> Iterable[StackFinding]:
    """Whether each plug-in stands on the upstream release that it is made for."""
    by_slug = {one.slug: one for one in found}
    for one in found:
        node = catalogue.area("framework")[one.slug]
        upstream = by_slug.get(node.parent or "")
        if upstream is None or one.version is None:
            continue
        expected = catalogue.upstreams.get(one.slug, {}).get(one.version, "")
        facts = {
            "plugin": f"{node.name} {one.version}",
            "framework": catalogue.area("framework")[upstream.slug].name,
            "wanted": expected,
            "seen": upstream.version or "",
        }
        if not expected or upstream.version is None:
            code, answer = "upstream-unknown", Answer.UNKNOWN
        elif normalise_version(expected) == normalise_version(upstream.version):
            code, answer = "upstream-met", Answer.WORKS
        else:
            code, answer = "upstream-broken", Answer.BREAKS
        sources = [catalogue.sources[key] for key in node.sources if key in catalogue.sources]
        yield StackFinding(
            code=code,
            answer=answer,
            subject=Subject.PLUGIN,
            name=one.slug,
            seen=upstream.version or "",
            wanted=expected,
            line=upstream.line,
            evidence=tuple(
                StackEvidence(text=source.title, url=source.url)
                for source in sources[:1]
                if expected
            ),
            facts=facts,
        )


# -- the verdict ----------------------------------------------------------------------------------


def _ask(
    knowledge: Knowledge,
    reader: QuestionReader,
    one: StackFramework,
    stack: Stack,
    words: Mapping[str, Sequence[str]],
) -> tuple[StackFramework, str]:
    """The framework with its answer for what was asked about, and the asked hardware."""
    asked = {name: list(words[name]) for name in (*QUESTION_NAMES, "as_of") if words.get(name)}
    asked["framework"] = [one.slug]
    asked["setting"] = [f"{name}:{value}" for name, value in settings_of(stack).items()]
    if one.version:
        asked["version"] = [one.version]
    question = read_check(reader, asked)
    answer = answer_check(knowledge, reader, question).answers[0]
    answered = StackFramework(one.slug, one.version, one.found_as, one.line, answer)
    return answered, question.cell.nodes.get(Axis.HARDWARE, "")


def _verdict_findings(one: StackFramework) -> Iterable[StackFinding]:
    answer = one.answer
    if answer is None:
        return
    verdict = answer.verdict
    yield StackFinding(
        code=f"verdict-{verdict.level.value}",
        answer=_ANSWER_OF_LEVEL[verdict.level],
        subject=Subject.VERDICT,
        name=one.slug,
        seen=verdict.version or "",
        line=one.line,
        evidence=tuple(
            StackEvidence(
                text=candidate.claim.statement,
                claim=candidate.claim.uid,
                url=candidate.observation.document.url,
            )
            for candidate in verdict.deciding[:MOST_EVIDENCE]
        ),
    )
    if answer.estimate is not None and answer.estimate.fit.level in _ANSWER_OF_FIT:
        yield _memory_finding(one.slug, answer.estimate)
    elif answer.outcome is Outcome.ROOM_UNKNOWN:
        # Nothing works by not being known.
        yield StackFinding(
            code="memory-unknown", answer=Answer.UNKNOWN, subject=Subject.VERDICT, name=one.slug
        )


def _memory_finding(slug: str, estimate: MemoryEstimate) -> StackFinding:
    """What lacks: the weights against the device, else the least need against the engine's part."""
    fit = estimate.fit
    needed, given = fit.needed_low_bytes, fit.engine_bytes or fit.usable_bytes
    if fit.level is FitLevel.DOES_NOT_FIT:
        needed, given = estimate.share.weights_bytes, fit.usable_bytes
    return StackFinding(
        code=f"memory-{fit.level.value}",
        answer=_ANSWER_OF_FIT[fit.level],
        subject=Subject.VERDICT,
        name=slug,
        seen=str(needed or ""),
        wanted=str(given or ""),
    )
