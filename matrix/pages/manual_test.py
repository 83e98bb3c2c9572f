"""The page of a test that somebody ran by hand."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.urls import reverse
from django.utils.functional import Promise

from matrix.domain.catalogue import Catalogue
from matrix.domain.redaction import mask_text
from matrix.entering.environment import Known
from matrix.models import ManualTest
from matrix.pages.entering_form import ENVIRONMENT_LABELS
from matrix.pages.links import node_name
from matrix.queries.manual_tests import claims_resting_on


@dataclass(frozen=True, slots=True)
class ItemView:
    """One item of the environment; ``how`` is of the vocabulary ``Known``."""

    label: str | Promise
    value: str
    how: str


@dataclass(frozen=True, slots=True)
class ManualTestPage:
    """A test as its page shows it, masked once more: a mask may know more than it did then.

    **Shapes**: ``claims`` are (identifier, statement, level).
    """

    uid: str
    title: str
    framework: str
    framework_name: str
    version: str
    ran_on: date
    author: str
    recorded_at: datetime
    command: str
    expected: str
    observed: str
    pasted: str
    environment: Sequence[ItemView]
    missing: int
    claims: Sequence[tuple[str, str, str]]


def build_manual_test_page(row: ManualTest, catalogue: Catalogue) -> ManualTestPage:
    """The page of a stored test. **Queries**: 1."""
    items = [
        ItemView(
            label=ENVIRONMENT_LABELS.get(item["name"], item["name"]),
            value=mask_text(item["value"]).text,
            how=item["how"],
        )
        for item in row.environment
    ]
    return ManualTestPage(
        uid=row.uid,
        title=mask_text(row.title).text,
        framework=row.framework,
        framework_name=node_name(catalogue, "framework", row.framework),
        version=row.version,
        ran_on=row.ran_on,
        author=row.author,
        recorded_at=row.recorded_at,
        command=mask_text(row.command).text,
        expected=mask_text(row.expected).text,
        observed=mask_text(row.observed).text,
        pasted=mask_text(row.pasted).text,
        environment=items,
        missing=sum(item.how == Known.NOT_CAPTURED for item in items),
        claims=claims_resting_on(reverse("report", args=[row.uid])),
    )
