"""A small world in which one model meets one framework on several cards."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date

import pytest

from matrix.asking import QuestionReader
from matrix.checking import CheckAnswer, answer_check, read_check
from matrix.domain.coordinates import Condition
from matrix.domain.levels import ConditionKind
from matrix.index import current_knowledge, forget_knowledge
from matrix.services import add_claims, raise_revision
from tests import builders
from tests.matrix.api.rows import make_world

DAY = date(2026, 1, 10)
ON = ("0.11.0", "0.12.0")
CLAIMS = (
    builders.claim(
        "supported", about=builders.scope(model="llamaforcausallm"), seen=ON, uid="llama"
    ),
    builders.claim(
        "supported", about=builders.scope(hardware="nvidia-turing"), seen=ON, uid="turing-later"
    ),
    builders.claim(
        "supported", about=builders.scope(hardware="nvidia-ampere"), seen=ON, uid="ampere"
    ),
    builders.claim(
        "supported",
        about=builders.scope(hardware="nvidia-volta"),
        seen=("0.6.0", "0.8.0"),
        uid="volta",
    ),
    builders.claim(
        "supported",
        about=builders.scope(quantization="gguf", hardware="nvidia-turing"),
        seen=("0.8.0",),
        gone="0.11.0",
        uid="gguf-on-turing",
    ),
    builders.claim(
        "unsupported",
        about=builders.scope(quantization="gguf", hardware="nvidia-turing"),
        seen=ON,
        uid="no-gguf-on-turing",
    ),
    builders.claim(
        "unsupported",
        about=builders.scope(quantization="fp8", hardware="nvidia-turing"),
        seen=ON,
        uid="no-fp8-on-turing",
    ),
    builders.claim(
        "supported",
        about=builders.scope(quantization="fp8", hardware="nvidia-ampere"),
        seen=ON,
        uid="fp8-on-ampere",
        conditions=[Condition(ConditionKind.PACKAGE, "torch", ">=", "2.8")],
    ),
    builders.claim(
        "supported",
        about=builders.scope(quantization="awq", hardware="nvidia-turing"),
        seen=ON,
        uid="awq-on-turing-later",
    ),
    builders.claim(
        "supported",
        about=builders.scope(features=["lora"], hardware="nvidia-ampere"),
        seen=ON,
        uid="lora-on-ampere",
    ),
    builders.claim(
        "unsupported",
        about=builders.scope(features=["lora"], hardware="nvidia-turing"),
        seen=ON,
        uid="no-lora-on-turing",
    ),
)
Words = Mapping[str, str | Sequence[str]]


@pytest.fixture
def world(db: None) -> Iterator[None]:
    """The rows of the world; no other test's index is left in memory."""
    forget_knowledge()
    make_world()
    add_claims(CLAIMS, shipped=False)
    raise_revision()
    yield
    forget_knowledge()


@pytest.fixture
def reader(world: None) -> QuestionReader:
    """Reads questions on the day of the world."""
    catalogue = current_knowledge().catalogue
    return QuestionReader(catalogue, today=DAY, words_of_axis=lambda _axis: frozenset())


@pytest.fixture
def check(reader: QuestionReader) -> Callable[..., CheckAnswer]:
    """Asks with parameters; returns the whole answer."""

    def ask(**words: str | list[str]) -> CheckAnswer:
        lists = {name: [v] if isinstance(v, str) else v for name, v in words.items()}
        return answer_check(current_knowledge(), reader, read_check(reader, lists))

    return ask
