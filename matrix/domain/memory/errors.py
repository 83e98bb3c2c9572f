"""The one error of the memory estimate: what was wrong, the value seen, what is accepted."""

from collections.abc import Sequence

from matrix.domain.errors import RunproofError, nearest_hint
from matrix.domain.phrases import Phrase, join_phrases

_LONGEST_SHOWN = 80


class MemoryInputError(RunproofError):
    """An input that no estimate can be made of.

    ``code`` tells the kinds apart: ``impossible-shape`` (a number of the model that cannot be),
    ``unreadable-file`` (a header or config that breaks its format), ``no-model-size`` (a scheme
    without a model), ``ambiguous-scheme`` (a word that means several schemes),
    ``impossible-request`` (a load or layout that cannot be), ``context-too-long`` and
    ``refused-by-engine`` (settings that the engine itself refuses).
    """

    def __init__(
        self,
        *,
        key: str,
        value: object,
        accepted: str,
        code: str = "impossible-shape",
        nearest: Sequence[str] = (),
    ) -> None:
        shown = repr(value)
        if len(shown) > _LONGEST_SHOWN:
            shown = f"{shown[:_LONGEST_SHOWN]}…"
        elif isinstance(value, Phrase) and shown == f"'{value}'":
            shown = join_phrases("", ("'", value, "'"))
        super().__init__(
            message=Phrase(
                "{key} is {shown}; accepted: {accepted}.{hint}",
                key=key,
                shown=shown,
                accepted=accepted,
                hint=nearest_hint(nearest),
            ),
            code=code,
            facts={
                "parameter": key,
                "value": shown,
                "accepted": accepted,
                "nearest": list(nearest),
            },
        )
