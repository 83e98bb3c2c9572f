"""Writes the commands that would repeat a run, from what is known of it.

Nothing is invented: a value that nobody knows stands as a visible placeholder, and a tool whose
options are not known here gets the command that it was run with or none. Secrets, machines and
people are masked; placeholders are quoted, so that pasting the block never runs half of it.
"""

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from benchmarks_app.contract import Fact, Load
from benchmarks_app.domain.client_commands import (
    CLIENTS,
    CommandWords,
    mask_value,
    placeholder,
    plain,
)
from benchmarks_app.domain.provenance import NOT_CAPTURED

_SAFE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Reproduction:
    """Command blocks: of the environment, the server and the client; ``""`` where none is known.

    ``unknown`` names what stands as a placeholder; ``recorded`` is true where the client's
    command is the one that the run states, not one put together from its settings.
    """

    environment: str
    server: str
    client: str
    recorded: bool
    unknown: tuple[str, ...]

    @property
    def text(self) -> str:
        """All blocks, ready to copy."""
        parts = (
            ("environment", self.environment),
            ("server", self.server),
            ("client", self.client),
        )
        return "\n\n".join(f"# {name}\n{block}" for name, block in parts if block)


def reproduce(
    facts: Mapping[str, Fact], load: Load, *, tool: str, command: str = ""
) -> Reproduction:
    """The command blocks of a run."""
    known = {name: fact.value for name, fact in facts.items() if not _is_unknown(fact)}
    told = command or str(known.get("client.command", ""))
    writer = CLIENTS.get(tool)
    client = CommandWords()
    if not told and writer is not None:
        client = writer(known, load)
    image, image_unknown = _image(known)
    server, server_unknown = _server(known, tool)
    unknown = (*client.unknown, *server_unknown, *image_unknown)
    return Reproduction(
        environment="\n".join((*image, *_exports(known))),
        server=server,
        client=_recorded(told) if told else str(client),
        recorded=bool(told),
        unknown=tuple(dict.fromkeys(unknown)),
    )


def _is_unknown(fact: Fact) -> bool:
    return isinstance(fact.value, str) and fact.value.strip().casefold() in ("", NOT_CAPTURED)


def _recorded(command: str) -> str:
    """The stated command, masked; word by word where it can be split, else as a comment."""
    text = plain(command.replace("\\\n", " ").replace("\\\r\n", " "))
    try:
        words = shlex.split(text)
    except ValueError:
        return f"# {text}"
    return shlex.join(words)


def _exports(known: Mapping[str, object]) -> Iterator[str]:
    for name, value in sorted(known.items()):
        head, _dot, variable = name.partition(".")
        if head == "env" and _SAFE_NAME.fullmatch(variable):
            # The name decides whether the value is a secret, so both are masked together.
            masked = mask_value(f"{variable}={plain(value)}").partition("=")[2]
            yield f"export {variable}={shlex.quote(masked)}"


def _image(known: Mapping[str, object]) -> tuple[list[str], list[str]]:
    image, digest = known.get("container.image"), known.get("container.digest")
    if image is None and digest is None:
        return [], []
    # A name after @ would override a digest that belongs to another name.
    name = str(image or placeholder("container image")).partition("@")[0]
    if digest is not None and _DIGEST.fullmatch(str(digest)):
        return [f"docker pull {shlex.quote(plain(f'{name}@{digest}'))}"], []
    return [f"docker pull {shlex.quote(plain(name))}  # {placeholder('container digest')}"], [
        "container digest"
    ]


def _server(known: Mapping[str, object], tool: str) -> tuple[str, list[str]]:
    """The server's command, where a server was measured whose way of starting is known."""
    framework = str(known.get("framework.name", "")).casefold()
    start = next((s for name, s in _SERVERS.items() if framework.startswith(name)), None)
    if start is None or tool in _WITHOUT_SERVER:
        return "", []
    words = CommandWords(*start.first)
    words.needed(start.model, known.get("model.id"), "model")
    words.needed(start.revision, known.get("model.revision"), "model revision")
    words.option(start.tensor, known.get("parallelism.tp"))
    words.option(start.pipeline, known.get("parallelism.pp"))
    arguments = known.get("framework.arguments")
    if arguments is not None:
        try:
            words.add(*(plain(word) for word in shlex.split(plain(arguments))))
        except ValueError:
            words.unknown.append("server arguments")
    else:
        words.unknown.append("server arguments")
    parameters = {n.partition(".")[2]: v for n, v in known.items() if n.startswith("server_param.")}
    for name, value in sorted(parameters.items()):
        flag = f"--{name.replace('_', '-')}"
        if not _SAFE_NAME.fullmatch(name.replace("-", "_")) or value is False:
            # How a server is told that something is off differs from server to server.
            words.unknown.append(f"server parameter {name}")
        elif value is True:
            words.add(flag)
        else:
            words.add(flag, plain(value))
    tail = "" if arguments is not None else f"  # {placeholder('server arguments')}"
    return f"{words}{tail}", words.unknown


@dataclass(frozen=True, slots=True)
class _Start:
    first: tuple[str, ...]
    model: str
    revision: str
    tensor: str
    pipeline: str


_SERVERS: Mapping[str, _Start] = {
    "vllm": _Start(("vllm", "serve"), "", "--revision", "--tensor-parallel-size",
                   "--pipeline-parallel-size"),
    "sglang": _Start(("python", "-m", "sglang.launch_server"), "--model-path", "--revision",
                     "--tp-size", "--pp-size"),
}  # fmt: skip
_WITHOUT_SERVER = frozenset(
    {"llama_bench", "llama_batched_bench", "trtllm_bench", "optimum_benchmark", "mlperf",
     "vllm.bench_latency", "vllm.bench_throughput"}
)  # fmt: skip
