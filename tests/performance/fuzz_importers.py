"""Feeds mutated result files to all importers; counts how each ended.

Every input must be read, be unknown with a reason, or be refused with a sentence that names the
place. Anything else is a crash, printed with its seed and kept beside this run's output.

Run from the repository root:
``.venv/bin/python -m tests.performance.fuzz_importers [--inputs 100000] [--seed 1] [FOLDER…]``. The
samples are those of the importers' tests; folders add the files in them.
"""

import argparse
import json
import multiprocessing
import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks_app.contract import FileRole
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.importers import read_file
from tests.benchmarks_app.importers.samples import ALL_SAMPLES

# Refusals that concern the file as a whole and so have no place inside it.
WITHOUT_PLACE = frozenset({"empty-file", "too-large", "wrong-tool"})
LARGEST_BYTES = 400_000
_ODD_TEXTS = (
    "null", "NaN", "-Infinity", "1e999", "-1", "0", "true", '""', '"x"', "[]", "{}", "[[]]",
    '"\\u0000"', "9" * 400, '{"a": {"a": {"a": 1}}}', '"‮"', "1.5e308", "[1, null, \"2\"]",
)  # fmt: skip
_ODD_BYTES = (b"\x00", b"\xff", b"\xef\xbb\xbf", b"\r\n", b"|", b",", b'"', b"{", b"]", b"\t")

Mutation = Callable[[bytes, random.Random], bytes]


def cut(data: bytes, chance: random.Random) -> bytes:
    """The beginning, the end, or without a piece."""
    a, b = sorted((chance.randrange(len(data) + 1), chance.randrange(len(data) + 1)))
    return chance.choice((data[:a], data[b:], data[:a] + data[b:]))


def flip(data: bytes, chance: random.Random) -> bytes:
    """With some bytes changed."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def insert(data: bytes, chance: random.Random) -> bytes:
    """With something odd put in."""
    at = chance.randrange(len(data) + 1)
    odd = chance.choice((*_ODD_BYTES, *(text.encode() for text in _ODD_TEXTS)))
    return data[:at] + odd * chance.choice((1, 1, 1, 40)) + data[at:]


def repeat(data: bytes, chance: random.Random) -> bytes:
    """With a piece said twice."""
    a, b = sorted((chance.randrange(len(data) + 1), chance.randrange(len(data) + 1)))
    return data[:b] + data[a:b] + data[b:]


def swap_lines(data: bytes, chance: random.Random) -> bytes:
    """With lines moved, said twice or left out."""
    lines = data.split(b"\n")
    for _ in range(chance.randint(1, 4)):
        a, b = chance.randrange(len(lines)), chance.randrange(len(lines))
        lines[a], lines[b] = lines[b], chance.choice((lines[a], lines[b], b""))
    return b"\n".join(lines)


def change_value(data: bytes, chance: random.Random) -> bytes:
    """JSON with values replaced, keys dropped or renamed; other files are flipped."""
    first, *others = data.split(b"\n") if data.count(b"\n{") else [data]
    try:
        value = json.loads(first)
    except ValueError:
        return flip(data, chance)
    for _ in range(chance.randint(1, 5)):
        _change_somewhere(value, chance)
    return b"\n".join([json.dumps(value).encode(), *others])


def _change_somewhere(value: object, chance: random.Random) -> None:
    node = value
    while True:
        inner = [v for v in _values(node) if isinstance(v, (dict, list)) and v]
        if not inner or chance.random() < 0.35:
            break
        node = chance.choice(inner)
    odd = json.loads(chance.choice([t for t in _ODD_TEXTS if t != "1e999"]))
    if isinstance(node, dict) and node:
        key = chance.choice(list(node))
        action = chance.randrange(4)
        if action == 0:
            del node[key]
        elif action == 1:
            node[chance.choice(["", "x", key.upper(), "a.b", "$"])] = node.pop(key)
        else:
            node[key] = odd
    elif isinstance(node, list) and node:
        node[chance.randrange(len(node))] = odd


def _values(node: object) -> list[object]:
    if isinstance(node, dict):
        return list(node.values())
    return node if isinstance(node, list) else []


MUTATIONS: tuple[Mutation, ...] = (
    cut, flip, insert, repeat, swap_lines, change_value, change_value, change_value,
)  # fmt: skip


def try_one(task: tuple[str, bytes, int]) -> tuple[str, str]:
    """How one mutated input ended, and what is wrong with that, if anything."""
    name, data, seed = task
    chance = random.Random(seed)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        if data:
            data = chance.choice(MUTATIONS)(data, chance)
    try:
        reading = read_file(name, data)
    except ResultError as error:
        named = bool(error.facts.get("place")) or error.code in WITHOUT_PLACE
        wrong = "" if named else f"{name} seed {seed}: no place in {error}"
        return f"refused: {error.code}", wrong
    except Exception:  # noqa: BLE001 (finding them is what this script is for)
        return "crash", f"{name} seed {seed}\n{traceback.format_exc(limit=-4)}"
    if reading.role is FileRole.REJECTED:
        wrong = "" if reading.reason else f"{name} seed {seed}: rejected without a reason"
        return "unknown" if reading.format == "unknown" else "rejected", wrong
    return f"read: {reading.role.value}", ""


def main() -> int:
    """Runs all inputs on all cores; returns 1 if anything crashed or said too little."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    samples = _all_samples(options.folders)
    chance = random.Random(options.seed)
    tasks = (
        (*chance.choice(samples), options.seed * 10_000_000 + number)
        for number in range(options.inputs)
    )
    ends: Counter[str] = Counter()
    faults: list[str] = []
    started = time.perf_counter()
    with multiprocessing.Pool() as pool:
        for end, wrong in pool.imap_unordered(try_one, tasks, chunksize=64):
            ends[end] += 1
            if wrong:
                faults.append(wrong)
    for end, count in ends.most_common():
        print(f"{count:8,}  {end}")
    for fault in faults[:20]:
        print(fault)
    seconds = time.perf_counter() - started
    print(
        f"{options.inputs:,} inputs from {len(samples)} samples in {seconds:.0f} s: "
        f"{ends['crash']} crashes, {len(faults) - ends['crash']} refusals without place or reason"
    )
    return 1 if faults else 0


def _all_samples(folders: Sequence[Path]) -> list[tuple[str, bytes]]:
    found = list(ALL_SAMPLES.items())
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and 0 < path.stat().st_size <= LARGEST_BYTES:
                found.append((str(path.relative_to(folder)), path.read_bytes()))
    return found


if __name__ == "__main__":
    sys.exit(main())
