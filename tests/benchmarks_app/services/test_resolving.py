"""Names of tools to nodes of the shipped catalogue: found, or left open."""

from functools import cache

import pytest

from benchmarks_app.contract import Fact
from benchmarks_app.domain.levels import Origin
from benchmarks_app.services.environment import MACHINE
from benchmarks_app.services.resolving import Resolved, Resolver
from matrix.catalog_files import CATALOG_FOLDER, read_catalogue
from matrix.domain.catalogue import Catalogue

Value = str | int | float | bool


@cache
def shipped() -> Catalogue:
    """The catalogue as it is shipped."""
    return read_catalogue(CATALOG_FOLDER)


def resolve(**facts: Value) -> Resolved:
    """Facts by name, with ``__`` for dots."""
    named = {name.replace("__", "."): Fact(value) for name, value in facts.items()}
    return Resolver(shipped()).resolve(named)


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("NVIDIA A100-SXM4-80GB", "nvidia-a100-80gb-sxm"),
        ("NVIDIA H100 80GB HBM3", "nvidia-h100-sxm"),
        ("NVIDIA GeForce RTX 4070 Ti", "nvidia-rtx-4070-ti"),
        ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "nvidia-rtx-pro-6000-blackwell"),
        ("AMD Instinct MI300X 192GB HBM3", "amd-mi300x"),
        ("mi355x", "amd-mi355x"),
        ("Tesla T4", "nvidia-t4"),
        ("Ascend 910B3", "ascend-910b3"),
        # The card is not in the catalogue; its architecture is.
        ("AMD Radeon 8060S Graphics (RADV GFX1151)", "amd-gfx1151"),
        ("AMD Radeon 8060S Graphics, gfx1151 (0x1151)", "amd-gfx1151"),
        # A driver's word for any card.
        ("AMD Radeon Graphics", ""),
        ("Acme X9000", ""),
        ("NVIDIA H100 80GB HBM3, NVIDIA A100-SXM4-80GB", ""),
    ],
)
def test_devices_are_known_by_the_names_of_tools(name: str, slug: str) -> None:
    found = resolve(accelerator__name=name)
    assert found.hardware == slug
    assert bool(found.unknown) is not bool(slug)


@pytest.mark.parametrize(
    ("cpu", "slug"),
    [
        ("AMD EPYC 9575F 64-Core Processor", "cpu-x86-zen5"),
        ("AMD EPYC 7763 64-Core Processor", "cpu-x86-zen3"),
        ("AMD RYZEN AI MAX+ 395 w/ Radeon 8060S", "cpu-x86-strix-halo"),
        ("Intel(R) Xeon(R) Platinum 8480C", "cpu-x86-xeon-4"),
        ("INTEL(R) XEON(R) PLATINUM 8592+", "cpu-x86-xeon-5"),
        ("Intel(R) Xeon(R) 6787P", "cpu-x86-xeon-6"),
        ("Intel(R) Xeon(R) Processor @ 2.10GHz", "cpu-x86-intel-xeon"),
        ("Loongson-3A5000", ""),
    ],
)
def test_a_processor_counts_where_nothing_else_computed(cpu: str, slug: str) -> None:
    assert resolve(host__cpu=cpu, accelerator__backend="CPU").hardware == slug
    assert resolve(host__cpu=cpu, accelerator__backend="CUDA").hardware == ""
    assert resolve(host__cpu=cpu).hardware == ""


@pytest.mark.parametrize(
    ("facts", "slug"),
    [
        ({"model__id": "meta-llama/Llama-3.1-8B-Instruct"}, "meta-llama--llama-3.1-8b-instruct"),
        ({"model__raw": "‹path›/models--openai--gpt-oss-120b/snapshots/b5c939de8f75/"},
         "openai--gpt-oss-120b"),
        ({"model__id": "acme/llama-3.1-8b-instruct"}, ""),
        ({"model__id": "mock/tiny-llm"}, ""),
        # A file name alone proves nothing; with the number of parameters it does.
        ({"model__file": "gpt-oss-20b-F16.gguf"}, ""),
        ({"model__file": "gpt-oss-20b-F16.gguf", "model__n_params": 20914757184},
         "openai--gpt-oss-20b"),
        ({"model__file": "gpt-oss-20b-F16.gguf", "model__n_params": 1_000_000}, ""),
        ({"model__id": "not captured"}, ""),
    ],
)  # fmt: skip
def test_models_are_known_by_repository_and_never_by_likeness(
    facts: dict[str, Value], slug: str
) -> None:
    assert resolve(**facts).model == slug


