"""Reading what a stack pins: each format, and what is refused with its line."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matrix.domain.check_requirements import (
    LARGEST_TEXT,
    MOST_LINES,
    UnreadableStack,
    read_stack,
)


def pins(text: str) -> dict[str, str]:
    return {package.name: package.version for package in read_stack(text).packages}


def test_pins_of_a_requirements_file_are_read_with_names_and_versions_in_normal_form() -> None:
    text = """\ufeff# made by hand
vLLM == 0.11.0   # the engine
Flash_Attn==2.8.3.post1
torch===2.8.0+cu128 ; platform_system == "Linux"
transformers[torch,vision]>=4.55,<5
"""
    stack = read_stack(text)
    assert pins(text) == {
        "vllm": "0.11.0",
        "flash-attn": "2.8.3.post1",
        "torch": "2.8.0+cu128",
        "transformers": "",
    }
    by_name = {package.name: package for package in stack.packages}
    assert by_name["torch"].marker == 'platform_system == "Linux"'
    assert by_name["transformers"].specifier == "<5,>=4.55"
    assert [package.line for package in stack.packages] == [2, 3, 4, 5]


def test_hashes_and_continued_lines_belong_to_the_line_where_the_package_begins() -> None:
    text = (
        "torch==2.8.0 \\\n    --hash=sha256:" + "a" * 64 + " \\\n    --hash=sha256:" + "b" * 64
        + "\nnumpy==2.2.6 --hash=sha256:" + "c" * 64 + "\n"
    )  # fmt: skip
    assert [(p.name, p.version, p.line) for p in read_stack(text).packages] == [
        ("torch", "2.8.0", 1),
        ("numpy", "2.2.6", 4),
    ]


def test_addresses_give_the_version_of_their_wheel_or_tag() -> None:
    text = """vllm @ https://example.org/w/vllm-0.11.0%2Bcu129-cp38-abi3-manylinux1_x86_64.whl
https://example.org/w/flash_attn-2.8.3-cp312-cp312-linux_x86_64.whl
-e git+https://example.org/org/tool.git@v1.2.3#egg=My_Tool
sglang @ git+https://example.org/org/sglang.git@v0.5.4
"""
    assert pins(text) == {
        "vllm": "0.11.0+cu129",
        "flash-attn": "2.8.3",
        "my-tool": "1.2.3",
        "sglang": "0.5.4",
    }


def test_includes_options_and_nameless_addresses_are_listed_and_not_followed() -> None:
    text = """-r other.txt
--index-url https://example.org/index
git+https://example.org/org/tool.git
-e .
vllm==0.11.0
"""
    stack = read_stack(text)
    assert [package.name for package in stack.packages] == ["vllm"]
    assert [(one.line, one.code) for one in stack.left_out] == [
        (1, "include"),
        (2, "option"),
        (3, "address"),
        (4, "address"),
    ]


def test_every_line_that_cannot_be_read_is_named() -> None:
    with pytest.raises(UnreadableStack) as caught:
        read_stack("vllm==0.11.0\nthis is no requirement\n=== 3\n")
    problems = caught.value.facts["problems"]
    assert isinstance(problems, list)
    assert [problem["line"] for problem in problems] == [2, 3]
    assert caught.value.code == "unreadable-stack"
    assert "line 2" in str(caught.value)


def test_a_wildcard_leaves_the_version_open() -> None:
    (package,) = read_stack("torch==2.8.*").packages
    assert (package.version, package.specifier) == ("", "==2.8.*")


def test_lock_files_of_several_tools_are_read_with_the_lines_of_their_packages() -> None:
    uv = """version = 1
requires-python = ">=3.12"

[[package]]
name = "my-app"
source = { virtual = "." }

[[package]]
name = "Torch"
version = "2.8.0+cu128"
source = { registry = "https://example.org/index" }
"""
    stack = read_stack(uv)
    assert [(p.name, p.version, p.line) for p in stack.packages] == [("torch", "2.8.0+cu128", 8)]
    assert [(one.line, one.code) for one in stack.left_out] == [(4, "no-version")]
    pylock = 'lock-version = "1.0"\n[[packages]]\nname = "vllm"\nversion = "0.11.0"\n'
    assert pins(pylock) == {"vllm": "0.11.0"}


def test_a_broken_lock_file_names_its_line() -> None:
    with pytest.raises(UnreadableStack) as caught:
        read_stack('[[package]]\nname = "vllm"\nversion = 0.11.0.0\n')
    problems = caught.value.facts["problems"]
    assert isinstance(problems, list)
    assert problems[0]["line"] == 3


def test_a_conda_file_is_read_with_its_pip_part() -> None:
    text = """name: serve
channels:
  - conda-forge
dependencies:
  - python=3.12
  - pytorch::pytorch==2.8.0=cuda128_py312_0
  - numpy>=2
  - pip:
      - vllm==0.11.0  # the engine
      - -r more.txt
  - cuda-version=12.8
"""
    stack = read_stack(text)
    assert pins(text) == {
        "python": "3.12",
        "pytorch": "2.8.0",
        "numpy": "",
        "vllm": "0.11.0",
        "cuda-version": "12.8",
    }
    assert [one.code for one in stack.left_out] == ["include"]


@pytest.mark.parametrize("text", ["x" * (LARGEST_TEXT + 1), "\n" * (MOST_LINES + 1)])
def test_a_text_beyond_the_bounds_is_refused(text: str) -> None:
    with pytest.raises(UnreadableStack, match="accepted: at most"):
        read_stack(text)


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        stack = read_stack(text)
    except UnreadableStack as error:
        assert error.facts["problems"]
    else:
        assert all(package.name and package.line >= 1 for package in stack.packages)


@pytest.mark.parametrize(
    "table",
    ["[[package]]\n" + "a." * 20_000 + "b = 1", "[[package]]\n[" + '"a" . ' * 40 + "b]",
     "[[package]]\nname = 'x'\nsource = { " + "a." * 17 + "b = 1 }"],
)  # fmt: skip
def test_names_of_very_many_parts_are_refused_before_they_cost_anything(table: str) -> None:
    started = time.process_time()
    with pytest.raises(UnreadableStack) as caught:
        read_stack(table)
    assert time.process_time() - started < 2
    assert "nested too deeply" in str(caught.value)


def test_a_number_of_thousands_of_digits_in_a_lock_file_is_a_problem_with_its_line() -> None:
    with pytest.raises(UnreadableStack):
        read_stack("[[package]]\nname = 'x'\nsize = " + "9" * 5_000)
