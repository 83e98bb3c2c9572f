"""Records tests that people ran by hand, with masks where secrets, people or machines stood."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date

from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from matrix.domain.redaction import mask_text
from matrix.entering.environment import EnvironmentItem, read_environment
from matrix.models import ManualTest
from matrix.services import write_audit


@dataclass(frozen=True, slots=True)
class TypedTest:
    """A test as it was typed in; texts may still hold what must not be shown.

    **Dates**: ``ran_on`` is the day on which it was run.
    """

    framework: str
    version: str
    title: str
    ran_on: date
    command: str
    observed: str
    expected: str = ""
    pasted: str = ""
    declared: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class CleanTest:
    """A test without what must not be shown, and its identifier: a digest of what it says."""

    uid: str
    title: str
    command: str
    expected: str
    observed: str
    pasted: str
    environment: tuple[EnvironmentItem, ...]

    @property
    def address(self) -> str:
        """The path of its page."""
        return reverse("report", args=[self.uid])


def clean_test(draft: TypedTest) -> CleanTest:
    """The test with masks, as it would be stored and shown."""
    pasted = mask_text(draft.pasted).text
    declared = {name: mask_text(value).text for name, value in (draft.declared or {}).items()}
    environment = read_environment(declared, pasted)
    texts = [mask_text(text).text for text in
             (draft.title, draft.command, draft.expected, draft.observed)]  # fmt: skip
    said = [draft.framework, draft.version, draft.ran_on.isoformat(), *texts, pasted,
            [asdict(item) for item in environment]]  # fmt: skip
    digest = hashlib.sha256(json.dumps(said, ensure_ascii=False).encode()).hexdigest()
    title, command, expected, observed = texts
    return CleanTest(
        uid=digest[:16],
        title=title,
        command=command,
        expected=expected,
        observed=observed,
        pasted=pasted,
        environment=environment,
    )


@transaction.atomic
def record_test(draft: TypedTest, *, actor: str) -> ManualTest:
    """The stored test; the same one again is stored once."""
    clean = clean_test(draft)
    row, is_new = ManualTest.objects.get_or_create(
        uid=clean.uid,
        defaults={
            "framework": draft.framework,
            "version": draft.version,
            "title": clean.title,
            "ran_on": draft.ran_on,
            "command": clean.command,
            "expected": clean.expected,
            "observed": clean.observed,
            "environment": [asdict(item) for item in clean.environment],
            "pasted": clean.pasted,
            "author": actor,
            "recorded_at": timezone.now(),
        },
    )
    if is_new:
        write_audit(
            actor=actor,
            action="record-test",
            subject=f"report:{row.uid}",
            after={"framework": draft.framework, "version": draft.version, "title": clean.title},
        )
    return row
