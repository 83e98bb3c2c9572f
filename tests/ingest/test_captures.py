"""Reading a capture folder: pages with release, date, address; every bad file listed."""

import json
from datetime import date
from pathlib import Path

import pytest

from ingest import captures as captures_module
from ingest.captures import FACTS_PATH, BrokenCaptures, Captures, read_captures
from ingest.derived import find_derived
from matrix.domain.catalogue import Catalogue, Node, Placement
from tests.builders import history_of, released_on
from tests.ingest.capture_folders import uploaded, write_captures, write_manifest

PATH = "docs/page.md"


def catalogue(framework: str = "vllm", *placements: Placement) -> Catalogue:
    return Catalogue(
        nodes={
            "framework": {
                framework: Node(area="framework", slug=framework, name=framework, kind="framework")
            }
        },
        releases={framework: history_of(framework).releases},
        placements=placements,
    )


def read(folder: Path, framework: str = "vllm", **options: object) -> Captures:
    wanted = options.get("wanted")
    return read_captures(
        folder,
        framework=framework,
        catalogue=catalogue(framework),
        wanted=wanted if isinstance(wanted, list) else None,
    )


def problems(folder: Path, framework: str = "vllm", **options: object) -> list[str]:
    with pytest.raises(BrokenCaptures) as refused:
        read(folder, framework, **options)
    return refused.value.problems


def test_a_page_knows_its_release_date_commit_address_and_hash(tmp_path: Path) -> None:
    (entry,) = write_captures(
        tmp_path,
        {("0.2.0", PATH): "text"},
        release_uploaded=uploaded("0.2.0"),
        git_commit="abc123",
    )
    (page,) = read(tmp_path).pages
    assert (page.framework, page.version, page.path) == ("vllm", "0.2.0", PATH)
    assert (page.release, page.stated_on) == ("0.2.0", released_on("0.2.0"))
    assert (page.text, page.commit, page.sha256) == ("text", "abc123", entry["sha256"])
    assert page.url == "https://github.com/vllm-project/vllm/blob/v0.2.0/docs/page.md"


def test_a_page_speaks_for_the_utc_day_of_its_commit(tmp_path: Path) -> None:
    moment = "2025-03-01T01:00:00+08:00"
    write_captures(tmp_path, {("v0.2.0", PATH): "x"}, tag="v0.2.0", commit_date=moment)
    assert read(tmp_path).pages[0].stated_on == date(2025, 2, 28)


def test_a_carriers_upload_day_is_not_the_pages_day(tmp_path: Path) -> None:
    write_captures(
        tmp_path,
        {("0.2.0", PATH): "x"},
        llama_cpp_commit="f" * 40,
        release_uploaded="2026-01-01T00:00:00+00:00",
    )
    (page,) = read(tmp_path, "llama.cpp").pages
    assert page.stated_on == released_on("0.2.0")
    assert page.url == f"https://github.com/ggml-org/llama.cpp/blob/{'f' * 40}/{PATH}"


def test_the_manifests_own_address_is_kept(tmp_path: Path) -> None:
    write_captures(tmp_path, {("0.2.0", PATH): "x"}, html_url="https://example.org/page")
    assert read(tmp_path).pages[0].url == "https://example.org/page"


def test_a_commit_between_releases_stands_at_the_first_release_that_holds_it(
    tmp_path: Path,
) -> None:
    write_captures(tmp_path, {("main-abc", PATH): "x"})
    placement = Placement(
        framework="vllm",
        label="main-abc",
        release="0.2.0",
        placed="between",
        before="0.3.0",
        stated_on=date(2025, 2, 20),
    )
    found = read_captures(tmp_path, framework="vllm", catalogue=catalogue("vllm", placement))
    (page,) = found.pages
    assert (page.release, page.stated_on) == ("0.3.0", released_on("0.3.0"))


def test_text_of_an_open_pull_request_is_no_statement_of_a_release(tmp_path: Path) -> None:
    write_captures(tmp_path, {("abc", PATH): "x"})
    placement = Placement(
        framework="vllm", label="abc", release="0.2.0", placed="exact", trust="pull-request"
    )
    found = read_captures(tmp_path, framework="vllm", catalogue=catalogue("vllm", placement))
    assert (found.pages[0].release, found.unplaced) == ("", ("abc",))


