"""A capture folder that is named otherwise than the framework whose pages are read from it."""

from pathlib import Path

from ingest.captures import read_captures
from ingest.sources import SOURCES, source_names
from matrix.domain.catalogue import Catalogue, Node
from tests.builders import history_of
from tests.ingest.capture_folders import write_captures


def catalogue(framework: str) -> Catalogue:
    node = Node(area="framework", slug=framework, name=framework, kind="framework")
    return Catalogue(
        nodes={"framework": {framework: node}},
        releases={framework: history_of(framework).releases},
    )


def test_a_manifest_may_name_the_folder_it_was_captured_as(tmp_path: Path) -> None:
    folder = tmp_path / "aws-neuron"
    write_captures(folder, {("0.2.0", "README.md"): "x"}, framework="aws-neuron")
    captures = read_captures(
        folder, framework="aws-neuron-sdk", catalogue=catalogue("aws-neuron-sdk")
    )
    assert [page.framework for page in captures.pages] == ["aws-neuron-sdk"]


def test_one_folder_may_hold_the_pages_of_two_frameworks() -> None:
    readers = {source.framework for source in SOURCES if source.folder == "aws-neuron"}
    assert readers == {"aws-neuron-sdk", "vllm-neuron-native"}
    assert readers <= set(source_names())
