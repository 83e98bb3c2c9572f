"""Whether the build of torch in a stack is one for the asked hardware."""

import re
from collections.abc import Mapping
from datetime import date

from matrix.checking.stack_pins import settings_of
from matrix.domain.catalogue import Catalogue
from matrix.domain.check_requirements import Stack, StackPackage
from matrix.domain.check_stack import Answer, StackEvidence, StackFinding, Subject
from matrix.domain.coordinates import Cell
from matrix.domain.levels import Axis, LegKind, SupportLevel
from matrix.domain.verdict_values import LegResult
from matrix.index import Knowledge

TORCH = "torch"
# The framework whose claims say which architectures a build of torch was compiled for.
PYTORCH = "pytorch"
WHEELS = "binary-wheels"

_BUILD_OF_LOCAL = re.compile(r"\+(cu|rocm|xpu|cpu)[\d.]*$")
_VENDOR_OF_BUILD: Mapping[str, str] = {
    "cu": "nvidia",
    "rocm": "amd",
    "xpu": "intel",
    "cpu": "cpu",
}
_ANSWERS = {
    SupportLevel.SUPPORTED: Answer.WORKS,
    SupportLevel.CONDITIONAL: Answer.CONDITIONAL,
    SupportLevel.PARTIAL: Answer.CONDITIONAL,
    SupportLevel.UNSUPPORTED: Answer.BREAKS,
}


def _torch_of(stack: Stack) -> StackPackage | None:
    return next((package for package in stack.packages if package.name == TORCH), None)


def judge_torch(
    knowledge: Knowledge, stack: Stack, *, hardware: str, as_of: date
) -> list[StackFinding]:
    """What claims say of the pinned release of torch on the hardware; nothing where none does."""
    torch = _torch_of(stack)
    catalogue = knowledge.catalogue
    if torch is None or not torch.version or not hardware or PYTORCH not in catalogue.histories:
        return []
    release = catalogue.histories[PYTORCH].find(torch.version)
    if release is None or release.released_on > as_of:
        return []
    settings = {name: text for name, text in settings_of(stack).items() if name == "cuda"}
    cell = Cell(
        framework=PYTORCH,
        version=release.version,
        nodes={Axis.HARDWARE: hardware},
        features=frozenset({WHEELS}),
        settings=settings,
    )
    legs = knowledge.index.verdict_for(cell, as_of=as_of).legs
    wheels = [leg for leg in legs if leg.kind is LegKind.FEATURE and leg.level in _ANSWERS]
    return [_torch_finding(catalogue, torch, leg, hardware) for leg in wheels]


def _torch_finding(
    catalogue: Catalogue, torch: StackPackage, leg: LegResult, hardware: str
) -> StackFinding:
    return StackFinding(
        code=f"torch-{leg.level.value}",
        answer=_ANSWERS[leg.level],
        subject=Subject.PACKAGE,
        name=TORCH,
        seen=torch.version,
        line=torch.line,
        evidence=tuple(
            StackEvidence(
                text=candidate.claim.statement,
                claim=candidate.claim.uid,
                url=candidate.observation.document.url,
            )
            for candidate in leg.deciding[:3]
        ),
        facts={
            "seen": torch.version,
            "hardware": catalogue.area("hardware")[hardware].name,
        },
    )


def judge_build(
    catalogue: Catalogue, stack: Stack, framework: str, *, hardware: str, from_package: bool
) -> list[StackFinding]:
    """Whether the builds in the stack are for the vendor of the hardware, as far as they say it.

    A package index carries builds for one vendor under the plain version, most often NVIDIA; so
    for other hardware a build that is not named is a condition.
    """
    if not hardware:
        return []
    node = catalogue.area("framework")[framework]
    vendor = catalogue.area("hardware")[hardware].name
    torch = _torch_of(stack)
    tag = _BUILD_OF_LOCAL.search(torch.version) if torch else None
    if torch is not None and tag and _VENDOR_OF_BUILD[tag[1]] not in (hardware, "cpu"):
        return [
            StackFinding(
                code="build-for-other-hardware", answer=Answer.BREAKS, subject=Subject.PACKAGE,
                name=torch.name, seen=torch.version, wanted=vendor, line=torch.line,
                evidence=(StackEvidence(text=torch.raw),),
                facts={"name": torch.name, "seen": torch.version, "vendor": vendor},
            )
        ]  # fmt: skip
    if hardware == "nvidia" or tag or not from_package or node.kind == "plugin":
        return []
    return [
        StackFinding(
            code="build-not-named", answer=Answer.CONDITIONAL, subject=Subject.PACKAGE,
            name=framework, wanted=vendor, facts={"framework": framework, "vendor": vendor},
        )
    ]  # fmt: skip
