"""Bodies of answers kept for those who ask the same again."""

import threading
import weakref
from collections.abc import Callable

MOST_BYTES = 32 * 2**20
# What a dictionary's entry takes beside the body itself.
_ENTRY_BYTES = 250


class KeptAnswers:
    """Answers by their entity tag, which names all that they depend on; so a kept one is right
    for as long as the client's own copy is.

    Only those of the newest owner are kept, told apart by identity: a revision number may come
    back with other content after a restore. When the room is used up, all are forgotten.
    """

    def __init__(self, *, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._used_bytes = 0
        self._keeping = threading.Lock()
        self._held: tuple[Callable[[], object], dict[str, bytes]] = (lambda: None, {})

    def get(self, owner: object, tag: str, build: Callable[[], bytes]) -> bytes:
        """The kept answer of a tag, built when there is none."""
        held_owner, bodies = self._held
        body = bodies.get(tag) if held_owner() is owner else None
        if body is None:
            body = build()
            with self._keeping:
                self._keep(owner, tag, body)
        return body

    def _keep(self, owner: object, tag: str, body: bytes) -> None:
        needed_bytes = len(body) + _ENTRY_BYTES
        held_owner, bodies = self._held
        if held_owner() is not owner or self._used_bytes + needed_bytes > self._most_bytes:
            bodies = {}
            self._used_bytes = 0
            self._held = (weakref.ref(owner), bodies)
        if tag not in bodies and needed_bytes <= self._most_bytes:
            bodies[tag] = body
            self._used_bytes += needed_bytes
