"""SGLang's code facts: registered architectures and methods, gates, options, pins."""

from ingest.contract import PageRule, Source
from ingest.sources.code_facts import FACTS_PATHS
from ingest.sources.sglang_code.methods import read_gates, read_methods, read_platforms
from ingest.sources.sglang_code.models import read_models
from ingest.sources.sglang_code.options import read_choices, read_pins

SOURCE = Source(
    name="sglang-code",
    framework="sglang",
    title="SGLang source code",
    folder="sglang",
    rules=(
        PageRule("methods", FACTS_PATHS, read_methods, "Registered quantization methods"),
        PageRule("gates", FACTS_PATHS, read_gates, "Minimum compute capabilities"),
        PageRule("platforms", FACTS_PATHS, read_platforms, "Methods of single platforms"),
        PageRule("models", FACTS_PATHS, read_models, "Registered model architectures"),
        PageRule("choices", FACTS_PATHS, read_choices, "Choices of the server's options"),
        PageRule("pins", FACTS_PATHS, read_pins, "Requirement pins"),
    ),
)

__all__ = ["SOURCE"]
