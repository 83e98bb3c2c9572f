"""tpu-inference, vLLM's TPU plug-in: test results as CSV files since 0.12, and its pages."""

from ingest.contract import PageRule, Source
from ingest.sources.tpu_inference import pages, results

__all__ = ["SOURCE"]

_FILES = r"support_matrices/(?:[\w-]+/)*"

SOURCE = Source(
    name="tpu-inference-docs",
    framework="tpu-inference",
    title="tpu-inference test results and documentation",
    rules=(
        PageRule(
            "model-results",
            (_FILES + r"(?:\w+_)?model_support_matrix\.csv",),
            results.read_model_results,
        ),
        PageRule(
            "feature-results",
            (_FILES + r"(?:feature|parallelism|kernel|rl|RL)_support_matrix\.csv",),
            results.read_feature_results,
        ),
        PageRule(
            "kernel-results",
            (_FILES + r"kernel_support_matrix-microbenchmarks\.csv",),
            results.read_kernel_results,
        ),
        PageRule(
            "quantization-results",
            (_FILES + r"quantization_support_matrix\.csv",),
            results.read_quantization_results,
        ),
        PageRule(
            "native-types",
            (_FILES + r"hardware_acceleration_and_dtype_support_matrix\.csv",),
            results.read_native_types,
        ),
        PageRule("readme", (r"README\.md",), pages.read_readme),
        PageRule("setup", (r"docs/getting_started/tpu_setup\.md",), pages.read_setup),
        PageRule(
            "shown-results",
            (r"docs/includes/\w+\.md", r"docs/recommended_models_features\.md"),
            pages.read_shown_results,
        ),
        PageRule(
            "images",
            (r"docs/getting_started/(?:installation|quickstart)\.md",),
            pages.read_image_tags,
        ),
    ),
)
