"""llama.cpp's documentation: README, backend pages, operator tables, tools."""

from ingest.contract import PageRule, Source
from ingest.sources.llama_cpp.backends import read_backends
from ingest.sources.llama_cpp.cann import read_cann
from ingest.sources.llama_cpp.devices import (
    read_build,
    read_et,
    read_snapdragon,
    read_virtgpu,
)
from ingest.sources.llama_cpp.features import (
    read_function_calling,
    read_multi_gpu,
    read_multimodal,
    read_speculative,
)
from ingest.sources.llama_cpp.ibm import read_ibm_z, read_zdnn
from ingest.sources.llama_cpp.models import read_model_list
from ingest.sources.llama_cpp.opencl import read_opencl
from ingest.sources.llama_cpp.openvino import read_openvino
from ingest.sources.llama_cpp.ops import read_ops_file, read_ops_table
from ingest.sources.llama_cpp.packages import read_images, read_install, read_release_policy
from ingest.sources.llama_cpp.processors import read_spacemit, read_zendnn
from ingest.sources.llama_cpp.quantize import read_quantize
from ingest.sources.llama_cpp.sycl import read_sycl

SOURCE = Source(
    name="llama.cpp-docs",
    framework="llama.cpp",
    title="llama.cpp documentation",
    rules=(
        PageRule("backends", (r"README\.md",), read_backends, "Supported backends"),
        PageRule("models", (r"README\.md",), read_model_list, "Model families"),
        PageRule("cann", (r"docs/backend/CANN\.md",), read_cann, "Ascend NPU"),
        PageRule("sycl", (r"docs/backend/SYCL\.md",), read_sycl, "Intel GPU"),
        PageRule("opencl", (r"docs/backend/OPENCL\.md",), read_opencl, "Adreno GPU"),
        PageRule("openvino", (r"docs/backend/OPENVINO\.md",), read_openvino, "OpenVINO"),
        PageRule("zendnn", (r"docs/backend/ZenDNN\.md",), read_zendnn, "AMD ZenDNN"),
        PageRule("zdnn", (r"docs/backend/zDNN\.md",), read_zdnn, "IBM zDNN"),
        PageRule("virtgpu", (r"docs/backend/VirtGPU\.md",), read_virtgpu, "VirtGPU"),
        PageRule("et", (r"docs/backend/ET\.md",), read_et, "ET-SoC"),
        PageRule(
            "snapdragon", (r"docs/backend/snapdragon/README\.md",), read_snapdragon, "Snapdragon"
        ),
        PageRule("ibm-z", (r"docs/build-s390x\.md",), read_ibm_z, "IBM Z and LinuxONE"),
        PageRule(
            "spacemit", (r"docs/build-riscv64-spacemit\.md",), read_spacemit, "SpacemiT RISC-V"
        ),
        PageRule("build", (r"docs/build\.md",), read_build, "Build guide"),
        PageRule("ops-table", (r"docs/ops\.md",), read_ops_table, "Operators by backend"),
        PageRule("ops-files", (r"docs/ops/[^/]+\.csv",), read_ops_file, "Operator test lists"),
        PageRule(
            "quantize", (r"(examples|tools)/quantize/README\.md",), read_quantize, "Bits per weight"
        ),
        PageRule("images", (r"docs/docker\.md",), read_images, "Container images"),
        PageRule("install", (r"docs/install\.md",), read_install, "Packages"),
        PageRule("release-policy", (r"docs/release\.md",), read_release_policy, "Versioning"),
        PageRule("speculative", (r"docs/speculative\.md",), read_speculative, "Speculation"),
        PageRule("multi-gpu", (r"docs/multi-gpu\.md",), read_multi_gpu, "Several GPUs"),
        PageRule(
            "function-calling", (r"docs/function-calling\.md",), read_function_calling, "Tool calls"
        ),
        PageRule("multimodal", (r"docs/multimodal\.md",), read_multimodal, "Multimodal input"),
    ),
)

__all__ = ["SOURCE"]
