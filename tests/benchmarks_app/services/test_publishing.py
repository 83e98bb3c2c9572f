"""Publishing: what a run says on the matrix, and what it never says."""

from datetime import date
from typing import Any

import pytest

from benchmarks_app.models import Run, UnknownName
from benchmarks_app.services.attaching import attachment_of
from benchmarks_app.services.deciding import decide_name
from benchmarks_app.services.declaring import declare_facts
from benchmarks_app.services.publishing import correct_run, publish_run, publish_runs, withdraw_run
from matrix.domain.coordinates import Cell
from matrix.domain.errors import InvalidValue
from matrix.domain.errors import UnknownName as NoNode
from matrix.domain.levels import Axis, EvidenceKind, NumberAxis, SupportLevel
from matrix.domain.verdict_values import Verdict
from matrix.index import current_knowledge
from matrix.models import AuditEntry, Claim
from tests.benchmarks_app.services.samples import imported, only_run, result
from tests.matrix.api.rows import make_world

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _world() -> None:
    make_world()


def draft(**changes: Any) -> Run:
    """A draft of the sample."""
    return only_run(imported(result(**changes)))


def verdict(
    *,
    hardware: str = "nvidia-t4",
    quantization: str = "awq-w4a16",
    model: str = "meta--llama-3-8b",
    version: str = "0.7.0",
    **numbers: float,
) -> Verdict:
    """The verdict of a cell of vLLM."""
    nodes = {Axis.HARDWARE: hardware, Axis.QUANTIZATION: quantization, Axis.MODEL: model}
    counted = {NumberAxis(name): value for name, value in ({"hardware_count": 1} | numbers).items()}
    cell = Cell(framework="vllm", version=version, nodes=nodes, numbers=counted)
    return current_knowledge().index.verdict_for(cell, as_of=date(2027, 1, 1))


def codes(run: Run) -> set[str]:
    """Why a run is not attached."""
    return {one.code for one in attachment_of(run).why_not}


def test_a_completed_run_makes_its_very_cell_supported_by_measurement() -> None:
    assert verdict().level is not SupportLevel.SUPPORTED
    published = publish_run(draft(), actor="ada")
    assert published.why_not == () and published.claim_uid
    found = verdict()
    assert found.level is SupportLevel.SUPPORTED
    kinds = {candidate.claim.kind for candidate in found.deciding}
    assert EvidenceKind.BENCHMARK_RUN in kinds
    claim = Claim.objects.get(uid=published.claim_uid)
    assert (claim.first, claim.last, claim.reference) == (
        "0.7.0", "0.7.0", f"benchmarks:run:{published.run.uid}",
    )  # fmt: skip
    assert "640 tokens a sequence" in claim.note and "concurrency 4" in claim.note
    assert claim.observations.get().document.url == f"/benchmarks/runs/{published.run.uid}/"


@pytest.mark.parametrize(
    "other",
    [
        {"hardware": "nvidia-v100"},
        {"hardware": "nvidia-a100"},
        {"quantization": "fp8-w8a8"},
        {"version": "0.6.0"},
        {"hardware_count": 2},
    ],
)
def test_a_run_says_nothing_of_other_cells(other: dict[str, Any]) -> None:
    before = verdict(**other)
    publish_run(draft(), actor="ada")
    after = verdict(**other)
    if "hardware_count" not in other:
        assert after.level is before.level
    # That a combination works says that its parts do, and no more.
    measured = [c for c in after.deciding if c.claim.kind is EvidenceKind.BENCHMARK_RUN]
    assert all(candidate.implied for candidate in measured)


def test_withdrawing_takes_the_claim_back_and_keeps_the_record() -> None:
    before = verdict()
    run = publish_run(draft(), actor="ada").run
    with pytest.raises(InvalidValue):
        withdraw_run(run, actor="ada", reason="  ")
    withdrawn = withdraw_run(run, actor="ada", reason="the clock was throttled")
    assert (withdrawn.state, withdrawn.reason) == ("withdrawn", "the clock was throttled")
    assert verdict().level is before.level
    assert Claim.objects.get(uid=run.claim_uid).withdrawn_at is not None
    with pytest.raises(InvalidValue):
        withdraw_run(run, actor="ada", reason="again")
    assert AuditEntry.objects.filter(action="withdraw-run", actor="ada").exists()


