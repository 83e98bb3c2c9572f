"""What every error answer must look like."""

import json
from typing import Any

from matrix.asking import PROBLEM_KINDS

STANDARD = {"type", "title", "status", "detail", "code"}
STATUS_OF = {kind.code: kind.status for kind in PROBLEM_KINDS}


def problem(answer: Any, status: int, code: str) -> dict[str, Any]:
    """The problem document of an answer, after checking its form."""
    assert answer.status_code == status, answer.content[:500]
    assert answer.headers["Content-Type"] == "application/problem+json"
    members: dict[str, Any] = json.loads(answer.content)
    assert set(members) >= STANDARD | {"instance"}
    assert members["code"] == code
    assert members["status"] == status == STATUS_OF[code]
    assert members["type"] == f"/about/errors/#{code}"
    assert members["detail"].endswith("."), members["detail"]
    assert isinstance(members.get("nearest", []), list)
    return members
