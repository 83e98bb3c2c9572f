"""Runproof's own JSON, for every tool that has no importer: ``runproof.run``, version 1.

It is strict: a name that is not known is refused with the nearest known ones, a key that is not
known is kept as unmapped. The format is described in docs/benchmark-json.md and
``runproof_schema.json``.
"""

from collections.abc import Mapping

from benchmarks_app.contract import (
    Counts,
    Fact,
    FileReading,
    FileRole,
    Importer,
    RunReading,
    Tokens,
)
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.domain.levels import RunStatus
from benchmarks_app.importers.runproof.facts import read_facts
from benchmarks_app.importers.runproof.parts import read_load, read_metrics, read_samples
from benchmarks_app.importers.runproof.values import (
    choose,
    take_count,
    take_number,
    take_object,
    take_objects,
    take_text,
    wrong_type,
)
from benchmarks_app.reading.document import Document, Kind
from benchmarks_app.reading.fields import Fields
from matrix.domain.phrases import Phrase
from matrix.domain.redaction import mask_text

TOOL, FORMAT, VERSION = "runproof", "runproof.run", 1
_PRIVATE = (
    "prompts", "prompt", "outputs", "output", "generated_texts", "answers", "messages", "api_key",
    "headers", "hostname",
)  # fmt: skip
_LONGEST_KIND = 200


def recognises(document: Document) -> str | None:
    """The format of a file that names it."""
    value = document.records[0].value if document.records else document.value
    if document.kind not in (Kind.JSON, Kind.JSON_LINES) or not isinstance(value, dict):
        return None
    return FORMAT if value.get("format") == FORMAT else None


def read(document: Document, found: str) -> FileReading:
    """The runs of the file: one object, an object with ``runs``, or one object a line.

    **Raises**: ``ResultError`` naming the path of the value that is wrong and what is accepted.
    """
    if document.records:
        tops = [Fields(record.value, f"line {record.line}") for record in document.records]
    else:
        tops = [Fields(document.value)]
    runs: list[RunReading] = []
    unmapped: dict[str, object] = {}
    withheld: list[str] = []
    for top in tops:
        _check_version(top)
        if "runs" not in top:
            runs.append(_read_run(top, len(runs), {}))
            continue
        shared = read_facts(take_object(top, "facts"))
        inner = take_objects(top, "runs")
        runs += [_read_run(one, len(runs) + at, shared) for at, one in enumerate(inner)]
        top.withhold(*_PRIVATE)
        places = tuple(f"{one.pointer}." for one in inner)
        unmapped |= {n: v for n, v in top.rest().items() if not n.startswith(places)}
        withheld += [place for place in top.withheld() if not place.startswith(places)]
    if not runs:
        raise ResultError(
            code="no-runs",
            what=Phrase("The list of runs is empty"),
            place=f"{tops[0].pointer}.runs",
            accepted=Phrase("at least one run"),
        )
    return FileReading(
        format=found,
        tool=TOOL,
        role=FileRole.RUNS,
        runs=tuple(runs),
        unmapped=unmapped,
        withheld=tuple(withheld),
    )


def _check_version(top: Fields) -> None:
    name = top.take("format")
    if name != FORMAT:
        raise wrong_type(top.place("format"), name, f'"{FORMAT}"')
    version = top.take("version")
    if version != VERSION or isinstance(version, bool):
        raise ResultError(
            code="unsupported-version",
            what=Phrase(
                "The version {version} of {format} is not known",
                version=str(version)[:20],
                format=FORMAT,
            ),
            place=top.place("version"),
            accepted=str(VERSION),
        )


def _read_run(run: Fields, index: int, shared: Mapping[str, Fact]) -> RunReading:
    facts = {**shared, **read_facts(take_object(run, "facts"))}
    counts = _read_counts(take_object(run, "requests"))
    metrics = read_metrics(run)
    command = take_text(run, "command")
    run.withhold(*_PRIVATE)
    return RunReading(
        index=index,
        status=_read_status(run, counts, has_metrics=bool(metrics)),
        pointer=run.pointer,
        facts=facts,
        load=read_load(take_object(run, "load")),
        requests=counts,
        tokens=_read_tokens(take_object(run, "tokens")),
        metrics=metrics,
        samples=read_samples(take_object(run, "samples")),
        failures=_read_failures(take_object(run, "failures")),
        identity=take_text(run, "identity") or "",
        command=mask_text(command).text if command else "",
        unmapped=run.rest(),
        withheld=run.withheld(),
    )


def _read_counts(fields: Fields) -> Counts:
    return Counts(
        total=take_count(fields, "total"),
        completed=take_count(fields, "completed"),
        failed=take_count(fields, "failed"),
        incomplete=take_count(fields, "incomplete"),
    )


def _read_tokens(fields: Fields) -> Tokens:
    return Tokens(
        input_total=take_count(fields, "input_total"),
        output_total=take_count(fields, "output_total"),
        output_total_retokenized=take_count(fields, "output_total_retokenized"),
        duration_s=take_number(fields, "duration_s"),
    )


def _read_status(run: Fields, counts: Counts, *, has_metrics: bool) -> RunStatus:
    """The stated status, or what the counts of requests say."""
    stated = take_text(run, "status")
    if stated is not None:
        known = tuple(status.value for status in RunStatus)
        return RunStatus(choose(stated, known, place=run.place("status"), kind="status"))
    if counts.completed == 0 and (counts.total or counts.failed):
        return RunStatus.FAILED
    if counts.failed:
        return RunStatus.PARTIAL
    return RunStatus.OK if has_metrics else RunStatus.SUSPECT


def _read_failures(fields: Fields) -> dict[str, int]:
    found: dict[str, int] = {}
    for kind in fields.value:
        count = take_count(fields, kind)
        if count is not None:
            found[mask_text(kind[:_LONGEST_KIND]).text] = count
    return found


IMPORTER = Importer(tool=TOOL, formats=(FORMAT,), recognises=recognises, read=read)
