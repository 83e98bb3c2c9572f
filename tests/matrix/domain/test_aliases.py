"""Names: how they are compared, and what an unknown or ambiguous one is answered with."""

import pytest

from matrix.domain.aliases import NameTable, Vocabulary, build_name_table, normalise_name
from matrix.domain.errors import AmbiguousName, UnknownName

TABLE = NameTable(
    axis="hardware",
    names=build_name_table(
        "hardware",
        [
            ("nvidia-t4", ("nvidia-t4",)),
            ("Tesla T4", ("nvidia-t4",)),
            ("NVIDIA A100 80GB", ("nvidia-a100-80gb",)),
            ("Turing and newer", ("nvidia-turing", "nvidia-ampere")),
        ],
    ).names,
    display={"nvidia-t4": "Tesla T4", "nvidia-a100-80gb": "A100 80GB"},
    ambiguous={"rtx-6000": ("nvidia-rtx-6000-ada", "nvidia-quadro-rtx-6000")},
)


@pytest.mark.parametrize(
    ("written", "compared"),
    [
        ("Tesla T4", "tesla-t4"),
        ("  tesla__T4 ", "tesla-t4"),
        ("A100 - 80GB", "a100-80gb"),
        ("ＦＰ８", "fp8"),
        ("✅︎", "✅"),
        ("-fa", "fa"),
        ("Q4_K_M", "q4-k-m"),
        ("MI300X", "mi300x"),
    ],
)
def test_names_are_compared_without_case_width_and_separators(written: str, compared: str) -> None:
    assert normalise_name(written) == compared


def test_a_dot_and_a_plus_are_part_of_a_name() -> None:
    assert normalise_name("Qwen2.5") != normalise_name("Qwen25")
    assert normalise_name("C4AI Command-R+") != normalise_name("C4AI Command-R")


def test_a_spelling_finds_its_node_and_an_unknown_one_finds_nothing() -> None:
    assert TABLE.find("TESLA-t4") == ("nvidia-t4",)
    assert TABLE.find("T5") == ()


def test_a_word_that_covers_several_nodes_finds_all_of_them_and_resolves_to_none() -> None:
    assert TABLE.find("Turing and newer") == ("nvidia-turing", "nvidia-ampere")
    with pytest.raises(AmbiguousName):
        TABLE.resolve("Turing and newer")


def test_a_word_that_means_one_of_several_is_never_looked_up_as_all_of_them() -> None:
    assert TABLE.find("RTX 6000") == ()
    with pytest.raises(AmbiguousName) as caught:
        TABLE.resolve("RTX 6000")
    assert caught.value.facts["nearest"] == ["nvidia-rtx-6000-ada", "nvidia-quadro-rtx-6000"]


def test_an_unknown_name_is_answered_with_the_nearest_ones_as_people_write_them() -> None:
    with pytest.raises(UnknownName) as caught:
        TABLE.resolve("Telsa T4")
    facts = caught.value.facts
    assert facts["nearest"] == ["Tesla T4"]
    assert (facts["axis"], facts["value"]) == ("hardware", "Telsa T4")
    assert "'Telsa T4' is no known hardware. Nearest known: Tesla T4." in str(caught.value)


def test_a_part_of_a_name_brings_that_name_near() -> None:
    assert TABLE.nearest("a100") == ("A100 80GB",)
    assert TABLE.nearest("") == ()


def test_the_first_owner_of_a_spelling_keeps_it() -> None:
    table = build_name_table("model", [("Llama", ("llama-2",)), ("llama", ("llama-3",))])
    assert table.find("LLAMA") == ("llama-2",)


def test_an_axis_without_catalogue_has_an_empty_table() -> None:
    vocabulary = Vocabulary(tables={"hardware": TABLE})
    assert vocabulary.find("hardware", "Tesla T4") == ("nvidia-t4",)
    assert vocabulary.find("os_isa", "linux") == ()
    with pytest.raises(UnknownName):
        vocabulary.resolve("os_isa", "linux")
