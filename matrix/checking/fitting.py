"""The memory of a check under each framework's engine rules."""

from collections.abc import Mapping
from dataclasses import replace

from matrix.asking import MissingParameter, QuestionReader
from matrix.checking.asking import CheckQuestion
from matrix.domain.coordinates import Cell
from matrix.domain.errors import RunproofError
from matrix.domain.levels import Axis
from matrix.domain.memory.engine_rules import rules_of
from matrix.domain.memory.errors import MemoryInputError
from matrix.domain.memory.estimate import (
    check_request,
    estimate_memory,
    parts_and_share,
    uses_llamacpp_rules,
)
from matrix.domain.memory.fit import budget_of, fit_of
from matrix.domain.memory.values import FitLevel, MemoryEstimate, MemoryRequest
from matrix.memory_asking import memory_words, read_memory_question

# Wrong with the question itself, so nothing of it is answered; else only the memory is not told.
_REFUSED = frozenset({"context-too-long", "ambiguous-scheme", "impossible-shape"})

Answer = tuple[MemoryEstimate | None, RunproofError | None]


class Fitting:
    """Estimates of one check, each made once for engines that share their rules and release."""

    def __init__(self, reader: QuestionReader, question: CheckQuestion) -> None:
        self._reader = reader
        self._question = question
        self._made: dict[tuple[str, ...], Answer] = {}
        # What was taken for what, by code: the same for every framework.
        self.notes: dict[str, Mapping[str, object]] = {}

    def estimate(self, framework: str, version: str | None) -> Answer:
        """The estimate of the asked model, or the error that says why there is none.

        Both are ``None`` where no model was asked about.
        **Raises**: MemoryInputError for a context or a shape that cannot be.
        """
        cell = self._question.cell
        if Axis.MODEL not in cell.nodes:
            return None, None
        return self._of(framework, version, cell, self._question.config)

    def level_of_other(
        self, framework: str, version: str | None, *, model: str, scheme: str
    ) -> FitLevel | None:
        """The fit of another model or scheme with the same load and devices.

        ``None`` where it cannot be estimated.
        """
        nodes = {**self._question.cell.nodes, Axis.MODEL: model}
        nodes.pop(Axis.QUANTIZATION, None)
        if scheme:
            nodes[Axis.QUANTIZATION] = scheme
        cell = replace(self._question.cell, nodes=nodes, framework=framework, version=version)
        words = self._words(cell)
        config = self._question.config
        if config is not None and model == self._question.cell.nodes[Axis.MODEL]:
            words.pop("model")
        else:
            config = None
        try:
            return quick_level(read_memory_question(words, self._reader, config=config).request)
        except (MemoryInputError, MissingParameter):
            return None

    @staticmethod
    def level_of(estimate: MemoryEstimate | None) -> FitLevel:
        """The level of the fit; unknown where nothing could be estimated."""
        return FitLevel.UNKNOWN if estimate is None else estimate.fit.level

    def _of(
        self,
        framework: str,
        version: str | None,
        cell: Cell,
        config: Mapping[str, object] | None,
    ) -> Answer:
        key = (
            framework,
            version or "",
            cell.nodes[Axis.MODEL],
            cell.nodes.get(Axis.QUANTIZATION, ""),
        )
        if key not in self._made:
            self._made[key] = self._make(
                replace(cell, framework=framework, version=version), config
            )
        return self._made[key]

    def _words(self, cell: Cell) -> dict[str, list[str]]:
        question = self._question
        return memory_words(cell, sequences=question.concurrency, as_of=question.as_of.isoformat())

    def _make(self, cell: Cell, config: Mapping[str, object] | None) -> Answer:
        question = self._question
        words = self._words(cell)
        if config is not None:
            # The name of its class names no checkpoint; the file itself says all.
            words.pop("model", None)
        try:
            asked = read_memory_question(words, self._reader, config=config)
            if cell.nodes.get(Axis.MODEL) == question.cell.nodes.get(Axis.MODEL):
                self.notes.update(asked.notes)
            return estimate_memory(asked.request), None
        except MemoryInputError as error:
            if error.code in _REFUSED:
                raise
            return None, error
        except MissingParameter as error:
            return None, error


def quick_level(request: MemoryRequest) -> FitLevel:
    """The level of the fit alone, without looking for the largest loads and numbers of devices."""
    check_request(request)
    share_of_device = rules_of(request.engine).memory_share
    budget = budget_of(
        request, memory_share=1.0 if uses_llamacpp_rules(request) else share_of_device
    )
    parts, share = parts_and_share(request)
    # With one share for every load the searches end at once.
    fit = fit_of(request, parts, share, budget=budget, share_at=lambda _context, _sequences: share)
    return fit.level