def test_a_label_without_release_and_date_is_listed_as_unplaced(tmp_path: Path) -> None:
    write_captures(tmp_path, {("someday", PATH): "x", ("0.2.0", PATH): "y"})
    assert read(tmp_path).unplaced == ("someday",)


def test_only_wanted_versions_are_read(tmp_path: Path) -> None:
    write_captures(tmp_path, {("0.2.0", PATH): "x", ("0.3.0", PATH): "y"})
    (tmp_path / "facts-0.2.0.json").write_text("{}", encoding="utf-8")
    pages = read(tmp_path, wanted=["0.3.0"]).pages
    assert [page.version for page in pages] == ["0.3.0"]


def test_a_wanted_version_that_was_not_captured_is_a_mistake(tmp_path: Path) -> None:
    write_captures(tmp_path, {("0.2.0", PATH): "x", ("0.3.0", PATH): "y"})
    assert problems(tmp_path, wanted=["0.4.0"]) == [
        "nothing was captured of '0.4.0'; captured are: 0.2.0, 0.3.0"
    ]


def test_code_facts_are_pages_of_their_version(tmp_path: Path) -> None:
    write_captures(tmp_path, {("0.2.0", PATH): "x"}, release_uploaded=uploaded("0.2.0"))
    text = json.dumps({"git_commit": "abc"})
    (tmp_path / "facts-0.2.0.json").write_text(text, encoding="utf-8")
    page = read(tmp_path).pages[-1]
    assert (page.path, page.version, page.release) == (FACTS_PATH, "0.2.0", "0.2.0")
    assert (page.text, page.commit) == (text, "abc")
    assert page.url == "https://github.com/vllm-project/vllm/tree/v0.2.0"


def test_a_folder_without_manifest_says_so(tmp_path: Path) -> None:
    assert problems(tmp_path) == ["manifest.jsonl: the file is missing"]


def test_every_bad_file_is_listed_not_only_the_first(tmp_path: Path) -> None:
    names = ("missing", "altered", "binary", "good")
    entries = write_captures(tmp_path, {("0.2.0", f"{name}.md"): name for name in names})
    (tmp_path / "0.2.0" / "missing.md").unlink()
    (tmp_path / "0.2.0" / "altered.md").write_text("changed", encoding="utf-8")
    (tmp_path / "0.2.0" / "binary.md").write_bytes(b"\xff\xfe\x00\xd8broken")
    entries[2]["sha256"] = ""
    write_manifest(tmp_path, entries)
    with (tmp_path / "manifest.jsonl").open("a", encoding="utf-8") as manifest:
        manifest.write('{"version": "0.2.0"\n["a list"]\n{"version": "0.2.0"}\n')
    (tmp_path / "facts-0.2.0.json").write_text("{", encoding="utf-8")
    (tmp_path / "facts-0.3.0.json").write_text("[]", encoding="utf-8")
    found = problems(tmp_path)
    assert len(found) == 8
    assert found[0].startswith("manifest.jsonl line 5: ")
    assert found[1] == "manifest.jsonl line 6: a line is an object, not list"
    assert found[2] == "manifest.jsonl line 7: 'path' is missing"
    assert found[3] == "0.2.0/missing.md: the file is missing"
    assert found[4].startswith("0.2.0/altered.md: sha256 is ")
    assert found[5].startswith("0.2.0/binary.md: The page is not valid UTF-8")
    assert found[6].startswith("facts-0.2.0.json: ")
    assert found[7] == "facts-0.3.0.json: it holds list; an object is expected"


@pytest.mark.parametrize("local", ["../secret.md", "/etc/hostname", "0.2.0/../../secret.md"])
def test_a_path_that_leads_out_of_the_folder_is_refused(tmp_path: Path, local: str) -> None:
    folder = tmp_path / "captures"
    folder.mkdir()
    (tmp_path / "secret.md").write_text("secret", encoding="utf-8")
    write_manifest(folder, [{"version": "0.2.0", "path": PATH, "local": local}])
    assert problems(folder) == [f"{local}: lies outside the capture folder"]


