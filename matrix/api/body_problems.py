"""What is wrong with a small body of JSON, as an error that names the member and its value."""

import json
import re
from collections.abc import Mapping
from typing import Any

from matrix.api.claim_input import flat_problems
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import join_phrases

LONGEST_VALUE = 60
_STEP = re.compile(r"[^.\[\]]+")


def invalid_member(errors: Any, body: Mapping[str, Any], *, accepted: str) -> InvalidValue:
    """The first problem of a form: the member, the value that it has, what was wrong with it.

    **Shapes**: ``errors`` as the form gives them; ``accepted`` lists the members of a body.
    """
    path, _, problem = next(iter(flat_problems(errors))).partition(": ")
    return InvalidValue(
        name=path,
        value=value_at(body, path),
        accepted=join_phrases("; ", (accepted, problem[:160])),
    )


def value_at(body: Mapping[str, Any], path: str) -> str:
    """The value of a member as it was sent, cut; of one that is missing, nothing."""
    value: Any = body
    for step in _STEP.findall(path):
        if isinstance(value, Mapping) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return "missing"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text[:LONGEST_VALUE]
