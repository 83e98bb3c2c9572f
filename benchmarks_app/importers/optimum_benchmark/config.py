"""Maps optimum-benchmark's configuration to facts of the run beside it.

**Source**: configurations of optimum-benchmark 0.2 to 0.6.
"""

import math
import re
from collections.abc import Iterator, Mapping

from benchmarks_app.contract import Fact
from benchmarks_app.importers.taking import take_scalar
from benchmarks_app.reading.fields import Fields
from matrix.domain.redaction import mask_text

_BYTES_PER_MB = 1e6
_MOST_MB = 1e12  # No machine has an exabyte; above it the field means something else.
# Backends that are frameworks of their own; the others run a model library inside PyTorch.
_FRAMEWORKS = {
    "vllm": "vLLM", "tensorrt-llm": "TensorRT-LLM", "py-txi": "TGI", "onnxruntime": "ONNX Runtime",
    "openvino": "OpenVINO", "llama_cpp": "llama.cpp",
}  # fmt: skip
_SECRETS = ("token", "use_auth_token", "hub_token", "api_key")
_KERNEL = re.compile(r"^Linux-(?P<kernel>.+?)-(?:x86_64|aarch64|ppc64le)\b")


def is_config(value: object) -> bool:
    """Whether a value is a configuration of the tool."""
    if not isinstance(value, dict) or not isinstance(value.get("backend"), dict):
        return False
    environment = value.get("environment")
    if isinstance(environment, dict) and "optimum_benchmark_version" in environment:
        return True
    return str(value["backend"].get("_target_", "")).startswith("optimum_benchmark.")


def read_config(config: Fields) -> dict[str, Fact]:
    """The facts: model, framework, device, machine; every other setting as ``server_param.``."""
    backend, environment = config.child("backend"), config.child("environment")
    facts = _framework(backend, environment)
    facts |= _model(backend)
    facts |= _accelerator(backend, environment)
    facts |= _host(environment)
    for section in ("backend", "scenario", "launcher"):
        facts |= dict(_settings(config.child(section), section))
    facts |= dict(_settings(environment, "environment"))
    name = config.text("name")
    if name:
        facts["scenario"] = Fact(name, pointer=config.place("name"))
    config.ignore("print_report", "log_report")
    return facts


def _framework(backend: Fields, environment: Fields) -> dict[str, Fact]:
    facts: dict[str, Fact] = {}
    version = environment.text("optimum_benchmark_version")
    if version:
        place = environment.place("optimum_benchmark_version")
        facts["tool.version"] = Fact(version, pointer=place)
    name, library = backend.text("name"), backend.text("library")
    backend_version = backend.text("version")
    if name in _FRAMEWORKS:
        facts["framework.name"] = Fact(_FRAMEWORKS[name], pointer=backend.place("name"))
        # For llama.cpp the version is that of the Python binding.
        fact = "framework.backend" if name == "llama_cpp" else "framework.version"
        if backend_version:
            facts[fact] = Fact(backend_version, pointer=backend.place("version"))
        return facts
    if name:
        words = f"{name} {backend_version}" if backend_version else name
        facts["framework.backend"] = Fact(words, pointer=backend.place("name"))
    if library:
        facts["framework.name"] = Fact(library, pointer=backend.place("library"))
        for fact, part in (("framework.version", "version"), ("framework.commit", "commit")):
            value = environment.text(f"{library}_{part}")
            if value:
                place = environment.place(f"{library}_{part}")
                facts[fact] = Fact(value, pointer=place)
    return facts


def _model(backend: Fields) -> dict[str, Fact]:
    facts = {}
    names = {
        "model.id": ("model",),
        "tokenizer.id": ("processor",),
        "dtype": ("torch_dtype", "dtype"),
        "quantization.weights": ("quantization_scheme",),
    }
    for fact, keys in names.items():
        for key in keys:
            value = backend.text(key)
            if value:
                facts[fact] = Fact(mask_text(value).text, pointer=backend.place(key))
    arguments = backend.child("model_kwargs")
    revision = arguments.text("revision")
    if revision:
        facts["model.revision"] = Fact(revision, pointer=arguments.place("revision"))
    for inner in (arguments, backend.child("processor_kwargs"), backend):
        inner.withhold(*_SECRETS)
    return facts


def _accelerator(backend: Fields, environment: Fields) -> dict[str, Fact]:
    """The devices that ran: those of ``device_ids`` among all that the machine shows."""
    shown = environment.peek("gpu")
    if backend.peek("device") != "cuda" or not isinstance(shown, list):
        return {}
    names = [name for name in shown if isinstance(name, str)]
    used = re.findall(r"\d+", str(backend.peek("device_ids") or ""))
    if not used and len(names) == 1:
        used = ["0"]
    chosen = {names[int(one)] for one in used if len(one) < 6 and int(one) < len(names)}
    if not chosen or len(names) != len(shown):
        return {}
    environment.take("gpu")
    facts = {"accelerator.count": Fact(len(used), pointer=backend.place("device_ids"))}
    if len(chosen) == 1:
        facts["accelerator.name"] = Fact(chosen.pop(), pointer=environment.place("gpu"))
    return facts


def _host(environment: Fields) -> dict[str, Fact]:
    facts = {}
    for fact, name in (("host.cpu", "cpu"), ("host.os", "system"), ("host.python",
                       "python_version")):  # fmt: skip
        value = environment.text(name)
        if value:
            facts[fact] = Fact(value, pointer=environment.place(name))
    memory = environment.number("cpu_ram_mb")
    if memory and 0 < memory < _MOST_MB:
        place = environment.place("cpu_ram_mb")
        facts["host.memory_bytes"] = Fact(round(memory * _BYTES_PER_MB), pointer=place)
    platform = environment.peek("platform")
    kernel = _KERNEL.match(platform) if isinstance(platform, str) else None
    if kernel:
        facts["host.kernel"] = Fact(kernel["kernel"], pointer=environment.place("platform"))
    return facts


def _settings(fields: Fields, path: str) -> Iterator[tuple[str, Fact]]:
    """Every other plain value, so that a comparison sees how two runs differ."""
    for name, value in _open(fields).items():
        if isinstance(value, dict):
            yield from _settings(fields.child(name), f"{path}.{name}")
        elif value is None or isinstance(value, (str, int)) or _is_finite(value):
            setting = take_scalar(fields, name)
            if setting is not None:
                shown = mask_text(setting).text if isinstance(setting, str) else setting
                yield f"server_param.{path}.{name}", Fact(shown, pointer=fields.place(name))


def _open(fields: Fields) -> Mapping[str, object]:
    """The fields of one level that nobody took; inner objects are always among them."""
    rest = fields.rest()
    return {
        name: value
        for name, value in fields.value.items()
        if fields.place(name) in rest or (isinstance(value, dict) and name not in _SECRETS)
    }


def _is_finite(value: object) -> bool:
    return isinstance(value, float) and math.isfinite(value)
