"""Pins of a stack against what the files of a release require."""

import re
from collections.abc import Iterable, Mapping

from matrix.domain.catalogue import Catalogue
from matrix.domain.check_requirements import Stack, StackPackage
from matrix.domain.check_stack import (
    Answer,
    StackFinding,
    StatedRequirement,
    Subject,
    judge_pin,
    package_of,
)
from matrix.models import ReleasePin

# Packages that break a framework most often when they differ from what it was built with.
BUILT_WITH = (
    "torch",
    "torchvision",
    "torchaudio",
    "triton",
    "flash-attn",
    "flashinfer-python",
    "flashinfer",
    "sgl-kernel",
    "xformers",
    "transformers",
    "tensorrt",
    "torch-npu",
    "numpy",
)
# Names under which conditions of claims speak about packages of a stack.
_SETTINGS = (
    "torch",
    "triton",
    "transformers",
    "bitsandbytes",
    "flashinfer",
    "tensorrt",
)
_CUDA_PACKAGES = ("nvidia-cuda-runtime", "nvidia-cuda-runtime-cu12", "nvidia-cuda-runtime-cu13")
_CUDA_OF_LOCAL = re.compile(r"\+cu(\d{2,3})$")
# Which vendor's machines a list of requirements is for, by a word in its name.
_VENDOR_OF_WORD: Mapping[str, str] = {
    "cuda": "nvidia",
    "rocm": "amd",
    "hip": "amd",
    "xpu": "intel",
    "tpu": "google-tpu",
    "neuron": "aws-neuron",
    "hpu": "intel-gaudi",
    "npu": "ascend",
    "musa": "moore-threads",
    "cpu": "cpu",
}
# Lists for those who build, test or write, not for those who run.
_NOT_FOR_RUNNING = frozenset({"test", "tests", "dev", "lint", "docs", "build", "nightly"})


def settings_of(stack: Stack) -> dict[str, str]:
    """The versions that conditions of claims may ask about, by the names that they use."""
    by_name = {package.name: package for package in stack.packages if package.version}
    found = {name: by_name[name].version for name in _SETTINGS if name in by_name}
    if "flashinfer-python" in by_name:
        found.setdefault("flashinfer", by_name["flashinfer-python"].version)
    cuda = _cuda_version(by_name)
    if cuda:
        found["cuda"] = cuda
    return found


def _cuda_version(by_name: Mapping[str, StackPackage]) -> str:
    """The CUDA release that torch was built for, else that of the runtime's package."""
    torch = by_name.get("torch")
    local = _CUDA_OF_LOCAL.search(torch.version) if torch else None
    if local:
        return f"{local[1][:-1]}.{local[1][-1]}"
    for name in _CUDA_PACKAGES:
        if name in by_name:
            return ".".join(by_name[name].version.split(".")[:2])
    return ""


def judge_pins(
    catalogue: Catalogue, stack: Stack, framework: str, version: str | None, *, hardware: str
) -> list[StackFinding]:
    """What the release requires of the packages in the stack; ``hardware`` is a vendor's root.

    Where no file of the release is known, that is said of the packages that matter most.
    **Queries**: 1, none without a known release.
    """
    named = catalogue.area("framework")[framework].name
    label = f"{named} {version or ''}".strip()
    if version is None:
        return []
    stated = stated_requirements(framework, version)
    if not stated:
        here = [package for package in stack.packages if package.name in BUILT_WITH]
        return [_pins_unknown(label, here)] if here else []
    by_name: dict[str, list[StatedRequirement]] = {}
    for one in stated:
        if _is_for(one, hardware):
            by_name.setdefault(package_of(one), []).append(one)
    findings = []
    for package in stack.packages:
        judged = [judge_pin(package, one, framework=label) for one in by_name.get(package.name, ())]
        if finding := _of_several([one for one in judged if one is not None], bool(hardware)):
            findings.append(finding)
    return findings


def stated_requirements(framework: str, version: str) -> list[StatedRequirement]:
    """What the files of a release require. **Queries**: 1."""
    rows = ReleasePin.objects.filter(release__framework__slug=framework, release__version=version)
    return [
        StatedRequirement(
            name=row.name,
            value=row.value,
            source=_list_of(row.statement) or row.path or row.source,
            url=row.url,
            statement=row.statement,
        )
        for row in rows.only("name", "value", "source", "path", "url", "statement")
    ]


def _list_of(statement: str) -> str:
    """The list that a statement read from the code of a release stands in; empty for others."""
    kind, *parts = statement.split("/")
    return "/".join(parts[:-2]) if kind == "requirements_pins" else ""


def _is_for(stated: StatedRequirement, hardware: str) -> bool:
    """Whether a list is for running, and for the asked vendor where one is asked."""
    # The last two parts of a statement are the package and its position in the list.
    listed = _words(" ".join(stated.statement.split("/")[:-2]))
    if listed & _NOT_FOR_RUNNING:
        return False
    words = listed | _words(stated.source)
    vendors = {root for word, root in _VENDOR_OF_WORD.items() if word in words}
    return not hardware or not vendors or hardware in vendors


def _words(text: str) -> frozenset[str]:
    return frozenset(re.split(r"[^a-z0-9]+", text.lower()))


def _of_several(findings: Iterable[StackFinding], asks_hardware: bool) -> StackFinding | None:
    """One finding for a package that several lists name.

    Where no hardware is asked the lists are for different machines, so one that is met suffices;
    else all of them hold, but for those that are for other machines than one that is met.
    """
    order = list(Answer)
    ranked = sorted(findings, key=lambda finding: order.index(finding.answer))
    if not ranked:
        return None
    if ranked[0].answer is Answer.WORKS:
        ranked = [finding for finding in ranked if finding.code not in _OF_OTHER_MACHINES]
    return ranked[-1] if asks_hardware else ranked[0]


# A requirement under a marker, or words of a page, beside a line that is met.
_OF_OTHER_MACHINES = frozenset({"pin-under-marker", "pin-differs"})


def _pins_unknown(label: str, packages: list[StackPackage]) -> StackFinding:
    names = ", ".join(package.name for package in packages)
    return StackFinding(
        code="pins-unknown",
        answer=Answer.UNKNOWN,
        subject=Subject.PACKAGE,
        name=names,
        line=packages[0].line,
        facts={"framework": label, "names": names},
    )
