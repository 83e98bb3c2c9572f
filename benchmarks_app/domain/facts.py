"""What can be stated about a run's subject and environment, and what makes it reproducible."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class FactGroup(StrEnum):
    """Where a fact is shown."""

    MODEL = "model"
    QUANTIZATION = "quantization"
    FRAMEWORK = "framework"
    ACCELERATOR = "accelerator"
    PARALLELISM = "parallelism"
    CONTAINER = "container"
    HOST = "host"
    CLIENT = "client"
    RUN = "run"
    PUBLISHED = "published"


@dataclass(frozen=True, slots=True)
class FactName:
    """One fact. ``graded`` facts count towards the reproducibility grade."""

    name: str
    group: FactGroup
    graded: bool = False


def _facts(group: FactGroup, *names: str) -> tuple[FactName, ...]:
    """A name with a star is graded."""
    return tuple(FactName(name.rstrip("*"), group, name.endswith("*")) for name in names)


_ALL = (
    *_facts(FactGroup.MODEL, "model.id*", "model.revision*", "model.file", "model.desc",
            "model.raw", "model.size_bytes", "model.n_params", "tokenizer.id", "dtype"),
    *_facts(FactGroup.QUANTIZATION, "quantization.weights*", "quantization.kv_cache",
            "kv_cache.type_k", "kv_cache.type_v", "kv_offload"),
    *_facts(FactGroup.FRAMEWORK, "framework.name*", "framework.version*", "framework.commit*",
            "framework.build_number", "framework.build_options", "framework.backend",
            "framework.arguments", "spec_decoding"),
    *_facts(FactGroup.ACCELERATOR, "accelerator.name*", "accelerator.count*",
            "accelerator.driver*", "accelerator.backend", "accelerator.memory_gib",
            "accelerator.runtime", "accelerator.topology"),
    *_facts(FactGroup.PARALLELISM, "parallelism.tp", "parallelism.pp", "parallelism.ep",
            "parallelism.dp", "parallelism.disagg"),
    *_facts(FactGroup.CONTAINER, "container.image*", "container.digest*"),
    *_facts(FactGroup.HOST, "host.cpu", "host.os", "host.kernel", "host.memory_bytes",
            "host.python", "environment.variables"),
    *_facts(FactGroup.CLIENT, "tool.name", "tool.version", "tool.format_version",
            "schema_version", "schema_variant", "client.backend", "client.service_kind",
            "client.command", "load.dataset", "load.streaming", "load.seed", "load.warmup",
            "sweep.run_number", "scenario",
            "provider", "submitter", "mlperf.id", "mlperf.round", "mlperf.division",
            "mlperf.scenario", "mlperf.mode", "mlperf.sut", "mlperf.valid", "environment",
            "server.kind", "client.command"),
    *_facts(FactGroup.RUN, "run.started_at", "run.started_at_local", "run.finished_at",
            "run.finished_at_local", "run.timezone*"),
    # The page that a published table stands on; ``published.on`` is the day it speaks for.
    *_facts(FactGroup.PUBLISHED, "published.url", "published.title", "published.on",
            "published.commit", "published.place", "published.release"),
)  # fmt: skip
FACTS: Mapping[str, FactName] = {fact.name: fact for fact in _ALL}
# Names that people and sweeps give themselves.
OPEN_PREFIXES = ("user_meta.", "server_param.", "env.")


def is_fact(name: str) -> bool:
    """Whether a name is a fact of the vocabulary or stands under an open prefix."""
    return name in FACTS or name.startswith(OPEN_PREFIXES)
