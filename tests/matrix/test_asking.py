"""Words to cells and back, without a database."""

from datetime import date
from typing import Any
from urllib.parse import parse_qs

import pytest

from matrix.asking import (
    NUMBER_PARAMETERS,
    Question,
    QuestionReader,
    cell_words,
    question_query,
    question_words,
)
from matrix.asking.names import QUESTION_PARAMETERS
from matrix.domain.catalogue import Catalogue, Node
from matrix.domain.errors import AmbiguousName, InvalidValue, RunproofError, UnknownName
from matrix.domain.levels import Axis, NumberAxis
from tests import builders

TODAY = date(2026, 1, 10)
_TREES = {
    "hardware": builders.HARDWARE,
    "quantization": builders.QUANTIZATION,
    "model": builders.MODEL,
    "feature": builders.FEATURE,
    "backend": builders.BACKEND,
}


def catalogue() -> Catalogue:
    """The trees of the builders as a catalogue, with one framework."""
    nodes = {
        area: {
            slug: Node(area=area, slug=slug, name=slug.upper(), kind="node", parent=parent)
            for slug, parent in tree.parents.items()
        }
        for area, tree in _TREES.items()
    }
    nodes["framework"] = {"vllm": Node(area="framework", slug="vllm", name="vLLM", kind="engine")}
    return Catalogue(
        nodes=nodes,
        splits={"hardware": {"old cards": ("nvidia-v100", "nvidia-t4")}},
        ambiguous={"hardware": {"the card": ("nvidia-v100", "nvidia-a100")}},
        releases={"vllm": builders.history_of().releases},
    )


def reader(**changes: Any) -> QuestionReader:
    """A reader that knows one word of the axis without catalogue."""
    words: dict[Axis, frozenset[str]] = {Axis.ENGINE: frozenset({"v1"})}
    return QuestionReader(
        changes.get("catalogue") or catalogue(),
        today=TODAY,
        words_of_axis=lambda axis: words.get(axis, frozenset()),
    )


def read(**words: str | list[str]) -> Question:
    """The question of some words about vllm."""
    lists = {name: [value] if isinstance(value, str) else value for name, value in words.items()}
    return reader().read({"framework": ["vllm"], **lists})


def test_every_word_of_a_question_finds_its_place_in_the_cell() -> None:
    question = read(version="0.6.0", hardware="NVIDIA-T4", quantization="awq w4a16",
                    model="llama-3", count="4", tensor_parallel="2", context_tokens="8192",
                    engine="V1",
                    feature=["lora", "EAGLE"], setting=["--a:1", "ENV:x:y"], as_of="2025-12-01",
                    known_at="2026-01-01")  # fmt: skip
    cell = question.cell
    assert cell.framework == "vllm"
    assert cell.version == "0.6.0"
    assert cell.nodes == {
        Axis.HARDWARE: "nvidia-t4", Axis.QUANTIZATION: "awq-w4a16", Axis.MODEL: "llama-3",
        Axis.ENGINE: "v1",
    }  # fmt: skip
    assert cell.numbers == {NumberAxis.HARDWARE_COUNT: 4, NumberAxis.TENSOR_PARALLEL: 2,
                            NumberAxis.CONTEXT_TOKENS: 8192}  # fmt: skip
    assert cell.features == {"lora", "eagle"}
    assert cell.settings == {"--a": "1", "ENV": "x:y"}
    assert (question.as_of, question.known_at) == (date(2025, 12, 1), date(2026, 1, 1))


def test_what_is_not_said_stays_open_and_a_blank_says_nothing() -> None:
    question = read(hardware="", version=" ", feature=["", "lora"], count="")
    assert question.cell.nodes == {}
    assert question.cell.numbers == {}
    assert question.cell.version is None
    assert question.cell.features == {"lora"}
    assert question.as_of == TODAY
    assert question.known_at is None


def test_latest_is_no_version_of_its_own() -> None:
    assert read(version="latest").cell.version is None


def test_a_question_written_back_asks_the_same() -> None:
    question = read(version="0.6.0", hardware="nvidia-t4", count="4", feature=["lora", "eagle"],
                    setting=["--a:x&y=z ü"], known_at="2026-01-01")  # fmt: skip
    again = reader().read(parse_qs(question_query(question)))
    assert again == question
    listed = read(over="hardware", kind="node", parent="nvidia")
    assert reader().read(parse_qs(question_query(listed))) == listed


def test_words_come_in_one_order_whatever_the_question_s_order() -> None:
    one = read(hardware="nvidia-t4", quantization="awq", feature=["lora", "eagle"])
    other = read(feature=["eagle", "lora"], quantization="awq", hardware="NVIDIA T4")
    assert question_words(one) == question_words(other)
    assert cell_words(one.cell)[0] == ("framework", "vllm")


def test_a_word_for_several_nodes_is_never_read_as_one() -> None:
    for word in ("old cards", "the card"):
        with pytest.raises(AmbiguousName) as caught:
            read(hardware=word)
        assert caught.value.facts["parameter"] == "hardware"


def test_a_kv_dtype_is_a_scheme_of_the_kv_cache() -> None:
    for word in ("fp8", "kv-fp8", "KV-FP8"):
        assert read(kv_dtype=word).cell.nodes[Axis.KV_DTYPE] == "kv-fp8"
    with pytest.raises(UnknownName) as caught:
        read(kv_dtype="awq")
    assert caught.value.facts["value"] == "awq"


def test_a_word_that_no_claim_uses_is_unknown_on_an_axis_without_catalogue() -> None:
    with pytest.raises(UnknownName) as caught:
        read(engine="v2")
    assert caught.value.facts["nearest"] == ["v1"]
    with pytest.raises(UnknownName):
        read(layer="moe")


@pytest.mark.parametrize("text", ["2026-01-11", "2021-12-31", "2025-13-01", "2025-1-1", "today",
                                  "2025-01-01T00:00", "٢٠٢٥-٠١-٠١"])  # fmt: skip
def test_a_day_is_iso_and_neither_ahead_nor_before_the_sources(text: str) -> None:
    with pytest.raises(InvalidValue) as caught:
        read(as_of=text)
    assert "2022-01-01" in str(caught.value)


def test_near_names_are_looked_for_only_so_often() -> None:
    one = reader()
    found = []
    for number in range(60):
        for word in ({"hardware": ["nvidia-t44"]}, {"version": [f"0.6.{number + 1}"]}):
            with pytest.raises(RunproofError) as caught:
                one.read({"framework": ["vllm"], **word})
            found.append(bool(caught.value.facts["nearest"]))
    assert found[0]
    assert not any(found[-60:])
    assert one.read({"framework": ["vllm"], "hardware": ["nvidia-t4"]}).cell.nodes


def test_every_parameter_is_read() -> None:
    samples = {"framework": "vllm", "version": "0.6.0", "model": "llama-3", "backend": "cuda",
               "hardware": "nvidia-t4", "quantization": "awq", "kv_dtype": "kv-fp8",
               "engine": "v1", "setting": "a:1", "feature": "lora"}  # fmt: skip
    base = read()
    for name in QUESTION_PARAMETERS:
        sample = samples.get(name, "2" if name in NUMBER_PARAMETERS else None)
        if sample is None or name == "framework":
            continue
        assert read(**{name: sample}) != base, name
