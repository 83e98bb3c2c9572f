"""Rules over pages: which rule reads which page, and pages that none can read."""

from ingest.contract import Page, PageRule, Reading, Source, UnexpectedPage, Vocabulary
from ingest.domain.run_rules import RuleRun, rules_for, run_rules
from ingest.reading.errors import OversizedPage
from tests.ingest.domain.stating import page

WORDS = Vocabulary(tables={})


def read_nothing(page: Page, vocabulary: Vocabulary) -> Reading:
    return Reading(findings=())


def refuse_old(page: Page, vocabulary: Vocabulary) -> Reading:
    if page.version == "0.2.0":
        raise UnexpectedPage(path=page.path, expected="a table", nearest="a list")
    return Reading(findings=())


def refuse_structure(page: Page, vocabulary: Vocabulary) -> Reading:
    raise OversizedPage(what="tables", found=9_000, most=2_000)


def source(*rules: PageRule) -> Source:
    return Source(name="test-docs", framework="vllm", title="Test", rules=rules)


def run(made: Source, *pages: Page) -> RuleRun:
    return [latest for _, latest in run_rules([made], pages, WORDS)][-1]


def test_a_rule_reads_the_paths_that_match_as_a_whole() -> None:
    made = source(PageRule("a", (r"docs/.*\.md",), read_nothing))
    assert [rule.name for rule in rules_for(made, "docs/x.md")] == ["a"]
    assert list(rules_for(made, "other/docs/x.md")) == []
    assert list(rules_for(made, "docs/x.md.bak")) == []


def test_one_page_may_be_read_by_several_rules() -> None:
    made = source(
        PageRule("a", (r"docs/x\.md",), read_nothing),
        PageRule("b", (r"docs/.*",), read_nothing),
    )
    latest = run(made, page("0.2.0", "docs/x.md"), page("0.2.0", "README.md"))
    assert [reading.claim_source for reading in latest.readings] == ["test-docs:a", "test-docs:b"]
    assert (latest.pages_read, latest.pages_without_rule) == (1, 1)


def test_every_refused_page_is_listed_and_the_rest_is_read() -> None:
    made = source(
        PageRule("old", (r".*",), refuse_old),
        PageRule("structure", (r"docs/b\.md",), refuse_structure),
    )
    latest = run(made, page("0.2.0", "docs/a.md"), page("0.3.0", "docs/b.md"))
    assert [str(refusal) for refusal in latest.refusals] == [
        "0.2.0 docs/a.md: expected a table; nearest thing found: a list",
        "0.3.0 docs/b.md: expected a page of a readable structure; nearest thing found: "
        "The page has 9000 tables; at most 2000 are read.",
    ]
    assert [reading.page.version for reading in latest.readings] == ["0.3.0"]


def test_a_version_of_which_a_page_was_refused_is_left_out_for_that_rule_alone() -> None:
    made = source(
        PageRule("old", (r"docs/a\.md",), refuse_old),
        PageRule("old", (r"docs/b\.md",), read_nothing),
        PageRule("other", (r".*",), read_nothing),
    )
    latest = run(made, page("0.2.0", "docs/a.md"), page("0.2.0", "docs/b.md"), page("0.3.0"))
    assert [(r.rule, r.page.version, r.page.path) for r in latest.accepted_readings()] == [
        ("other", "0.2.0", "docs/a.md"),
        ("other", "0.2.0", "docs/b.md"),
        ("other", "0.3.0", "docs/page.md"),
    ]
