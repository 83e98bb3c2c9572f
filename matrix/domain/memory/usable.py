"""What programs were seen to get of a device, which is less than its box says, or more.

Makers state decimal gigabytes of a nominal size: an "80 GB" H100 gives programs 79.2 GiB, which is
85.0 decimal GB, and a "16 GB" T4 14.6 GiB, because error correction takes its share.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from matrix.domain.phrases import Phrase

MIB = 1024**2
GIB = 1024**3


@dataclass(frozen=True, slots=True)
class UsableSeen:
    """The least that was seen. **Units**: bytes. **Dates**: all were read on 2026-11-30."""

    bytes_: int
    source: str


_PROPERTIES = Phrase("device properties printed in public logs")
_THREADS = Phrase("error messages and start-up logs in public threads")
_VLLM_LOG = Phrase("start-up log of {engine} in a public repository", engine="vLLM")


def _mib(count: int, source: str = _PROPERTIES) -> UsableSeen:
    return UsableSeen(count * MIB, source)


def _gib(size: float, source: str = _THREADS) -> UsableSeen:
    return UsableSeen(int(size * GIB), source)


USABLE: Mapping[str, UsableSeen] = MappingProxyType(
    {
        "nvidia-t4": _gib(
            14.56,
            Phrase("error messages in public logs; {thread}", thread="datawhalechina/self-llm#162"),
        ),
        "nvidia-v100-16gb": _mib(16_130),
        "nvidia-rtx-2080-ti": _gib(10.73, "vllm-project/vllm#188"),
        "nvidia-rtx-a4000": _gib(15.61, "DengKaiCQ/VGGT-Long#6"),
        "nvidia-rtx-a6000": _mib(48_676),
        "nvidia-rtx-3090": _gib(23.58, "vllm-project/vllm#14447"),
        "nvidia-rtx-4090": _gib(23.64, "ali-vilab/VGen#104"),
        "nvidia-rtx-5080": _gib(15.48, "vllm-project/vllm#14452"),
        "nvidia-a10g": _mib(22_587),
        "nvidia-l4": _gib(22.07, _VLLM_LOG),
        "nvidia-l40s": _mib(45_589),
        "nvidia-a100-40gb": _gib(39.5, _VLLM_LOG),
        "nvidia-a100-80gb": _gib(79.15),
        "nvidia-h100-sxm": _mib(81_082),
        "nvidia-h200": _gib(139.72),
        "nvidia-b200": _mib(182_631),
        "amd-mi300x": _mib(196_592),
        "intel-gaudi2": _gib(94.62, _VLLM_LOG),
    }
)


def usable_seen(hardware: str) -> UsableSeen | None:
    """What was seen of a device by its catalogue slug; None where no log is known."""
    return USABLE.get(hardware)
