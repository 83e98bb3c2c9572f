"""Spellings under which the catalogue may know a device that a tool names."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_MARKS = re.compile(r"\((?:R|TM|C)\)|[®™©]", re.IGNORECASE)
_SPACES = re.compile(r"\s+")
_MEMORY = re.compile(
    r"[\s,-]+\d{1,3}\s?Gi?B(?:\s+HBM\w*|\s+GDDR\w*|\s+\(?vRAM\)?)?$", re.IGNORECASE
)
_IN_BRACKETS = re.compile(r"\s*\([^)]*\)")
_GFX = re.compile(r"\bgfx[0-9a-f]{3,5}\b", re.IGNORECASE)
_TIMES = re.compile(r"^\s*(?P<count>\d{1,5})\s*(?:[x×*]\s*(?=\S))(?P<name>.+)$", re.IGNORECASE)
_GENERIC = re.compile(r"\b(?:GPU|Graphics|Accelerator|OAM)\b", re.IGNORECASE)
_VENDORS = ("NVIDIA", "AMD", "AMD Instinct", "Intel", "Ascend")
# Names that a driver gives to any device.
_NO_NAMES = frozenset({"amd radeon graphics", "radeon graphics", "graphics device", "cpu", "gpu"})


@dataclass(frozen=True, slots=True)
class NamedDevices:
    """A device name, and how many of it the text itself says; ``mixed`` for several kinds."""

    name: str
    count: int | None = None
    mixed: bool = False


def read_devices(text: str) -> NamedDevices:
    """The device of texts such as "8x NVIDIA H100" or one name listed several times."""
    listed = [part.strip() for part in re.split(r"[,;](?!\s*gfx)", text) if part.strip()]
    found = [_TIMES.match(part) for part in listed]
    names = [m["name"].strip() if m else part for m, part in zip(found, listed, strict=True)]
    counts = [int(m["count"]) if m else 1 for m in found]
    if len(set(names)) > 1:
        return NamedDevices(text, None, mixed=True)
    if not names:
        return NamedDevices(text)
    stated = len(names) > 1 or any(found)
    return NamedDevices(names[0], sum(counts) if stated else None)


def device_spellings(name: str) -> Iterator[str]:
    """Spellings from the name itself to looser ones; none of them says more than the name.

    The architecture of a card ("gfx1151") comes last: it is known where the card is not.
    """
    plain = _SPACES.sub(" ", _MARKS.sub("", name)).strip()
    if plain.lower() in _NO_NAMES:
        return
    seen: dict[str, None] = {}
    for one in (name, plain, _IN_BRACKETS.sub("", plain).partition(", gfx")[0].strip()):
        bare = _SPACES.sub(" ", _GENERIC.sub("", one)).strip(" ,")
        for spelling in (one, bare, _MEMORY.sub("", one), _MEMORY.sub("", bare)):
            if spelling and spelling.lower() not in _NO_NAMES:
                seen.setdefault(spelling)
                if not spelling.lower().startswith(("nvidia", "amd", "intel", "ascend")):
                    for vendor in _VENDORS:
                        seen.setdefault(f"{vendor} {spelling}")
    yield from seen
    yield from _GFX.findall(name)


# Processor names by the vendors' numbering. **Source**: the model numbers of the series, as the
# vendors list them: the last digit of an EPYC's four is its generation; the second of a Xeon
# Scalable's four is.
_BY_NUMBER: tuple[tuple[str, str], ...] = (
    (r"EPYC\s+9\w{2}5", "cpu-x86-zen5"),
    (r"EPYC\s+(?:9|8)\w{2}4", "cpu-x86-zen4"),
    (r"EPYC\s+7\w{2}3", "cpu-x86-zen3"),
    (r"EPYC\s+7\w{2}2", "cpu-x86-zen2"),
    (r"RYZEN AI MAX", "cpu-x86-strix-halo"),
    (r"Xeon\W+6\d{3}[PE]\b", "cpu-x86-xeon-6"),
    (r"Xeon\W+(?:Platinum|Gold|Silver|Bronze)\s+\d5\d{2}", "cpu-x86-xeon-5"),
    (r"Xeon\W+(?:Platinum|Gold|Silver|Bronze|CPU Max)\s+\d4\d{2}", "cpu-x86-xeon-4"),
    (r"Xeon\W+(?:Platinum|Gold|Silver)\s+\d3\d{2}(?!H)", "cpu-x86-xeon-3"),
    (r"Core(?:\W+)Ultra", "cpu-x86-core-ultra"),
    (r"Core(?:\W+)i[3579]", "cpu-x86-intel-core"),
    (r"Xeon", "cpu-x86-intel-xeon"),
    (r"EPYC|Ryzen|Threadripper|AMD Eng Sample", "cpu-x86-amd"),
    (r"Intel\b", "cpu-x86-intel"),
    (r"Apple M\d", "cpu-apple"),
    (r"Kunpeng", "cpu-kunpeng"),
    (r"Neoverse|Cortex", "cpu-arm"),
)  # fmt: skip
_PROCESSORS = tuple((re.compile(words, re.IGNORECASE), slug) for words, slug in _BY_NUMBER)


def processor_node(name: str) -> str:
    """The catalogue slug of a processor's line, or an empty text."""
    plain = _MARKS.sub("", name)
    return next((slug for pattern, slug in _PROCESSORS if pattern.search(plain)), "")
