"""vLLM's documentation, every release since 0.4: which page is read by which rule."""

from ingest.contract import PageRule, Source
from ingest.sources.vllm.accelerators import (
    read_gaudi,
    read_neuron_cores,
    read_openvino,
    read_tpu_versions,
)
from ingest.sources.vllm.attention import read_attention_backends
from ingest.sources.vllm.decoding import (
    read_batch_invariance,
    read_experiments,
    read_speculation_limits,
)
from ingest.sources.vllm.disaggregation import read_nixl
from ingest.sources.vllm.engine import read_engine_guide
from ingest.sources.vllm.features import read_feature_hardware, read_feature_pairs
from ingest.sources.vllm.fusions import read_fusions, read_moe_kernels
from ingest.sources.vllm.hardware_models import read_hardware_models
from ingest.sources.vllm.images import read_images
from ingest.sources.vllm.installation import (
    read_cuda_floor,
    read_rocm_targets,
    read_xpu_hardware,
)
from ingest.sources.vllm.kv_cache import read_kv_cache
from ingest.sources.vllm.method_notes import read_method_notes
from ingest.sources.vllm.method_tables import read_method_tables
from ingest.sources.vllm.methods import read_compute_floors
from ingest.sources.vllm.models import read_supported_models
from ingest.sources.vllm.plugins import (
    read_hardware_plugins,
    read_metal_plugin,
    read_operating_systems,
)
from ingest.sources.vllm.processors import read_cpu_quantization, read_processor
from ingest.sources.vllm.quantization import read_quantization_hardware
from ingest.sources.vllm.readme import read_readme
from ingest.sources.vllm.reasoning import read_reasoning_models

# The docs stood under docs/source while Sphinx built them (to 0.8).
_DOCS = r"docs/(?:source/)?"
_START = _DOCS + r"getting_started/"
_INSTALL = _START + r"installation/"
_METHOD = _DOCS + r"(?:features/)?quantization/(?:llm_compressor/)?"
_MATRIX = (
    _DOCS + r"(?:serving|features)/compatibility_matrix\.(?:rst|md)",
    _DOCS + r"features/README\.md",
)

_TABLE_RULES = (
    PageRule(
        name="quantization-hardware",
        paths=(
            _METHOD + r"supported_hardware\.(?:rst|md)",
            _DOCS + r"features/quantization/README\.md",
        ),
        parse=read_quantization_hardware,
        title="Quantization × hardware",
    ),
    PageRule(
        name="feature-feature",
        paths=_MATRIX,
        parse=read_feature_pairs,
        title="Feature × feature",
    ),
    PageRule(
        name="feature-hardware",
        paths=_MATRIX,
        parse=read_feature_hardware,
        title="Feature × hardware",
    ),
    PageRule(
        name="supported-models",
        paths=(
            _DOCS + r"models/supported_models\.(?:rst|md)",
            _DOCS + r"models/pooling_models/"
            r"(?:classify|embed|reward|scoring|specific_models|token_classify|token_embed)\.md",
        ),
        parse=read_supported_models,
        title="Supported models",
    ),
    PageRule(
        name="hardware-models",
        paths=(_DOCS + r"models/hardware_supported_models/[a-z]+\.md",),
        parse=read_hardware_models,
        title="Models validated on one hardware",
    ),
    PageRule(
        name="engine-guide",
        paths=(_START + r"v1_user_guide\.md", _DOCS + r"usage/v1_guide\.md"),
        parse=read_engine_guide,
        title="V1 engine guide",
    ),
    PageRule(
        name="attention-backends",
        paths=(_DOCS + r"design/attention_backends\.md",),
        parse=read_attention_backends,
        title="Attention back ends",
    ),
    PageRule(
        name="fusions",
        paths=(_DOCS + r"design/fusions\.md",),
        parse=read_fusions,
        title="Fusions × architecture",
    ),
    PageRule(
        name="moe-kernels",
        paths=(_DOCS + r"design/moe_kernel_features\.md",),
        parse=read_moe_kernels,
        title="MoE kernels × quantization types",
    ),
    PageRule(
        name="nixl",
        paths=(_DOCS + r"features/nixl_connector_compatibility\.md",),
        parse=read_nixl,
        title="NIXL connector compatibility",
    ),
)

