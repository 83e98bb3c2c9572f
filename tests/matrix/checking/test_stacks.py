"""A lock file or an image against what is known of releases, plug-ins, builds and verdicts."""

from datetime import UTC, datetime
from typing import Any

import pytest

from matrix.asking import QuestionReader
from matrix.checking.stack_names import read_image
from matrix.checking.stacks import NothingToCheck, StackAnswer, check_stack
from matrix.domain.check_stack import Answer, StackFinding
from matrix.domain.errors import InvalidValue
from matrix.domain.published import PublishedImage, StatedPin
from matrix.index import current_knowledge, forget_knowledge
from matrix.models import Framework, Release
from matrix.releasing import record_images, record_pins
from matrix.services import raise_revision

DIGEST = "sha256:" + "1" * 64


def pin(value: str, *, listed: str = "requirements/cuda.txt", position: int = 0) -> StatedPin:
    name = value.split("=")[0].split(">")[0].strip()
    return StatedPin(
        framework="vllm", version="0.12.0", name=name, status="pinned", value=value,
        source="vllm-code", path="facts.json", url="https://example.org/v0.12.0",
        statement=f"requirements_pins/{listed}/{name}/{position}",
    )  # fmt: skip


@pytest.fixture
def stack(reader: QuestionReader) -> Any:
    """Checks a text with words; returns the answer."""

    def ask(requirements: str = "", *, image: str = "", **words: str) -> StackAnswer:
        return check_stack(
            current_knowledge(),
            reader,
            requirements=requirements,
            image=image,
            words={name: [value] for name, value in words.items()},
        )

    return ask


def by_code(answer: StackAnswer) -> dict[str, StackFinding]:
    return {finding.code: finding for finding in answer.findings}


def test_a_pin_that_the_release_refuses_breaks_the_stack(stack: Any) -> None:
    record_pins([pin("torch==2.8.0"), pin("transformers>=4.55", position=1)])
    answer = stack("vllm==0.12.0\ntorch==2.6.0\ntransformers==4.57.0\n", hardware="nvidia-t4")
    found = by_code(answer)
    assert answer.answer is Answer.BREAKS
    assert found["pin-broken"].line == 2
    assert found["pin-broken"].evidence[0].text == "requirements/cuda.txt: torch==2.8.0"
    assert found["pin-met"].name == "transformers"
    assert found["verdict-supported"].evidence[0].claim == "turing-later"


def test_a_stack_of_which_everything_is_known_works(stack: Any) -> None:
    record_pins([pin("torch==2.8.0")])
    answer = stack("vllm==0.12.0\ntorch==2.8.0+cu128\n", hardware="nvidia-t4")
    assert answer.answer is Answer.WORKS


@pytest.mark.parametrize("line", ["-r common.txt", "--constraint pins.txt"])
def test_a_file_that_was_not_sent_along_keeps_a_stack_from_working(stack: Any, line: str) -> None:
    record_pins([pin("torch==2.8.0")])
    answer = stack(f"{line}\nvllm==0.12.0\ntorch==2.8.0+cu128\n", hardware="nvidia-t4")
    assert answer.answer is Answer.UNKNOWN
    assert by_code(answer)["file-not-sent"].line == 1


def test_requirements_that_are_not_recorded_are_unknown_and_not_fine(stack: Any) -> None:
    answer = stack("vllm==0.12.0\ntorch==2.8.0\n", hardware="nvidia-t4")
    assert answer.answer is Answer.UNKNOWN
    assert by_code(answer)["pins-unknown"].name == "torch"


def test_lists_for_other_machines_and_for_building_are_left_out(stack: Any) -> None:
    record_pins(
        [
            pin("torch==2.8.0"),
            pin("torch==2.7.0", listed="requirements/rocm.txt"),
            pin("torch==2.5.0", listed="requirements/build.txt"),
        ]
    )
    answer = stack("vllm==0.12.0\ntorch==2.8.0\n", hardware="nvidia-t4")
    assert answer.answer is Answer.WORKS


def test_versions_of_the_stack_settle_conditions_of_claims(stack: Any) -> None:
    record_pins([pin("numpy>=2")])
    words = {"hardware": "nvidia-a100", "quantization": "fp8"}
    fresh = stack("vllm==0.12.0\ntorch==2.8.0\n", **words)
    still_open = stack("vllm==0.12.0\n", **words)
    old = stack("vllm==0.12.0\ntorch==2.7.0\n", **words)
    assert fresh.answer is Answer.WORKS
    assert still_open.answer is Answer.CONDITIONAL
    assert old.answer is Answer.UNKNOWN


