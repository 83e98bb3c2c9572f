"""What vLLM's method and scheme names mean in the catalogue."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ingest.contract import Vocabulary
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of
from matrix.domain.claims import Locator
from matrix.domain.levels import Axis

FRAMEWORK = "vllm"
MARLIN = "kernel-marlin"


@dataclass(frozen=True, slots=True)
class Method:
    """What a registered method covers.

    **Shapes**: ``schemes`` are quantization slugs, empty where the vocabulary knows the method
    itself; ``features`` are joint with them. ``shorthand`` marks a name for one way of reaching a
    scheme that other methods reach too, so its absence from a list refuses nothing.
    ``bound_to`` names the hardware root that the method exists for; it says nothing about others.
    """

    schemes: frozenset[str] = frozenset()
    features: frozenset[str] = frozenset()
    shorthand: bool = False
    bound_to: str = ""


def _method(
    schemes: Iterable[str] = (),
    *,
    features: Iterable[str] = (),
    shorthand: bool = False,
    bound_to: str = "",
) -> Method:
    return Method(frozenset(schemes), frozenset(features), shorthand, bound_to)


# Methods whose name is not simply the catalogue's name of a scheme. The Marlin methods are an
# execution path of AWQ and GPTQ, not another quantization; so is the BitBLAS one of GPTQ.
METHODS: Mapping[str, Method] = {
    "auto_awq": _method(["awq"]),
    "auto_gptq": _method(["gptq"]),
    "awq_marlin": _method(["awq"], features=[MARLIN]),
    "gptq_marlin": _method(["gptq"], features=[MARLIN]),
    "marlin": _method(["gptq"], features=[MARLIN]),
    "gptq_bitblas": _method(["gptq"], features=["kernel-bitblas"]),
    "gptq_marlin_24": _method(["gptq-marlin-24"], features=[MARLIN]),
    "modelopt": _method(["modelopt-fp8"]),
    "fp8_per_tensor": _method(["fp8-w8a8-tensor"], shorthand=True),
    "fp8_per_block": _method(["fp8-w8a8-block"], shorthand=True),
    "fp8_per_channel": _method(["fp8-w8a8-row"], shorthand=True),
    "int8_per_channel_weight_only": _method(["int8-w8a16"], shorthand=True),
    "nvfp4_per_token": _method(["nvfp4-per-token"], shorthand=True),
    "online": _method(["online"], shorthand=True),
    "tpu_int8": _method(["tpu-int8"], bound_to="google-tpu"),
    "neuron_quant": _method(["neuron-quant"], bound_to="aws-neuron"),
    "ipex": _method(["ipex"], bound_to="intel"),
    "cpu_gptq": _method(["cpu-gptq"], bound_to="cpu"),
    "cpu_awq": _method(["cpu-awq"], bound_to="cpu"),
}
_PLAIN = Method()


@dataclass(frozen=True, slots=True)
class Scheme:
    """What a scheme class of a container covers; no slugs where it is no scheme of its own."""

    slugs: frozenset[str]
    note: str = ""


def _scheme(*slugs: str, note: str = "") -> Scheme:
    return Scheme(frozenset(slugs), note)


# AWQ checkpoints are also stored in this container; their own container has another floor.
_WEIGHT_ONLY_INT = ("awq", "int4-w4a16", "int8-w8a16")
_NATIVE_FP8 = "floor of the native W8A8 kernels; weight-only FP8 has its own floor"

SCHEMES: Mapping[str, Scheme] = {
    "W4A4Fp4": _scheme("nvfp4-w4a4"),
    "W4A4Mxfp4": _scheme("mxfp4-w4a4"),
    "W4A4MXFP4": _scheme("mxfp4-w4a4"),
    "W4A8Fp8": _scheme("w4afp8"),
    "W4A8Int": _scheme("int8-w4a8"),
    "W4A8_MXFP4_FP8": _scheme("mxfp4-w4a8"),
    "W4A16Fp4": _scheme("nvfp4-w4a16"),
    "W4A16Int4": _scheme("int4-w4a16"),
    "W4A16Mxfp4": _scheme("mxfp4-w4a16"),
    "W8A8Fp8": _scheme("fp8-w8a8", note=_NATIVE_FP8),
    "W8A8Fp8PerBlock": _scheme("fp8-w8a8-block", note=_NATIVE_FP8),
    "W8A8Int8": _scheme("int8-w8a8"),
    "W8A8Mxfp8": _scheme("mxfp8"),
    "W8A16Fp8": _scheme("fp8-w8a16"),
    "WNA16": _scheme(*_WEIGHT_ONLY_INT),
    "NVFP4": _scheme("nvfp4-w4a4"),
    "OCP_MX": _scheme("mxfp4-w4a4", "mxfp6"),
    # Base classes, sparsity and mixed-width integer schemes have no node of their own.
    "Scheme": _scheme(),
    "24": _scheme(),
    "Unquantized": _scheme(),
    "W4A16Sparse24": _scheme(),
    "WNA4Int": _scheme(),
    "WNA8Int": _scheme(),
    "WNA8O8Int": _scheme(),
}
_CONTAINERS = {"CompressedTensors": "compressed-tensors", "Quark": "quark"}


def method_named(name: str) -> Method:
    """What is particular about a method; most are just the scheme of the same name."""
    return METHODS.get(name, _PLAIN)


def method_facets(
    collector: Collector, name: str, at: Locator, *, config_class: str = ""
) -> list[Facet]:
    """The quantization and the joint features that a method covers.

    From the release on in which one class serves both paths of AWQ or GPTQ ("Auto…Config"), a
    Marlin name stands for the whole class and its floor says nothing about the Marlin kernels.
    """
    method = method_named(name)
    facets = [_scheme_facet(collector, name, method, at)]
    merged = config_class.startswith("Auto") and name.endswith("_marlin")
    if method.features and not merged:
        facets.append(facet_of(FEATURE, name, *sorted(method.features)))
    return facets


def _scheme_facet(collector: Collector, name: str, method: Method, at: Locator) -> Facet:
    if method.schemes:
        return facet_of(Axis.QUANTIZATION, name, *sorted(method.schemes))
    return collector.facet(Axis.QUANTIZATION, name, at)


def method_slugs(vocabulary: Vocabulary, name: str) -> frozenset[str]:
    """The quantization slugs of a method, or none while it is unknown."""
    return method_named(name).schemes or frozenset(vocabulary.find(Axis.QUANTIZATION.value, name))


def scheme_facets(class_name: str) -> tuple[list[Facet], str] | None:
    """The facets of a scheme class and its note; ``None`` for an unknown class.

    **Shapes**: no facets where the class is known and has no node of its own.
    """
    for prefix, container in _CONTAINERS.items():
        scheme = SCHEMES.get(class_name.removeprefix(prefix))
        if not class_name.startswith(prefix) or scheme is None:
            continue
        if not scheme.slugs:
            return [], scheme.note
        facets = [
            facet_of(Axis.QUANTIZATION, class_name, *sorted(scheme.slugs)),
            facet_of(Axis.CONTAINER, container, container),
        ]
        return facets, scheme.note
    return None
