"""Peaks of device memory that runs measured stand beside the estimate for the same."""

import pytest
from django.test import Client
from django.urls import reverse

from benchmarks_app.measured import runs_with_peak_memory
from matrix.index import current_knowledge
from matrix.pages.memory_runs import peak_bytes, run_rows
from tests.benchmarks_app.builders import make_run
from tests.matrix.pages_world import fill_pages_world

pytestmark = pytest.mark.django_db
GIB = 2**30


@pytest.fixture(autouse=True)
def _world(db: None) -> None:
    fill_pages_world()


def test_only_public_runs_that_state_a_peak_are_listed() -> None:
    make_run(uid="quiet")
    make_run(uid="draft", state="draft", metrics={"peak_gpu_memory": {"value": 8.0 * GIB}})
    make_run(uid="told", metrics={"peak_gpu_memory": {"value": 9.0 * GIB}})
    (run,) = runs_with_peak_memory()
    assert run.url.endswith("/told/")
    assert peak_bytes(run) == 9 * GIB


@pytest.mark.parametrize(
    ("peak", "remark"),
    [(1.0 * GIB, "less than the low end"), (15.5 * GIB, "more than the high end")],
)
def test_a_peak_is_held_against_the_range(peak: float, remark: str) -> None:
    make_run(metrics={"peak_gpu_memory": {"value": peak}})
    (row,) = run_rows(current_knowledge())
    assert remark in row.remark
    assert "GiB" in row.estimated


def test_a_run_whose_words_allow_no_estimate_says_why() -> None:
    make_run(model="llama-3", metrics={"peak_gpu_memory": {"value": 9.0 * GIB}})
    (row,) = run_rows(current_knowledge())
    assert row.estimated == "?"
    assert "checkpoint" in row.remark


def test_the_memory_page_shows_the_peak_of_a_run_of_the_same_kind(client: Client) -> None:
    make_run(uid="told", metrics={"peak_gpu_memory": {"value": 9.5 * GIB}})
    words = {"model": "meta--llama-3-8b", "quantization": "awq", "framework": "vllm",
             "version": "0.7.0", "hardware": "nvidia-t4"}  # fmt: skip
    page = client.get(reverse("memory"), words).content.decode()
    assert "9.5 GiB" in page
    assert "/benchmarks/runs/told/" in page