def test_a_link_that_leads_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "captures"
    (folder / "0.2.0").mkdir(parents=True)
    (tmp_path / "secret.md").write_text("secret", encoding="utf-8")
    (folder / "0.2.0" / "page.md").symlink_to(tmp_path / "secret.md")
    (folder / "facts-0.2.0.json").symlink_to(tmp_path / "secret.md")
    write_manifest(folder, [{"version": "0.2.0", "path": "page.md"}])
    assert problems(folder) == [
        "0.2.0/page.md: lies outside the capture folder",
        "facts-0.2.0.json: lies outside the capture folder",
    ]


def test_a_manifest_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.jsonl").write_bytes(b"\xff\xff\xff")
    (found,) = problems(tmp_path)
    assert found.startswith("manifest.jsonl: The page is not valid UTF-8")


def test_a_date_that_is_none_is_listed(tmp_path: Path) -> None:
    write_captures(tmp_path, {("0.2.0", PATH): "x"}, commit_date="yesterday")
    (found,) = problems(tmp_path)
    assert found.startswith("manifest.jsonl line 1: ")
    assert "yesterday" in found


def test_a_page_listed_twice_is_refused(tmp_path: Path) -> None:
    entries = write_captures(tmp_path, {("0.2.0", PATH): "x"})
    write_manifest(tmp_path, entries * 2)
    assert problems(tmp_path) == [f"manifest.jsonl line 2: 0.2.0 {PATH} is listed twice"]


def test_pages_of_another_framework_are_refused(tmp_path: Path) -> None:
    write_captures(tmp_path, {("0.2.0", PATH): "x"}, framework="sglang")
    assert problems(tmp_path) == [
        "manifest.jsonl line 1: it lists pages of 'sglang'; expected are pages of 'vllm'"
    ]


def test_a_file_of_absurd_size_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(captures_module, "MAX_FILE_BYTES", 2**20)
    write_captures(tmp_path, {("0.2.0", PATH): "x" * (2**20 + 1)})
    assert problems(tmp_path) == [f"0.2.0/{PATH}: has more than 1 MiB"]


COOKBOOK_PATH = "docs/src/snippets/configs/acme/alpha.jsx"


def cookbook(tmp_path: Path, text: str) -> Path:
    folder = tmp_path / "_derived" / "sglang-cookbook-0.2.0"
    folder.mkdir(parents=True)
    (folder / "acme__alpha.json").write_text(text, encoding="utf-8")
    return tmp_path / "sglang"


def test_data_derived_from_a_page_stands_in_for_it(tmp_path: Path) -> None:
    folder = cookbook(tmp_path, "{}")
    write_captures(folder, {("0.2.0", PATH): "x"}, framework="sglang", tag="0.2.0")
    page = read(folder, "sglang").pages[-1]
    assert (page.path, page.text, page.release) == (COOKBOOK_PATH, "{}", "0.2.0")
    assert page.url == f"https://github.com/sgl-project/sglang/blob/0.2.0/{COOKBOOK_PATH}"
    # The hash of the original is not known, and that of the derived data would mislead.
    assert page.sha256 == ""


def test_derived_data_is_not_read_beside_the_page_itself(tmp_path: Path) -> None:
    folder = cookbook(tmp_path, "{}")
    write_captures(folder, {("0.2.0", COOKBOOK_PATH): "original"})
    assert [page.text for page in read(folder, "sglang").pages] == ["original"]


def test_broken_derived_data_is_listed(tmp_path: Path) -> None:
    folder = cookbook(tmp_path, "{")
    write_captures(folder, {("0.2.0", PATH): "x"})
    (found,) = problems(folder, "sglang")
    assert found.startswith("acme__alpha.json: ")


def test_derived_data_is_found_by_the_original_path_alone(tmp_path: Path) -> None:
    cookbook(tmp_path, "{}")

    def find(framework: str, path: str) -> Path | None:
        return find_derived(tmp_path, framework=framework, label="0.2.0", path=path)

    assert find("sglang", COOKBOOK_PATH) is not None
    assert find("vllm", COOKBOOK_PATH) is None
    assert find("sglang", COOKBOOK_PATH.replace("alpha", "beta")) is None
    assert find("sglang", PATH) is None
