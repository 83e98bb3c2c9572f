"""Reads the CSV of LMDeploy's profiling scripts, whatever the file is called.

**Source**: ``profile_restful_api.py`` (named .jsonl by default, one row a run), and the older
``--csv`` of ``profile_throughput.py``, ``profile_pipeline_api.py`` and ``profile_generation.py``.
**Units**: the first writes milliseconds, the others seconds rounded to three digits.
"""

from collections.abc import Mapping

from benchmarks_app.contract import (
    Counts,
    Fact,
    FileReading,
    FileRole,
    Importer,
    Load,
    Measurement,
    Notice,
    RunReading,
    Tokens,
)
from benchmarks_app.domain.levels import LoadMode, RunStatus
from benchmarks_app.importers.serving_stats import load_mode, one_value, read_rate
from benchmarks_app.reading.document import Document, Kind
from benchmarks_app.reading.fields import Fields
from benchmarks_app.reading.tables import Row, read_csv

TOOL = "lmdeploy"
FORMATS = (
    "lmdeploy.profile_restful_csv",
    "lmdeploy.profile_throughput_csv",
    "lmdeploy.profile_generation_csv",
)
_RESTFUL = ("backend", "dataset_name", "request_rate", "completed", "mean_itl_ms")
_THROUGHPUT = ("batch", "RPS", "RPM", "throughput(out tok/s)")
_GENERATION = ("batch", "prompt_tokens", "completion_tokens", "throughput(out tok/s)")
_MEANS = (
    ("mean_ttft_ms", "ttft/first-output"),
    ("mean_tpot_ms", "tpot/request"),
    ("mean_itl_ms", "itl/chunk"),
    ("mean_e2e_latency_ms", "e2el/client"),
)
_RATES = (
    ("request_throughput", "request_throughput/successful"),
    ("input_throughput", "input_token_throughput/successful"),
    ("output_throughput", "output_token_throughput/successful"),
)
_OLD_RATES = (
    ("RPS", "request_throughput/all"),
    ("throughput(out tok/s)", "output_token_throughput/all"),
    ("throughput(total tok/s)", "total_token_throughput/all"),
)
_FIRST_TOKEN = (("FTL(ave)(s)", "mean"), ("FTL(min)(s)", "min"), ("FTL(max)(s)", "max"))
_PER_TOKEN = (("50%(s)", "p50"), ("75%(s)", "p75"), ("95%(s)", "p95"), ("99%(s)", "p99"))


def recognise(document: Document) -> str | None:
    """The format by the words of the first line."""
    if document.kind is not Kind.TEXT:
        return None
    header = {cell.strip() for cell in document.text.lstrip().partition("\n")[0].split(",")}
    for words, found in zip((_RESTFUL, _THROUGHPUT, _GENERATION), FORMATS, strict=True):
        if header.issuperset(words):
            return found
    return None


def read(document: Document, found: str) -> FileReading:
    """One run a row; a header that stands again, after another append, is passed over."""
    rows = [row for row in read_csv(document.text) if any(cell.strip() for cell in row.cells)]
    header = tuple(cell.strip() for cell in rows[0].cells)
    runs: list[RunReading] = []
    unmapped: dict[str, object] = {}
    for row in rows[1:]:
        cells = tuple(cell.strip() for cell in row.cells)
        if cells == header:
            continue
        if len(cells) != len(header):
            unmapped[f"line {row.line}"] = list(row.cells)
            continue
        runs.append(_read_row(header, Row(row.line, cells), found, len(runs)))
    return FileReading(
        format=found, tool=TOOL, role=FileRole.RUNS, runs=tuple(runs), unmapped=unmapped
    )


def _read_row(header: tuple[str, ...], row: Row, found: str, index: int) -> RunReading:
    # Blank cells and dashes are unknown.
    cells = {
        name: None if cell in ("", "-") else cell
        for name, cell in zip(header, row.cells, strict=True)
    }
    fields = Fields(cells, f"line {row.line}")
    if found == "lmdeploy.profile_restful_csv":
        return _read_restful(fields, index)
    return _read_old(fields, found, index)


