"""Pasted output of tools as facts."""

import json

import pytest

from benchmarks_app.services.declared import read_declared
from benchmarks_app.services.environment import (
    MACHINE,
    mask_pasted,
    read_environment_json,
    read_pasted,
)
from matrix.domain.errors import InvalidValue

NVIDIA_SMI = """\
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 550.54.15              Driver Version: 550.54.15      CUDA Version: 12.4     |
|-----------------------------------------+------------------------+----------------------+
|   0  NVIDIA A100-SXM4-80GB          On  |   00000000:07:00.0 Off |                    0 |
| N/A   31C    P0             61W /  400W |       0MiB /  81920MiB |      0%      Default |
|   1  NVIDIA A100-SXM4-80GB          On  |   00000000:0F:00.0 Off |                    0 |
| N/A   30C    P0             60W /  400W |       0MiB /  81920MiB |      0%      Default |
+-----------------------------------------------------------------------------------------+
"""
NVIDIA_Q = """\
Driver Version                            : 535.161.08
CUDA Version                              : 12.2
Attached GPUs                             : 1
GPU 00000000:01:00.0
    Product Name                          : NVIDIA L40S
    Serial Number                         : 1320000000001
    FB Memory Usage
        Total                             : 46068 MiB
"""
ROCM_SMI = """\
Driver version: 6.7.0
ROCm version: 6.2.4
GPU[0]		: Card Series: 		AMD Instinct MI300X
GPU[1]		: Card Series: 		AMD Instinct MI300X
"""
AMD_SMI = """\
| AMD-SMI 26.0.0   amdgpu version: 6.12.12   ROCm version: 7.0.1 |
    MARKET_NAME: AMD Instinct MI355X
"""
NPU_SMI = """\
| npu-smi 24.1.rc2                 Version: 24.1.rc2                                       |
| 0     910B3               | OK            | 93.2        44                0    / 0       |
| 1     910B3               | OK            | 91.7        43                0    / 0       |
"""
LSCPU = "Architecture: x86_64\nModel name:            AMD EPYC 9575F 64-Core Processor\n"
UNAME = "Linux gpu17 6.8.0-45-generic #45-Ubuntu SMP x86_64 GNU/Linux\n"
COLLECT = """\
OS: Ubuntu 22.04.5 LTS (x86_64)
Python version: 3.12.9 (main) [GCC 11.4.0] (64-bit runtime)
CUDA runtime version: 12.8.93
GPU models and configuration:
GPU 0: NVIDIA H100 80GB HBM3
GPU 1: NVIDIA H100 80GB HBM3
Nvidia driver version: 570.86.15
vLLM Version: 0.11.0
"""


def values(text: str) -> dict[str, object]:
    """The facts of a text by name."""
    return {name: fact.value for name, fact in read_pasted(text).items()}


def test_nvidia_smi_tells_driver_runtime_cards_and_memory() -> None:
    found = read_pasted(NVIDIA_SMI)
    assert {name: fact.value for name, fact in found.items()} == {
        "accelerator.name": "NVIDIA A100-SXM4-80GB",
        "accelerator.count": 2,
        "accelerator.memory_gib": 80.0,
        "accelerator.driver": "550.54.15",
        "accelerator.runtime": "CUDA 12.4",
    }
    assert found["accelerator.count"].pointer == MACHINE
    assert all(fact.origin.value == "pasted" for fact in found.values())


def test_the_long_form_tells_the_same_of_one_card() -> None:
    found = read_pasted(NVIDIA_Q)
    assert found["accelerator.name"].value == "NVIDIA L40S"
    assert (found["accelerator.count"].value, found["accelerator.driver"].value) == (
        1,
        "535.161.08",
    )
    assert found["accelerator.count"].pointer != MACHINE


@pytest.mark.parametrize(
    ("text", "name", "count", "driver", "runtime"),
    [
        (ROCM_SMI, "AMD Instinct MI300X", 2, "6.7.0", "ROCm 6.2.4"),
        (AMD_SMI, "AMD Instinct MI355X", 1, "6.12.12", "ROCm 7.0.1"),
        (NPU_SMI, "Ascend 910B3", 2, "24.1.rc2", None),
        (COLLECT, "NVIDIA H100 80GB HBM3", 2, "570.86.15", "CUDA 12.8.93"),
    ],
)
def test_other_tools_tell_their_cards(
    text: str, name: str, count: int, driver: str, runtime: str | None
) -> None:
    found = values(text)
    assert found["accelerator.name"] == name
    assert found["accelerator.count"] == count
    assert found["accelerator.driver"] == driver
    assert found.get("accelerator.runtime") == runtime


def test_mixed_cards_are_said_to_be_mixed() -> None:
    found = values("GPU 0: NVIDIA L4 (UUID: GPU-1)\nGPU 1: NVIDIA T4 (UUID: GPU-2)\n")
    assert found["accelerator.name"] == "1 x NVIDIA L4, 1 x NVIDIA T4"
    assert found["accelerator.count"] == 2