def test_a_build_for_another_vendor_breaks(stack: Any) -> None:
    answer = stack("vllm==0.12.0\ntorch==2.8.0+rocm6.4\n", hardware="nvidia-t4")
    assert by_code(answer)["build-for-other-hardware"].answer is Answer.BREAKS
    plain = stack("vllm==0.12.0\n", hardware="amd-mi300x")
    assert by_code(plain)["build-not-named"].answer is Answer.CONDITIONAL


def test_a_plug_in_is_held_against_the_release_it_is_made_for(world: None, stack: Any) -> None:
    Release.objects.create(
        framework=Framework.objects.get(slug="vllm-ascend"),
        version="0.11.0rc1",
        line="rc",
        upstream_version="0.11.0",
        released_at=datetime(2025, 12, 1, tzinfo=UTC),
    )
    raise_revision()
    forget_knowledge()
    wrong = by_code(stack("vllm-ascend==0.11.0rc1\nvllm==0.12.0\n"))
    right = by_code(stack("vllm_ascend==0.11.0rc1\nvllm==0.11.0\n"))
    assert wrong["upstream-broken"].answer is Answer.BREAKS
    assert right["upstream-met"].answer is Answer.WORKS


def test_a_model_whose_memory_cannot_be_told_does_not_work_by_that(stack: Any) -> None:
    words = {"model": "llama-3", "quantization": "awq", "hardware": "nvidia-t4"}
    answer = stack("vllm==0.12.0\n", **words)
    assert by_code(answer)["verdict-supported"].answer is Answer.WORKS
    assert by_code(answer)["memory-unknown"].answer is Answer.UNKNOWN
    assert answer.answer is Answer.UNKNOWN


def test_a_version_that_is_no_release_is_asked_nothing(stack: Any) -> None:
    answer = stack("vllm==0.99.0\n", hardware="nvidia-t4")
    assert answer.answer is Answer.UNKNOWN
    assert [finding.code for finding in answer.findings] == ["release-unknown"]


def test_a_recorded_image_is_known_and_another_digest_is_not(stack: Any) -> None:
    record_images(
        [PublishedImage("vllm", "0.12.0", "vllm/vllm-openai", "v0.12.0", DIGEST)],
        framework="vllm", feed="test", now=datetime(2026, 1, 1, tzinfo=UTC),
    )  # fmt: skip
    known = stack(image="docker.io/vllm/vllm-openai:v0.12.0", hardware="nvidia-t4")
    other = stack(image="vllm/vllm-openai:v0.12.0@sha256:" + "2" * 64)
    assert known.answer is Answer.WORKS
    assert by_code(other)["image-digest-unknown"].answer is Answer.UNKNOWN


def test_an_image_that_no_registry_was_asked_about_is_read_by_its_tag(stack: Any) -> None:
    by_tag = stack(image="vllm/vllm-openai:v0.12.0-x86_64", hardware="nvidia-t4")
    assert by_code(by_tag)["image-by-tag"].answer is Answer.CONDITIONAL
    latest = stack(image="vllm/vllm-openai:latest", hardware="nvidia-t4")
    assert [finding.code for finding in latest.findings] == ["image-release-unknown"]
    foreign = stack(image="example.org/team/engine:1.0")
    assert set(by_code(foreign)) == {"image-unknown", "no-framework"}


def test_image_and_lock_file_that_differ_are_told_apart(stack: Any) -> None:
    found = by_code(stack("vllm==0.11.0\n", image="vllm/vllm-openai:v0.12.0"))
    assert (found["image-and-lock-differ"].seen, found["image-and-lock-differ"].wanted) == (
        "0.12.0",
        "0.11.0",
    )


def test_nothing_is_no_stack(stack: Any) -> None:
    with pytest.raises(NothingToCheck):
        stack(" ")


@pytest.mark.parametrize("text", ["vllm/vllm-openai", "a b:1", "x@sha256:12", ":tag", "a" * 500])
def test_what_is_no_image_is_refused(text: str) -> None:
    with pytest.raises(InvalidValue, match="accepted"):
        read_image(text)