def test_a_reason_tells_nothing_of_people_and_machines() -> None:
    run = publish_run(draft(), actor="ada").run
    told = "ann@example.com ran it from /home/ann/runs on http://gpu17.corp.internal:8000/"
    reason = withdraw_run(run, actor="ada", reason=told).reason
    assert not any(word in reason for word in ("ann", "gpu17", "/home"))


def out_of_memory(**changes: Any) -> dict[str, Any]:
    """A run that ran out of device memory at 8192 + 128 tokens."""
    return result(
        status="failed",
        metrics=[],
        requests={"total": 4, "completed": 0, "failed": 4},
        tokens={},
        load={"mode": "closed_loop", "max_concurrency": 1, "isl_mean": 8192, "osl_mean": 128},
        failures={"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB": 4},
    ) | changes  # fmt: skip


def test_what_does_not_fit_is_a_no_within_its_limits_alone() -> None:
    before = verdict(context_tokens=1024)
    two = verdict(context_tokens=8320, hardware_count=2)
    run = only_run(imported(out_of_memory()))
    assert run.outcome == "does-not-fit"
    assert publish_run(run, actor="ada").claim_uid
    assert verdict(context_tokens=8320).level is SupportLevel.UNSUPPORTED
    assert verdict(context_tokens=1024).level is before.level
    assert verdict(context_tokens=8320, hardware_count=2).level is two.level
    assert verdict().level is not SupportLevel.UNSUPPORTED


def test_what_does_not_fit_at_an_unknown_length_says_nothing() -> None:
    run = only_run(imported(out_of_memory(load={"mode": "closed_loop", "max_concurrency": 1})))
    assert codes(run) == {"limits-unknown"}
    assert publish_run(run, actor="ada").claim_uid == ""


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        ({"model.id": "acme/unknown"}, "model-unknown"),
        ({"model.id": "llama-3"}, "no-checkpoint"),
        ({"accelerator.name": "Acme X1"}, "hardware-unknown"),
        ({"accelerator.name": "nvidia"}, "several-devices"),
        ({"accelerator.count": None}, "count-unknown"),
        ({"quantization.weights": "mystery"}, "quantization-unknown"),
        ({"quantization.weights": "fp8"}, "several-schemes"),
        ({"framework.name": "acme-serve"}, "framework-unknown"),
        ({"framework.version": "9.9.9"}, "release-unknown"),
        ({"framework.version": "0.7.0.dev12+g71faa1880"}, "release-unknown"),
        ({"framework.version": "0.7.0+g71faa1880"}, "release-unknown"),
        ({"framework.version": None}, "release-unknown"),
        ({"framework.arguments": "--load-format dummy"}, "dummy-weights"),
        ({"quantization.kv_cache": "mystery8"}, "kv-type-unknown"),
    ],
)
def test_a_run_with_an_open_name_records_no_claim_and_says_why(
    facts: dict[str, object], code: str
) -> None:
    run = draft(facts=facts)
    assert code in codes(run)
    published = publish_run(run, actor="ada")
    assert published.run.state == "published" and published.claim_uid == ""
    assert code in {one.code for one in published.why_not}
    assert not Claim.objects.filter(kind=EvidenceKind.BENCHMARK_RUN.value).exists()


@pytest.mark.parametrize("run_class", ["published", "demonstration"])
def test_only_runs_measured_here_speak_for_cells(run_class: str) -> None:
    run = only_run(imported(result(), run_class=run_class))
    assert "not-measured-here" in codes(run)
    assert publish_run(run, actor="ada").claim_uid == ""


def test_a_draft_is_published_once_and_never_changed_after() -> None:
    run = draft()
    publish_run(run, actor="ada")
    with pytest.raises(InvalidValue):
        publish_runs([run], actor="ada")
    with pytest.raises(InvalidValue):
        declare_facts([run], facts={"accelerator.driver": "1"}, actor="ada")


def test_declared_facts_complete_a_draft_and_make_it_speak() -> None:
    run = draft(facts={"accelerator.name": None, "framework.version": None})
    assert {"hardware-unknown", "release-unknown"} <= codes(run)
    (told,) = declare_facts(
        [run],
        facts={"accelerator.name": "nvidia-t4", "framework.version": "0.7.0"},
        not_captured=["accelerator.driver", "load.seed"],
        actor="ada",
    )
    told.refresh_from_db()
    assert told.outcome == "completed"
    assert codes(told) == set()
    assert told.facts["accelerator.name"]["origin"] == "uploader"
    assert {told.facts[name]["value"] for name in ("accelerator.driver", "load.seed")} == {
        "not captured"
    }
    assert publish_run(told, actor="ada").claim_uid


