"""Shipped requirements of releases."""

import json
from pathlib import Path

from packaging.requirements import Requirement

from matrix.catalog_files import CATALOG_FOLDER, read_catalogue
from matrix.pin_files import read_pins, write_pins

LINE = {
    "version": "0.11.0", "name": "torch", "status": "pinned", "value": "torch==2.8.0",
    "source": "vllm-code", "statement": "requirements_pins/requirements/cuda.txt/torch/3",
    "path": "facts.json", "url": "https://example.org/v0.11.0",
}  # fmt: skip


def test_every_broken_line_is_listed_and_the_others_are_read(tmp_path: Path) -> None:
    (tmp_path / "pins").mkdir()
    lines = [
        json.dumps(LINE),
        "{",
        "[]",
        json.dumps({**LINE, "value": 2}),
        json.dumps({**LINE, "locator": 3}),
        json.dumps({name: text for name, text in LINE.items() if name != "url"}),
    ]
    (tmp_path / "pins" / "vllm.jsonl").write_text("\n".join(lines), encoding="utf-8")
    problems: list[str] = []
    (pin,) = read_pins(tmp_path, problems)
    assert (pin.framework, pin.version, pin.value) == ("vllm", "0.11.0", "torch==2.8.0")
    assert [problem.split(":")[0] for problem in problems] == [
        f"pins/vllm.jsonl, line {number}" for number in (2, 3, 4, 5, 6)
    ]


def test_what_is_shipped_names_known_releases_and_a_page() -> None:
    problems: list[str] = []
    pins = read_pins(CATALOG_FOLDER, problems)
    assert problems == []
    histories = read_catalogue(CATALOG_FOLDER).histories
    assert [p for p in pins if histories[p.framework].find(p.version) is None] == []
    assert all(pin.url.startswith("https://") for pin in pins)
    (torch,) = [
        pin.value
        for pin in pins
        if (pin.framework, pin.version) == ("vllm", "0.11.0")
        and pin.statement.startswith("requirements_pins/requirements/cuda.txt/torch/")
    ]
    assert Requirement(torch).specifier.contains("2.8.0")


def test_what_is_written_reads_back_in_one_order(tmp_path: Path) -> None:
    pins = read_pins(CATALOG_FOLDER, [])
    counts = write_pins(tmp_path, reversed(pins))
    assert sum(counts.values()) == len(pins)
    again = read_pins(tmp_path, [])
    assert sorted(map(repr, again)) == sorted(map(repr, pins))
    first = (tmp_path / "pins" / "vllm.jsonl").read_bytes()
    write_pins(tmp_path, pins)
    assert (tmp_path / "pins" / "vllm.jsonl").read_bytes() == first
    write_pins(tmp_path, [])
    assert read_pins(tmp_path, []) == []


def test_a_folder_without_pins_has_none(tmp_path: Path) -> None:
    assert read_pins(tmp_path, []) == []