def _read_restful(fields: Fields, index: int) -> RunReading:
    facts = {"tool.name": Fact("lmdeploy profile_restful_api")}
    for key, name in (("backend", "client.backend"), ("dataset_name", "load.dataset")):
        text = fields.text(key)
        if text:
            facts[name] = Fact(text, pointer=fields.place(key))
    completed = _whole(fields, "completed")
    rate = read_rate(fields)
    means = [
        Measurement(name.partition("/")[0], name, {"mean": number}, fields.place(key))
        for key, name in _MEANS
        if (number := fields.number_text(key))  # Zero stands where nothing was measured.
    ]
    metrics = (*means, *_values(fields, _RATES))
    extra: dict[str, str | int | float | bool] = {}
    length = fields.number_text("sharegpt_output_len")
    if length is not None:
        extra["sharegpt_output_len"] = length
    if not str(fields.peek("dataset_name")).startswith("random"):
        extra["random_lengths_apply"] = False  # They stand there as defaults.
    load = Load(
        mode=load_mode(rate, None),
        request_rate=rate.value,
        request_rate_unbounded=rate.unbounded,
        isl_target=fields.number_text("random_input_len"),
        osl_target=fields.number_text("random_output_len"),
        range_ratio=fields.number_text("random_range_ratio"),
        extra=extra,
    )
    tokens = Tokens(
        input_total=_whole(fields, "total_input_tokens"),
        output_total=_whole(fields, "total_output_tokens"),
        duration_s=fields.number_text("duration"),
    )
    notices = [Notice(code) for code in ("no_model", "no_date", "means_only")]
    notices.append(Notice("total_requests_unknown"))
    status = RunStatus.OK
    if completed is None:
        status = RunStatus.SUSPECT
        notices.append(Notice("no_request_count"))
    elif completed < 0:
        status = RunStatus.SUSPECT
    elif completed == 0:
        status = RunStatus.FAILED
        notices.append(Notice("all_requests_failed"))
    return RunReading(
        index=index,
        status=status,
        pointer=fields.pointer,
        facts=facts,
        load=load,
        requests=Counts(completed=completed),
        tokens=tokens,
        metrics=metrics,
        notices=tuple(notices),
        unmapped=fields.rest(),
    )


def _read_old(fields: Fields, found: str, index: int) -> RunReading:
    """A row of seconds; the per-token percentiles give 0 to tokens that came with others."""
    batch = _whole(fields, "batch")
    prompts = _whole(fields, "num_prompts")
    if prompts is None:
        prompts = _whole(fields, "num_promts")  # So the older script spells it.
    generation = found == "lmdeploy.profile_generation_csv"
    tool = "lmdeploy profile_generation" if generation else "lmdeploy profile_throughput"
    rates = _values(fields, _OLD_RATES)
    per_minute = fields.number_text("RPM")
    metrics = [*rates]
    for keys, definition, method in (
        (_FIRST_TOKEN, "ttft/first-output", "unknown"),
        (_PER_TOKEN, "itl/token-zero-filled", "nearest_rank"),
    ):
        stats = _seconds(fields, keys)
        if stats:
            metric, place = definition.partition("/")[0], fields.place(keys[0][0])
            metrics.append(Measurement(metric, definition, stats, place, percentile_method=method))
    load = Load(
        mode=LoadMode.OFFLINE_BATCH,
        batch_size=batch,
        num_prompts=prompts,
        isl_target=fields.number_text("prompt_tokens"),
        osl_target=fields.number_text("completion_tokens"),
        extra={} if per_minute is None else {"requests_per_minute": per_minute},
    )
    return RunReading(
        index=index,
        status=RunStatus.OK if rates else RunStatus.FAILED,
        pointer=fields.pointer,
        facts={"tool.name": Fact(tool)},
        load=load,
        requests=Counts(total=prompts),
        metrics=tuple(metrics),
        notices=tuple(Notice(code) for code in ("no_model", "no_date", "rounded_values")),
        unmapped=fields.rest(),
    )


def _seconds(fields: Fields, keys: tuple[tuple[str, str], ...]) -> Mapping[str, float]:
    found = ((stat, fields.number_text(key)) for key, stat in keys)
    return {stat: number * 1000.0 for stat, number in found if number is not None}


def _values(fields: Fields, names: tuple[tuple[str, str], ...]) -> tuple[Measurement, ...]:
    return tuple(
        one_value(definition, number, fields.place(key))
        for key, definition in names
        if (number := fields.number_text(key)) is not None
    )


def _whole(fields: Fields, name: str) -> int | None:
    """A count; a number with a fraction is none and stays in the rest."""
    text = fields.peek(name)
    if isinstance(text, str) and not text.strip().lstrip("-").isdigit():
        return None
    number = fields.number_text(name)
    return None if number is None else int(number)


IMPORTER = Importer(tool=TOOL, formats=FORMATS, recognises=recognise, read=read)
