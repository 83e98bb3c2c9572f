"""Reads the device lines that llama.cpp's backends print when they start."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks_app.contract import Fact

_MIB_PER_GIB = 1024
# "  Device 0: NVIDIA GeForce RTX 4090, compute capability 8.9, VMM: yes"
_CUDA = re.compile(
    r"^\s*Device \d+: (?P<name>.+?)(?:, compute capability [^,]+|, VMM: .*|, Wave Size: .*)+$"
)
_CUDA_MEMORY = re.compile(r"VRAM: (?P<mib>\d{1,12}) MiB")
# "ggml_vulkan: 0 = AMD Radeon 8060S Graphics (RADV GFX1151) (radv) | uma: 1 | …"
_VULKAN = re.compile(r"^\s*ggml_vulkan: \d+ = (?P<name>.+?) \((?P<driver>[^()|]*)\) \|")
# "ggml_metal_device_init: GPU name:   Apple M4 Max"
_METAL = re.compile(r"^\s*ggml_metal\w*: (?:GPU name:|found device:)\s*(?P<name>\S.*?)\s*$")
# "  Vulkan0: AMD Radeon 8060S Graphics (RADV GFX1151) (87722 MiB, 86000 MiB free)"
_LISTED = re.compile(
    r"^\s+(?P<backend>CUDA|ROCm|Vulkan|Metal|MTL|SYCL|CANN|MUSA|OpenCL)\d+: "
    r"(?P<name>.+?) \((?P<mib>\d{1,12}) MiB(?:, \d+ MiB free)?\)\s*$"
)
_BOUNDARY = re.compile(r"^\s*(?:```|~~~|-{3,}\s*$|#{1,6} )")
_FOUND = re.compile(r"[Ff]ound (?P<count>\d{1,6}) (?P<backend>[A-Za-z]+) devices?\b")


@dataclass(frozen=True, slots=True)
class _Device:
    name: str
    line: int
    backend: str = ""
    mib: int | None = None
    driver: str = ""


def read_devices(lines: Iterable[tuple[int, str]]) -> dict[str, Fact]:
    """Facts of the accelerators that the lines name; ``lines`` come with their numbers.

    The backends use every device that they find unless told otherwise, so their number is a fact
    here; the reader of a table takes it back where a column says otherwise.
    """
    devices: list[_Device] = []
    backend = ""
    for number, line in lines:
        found = _FOUND.search(line)
        if found:
            backend = found["backend"]
        device = _device(line, number)
        if device and device.name not in ("(none)", ""):
            devices.append(device)
    return _facts(devices, backend)


def lines_above(lines: Sequence[str], start: int, stop: int) -> list[tuple[int, str]]:
    """The numbered lines after ``start`` and before ``stop`` that belong to what stands at
    ``stop``: on a page of several people a fence, a heading or a rule ends what one of them said.
    """
    found: list[tuple[int, str]] = []
    for number in range(stop - 1, start, -1):
        if is_boundary(lines[number - 1]):
            break
        found.append((number, lines[number - 1]))
    return found[::-1]


def is_boundary(line: str) -> bool:
    """Whether a line of Markdown parts what stands above it from what stands below."""
    return _BOUNDARY.match(line) is not None


def _device(line: str, number: int) -> _Device | None:
    found = _CUDA.match(line)
    if found:
        memory = _CUDA_MEMORY.search(line)
        return _Device(found["name"], number, mib=int(memory["mib"]) if memory else None)
    found = _VULKAN.match(line)
    if found:
        return _Device(found["name"], number, backend="Vulkan", driver=found["driver"])
    found = _METAL.match(line)
    if found:
        return _Device(found["name"], number, backend="Metal")
    found = _LISTED.match(line)
    if found:
        return _Device(found["name"], number, backend=found["backend"], mib=int(found["mib"]))
    return None


def _facts(devices: list[_Device], backend: str) -> dict[str, Fact]:
    if not devices:
        return {}
    first = devices[0]
    place = f"line {first.line}"
    names = list(dict.fromkeys(device.name for device in devices))
    facts = {
        "accelerator.name": Fact(", ".join(names), pointer=place),
        "accelerator.count": Fact(len({device.line for device in devices}), pointer=place),
    }
    if first.backend == "Metal":  # Both of its lines name the one device.
        facts["accelerator.count"] = Fact(1, pointer=place)
    if backend or first.backend:
        facts["accelerator.backend"] = Fact(first.backend or backend, pointer=place)
    if first.mib and len({device.mib for device in devices}) == 1:
        facts["accelerator.memory_gib"] = Fact(first.mib / _MIB_PER_GIB, pointer=place)
    if first.driver:
        facts["accelerator.runtime"] = Fact(f"Vulkan ({first.driver})", pointer=place)
    return facts
