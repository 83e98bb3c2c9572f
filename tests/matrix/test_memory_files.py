"""Pasted model files are read within bounds, and what breaks them is named."""

import base64
import json

import pytest

from matrix.domain.memory.errors import MemoryInputError
from matrix.memory_files import (
    DEEPEST,
    LARGEST_CONFIG_BYTES,
    LARGEST_HEAD_BYTES,
    check_head,
    read_config_text,
    read_head_text,
)


def nested(levels: int) -> str:
    return '{"a":' * levels + "1" + "}" * levels


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("[1, 2]", "a list"),
        ("", "Expecting value"),
        ('{"hidden_size": 1, "hidden_size": 2}', "hidden_size twice"),
        ('{"a": {"b": 1, "b": 1}}', "b twice"),
        ('{"hidden_size": NaN}', "NaN is no JSON number"),
        ('{"hidden_size": -Infinity}', "-Infinity is no JSON number"),
        ('{"hidden_size": 1e999}', "beyond every number"),
        ('{"hidden_size": ' + "9" * 5000 + "}", "a number of 5000 digits"),
        (nested(DEEPEST + 1), "nested too deeply"),
        ("[" * 100_000, "nested too deeply"),
        (" " * LARGEST_CONFIG_BYTES + "{}", "bytes"),
    ],
)
def test_a_hostile_config_is_refused_with_what_was_seen(text: str, seen: str) -> None:
    with pytest.raises(MemoryInputError) as caught:
        read_config_text(text)
    assert caught.value.code == "unreadable-file"
    assert seen in str(caught.value.facts["value"])
    assert len(str(caught.value)) < 400


def test_a_config_is_read_as_it_stands() -> None:
    config = {"hidden_size": 1024, "rope_scaling": {"factor": 4.0}, "name": "m\N{SNOWMAN}"}
    assert read_config_text(json.dumps(config)) == config
    assert read_config_text(nested(DEEPEST)) != {}


@pytest.mark.parametrize("text", ["R0dVRg=", "R0dVRg==\n", "R0dV Rg==", "\N{SNOWMAN}"])
def test_a_head_that_is_no_base64_is_refused(text: str) -> None:
    with pytest.raises(MemoryInputError) as caught:
        read_head_text(text)
    assert caught.value.facts["parameter"] == "gguf_head"


def test_a_head_is_bounded_before_it_is_decoded() -> None:
    assert read_head_text(base64.b64encode(b"GGUF").decode()) == b"GGUF"
    with pytest.raises(MemoryInputError):
        read_head_text("A" * (LARGEST_HEAD_BYTES * 4 // 3 + 8))
    with pytest.raises(MemoryInputError):
        check_head(b"\0" * (LARGEST_HEAD_BYTES + 1))
