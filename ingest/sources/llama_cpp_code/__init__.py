"""llama.cpp's code facts: types, architectures, builds, operator support per backend."""

from ingest.contract import PageRule, Source
from ingest.sources.code_facts import FACTS_PATHS
from ingest.sources.llama_cpp_code.builds import read_builds
from ingest.sources.llama_cpp_code.converter import read_converter_facts
from ingest.sources.llama_cpp_code.models import read_models
from ingest.sources.llama_cpp_code.ops import read_ops
from ingest.sources.llama_cpp_code.types import read_types

SOURCE = Source(
    name="llama.cpp-code",
    framework="llama.cpp",
    title="llama.cpp source code",
    folder="llama.cpp",
    rules=(
        PageRule("types", FACTS_PATHS, read_types, "Tensor and file types"),
        PageRule("models", FACTS_PATHS, read_models, "Model architectures"),
        PageRule("builds", FACTS_PATHS, read_builds, "Versions, builds and images"),
        PageRule("converter", FACTS_PATHS, read_converter_facts, "Checkpoints of the converter"),
        PageRule("ops", FACTS_PATHS, read_ops, "Operators per backend"),
    ),
)

__all__ = ["SOURCE"]
