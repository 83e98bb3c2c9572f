"""A capture folder with a release's source files holds that release's facts as a page."""

from pathlib import Path

import pytest

from ingest.captures import BrokenCaptures, read_captures
from ingest.domain.run_rules import run_rules
from ingest.sources import sglang_code
from matrix.domain.catalogue import Catalogue, Node
from tests.builders import history_of
from tests.ingest.capture_folders import uploaded, write_captures
from tests.ingest.sources.said import said, vocabulary_of

MODEL = "python/sglang/srt/models/llama.py"
ENTRY = "EntryClass = LlamaForCausalLM\n"


def _catalogue() -> Catalogue:
    framework = Node(area="framework", slug="sglang", name="SGLang", kind="framework")
    return Catalogue(
        nodes={"framework": {"sglang": framework}},
        releases={"sglang": history_of("sglang").releases},
    )


def test_source_files_in_a_folder_are_read_as_one_page_of_facts(tmp_path: Path) -> None:
    write_captures(
        tmp_path,
        {("0.2.0", MODEL): ENTRY, ("0.2.0", "README.md"): "# Hi\n", ("0.3.0", "README.md"): "#\n"},
        release_uploaded=uploaded("0.2.0"),
        commit="abc123",
    )
    pages = read_captures(tmp_path, framework="sglang", catalogue=_catalogue()).pages
    (facts,) = [page for page in pages if page.path == "facts.json"]
    assert (facts.version, facts.release, facts.commit) == ("0.2.0", "0.2.0", "abc123")
    assert facts.url == "https://github.com/sgl-project/sglang/tree/0.2.0"
    vocabulary = vocabulary_of(model={"LlamaForCausalLM": "llama"})
    *_, (_, run) = run_rules([sglang_code.SOURCE], [facts], vocabulary)
    assert run.refusals == []
    assert [line for item in run.readings for line in said(item.reading)] == [
        "supported registry/llama [model=llama]"
    ]


def test_source_files_that_cannot_be_read_are_a_bad_file_of_the_folder(tmp_path: Path) -> None:
    write_captures(tmp_path, {("0.2.0", MODEL): "EntryClass = [((\n"})
    with pytest.raises(BrokenCaptures) as refused:
        read_captures(tmp_path, framework="sglang", catalogue=_catalogue())
    (problem,) = refused.value.problems
    assert problem.startswith(f"{MODEL}: expected Python source; nearest thing found: ")
