"""Who may send runs and who looks after those of others."""

import pytest

from matrix.queries.access import TOKEN_SCOPES, has_right
from tests.matrix.api.rows import make_user

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("role", "uploads", "reviews"),
    [
        ("reader", False, False),
        ("contributor", True, False),
        ("curator", True, True),
        ("admin", True, True),
    ],
)
def test_contributors_send_runs_and_curators_look_after_them(
    role: str, uploads: bool, reviews: bool
) -> None:
    user = make_user("ada", role)
    assert has_right(user, "upload-runs") is uploads
    assert has_right(user, "review-runs") is reviews


def test_a_token_may_be_for_uploads_alone() -> None:
    assert "upload" in TOKEN_SCOPES
