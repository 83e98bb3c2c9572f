"""The reproducibility checklist and its grades."""

from dataclasses import replace

import pytest

from benchmarks_app.contract import Fact, Load, RunReading
from benchmarks_app.domain.facts import FACTS
from benchmarks_app.domain.levels import LoadMode, Origin, RunStatus
from benchmarks_app.domain.provenance import (
    ITEMS,
    NOT_CAPTURED,
    Grade,
    Known,
    grade_run,
    missing_provenance,
    needed_for,
)

SERVED = Load(
    mode=LoadMode.CLOSED_LOOP,
    max_concurrency=8,
    isl_mean=512.0,
    osl_mean=128.0,
    num_prompts=200,
    warmup="10 requests",
)
EVERYTHING = {name: Fact("known") for item in ITEMS for name in item.facts}


def states(facts: dict[str, Fact], load: Load = SERVED, command: str = "") -> dict[str, Known]:
    return {one.item.name: one.known for one in grade_run(facts, load, command=command).checklist}


def test_a_run_of_which_everything_is_known_has_the_best_grade() -> None:
    found = grade_run(EVERYTHING, SERVED)
    assert (found.grade, found.lacking, found.missing) == (Grade.A, (), ())


def test_a_run_of_which_nothing_is_known_has_the_worst_and_names_everything() -> None:
    found = grade_run({}, Load())
    assert found.grade is Grade.D
    assert sorted(found.lacking) == sorted(item.name for item in ITEMS)
    assert found.lacking[0] == "model.id"
    assert needed_for(found.lacking[-1]) is Grade.A


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.name)
def test_each_item_alone_costs_the_grades_that_need_it(item) -> None:  # type: ignore[no-untyped-def]
    below = {Grade.A: Grade.B, Grade.B: Grade.C, Grade.C: Grade.D}
    # Items may share a fact; then several are lost at once and the worst decides.
    facts = {name: fact for name, fact in EVERYTHING.items() if name not in item.facts}
    load = replace(SERVED, **dict.fromkeys(item.load))
    found = grade_run(facts, load)
    worst = max((below[needed_for(name)] for name in found.lacking), default=Grade.A)
    assert item.name in found.lacking
    assert found.grade is worst


def test_what_is_stated_as_not_captured_is_not_missing_and_still_not_known() -> None:
    facts = {**EVERYTHING, "accelerator.driver": Fact(NOT_CAPTURED, Origin.UPLOADER)}
    found = grade_run(facts, SERVED)
    assert found.grade is Grade.C
    assert found.lacking == ("accelerator.driver",)
    assert found.missing == ()


@pytest.mark.parametrize("blank", ["", " ", "-", "?", "."])
def test_a_blank_fact_is_missing(blank: str) -> None:
    assert states({"accelerator.name": Fact(blank)})["accelerator.name"] is Known.MISSING


@pytest.mark.parametrize(
    ("origin", "known"),
    [
        (Origin.FILE, Known.OBSERVED),
        (Origin.SIBLING, Known.OBSERVED),
        (Origin.PASTED, Known.OBSERVED),
        (Origin.UPLOADER, Known.DECLARED),
        (Origin.FILENAME, Known.DECLARED),
    ],
)
def test_what_a_person_says_is_declared(origin: Origin, known: Known) -> None:
    assert states({"framework.name": Fact("vllm", origin)})["framework.name"] is known


def test_environment_variables_server_parameters_and_the_command_count() -> None:
    facts = {"env.VLLM_USE_V1": Fact("1"), "server_param.max_num_seqs": Fact(4)}
    found = states(facts, command="vllm bench serve")
    assert found["environment.variables"] is Known.OBSERVED
    assert found["framework.arguments"] is Known.OBSERVED
    assert found["client.command"] is Known.OBSERVED


def test_a_processor_has_no_driver_to_miss() -> None:
    facts = {"host.cpu": Fact("EPYC 9575F"), "framework.backend": Fact("CPU")}
    found = states(facts)
    assert found["accelerator.driver"] is Known.NOT_APPLICABLE
    assert found["accelerator.name"] is Known.NOT_APPLICABLE
    gpu = states({**facts, "framework.backend": Fact("BLAS,Vulkan")})
    assert gpu["accelerator.driver"] is Known.MISSING


def test_a_microbenchmark_has_no_dataset_and_prefill_alone_no_output() -> None:
    load = Load(mode=LoadMode.MICROBENCH, n_prompt=512, n_gen=0)
    found = states({}, load)
    assert found["load.dataset"] is Known.NOT_APPLICABLE
    assert found["load.input_length"] is Known.OBSERVED
    assert found["load.amount"] is Known.NOT_APPLICABLE


def make_run(**facts: object) -> RunReading:
    named = {name.replace("__", "."): Fact(value) for name, value in facts.items()}  # type: ignore[arg-type]
    return RunReading(0, RunStatus.OK, facts=named)


def test_a_run_of_a_serving_client_lacks_what_its_file_never_says() -> None:
    run = make_run(model__id="org/a", run__finished_at_local="2026-08-16T16:08:53")
    assert missing_provenance(run) == [
        "accelerator.name", "accelerator.count", "accelerator.driver", "framework.name",
        "framework.version", "framework.commit", "container.image", "container.digest",
        "quantization.weights", "model.revision", "run.timezone",
    ]  # fmt: skip


def test_a_build_number_and_a_model_description_say_version_and_type() -> None:
    run = make_run(
        framework__build_number=10269,
        model__desc="qwen3 8B Q4_K",
        run__started_at="2026-08-05T14:23:24Z",
    )
    missing = missing_provenance(run)
    assert "framework.version" not in missing
    assert "quantization.weights" not in missing
    assert "run.timezone" not in missing
    assert "model.id" in missing


def test_a_run_without_any_date_lacks_the_date_as_well() -> None:
    assert missing_provenance(make_run())[-2:] == ["run.timezone", "run.started_at"]


def test_every_graded_fact_is_in_the_checklist_and_among_the_missing() -> None:
    graded = {name for name, fact in FACTS.items() if fact.graded}
    assert graded <= {name for item in ITEMS for name in item.facts}
    assert graded <= set(missing_provenance(make_run()))
