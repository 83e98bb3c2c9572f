"""Known issues of release notes that state which configuration is broken."""

import re
from dataclasses import replace

from ingest.contract import Finding, FindingKind, StatementStatus
from ingest.reading.document import fold_label
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of
from ingest.sources.tensorrt_llm.words import device, models
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind

_WORKAROUND = re.compile(r"environment variable (?:export )?(\w+)=(\w+)")
_PP_ISSUE = re.compile(
    r"For the (.+?) models, there is an issue with pipeline parallelism when using "
    r"(\w+) and (\w+) weights"
)
_MULTI_GPU = re.compile(r"multi-GPU model support on (.+)$", re.IGNORECASE)
_HANG_WITH_REUSE = "disaggregated serving with pipeline parallelism and KV cache reuse"
_SBSA = "PyTorch workflow on SBSA is incompatible with bare metal"


def read_known_issue(collector: Collector, text: str, finding: Finding) -> None:
    """Add one known issue: about cells where the sentence names them, else as a value."""
    if match := _PP_ISSUE.search(text):
        _state_pipeline_issue(collector, match, text, finding)
    elif _HANG_WITH_REUSE in text:
        pair = [
            facet_of(FEATURE, "disaggregated serving", "disaggregated-prefill"),
            facet_of(FEATURE, "pipeline parallelism", "pipeline-parallel"),
            facet_of(FEATURE, "KV cache reuse", "prefix-caching"),
        ]
        note = "may hang; without KV cache reuse it does not"
        _state(collector, pair, replace(finding, note=note))
    elif match := _MULTI_GPU.search(text):
        hardware = device(match.group(1).strip(" ."), finding.locator, collector)
        several = facet_of(FEATURE, "multi-GPU", "tensor-parallel")
        note = "models on more than one GPU"
        _state(collector, [several, hardware], replace(finding, note=note))
    elif _SBSA in text:
        where = [
            facet_of(FEATURE, "PyTorch workflow", "engine-pytorch"),
            facet_of(Axis.OS_ISA, "SBSA", "linux-aarch64"),
        ]
        note = "on SBSA only inside the vendor's container, not on bare metal"
        _state(collector, where, replace(finding, note=note))
    else:
        collector.value(
            FindingKind.VALUE,
            f"known-issue/{fold_label(text)[:60]}",
            StatementStatus.KNOWN_ISSUES,
            finding,
        )


def _state_pipeline_issue(
    collector: Collector, match: re.Match[str], text: str, finding: Finding
) -> None:
    """Add the pipeline parallelism issue of named models and weight schemes."""
    conditions: tuple[Condition, ...] = ()
    if found := _WORKAROUND.search(text):
        name, value = found.groups()
        conditions = (Condition(ConditionKind.ENV, name, "=", value, workaround=f"{name}={value}"),)
    schemes = [fold_label(word) for word in match.groups()[1:]]
    scheme = Facet(Axis.QUANTIZATION, "+".join(schemes), frozenset(schemes))
    for word in re.split(r" and |, ", match.group(1)):
        for model in models(word.replace(" 3.x", " 3"), finding.locator, collector):
            where = [model, scheme, facet_of(FEATURE, "pipeline parallelism", "pipeline-parallel")]
            note = "pipeline parallelism misbehaves unless the variable is set"
            _state(collector, where, replace(finding, conditions=conditions, note=note))


def _state(collector: Collector, facets: list[Facet], finding: Finding) -> None:
    collector.state("known-issue", facets, StatementStatus.KNOWN_ISSUES, finding)