def test_the_host_is_told_without_its_name() -> None:
    found = values(mask_pasted(LSCPU + UNAME + COLLECT))
    assert found["host.cpu"] == "AMD EPYC 9575F 64-Core Processor"
    assert found["host.kernel"] == "6.8.0-45-generic"
    assert found["host.os"] == "Ubuntu 22.04.5 LTS (x86_64)"
    assert found["host.python"] == "3.12.9"
    assert "gpu17" not in json.dumps(found)


def test_one_engine_among_packages_is_the_framework_and_two_are_none() -> None:
    assert values("torch==2.8.0\nvllm==0.11.0\n")["framework.version"] == "0.11.0"
    assert "framework.name" not in values("vllm==0.11.0\nsglang==0.5.2\n")
    assert values(COLLECT)["framework.name"] == "vLLM"


INSPECT = [
    {
        "Id": "f" * 64,
        "Image": "sha256:" + "a" * 64,
        "State": {"Status": "running"},
        "Args": ["--model", "acme/m", "--api-key", "secret-value-1"],
        "Config": {
            "Hostname": "gpu17",
            "Image": "vllm/vllm-openai:v0.11.0",
            "Env": ["HF_TOKEN=hf_abcdefghijklmnopqrst", "VLLM_USE_V1=1", "PATH=/usr/bin"],
        },
    }
]


def test_docker_inspect_tells_image_arguments_and_telling_variables() -> None:
    text = mask_pasted(NVIDIA_SMI + json.dumps(INSPECT, indent=4))
    found = values(text)
    assert found["container.image"] == "vllm/vllm-openai:v0.11.0"
    assert found["env.VLLM_USE_V1"] == "1"
    assert found["accelerator.driver"] == "550.54.15"
    # The identifier of a configuration is no digest of an image.
    assert "container.digest" not in found
    assert "env.HF_TOKEN" not in found and "hf_abc" not in text
    image = [{"RepoDigests": ["vllm/vllm-openai@sha256:" + "b" * 64], "Config": {}}]
    assert values(json.dumps(image))["container.digest"] == "sha256:" + "b" * 64


def test_an_environment_file_is_nested_or_dotted() -> None:
    text = '{"accelerator": {"driver": "550", "count": 8}, "host.os": "Ubuntu", "mood": "good"}'
    facts, unknown = read_environment_json(text)
    assert facts == {"accelerator.driver": "550", "accelerator.count": 8, "host.os": "Ubuntu"}
    assert unknown == ["mood"]
    with pytest.raises(InvalidValue):
        read_environment_json("driver: 550")


def test_null_states_that_something_was_not_captured() -> None:
    facts, unknown = read_environment_json(
        '{"accelerator": {"driver": null}, "framework.exact": null, "host.os": "not captured"}'
    )
    captured = ("accelerator.driver", "framework.exact", "host.os")
    assert facts == dict.fromkeys(captured, "not captured")
    assert unknown == []
    assert read_pasted('{"accelerator": {"driver": null}}') == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[1, 2]", "a JSON object"),
        ('"x"', "a JSON object"),
        ('{"host.os": "a", "host.os": "b"}', "host.os twice"),
        ('{"host": {"os": "a", "os": "b"}}', "os twice"),
    ],
)
def test_an_environment_file_that_says_nothing_or_two_things_is_refused(
    text: str, words: str
) -> None:
    with pytest.raises(InvalidValue, match=words):
        read_environment_json(text)


@pytest.mark.parametrize("number", ["NaN", "1e999", "-Infinity", f"1{'0' * 400}"])
def test_a_fact_is_a_finite_number(number: str) -> None:
    facts, _unknown = read_environment_json(f'{{"accelerator.memory_gib": {number}}}')
    with pytest.raises(InvalidValue, match="a finite number"):
        read_declared(facts)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("run.started_at", "yesterday"),
        ("run.started_at", "2019-13-01"),
        ("run.finished_at", "2999-01-01T00:00:00Z"),
        ("run.started_at_local", "1970-01-01 00:00:00"),
        ("run.timezone", "Mars/Olympus"),
    ],
)
def test_what_is_no_time_is_not_taken_as_one(name: str, value: str) -> None:
    with pytest.raises(InvalidValue, match=value):
        read_declared({name: value})


def test_times_and_zones_are_taken_as_people_write_them() -> None:
    told = {"run.started_at": "2026-03-01 10:00", "run.timezone": "+01:00"}
    assert read_declared(told) == told
    assert read_declared({"run.timezone": "Europe/Berlin"}) == {"run.timezone": "Europe/Berlin"}


def test_text_that_says_nothing_gives_no_facts() -> None:
    assert read_pasted("hello\n{broken json\n[1, 2]\n") == {}


def test_masking_pasted_text_twice_changes_nothing() -> None:
    once = mask_pasted(NVIDIA_Q + UNAME + json.dumps(INSPECT, indent=1))
    assert mask_pasted(once) == once
    for hidden in ("1320000000001", "gpu17", "hf_abc"):
        assert hidden not in once