_PLATFORM_RULES = (
    PageRule(
        name="cuda-floor",
        paths=(_START + r"installation\.rst", _INSTALL + r"gpu[./]cuda\.inc\.md"),
        parse=read_cuda_floor,
        title="NVIDIA requirements",
    ),
    PageRule(
        name="rocm-targets",
        paths=(_START + r"amd-installation\.rst", _INSTALL + r"gpu[./]rocm\.inc\.md"),
        parse=read_rocm_targets,
        title="AMD requirements",
    ),
    PageRule(
        name="xpu-hardware",
        paths=(_START + r"xpu-installation\.rst", _INSTALL + r"gpu[./]xpu\.inc\.md"),
        parse=read_xpu_hardware,
        title="Intel GPU requirements",
    ),
    PageRule(
        name="metal-plugin",
        paths=(_INSTALL + r"gpu[./]apple\.inc\.md",),
        parse=read_metal_plugin,
        title="Apple GPUs",
    ),
    PageRule(
        name="operating-systems",
        paths=(_INSTALL + r"gpu\.md",),
        parse=read_operating_systems,
        title="Operating systems",
    ),
    PageRule(
        name="processors",
        paths=(
            _START + r"cpu-installation\.rst",
            _INSTALL + r"cpu[./](?:x86|arm|apple|s390x)\.inc\.md",
        ),
        parse=read_processor,
        title="CPU requirements",
    ),
    PageRule(
        name="cpu-quantization",
        paths=(_INSTALL + r"cpu\.md",),
        parse=read_cpu_quantization,
        title="Quantization on CPUs",
    ),
    PageRule(
        name="tpu-versions",
        paths=(
            _START + r"tpu-installation\.rst",
            _INSTALL + r"ai_accelerator/tpu\.inc\.md",
            _INSTALL + r"google_tpu\.md",
        ),
        parse=read_tpu_versions,
        title="TPU requirements",
    ),
    PageRule(
        name="neuron-cores",
        paths=(
            _START + r"neuron-installation\.rst",
            _INSTALL + r"ai_accelerator/neuron\.inc\.md",
            _INSTALL + r"aws_neuron\.md",
        ),
        parse=read_neuron_cores,
        title="Neuron requirements",
    ),
    PageRule(
        name="gaudi",
        paths=(_INSTALL + r"ai_accelerator/hpu-gaudi\.inc\.md", _INSTALL + r"intel_gaudi\.md"),
        parse=read_gaudi,
        title="Gaudi requirements and features",
    ),
    PageRule(
        name="openvino",
        paths=(
            _START + r"openvino-installation\.rst",
            _INSTALL + r"ai_accelerator/openvino\.inc\.md",
        ),
        parse=read_openvino,
        title="OpenVINO back end",
    ),
    PageRule(
        name="hardware-plugins",
        paths=(_INSTALL + r"README\.md",),
        parse=read_hardware_plugins,
        title="Hardware plug-ins",
    ),
    PageRule(
        name="readme",
        paths=(r"README\.md",),
        parse=read_readme,
        title="Project README",
    ),
    PageRule(
        name="images",
        paths=(
            _DOCS + r"deployment/docker\.md",
            _DOCS + r"serving/deploying_with_docker\.rst",
            _INSTALL + r"(?:gpu|cpu)[./]\w+\.inc\.md",
        ),
        parse=read_images,
        title="Container images",
    ),
)

_METHOD_RULES = (
    PageRule(
        name="compute-floors",
        paths=(
            _METHOD + r"(?:fp8|int8|int4)\.(?:rst|md)",
            _METHOD + r"int8_w8a8\.md",
        ),
        parse=read_compute_floors,
        title="FP8, INT8 and INT4 floors",
    ),
    PageRule(
        name="method-notes",
        paths=(
            _METHOD + r"(?:fp8|auto_awq|bnb|gguf|gptqmodel|inc|online|quark|int8_w4a8)"
            r"\.(?:rst|md)",
        ),
        parse=read_method_notes,
        title="Notes of quantization methods",
    ),
    PageRule(
        name="method-tables",
        paths=(_METHOD + r"(?:b12x|modelopt|online)\.md",),
        parse=read_method_tables,
        title="Formats and schemes of quantization methods",
    ),
    PageRule(
        name="reasoning-models",
        paths=(_DOCS + r"features/reasoning_outputs\.md",),
        parse=read_reasoning_models,
        title="Reasoning models",
    ),
    PageRule(
        name="kv-cache",
        paths=(_METHOD + r"quantized_kvcache\.md",),
        parse=read_kv_cache,
        title="Quantized KV cache",
    ),
    PageRule(
        name="speculation-limits",
        paths=(
            _DOCS + r"(?:features|models)/spec_decode\.(?:md|rst)",
            _DOCS + r"features/speculative_decoding/README\.md",
        ),
        parse=read_speculation_limits,
        title="Limits of speculative decoding",
    ),
    PageRule(
        name="experiments",
        paths=(_DOCS + r"features/disagg_prefill\.md", _DOCS + r"models/vlm\.rst"),
        parse=read_experiments,
        title="Experimental features",
    ),
    PageRule(
        name="batch-invariance",
        paths=(_DOCS + r"features/batch_invariance\.md",),
        parse=read_batch_invariance,
        title="Batch invariance",
    ),
)

SOURCE = Source(
    name="vllm-docs",
    framework="vllm",
    title="vLLM documentation",
    rules=(*_TABLE_RULES, *_PLATFORM_RULES, *_METHOD_RULES),
)
