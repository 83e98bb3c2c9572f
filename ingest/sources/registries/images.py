"""What a registry says about one tag."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ingest.sources.json_answers import optional_text

# Entries of an index that are no images: signatures and records of the build.
_NO_PLATFORM = ("", "unknown")


@dataclass(frozen=True, slots=True)
class ListedImage:
    """One tag of an image repository.

    **Shapes**: ``platforms`` are "os/architecture[/variant]", sorted; ``digest`` is blank and
    ``pushed_at`` ``None`` where the answer does not say.
    """

    tag: str
    digest: str = ""
    platforms: tuple[str, ...] = ()
    pushed_at: datetime | None = None


def platform_of(entry: Mapping[str, Any]) -> str:
    """The platform of an entry, blank for one that is no image."""
    architecture = optional_text(entry, "architecture")
    if architecture in _NO_PLATFORM:
        return ""
    parts = (optional_text(entry, "os"), architecture, optional_text(entry, "variant"))
    return "/".join(part for part in parts if part)
