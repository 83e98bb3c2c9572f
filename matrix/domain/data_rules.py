"""The data rules by number: what may stand in the catalogue and in a claim.

**Source**: docs/data-guidelines.md, which says each rule in prose.
"""

from dataclasses import dataclass
from enum import StrEnum


class DataRule(StrEnum):
    """One rule each; the number is the one of the prose."""

    CLAIM_LEVEL = "D1"
    PARTIAL_HAS_NOTE = "D2"
    EVIDENCE = "D3"
    NO_HAS_LOCATOR = "D4"
    SHORT_NOTE = "D5"
    TYPED_RANGE = "D6"
    DATED = "D7"
    KNOWN_NODES = "D8"
    EXCLUDE_WITHIN_INCLUDE = "D9"
    KNOWN_RELEASES = "D10"
    RANGE_HOLDS_OBSERVATIONS = "D11"
    EVIDENCE_NEAR_RELEASE = "D12"
    NO_OVERLAP = "D13"
    SOUND_TREE = "D14"
    ONE_OWNER_PER_NAME = "D15"
    CATALOGUE_SOURCE = "D16"
    UNITS = "D17"
    NOT_WIDER_THAN_PARENT = "D18"
    NAMED_NODES_EXIST = "D19"
    RELEASES_AND_PERIODS = "D20"


@dataclass(frozen=True, slots=True)
class Breach:
    """One breach of a data rule: which, where (source, statement, node), and one sentence."""

    rule: DataRule
    group: str
    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what} ({self.rule})"
