"""vLLM's code facts: registered methods, capability gates, allow-lists, models, pins, builds."""

from ingest.contract import PageRule, Source
from ingest.sources.code_facts import FACTS_PATHS
from ingest.sources.vllm_code.builds import read_builds
from ingest.sources.vllm_code.gates import read_gates
from ingest.sources.vllm_code.methods import read_methods
from ingest.sources.vllm_code.models import read_models
from ingest.sources.vllm_code.pins import read_pins
from ingest.sources.vllm_code.platforms import read_platforms

SOURCE = Source(
    name="vllm-code",
    framework="vllm",
    title="vLLM source code",
    folder="vllm",
    rules=(
        PageRule("methods", FACTS_PATHS, read_methods, "Registered quantization methods"),
        PageRule("gates", FACTS_PATHS, read_gates, "Minimum compute capabilities"),
        PageRule("platforms", FACTS_PATHS, read_platforms, "Allow-lists of the platforms"),
        PageRule("models", FACTS_PATHS, read_models, "Registered model architectures"),
        PageRule("builds", FACTS_PATHS, read_builds, "Architectures and images of the builds"),
        PageRule("pins", FACTS_PATHS, read_pins, "Requirement pins"),
    ),
)

__all__ = ["SOURCE"]
