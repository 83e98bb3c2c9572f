"""Figures about an installation, as monitoring reads them."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Figure:
    """One number that goes up and down. **Units**: named in ``name`` where it has one.

    Figures of one name have the same help and the same names of labels; labels have few values.
    """

    name: str
    help: str
    value: float
    labels: Mapping[str, str] = field(default_factory=dict)
