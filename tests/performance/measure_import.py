"""Importing one large result file, against reading its JSON alone; time and memory.

Run from the repository root: ``.venv/bin/python -m tests.performance.measure_import [MIB]``.
A detailed result of vLLM's serving benchmark is made up from a fixed seed (50 MiB, or as asked):
per request a first-token time and a list of gaps. In one run are measured: ``orjson.loads`` on
the bytes, reading the file (recognise, read, recompute), and the whole import through receiving,
reading and writing to the database, each in a process of its own so that peaks do not mix.
The peak is the growth of the resident size over that of the process before, divided by the file.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "var" / "performance"
ROUNDS = 3
MIB = 1 << 20


def write_file(path: Path, *, size_bytes: int) -> None:
    """A detailed result of about that size, the same for the same size."""
    import numpy as np

    chance = np.random.default_rng(1)
    ttfts: list[float] = []
    itls: list[list[float]] = []
    lengths: list[int] = []
    written = 0
    while written < size_bytes:
        length = int(chance.integers(50, 400))
        gaps = chance.gamma(4.0, 0.003, length - 1)
        lengths.append(length)
        ttfts.append(float(chance.gamma(3.0, 0.05)))
        itls.append(gaps.tolist())
        written += (length - 1) * 22 + 60
    count = len(ttfts)
    ends = [t + sum(i) for t, i in zip(ttfts, itls, strict=True)]
    duration = sum(ends) / 64
    tpots = [(e - t) * 1e3 / (n - 1) for e, t, n in zip(ends, ttfts, lengths, strict=True)]
    pooled = [gap * 1e3 for gaps in itls for gap in gaps]
    result: dict[str, object] = {
        "date": "20261130-120000", "endpoint_type": "openai", "backend": "openai", "label": None,
        "model_id": "Qwen/Qwen3-8B", "tokenizer_id": "Qwen/Qwen3-8B", "num_prompts": count,
        "request_rate": "inf", "burstiness": 1.0, "max_concurrency": 64, "duration": duration,
        "completed": count, "failed": 0, "total_input_tokens": 512 * count,
        "total_output_tokens": sum(lengths), "request_throughput": count / duration,
        "request_goodput": None, "output_throughput": sum(lengths) / duration,
        "total_token_throughput": (sum(lengths) + 512 * count) / duration,
        "input_lens": [512] * count, "output_lens": lengths, "ttfts": ttfts, "itls": itls,
        "generated_texts": ["…"] * count, "errors": [""] * count,
    }  # fmt: skip
    for name, values in (("ttft", [t * 1e3 for t in ttfts]), ("tpot", tpots), ("itl", pooled)):
        result[f"mean_{name}_ms"] = float(np.mean(values))
        result[f"median_{name}_ms"] = float(np.median(values))
        result[f"std_{name}_ms"] = float(np.std(values))
        result[f"p99_{name}_ms"] = float(np.percentile(values, 99))
    path.write_text(json.dumps(result))


def resident_bytes(name: str) -> int:
    """The resident size of this process: now (``VmRSS``) or at its peak (``VmHWM``).

    ``getrusage`` would count the peak of the process that started this one.
    """
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    return 0


def parse_alone(path: Path) -> float:
    """Seconds of ``orjson.loads`` on the bytes."""
    import orjson

    data = path.read_bytes()
    started = time.perf_counter()
    orjson.loads(data)
    return time.perf_counter() - started


def read_alone(path: Path) -> float:
    """Seconds from the bytes to the run with recomputed statistics, without a database."""
    from benchmarks_app.domain.summary import summarise
    from benchmarks_app.importers import read_file

    started = time.perf_counter()
    reading = read_file(path.name, path.read_bytes())
    for run in reading.runs:
        if run.samples is not None:
            summarise(run.samples, reported=run.metrics)
    return time.perf_counter() - started


def import_whole(path: Path) -> float:
    """Seconds of receiving, reading and writing; the caller's database is used and cleaned."""
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "matrix.site.settings")
    django.setup()
    from django.db import transaction

    from benchmarks_app.services.importing import import_upload
    from benchmarks_app.services.receiving import receive_upload

    seconds = 0.0
    with transaction.atomic():
        with path.open("rb") as file:
            started = time.perf_counter()
            pieces = iter(lambda: file.read(MIB), b"")
            upload = receive_upload([(path.name, pieces)], actor="measure", way="command").upload
            received = time.perf_counter()
        done = import_upload(upload.uid)
        seconds = time.perf_counter() - received
        assert done.run_count == 1, done.error_sentence
        print(f"received={received - started:.3f}", end=" ")
        transaction.set_rollback(True)
    return seconds


STEPS = {"parse": parse_alone, "read": read_alone, "import": import_whole}


def run_step(name: str, path: Path) -> None:
    """One step in this process: its seconds and how much the process grew at its peak."""
    # A worker has imported its modules and read the catalogue before; so has this process.
    small = path.with_name("small.json")
    write_file(small, size_bytes=1_000)
    STEPS[name](small)
    before = resident_bytes("VmRSS")
    seconds = STEPS[name](path)
    peak = resident_bytes("VmHWM")
    print(f"{name} seconds={seconds:.3f} growth={peak - before}")


def main() -> None:
    """All steps, several rounds, and their ratios."""
    if len(sys.argv) == 3 and sys.argv[1] in STEPS:
        run_step(sys.argv[1], Path(sys.argv[2]))
        return
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"detailed-{size}.json"
    write_file(path, size_bytes=size * MIB)
    actual = path.stat().st_size
    print(f"{os.cpu_count()} cores; file of {actual / MIB:.1f} MiB")
    best: dict[str, float] = {}
    for _ in range(ROUNDS):
        for name in STEPS:
            command = [sys.executable, "-m", "tests.performance.measure_import", name, str(path)]
            answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
            line = answer.stdout.strip().splitlines()[-1]
            words = dict(word.split("=") for word in line.split() if "=" in word)
            seconds, growth = float(words["seconds"]), int(words["growth"])
            best[name] = min(seconds, best.get(name, seconds))
            print(f"{line}  ({growth / actual:.2f} x the file)")
    print(
        f"reading / orjson: {best['read'] / best['parse']:.2f}; "
        f"import / orjson: {best['import'] / best['parse']:.2f}"
    )
    path.unlink()


if __name__ == "__main__":
    main()
