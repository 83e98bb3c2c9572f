"""The small world of the REST tests plus what pages must survive: markup in notes, joint limits."""

from matrix.domain.claims import Claim
from matrix.domain.coordinates import Condition
from matrix.domain.levels import ConditionKind
from matrix.index import forget_knowledge
from matrix.services import add_claims, raise_revision
from tests import builders
from tests.matrix.api.rows import make_world

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>"
# A word that no line of a phone holds.
LONG_WORD = "scheme_min_capability." * 6

HOSTILE_CLAIM = builders.claim(
    "partial",
    about=builders.scope(quantization="gguf", hardware="nvidia-ampere"),
    seen=("0.11.0", "0.12.0"),
    uid="hostile",
    note=f"{HOSTILE} {LONG_WORD}",
)
LORA = builders.claim(
    "supported",
    about=builders.scope(features=["lora"], hardware="nvidia-ampere"),
    seen=("0.12.0",),
    uid="lora-on-ampere",
)
LORA_WITH_EAGLE = builders.claim(
    "unsupported",
    about=builders.scope(features=["lora", "eagle"]),
    seen=("0.12.0",),
    uid="lora-with-eagle",
)
AWQ_ON_AMPERE = builders.claim(
    "supported",
    about=builders.scope(quantization="awq", hardware="nvidia-ampere"),
    seen=("0.11.0", "0.12.0"),
    uid="awq-on-ampere",
    conditions=[Condition(ConditionKind.FLAG, "--quantization", "=", "awq")],
)
CLAIMS: tuple[Claim, ...] = (HOSTILE_CLAIM, LORA, LORA_WITH_EAGLE, AWQ_ON_AMPERE)


def fill_pages_world() -> None:
    """Fills the tables; no other test's index is left in memory."""
    forget_knowledge()
    make_world()
    add_claims(CLAIMS, shipped=False)
    raise_revision()


def add_many_claims(number: int) -> None:
    """Adds claims about the same few nodes, so that pages have more to show."""
    versions = builders.VERSIONS
    add_claims(
        [
            builders.claim(
                "supported",
                about=builders.scope(quantization="fp8", hardware="nvidia-ampere"),
                seen=(versions[position % len(versions)],),
                uid=f"many-{position}",
            )
            for position in range(number)
        ],
        shipped=False,
    )
    raise_revision()
