"""Text Generation Inference: documentation since 1.0.3, README, Dockerfiles."""

from ingest.contract import PageRule, Source
from ingest.sources.tgi import hardware, models, project, quantization

__all__ = ["SOURCE"]

_DOCS = r"docs/source/"

SOURCE = Source(
    name="tgi-docs",
    framework="tgi",
    title="Text Generation Inference documentation",
    rules=(
        PageRule("models", (_DOCS + r"supported_models\.mdx?",), models.read_models),
        PageRule("hardware-list", (_DOCS + r"supported_models\.mdx?",), hardware.read_hardware),
        PageRule(
            "installation",
            (_DOCS + r"installation_(?:nvidia|amd|intel|gaudi|inferentia|tpu)\.mdx?",),
            hardware.read_installation,
        ),
        PageRule(
            "backend-hardware",
            (_DOCS + r"backends/(?:gaudi|neuron)\.mdx?",),
            hardware.read_installation,
        ),
        PageRule("gaudi-models", (_DOCS + r"backends/gaudi\.mdx?",), models.read_gaudi_models),
        PageRule("gaudi-precision", (_DOCS + r"backends/gaudi\.mdx?",), project.read_gaudi),
        PageRule(
            "quantization",
            (_DOCS + r"conceptual/quantization\.mdx?",),
            quantization.read_quantization,
        ),
        PageRule("readme-lists", (r"README\.md",), quantization.read_readme),
        PageRule("readme-hardware", (r"README\.md",), hardware.read_hardware),
        PageRule("notice", (r"README\.md", _DOCS + r"index\.mdx?"), project.read_notice),
        PageRule("backends", (_DOCS + r"multi_backend_support\.mdx?",), project.read_backends),
        PageRule(
            "images",
            (_DOCS + r"(?:quicktour|backends/(?:llamacpp|trtllm))\.mdx?",),
            project.read_image_tags,
        ),
        PageRule("dockerfile", (r"Dockerfile(?:[_.](?!nix)\w+)?",), project.read_dockerfile),
    ),
)
