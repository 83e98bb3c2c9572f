"""One text for one value, so that a hash can be worked out anywhere."""

import hashlib
import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matrix.domain.canonical import canonical_text, canonical_value, content_sha256

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs",))),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=("Cs",))), inner)
    ),
    max_leaves=20,
)


def test_keys_are_sorted_and_nothing_is_escaped_or_padded() -> None:
    text = canonical_text({"b": [1.0, 0.5, -0.0, True, None], "a": "für 例 <b>"})
    assert text == '{"a":"für 例 <b>","b":[1,0.5,0,true,null]}'
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert content_sha256({"a": "für 例 <b>", "b": [1, 0.5, 0, True, None]}) == digest


@pytest.mark.parametrize("value", [math.nan, math.inf, {1: 2}, {"a": object()}, [b"x"]])
def test_what_json_does_not_have_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"JSON|no text"):
        canonical_text(value)


@settings(deadline=None)
@given(VALUES)
def test_a_value_that_was_written_and_read_has_the_same_text(value: object) -> None:
    text = canonical_text(value)
    assert canonical_text(json.loads(text)) == text
    assert canonical_value(canonical_value(value)) == canonical_value(value)