def test_a_declaration_never_hides_what_was_observed() -> None:
    run = draft()
    declare_facts([run], facts={"accelerator.name": "nvidia-a100"}, actor="ada")
    run.refresh_from_db()
    assert run.hardware == "nvidia-t4"
    assert run.facts["accelerator.name"]["declared"] == "nvidia-a100"
    declare_facts([run], facts={"accelerator.name": ""}, actor="ada")
    run.refresh_from_db()
    assert "declared" not in run.facts["accelerator.name"]


def test_a_correction_is_a_new_version_that_replaces_the_old() -> None:
    old = publish_run(draft(facts={"framework.version": None}), actor="ada").run
    assert old.claim_uid == ""
    new = correct_run(old, actor="bob", reason="it was 0.7.0", facts={"framework.version": "0.7.0"})
    old.refresh_from_db()
    assert (old.state, old.reason) == ("replaced", "it was 0.7.0")
    assert (new.version, new.state, new.replaces_id) == (2, "published", old.pk)
    assert new.claim_uid and verdict().level is SupportLevel.SUPPORTED
    assert new.measurements.count() == old.measurements.count() > 0
    assert new.files.count() == 1
    with pytest.raises(InvalidValue):
        correct_run(new, actor="bob", reason="nothing new", facts={"framework.version": "0.7.0"})


def test_a_decided_name_resolves_published_runs_and_attaches_them() -> None:
    run = publish_run(draft(facts={"accelerator.name": "Acme T4 board"}), actor="ada").run
    assert run.hardware == "" and run.claim_uid == ""
    decided = decide_name("hardware", "Acme T4 board", slug="nvidia-t4", actor="curator")
    assert (decided.runs_changed, decided.claims_changed) == (1, 1)
    run.refresh_from_db()
    assert run.hardware == "nvidia-t4" and run.claim_uid
    assert verdict().level is SupportLevel.SUPPORTED
    later = draft(facts={"accelerator.name": "Acme T4 board"}, tokens={"output_total": 7})
    assert later.hardware == "nvidia-t4"
    decide_name("hardware", "Acme T4 board", no_node=True, actor="curator")
    run.refresh_from_db()
    assert run.hardware == "" and run.claim_uid == ""
    assert verdict().level is not SupportLevel.SUPPORTED
    assert UnknownName.objects.get(axis="hardware").no_node


@pytest.mark.parametrize(
    ("facts", "name"),
    [
        ({"model.id": None, "model.file": "my-llama-Q4_K_M.gguf"}, "my-llama-Q4_K_M"),
        ({"model.id": None, "model.raw": "models--acme--tiny/snapshots/0123456789"}, "acme/tiny"),
    ],
)
def test_a_name_that_is_part_of_a_path_is_decided_as_well(
    facts: dict[str, object], name: str
) -> None:
    run = draft(facts=facts)
    assert list(UnknownName.objects.values_list("name", flat=True)) == [name]
    assert decide_name("model", name, slug="meta--llama-3-8b", actor="curator").runs_changed == 1
    run.refresh_from_db()
    assert run.model == "meta--llama-3-8b"


def test_a_name_is_decided_for_known_nodes_and_waiting_names_alone() -> None:
    draft(facts={"accelerator.name": "Acme T4 board"})
    with pytest.raises(NoNode):
        decide_name("hardware", "Acme T4 board", slug="nvidia-t5", actor="curator")
    with pytest.raises(InvalidValue):
        decide_name("hardware", "never seen", slug="nvidia-t4", actor="curator")
    with pytest.raises(InvalidValue):
        decide_name("hardware", "Acme T4 board", actor="curator")
    with pytest.raises(InvalidValue):
        decide_name("colour", "Acme T4 board", slug="nvidia-t4", actor="curator")


def test_publishing_many_raises_the_revision_once() -> None:
    runs = [draft(tokens={"output_total": n}) for n in (5, 6, 7)]
    before = current_knowledge().revision
    published = publish_runs(runs, actor="ada")
    assert len({one.claim_uid for one in published}) == 3
    assert current_knowledge().revision == before + 1
