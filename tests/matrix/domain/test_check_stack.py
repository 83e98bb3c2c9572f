"""Findings about pins, and the weakest of them."""

import pytest

from matrix.domain.check_requirements import StackPackage
from matrix.domain.check_stack import (
    Answer,
    StackFinding,
    StatedRequirement,
    Subject,
    judge_pin,
    weakest_answer,
)


def finding_of(seen: str, wanted: str, *, specifier: str = "") -> StackFinding | None:
    name = wanted.replace("=", " ").replace(">", " ").replace("<", " ").split()[0].split("[")[0]
    package = StackPackage(name, seen, 3, specifier=specifier)
    stated = StatedRequirement(name=name, value=wanted, source="requirements/cuda.txt")
    return judge_pin(package, stated, framework="vLLM 0.11.0")


def test_a_pin_that_the_release_requires_works() -> None:
    found = finding_of("2.8.0", "torch==2.8.0")
    assert found is not None
    assert (found.answer, found.code, found.line) == (Answer.WORKS, "pin-met", 3)


def test_another_version_than_the_required_one_breaks_with_its_evidence() -> None:
    found = finding_of("2.6.0", "torch==2.8.0")
    assert found is not None
    assert (found.answer, found.seen, found.wanted) == (Answer.BREAKS, "2.6.0", "==2.8.0")
    assert "requirements/cuda.txt" in found.evidence[0].text


def test_a_local_part_counts_only_where_it_is_required() -> None:
    met = finding_of("2.8.0+cu128", "torch==2.8.0")
    other = finding_of("2.8.0+cu126", "torch==2.8.0+cu128")
    assert met is not None
    assert other is not None
    assert (met.answer, other.answer) == (Answer.WORKS, Answer.BREAKS)


def test_an_open_version_is_conditional_and_an_unreadable_one_unknown() -> None:
    still_open = finding_of("", "torch==2.8.0", specifier=">=2")
    unreadable = finding_of("nightly", "torch==2.8.0")
    assert still_open is not None
    assert unreadable is not None
    assert (still_open.answer, unreadable.answer) == (Answer.CONDITIONAL, Answer.UNKNOWN)


def test_a_requirement_of_other_machines_breaks_nothing_for_sure() -> None:
    found = finding_of("2.6.0", 'torch==2.8.0; platform_machine == "s390x"')
    assert found is not None
    assert found.answer is Answer.CONDITIONAL


def test_a_requirement_without_a_version_says_nothing() -> None:
    assert finding_of("2.6.0", "torch") is None


@pytest.mark.parametrize(
    ("answers", "weakest"),
    [
        ([], Answer.UNKNOWN),
        ([Answer.WORKS], Answer.WORKS),
        ([Answer.WORKS, Answer.CONDITIONAL], Answer.CONDITIONAL),
        ([Answer.UNKNOWN, Answer.CONDITIONAL], Answer.UNKNOWN),
        ([Answer.BREAKS, Answer.UNKNOWN, Answer.WORKS], Answer.BREAKS),
    ],
)
def test_a_stack_is_as_good_as_its_weakest_finding(answers: list[Answer], weakest: Answer) -> None:
    findings = [StackFinding("x", answer, Subject.STACK, "x") for answer in answers]
    assert weakest_answer(findings) is weakest


def test_an_image_that_is_known_says_nothing_of_how_it_works() -> None:
    known = StackFinding("image-known", Answer.WORKS, Subject.IMAGE, "x")
    met = StackFinding("pin-met", Answer.WORKS, Subject.PACKAGE, "x")
    assert weakest_answer([known]) is Answer.UNKNOWN
    assert weakest_answer([known, met]) is Answer.WORKS


def test_a_page_that_names_a_version_refuses_nothing() -> None:
    package = StackPackage("torch", "2.8.0", 1)
    named = StatedRequirement(name="PyTorch", value="2.9", source="docs/install.md")
    other = judge_pin(package, named, framework="X 1")
    same = judge_pin(StackPackage("torch", "2.9.1", 1), named, framework="X 1")
    assert other is not None
    assert same is not None
    assert (other.answer, other.code) == (Answer.CONDITIONAL, "pin-differs")
    assert same.answer is Answer.WORKS
