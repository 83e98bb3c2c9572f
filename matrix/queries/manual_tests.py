"""Tests that people ran by hand, and the claims that rest on them."""

from collections.abc import Sequence

from matrix.models import Claim, ManualTest

LONGEST_UID = 24


def manual_test(uid: str) -> ManualTest | None:
    """The test, or ``None``. **Queries**: 1, none for what is no identifier."""
    if not (uid.isascii() and uid.isalnum() and len(uid) <= LONGEST_UID):
        return None
    return ManualTest.objects.filter(uid=uid).first()


def claims_resting_on(address: str) -> Sequence[tuple[str, str, str]]:
    """Identifier, statement and level of the standing claims with that page as evidence."""
    rows = Claim.objects.standing().filter(observations__document__url=address).distinct()
    return list(rows.values_list("uid", "statement", "level"))