@pytest.mark.parametrize(
    ("facts", "slug"),
    [
        ({"quantization__weights": "fp8"}, "fp8"),
        ({"quantization__weights": "awq", "model__id": "TheBloke/TinyLlama-1.1B-Chat-v0.3-AWQ"},
         "awq-w4a16"),
        ({"model__id": "Qwen/Qwen3-0.6B-FP8"}, "fp8"),
        ({"model__id": "Qwen/Qwen3-0.6B", "dtype": "bfloat16"}, "bf16"),
        ({"model__id": "Qwen/Qwen3-0.6B"}, ""),
        ({"dtype": "bfloat16"}, ""),
        ({"quantization__weights": "none", "dtype": "float16"}, "fp16"),
        ({"model__desc": "llama 1B Q4_K - Medium"}, "gguf-q4-k-m"),
        ({"model__desc": "deepseek4 ?B IQ2_XXS - 2.0625 bpw"}, "gguf-iq2-xxs"),
        ({"model__desc": "deepseek2 30B.A3B BF16"}, "bf16"),
        ({"model__desc": "llama 7B mostly mystery"}, ""),
        ({"model__file": "Qwen3-0.6B-UD-Q4_K_XL.gguf"}, "gguf-q4-k-xl"),
        # 5.3 bits a parameter are no F16, whatever the name of the file says.
        ({"model__desc": "gpt-oss 20B F16", "model__n_params": 20914757184,
          "model__size_bytes": 13779630336}, ""),
        ({"model__desc": "gpt-oss 20B F16", "model__n_params": 20914757184,
          "model__size_bytes": 13779630336, "model__id": "openai/gpt-oss-20b"}, ""),
        ({"quantization__weights": "mystery"}, ""),
    ],
)  # fmt: skip
def test_weights_are_known_by_what_says_so_alone(facts: dict[str, Value], slug: str) -> None:
    assert resolve(**facts).quantization == slug


@pytest.mark.parametrize(
    ("facts", "version"),
    [
        ({"framework__name": "vLLM", "framework__version": "v0.11.0"}, "0.11.0"),
        ({"framework__name": "vLLM", "framework__version": "0.11.0+cu128"}, "0.11.0"),
        ({"framework__name": "vLLM", "framework__version": "0.11.0+g1a2b3c4d5"},
         "0.11.0+g1a2b3c4d5"),
        ({"framework__name": "vLLM",
          "framework__version": "0.9.0.2.dev108+g71faa1880.d20250730.rocm641"},
         "0.9.0.2.dev108+g71faa1880.d20250730.rocm641"),
        ({"framework__name": "llama.cpp", "framework__build_number": 6097}, "b6097"),
        ({"framework__name": "llama.cpp", "framework__build_number": 999999}, "b999999"),
        ({"framework__name": "acme-serve", "framework__version": "1.0"}, "1.0"),
    ],
)  # fmt: skip
def test_releases_are_exact_and_other_builds_stay_text(
    facts: dict[str, Value], version: str
) -> None:
    assert resolve(**facts).framework_version == version


def test_only_devices_that_took_part_are_counted() -> None:
    machine = Fact(8, Origin.PASTED, MACHINE)
    name = Fact("NVIDIA H100 80GB HBM3", Origin.PASTED)
    resolver = Resolver(shipped())

    def count(**facts: Fact) -> int | None:
        named = {key.replace("__", "."): fact for key, fact in facts.items()}
        return resolver.resolve({"accelerator.name": name, **named}).hardware_count

    assert count(accelerator__count=machine) is None
    assert count(accelerator__count=machine, parallelism__tp=Fact(4)) == 4
    assert count(accelerator__count=Fact(2)) == 2
    assert count() is None
    assert count(accelerator__count=Fact("two")) is None
    assert resolve(accelerator__name="8x NVIDIA H100 80GB HBM3").hardware_count == 8


def test_a_decided_name_wins_and_may_mean_nothing() -> None:
    decided = {("hardware", "acme-x9000"): "nvidia-t4", ("model", "mock/tiny"): ""}
    facts = {"accelerator.name": Fact("Acme X9000"), "model.id": Fact("mock/tiny")}
    found = Resolver(shipped(), decided).resolve(facts)
    assert (found.hardware, found.model, found.unknown) == ("nvidia-t4", "", ())
