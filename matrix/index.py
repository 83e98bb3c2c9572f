"""The verdict index of the current knowledge revision, shared by all requests of a process.

Readers compare the revision counter (one row) with the index they hold, at most once in
``MATRIX_REVISION_CHECK_SECONDS``: that is how late a process may learn of a write of another one,
while its own writes are seen at once. When knowledge was written, one thread builds the next index
while the others go on reading the old one, so a reload never blocks readers; they learn of it by
the revision that every verdict carries.
"""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

from django.conf import settings
from django.db import OperationalError, connection

from matrix.claim_scan import scan_claims
from matrix.convert import document_value, load_catalogue
from matrix.domain.catalogue import Catalogue
from matrix.domain.claims import Claim
from matrix.domain.index import ClaimIndex
from matrix.models import Framework, KnowledgeRevision, SourceDocument


@dataclass(frozen=True)
class Knowledge:
    """The catalogue and the claim index of one knowledge revision, and what building it took."""

    revision: int
    catalogue: Catalogue
    index: ClaimIndex
    built_in_s: float = 0.0


_REVISION_SQL = f'SELECT number FROM "{KnowledgeRevision._meta.db_table}" WHERE id = 1'


def current_revision() -> int:
    """The revision counter. **Queries**: 1.

    A request asks this first, so it stands in for the health check of a kept connection, which
    would be a second query: a connection that the server has closed is opened anew.
    """
    if connection.in_atomic_block:
        return _read_revision()
    connection.health_check_done = True  # type: ignore[attr-defined]
    try:
        return _read_revision()
    except OperationalError:
        connection.close()
        return _read_revision()


def _read_revision() -> int:
    with connection.cursor() as cursor:
        cursor.execute(_REVISION_SQL)
        row = cursor.fetchone()
    return int(row[0]) if row else 0


def stored_claims() -> Iterator[Claim]:
    """All claims with their observations, superseded and withdrawn ones included.

    **Queries**: 2 plus one scan each of claims and observations.
    """
    frameworks = dict(Framework.objects.values_list("pk", "slug"))
    documents = {row.pk: document_value(row) for row in SourceDocument.objects.iterator()}
    return scan_claims(frameworks, documents)


def build_knowledge() -> Knowledge:
    """The knowledge as it stands in the tables now."""
    begun = time.perf_counter()
    revision = current_revision()
    catalogue = load_catalogue()
    index = ClaimIndex(stored_claims(), catalogue.surroundings, revision=revision)
    return Knowledge(revision, catalogue, index, built_in_s=time.perf_counter() - begun)


class _Holder:
    """The process-wide current knowledge."""

    def __init__(self) -> None:
        self._knowledge: Knowledge | None = None
        # The catalogue alone with its revision, for processes that answer no verdicts.
        self._catalogue: tuple[int, Catalogue] | None = None
        self._building = threading.Lock()
        # Another object after each write of this process.
        self._writes = object()
        # What was found current, until when that may be believed, and before which write.
        self._checked: tuple[Knowledge, float, object] | None = None

    def get(self) -> Knowledge:
        held = self._knowledge
        if held is not None and self._is_current(held):
            return held
        if held is None:
            with self._building:
                if self._knowledge is None or self._knowledge.revision != current_revision():
                    self._knowledge = build_knowledge()
                return self._knowledge
        # A reader that finds another thread building goes on with the revision it has.
        if self._building.acquire(blocking=False):
            try:
                self._knowledge = build_knowledge()
            finally:
                self._building.release()
        return self._knowledge or held

    def _is_current(self, held: Knowledge) -> bool:
        """Whether the held index is the tables', as far as a check of late can tell."""
        if connection.in_atomic_block:
            # A transaction sees what it wrote itself, which nobody else may believe.
            return held.revision == current_revision()
        now, writes, checked = time.monotonic(), self._writes, self._checked
        if (
            checked is not None
            and checked[0] is held
            and checked[1] > now
            # A check that ran beside a write may have read the number before it.
            and checked[2] is writes
        ):
            return True
        if held.revision != current_revision():
            return False
        self._checked = (held, now + settings.MATRIX_REVISION_CHECK_SECONDS, writes)
        return True

    def catalogue(self) -> Catalogue:
        held = self._knowledge
        if held is not None and self._is_current(held):
            return held.catalogue
        revision = current_revision()
        if self._catalogue is None or self._catalogue[0] != revision:
            self._catalogue = (revision, load_catalogue())
        return self._catalogue[1]

    def held(self) -> Knowledge | None:
        return self._knowledge

    def expire(self) -> None:
        self._writes = object()

    def clear(self) -> None:
        self._knowledge = None
        self._catalogue = None
        self.expire()


_holder = _Holder()


def current_knowledge() -> Knowledge:
    """The knowledge that requests answer from. **Queries**: 1 or none while the revision stands."""
    return _holder.get()


def held_knowledge() -> Knowledge | None:
    """The knowledge that this process holds, current or not; nothing is built for the question."""
    return _holder.held()


def current_catalogue() -> Catalogue:
    """The catalogue alone, for those who ask no verdict: it is read without the claims where no
    knowledge is held, once for each revision. **Queries**: 1 where it is held, else those of the
    catalogue.
    """
    return _holder.catalogue()


def note_write() -> None:
    """Makes the next reader compare the revision; to be called once a write is committed."""
    _holder.expire()


def forget_knowledge() -> None:
    """Drops the held index; the next reader builds it anew (tests, after a restore)."""
    _holder.clear()
