"""Which runs a file beside them speaks of: by folder, tool, model, name and what it states."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from benchmarks_app.contract import FileReading, FileRole, RunReading
from benchmarks_app.domain.sameness import contradictions

# A sidecar or attachment with this among ``completes`` speaks of every run beside it.
ANY_TOOL = "*"
_BETWEEN_WORDS = re.compile(r"[._=@ -]+")


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A run with the names of its files, the main one first."""

    run: RunReading
    tool: str
    names: tuple[str, ...]


def folder_of(name: str) -> str:
    """The folders of a file's name, ``""`` at the top."""
    return name.rpartition("/")[0]


def is_inside(inner: str, outer: str) -> bool:
    """Whether a folder lies in another one."""
    return inner != outer and (not outer or inner.startswith(f"{outer}/"))


def stem_of(name: str) -> str:
    """A file's name without its last suffix."""
    return name.rpartition(".")[0] or name


def runs_spoken_of(
    runs: Sequence[Neighbour], name: str, reading: FileReading, *, others: Collection[str] = ()
) -> list[int]:
    """The numbers of the runs that a sidecar or attachment speaks of.

    Those are runs of the tools it completes in its folder, or else in the folders below it. Where
    its name begins like the names of some of them, it is theirs alone; where it begins like none
    and ``others`` (names of the same kind beside it) do, it belongs to none. Of several runs those
    that it contradicts are left out.
    """
    tools = set(reading.completes or (reading.tool,))
    of_tool = [
        i
        for i, one in enumerate(runs)
        if (ANY_TOOL in tools or one.tool in tools) and not _is_of_another_model(one.run, reading)
    ]
    folder = folder_of(name)
    here = [i for i in of_tool if any(folder_of(part) == folder for part in runs[i].names)]
    places = here or [i for i in of_tool if is_inside(folder_of(runs[i].names[0]), folder)]
    places = _by_name(runs, places, name, others=others)
    if len({runs[i].names[0] for i in places}) > 1:
        places = [i for i in places if not contradictions(runs[i].run.facts, reading.facts)]
    return places


def _by_name(
    runs: Sequence[Neighbour], places: Sequence[int], name: str, *, others: Collection[str]
) -> list[int]:
    if len({runs[i].names[0] for i in places}) < 2 and not others:
        return list(places)
    shared = {i: max(_shared_words(name, part) for part in runs[i].names) for i in places}
    most = max(shared.values(), default=0)
    if most == 0:
        rivals = any(
            _shared_words(o, part) for o in others for i in places for part in runs[i].names
        )
        return [] if rivals else list(places)
    return [i for i in places if shared[i] == most]


def _shared_words(one: str, other: str) -> int:
    """How many words both names begin with, without folders and suffixes."""
    first, second = (
        _BETWEEN_WORDS.split(stem_of(name.rpartition("/")[2]).casefold()) for name in (one, other)
    )
    count = 0
    for a, b in zip(first, second, strict=False):
        if a != b:
            break
        count += 1
    return count


def _is_of_another_model(run: RunReading, reading: FileReading) -> bool:
    """Whether a log names another model than the run: a folder may hold logs of many servers."""
    own, told = run.facts.get("model.id"), reading.facts.get("model.id")
    if reading.role is not FileRole.ATTACHMENT or own is None or told is None:
        return False
    return str(own.value).casefold() != str(told.value).casefold()
