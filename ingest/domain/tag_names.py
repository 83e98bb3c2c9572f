"""What a tag of a code host or of an image names: a version of the framework and its line."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from packaging.version import InvalidVersion, Version

STABLE, POST, RC, DEV, NIGHTLY, SPECIAL = "stable", "post", "rc", "dev", "nightly", "special"
# Lines of finished work; the others announce it.
FINISHED_LINES = (STABLE, POST, SPECIAL)

_REFERENCE = re.compile(r"^(?:refs/)?tags/")
_NUMBERED = re.compile(r"^[vV]?(?P<version>\d+(?:\.\d+)*(?P<rest>[-.+_]?[0-9A-Za-z][\w.+-]*)?)$")
_BUILD = re.compile(r"^b\d+$")
_CANDIDATE = re.compile(
    r"^[-.]?(?:rc|a|b|alpha|beta|c|pre|preview|pre-release)[-.]?\d*(?:\.\d+)*$", re.IGNORECASE
)
_SPECIAL = re.compile(r"^[-.]?(?:sp|pt|patch|hotfix|p)\d+$", re.IGNORECASE)
_NIGHTLY = re.compile(r"nightly|daily|snapshot", re.IGNORECASE)
# From the day after its first semantic version, a numbered build of llama.cpp is no release.
_LAST_BUILD_RELEASE = date(2026, 8, 12)


@dataclass(frozen=True, slots=True)
class TagName:
    """A version as the catalogue writes it, and the release line that it is on."""

    version: str
    line: str


@dataclass(frozen=True, slots=True)
class TagRule:
    """How one framework names its tags where it differs from "version with or without a v".

    **Shapes**: ``prefix`` parts tags of a shared repository; ``ignored`` frameworks live in the
    repository of another one, whose tags are not theirs; ``finished`` are endings that mean a
    finished release all the same; ``any_name`` takes every tag as a name of its own.
    """

    prefix: str = ""
    ignored: bool = False
    builds: bool = False
    finished: str = ""
    any_name: bool = False


TAG_RULES: Mapping[str, TagRule] = {
    "llama.cpp": TagRule(builds=True),
    "ik-llama.cpp": TagRule(any_name=True),
    "llm-scaler-vllm": TagRule(prefix="vllm-", finished=r"^-b[\d.]+$"),
    "vllm-neuron-native": TagRule(prefix="release-"),
    # Their code lies in the repository of another framework, whose tags say nothing about them.
    "sglang-kt": TagRule(ignored=True),
    "hygon-das-vllm": TagRule(ignored=True),
    "hygon-das-sglang": TagRule(ignored=True),
    "vllm-neuron": TagRule(),
}
_USUAL = TagRule()


def name_tag(framework: str, tag: str, *, published: date | None = None) -> TagName | None:
    """The version and line that a tag names; ``None`` for a tag that names no version.

    **Dates**: ``published`` decides only where a framework changed its scheme on a day.
    """
    rule = TAG_RULES.get(framework, _USUAL)
    bare = _REFERENCE.sub("", tag.strip())
    if rule.ignored or not bare.startswith(rule.prefix):
        return None
    bare = bare[len(rule.prefix) :]
    if rule.builds and _BUILD.match(bare):
        late = published is None or published > _LAST_BUILD_RELEASE
        return TagName(version=bare, line=NIGHTLY if late else STABLE)
    if rule.any_name:
        return TagName(version=bare, line=SPECIAL) if bare else None
    match = _NUMBERED.match(bare)
    if match is None:
        return None
    line = _line_of(match["version"], match["rest"] or "", rule)
    return TagName(version=match["version"], line=line) if line else None


def _line_of(version: str, rest: str, rule: TagRule) -> str:
    """The line of a version by its ending; an ending that nothing explains names no version."""
    if not rest or (rule.finished and re.match(rule.finished, rest)):
        return STABLE
    if _NIGHTLY.search(rest):
        return NIGHTLY
    if _SPECIAL.match(rest):
        return SPECIAL
    if _CANDIDATE.match(rest):
        return RC
    try:
        parsed = Version(version)
    except InvalidVersion:
        return ""
    if parsed.local:
        return ""
    if parsed.is_devrelease:
        return DEV
    if parsed.is_prerelease:
        return RC
    return POST if parsed.is_postrelease else STABLE


@dataclass(frozen=True, slots=True)
class ImageTag:
    """A version named by an image tag, and what the rest of the tag says about the variant."""

    version: str
    variant: str


_IMAGE_BUILD = re.compile(r"^(?:(?P<before>[a-z][\w-]*?)-)?(?P<build>b\d+)$")


def name_image_tag(framework: str, tag: str, versions: Mapping[str, str]) -> ImageTag | None:
    """The known version that an image tag names; ``None`` for moving tags and unknown ones.

    **Shapes**: ``versions`` are the catalogue's own spellings by their normalised form; the
    longest known version that the tag begins with counts, the rest is the variant.
    """
    if TAG_RULES.get(framework, _USUAL).builds and (match := _IMAGE_BUILD.match(tag)):
        found = versions.get(match["build"])
        return ImageTag(version=found, variant=match["before"] or "") if found else None
    bare = tag[1:] if tag[:1] in "vV" and tag[1:2].isdigit() else tag
    if not bare[:1].isdigit():
        return None
    for end in _ends(bare):
        found = versions.get(bare[:end].lower())
        if found is not None:
            return ImageTag(version=found, variant=bare[end:].lstrip("-_."))
    return None


def _ends(bare: str) -> list[int]:
    """Where a version may end in a tag: at its end, or before a hyphen; longest first."""
    return [len(bare), *(i for i in range(len(bare) - 1, 0, -1) if bare[i] in "-_")]
