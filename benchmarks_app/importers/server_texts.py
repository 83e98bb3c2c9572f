"""Reads what an inference server wrote besides results: its log and its Prometheus metrics.

Both are evidence to keep beside a run. A log tells version and settings, and why a start failed.
"""

import re
from collections.abc import Mapping

from benchmarks_app.contract import Fact, FileReading, FileRole
from benchmarks_app.importers.model_identity import model_facts, tokenizer_fact
from matrix.domain.redaction import mask_text

_HEAD = 1_000_000
_MOST_ERRORS = 20
_LONGEST = 500
_NO_MEMORY = re.compile(
    r"(?i)out of memory|OutOfMemory|No available memory for the cache blocks|"
    r"KV cache is needed, which is larger than the available|not enough memory"
)
_ERROR = re.compile(r"(?:\b|^)([A-Za-z_][\w.]{0,200}(?:Error|Exception)): (.+)$")
_SETTING = re.compile(r"\b([a-z_]+)=('[^']*'|\"[^\"]*\"|[\w.+-]+)")


def is_scrape(text: str, prefix: str) -> bool:
    """Whether a text is a Prometheus scrape of the server with this prefix of metric names."""
    head = text[:_HEAD].lstrip()
    if not head.startswith(("# ", f"{prefix}:")):
        return False
    return bool(re.search(rf"(?m)^(?:# (?:HELP|TYPE) )?{re.escape(prefix)}:\w+[ {{]", head))


def read_scrape(found: str, tool: str, server: str) -> FileReading:
    """The attachment; the server's own averages are no client's measurement."""
    return FileReading(
        format=found,
        tool=tool,
        role=FileRole.ATTACHMENT,
        completes=(tool,),
        reason=(
            f"This is a scrape of the {server} server's metrics: kept as evidence; "
            "send the client's result file for a run."
        ),
    )


def read_log(
    text: str,
    found: str,
    tool: str,
    *,
    server: str,
    version: re.Pattern[str],
    settings: re.Pattern[str],
    names: Mapping[str, str],
) -> FileReading:
    """The attachment with the facts of the start and the first errors.

    ``settings`` finds the text that lists the server's settings as ``key=value``; ``names`` maps
    those keys to facts. A log that does not name its model gives none, because nothing then says
    which of a folder's runs it speaks of.
    """
    facts: dict[str, Fact] = {}
    told = version.search(text)
    if told:
        place = _line_of(text, told.start())
        facts["framework.name"] = Fact(tool, pointer=place)
        facts["framework.version"] = Fact(told[1], pointer=place)
    listed = settings.search(text)
    if listed:
        facts.update(_settings(listed[1], _line_of(text, listed.start()), names))
    if "model.id" not in facts:
        facts = {}
    errors, no_memory = _errors(text)
    what = f"This is a log of the {server} server"
    if no_memory:
        what += f" that reports at {no_memory} that memory did not suffice"
    elif errors:
        what += f" that reports an error at {next(iter(errors))}"
    return FileReading(
        format=found,
        tool=tool,
        role=FileRole.ATTACHMENT,
        facts=facts,
        completes=(tool,),
        unmapped=errors,
        reason=f"{what}: kept as evidence; send the client's result file for a run.",
    )


def _settings(text: str, place: str, names: Mapping[str, str]) -> dict[str, Fact]:
    facts: dict[str, Fact] = {}
    for key, quoted in _SETTING.findall(text):
        value = quoted.strip("'\"")
        name = names.get(key)
        if name is None or name in facts or value in ("None", "auto", "null", ""):
            continue
        if name == "model.id":
            facts.update(model_facts(value, place)[0])
        elif name == "tokenizer.id":
            facts[name] = tokenizer_fact(value, place)
        elif name.startswith("parallelism."):
            if value.isdigit():
                facts[name] = Fact(int(value[:9]), pointer=place)
        else:
            facts[name] = Fact(mask_text(value).text, pointer=place)
    return facts


def _errors(text: str) -> tuple[dict[str, object], str]:
    """The first error lines by their place, masked, and where memory did not suffice."""
    errors: dict[str, object] = {}
    no_memory = ""
    for number, line in enumerate(text.splitlines(), 1):
        if not no_memory and _NO_MEMORY.search(line):
            no_memory = f"line {number}"
        elif len(errors) >= _MOST_ERRORS or not _ERROR.search(line):
            continue
        match = _ERROR.search(line)
        said = match[0] if match else line.strip()
        errors[f"line {number}"] = mask_text(said[:_LONGEST]).text
    return errors, no_memory


def _line_of(text: str, position: int) -> str:
    return f"line {text.count(chr(10), 0, position) + 1}"
