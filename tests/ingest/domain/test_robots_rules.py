"""What a robots.txt allows, by the standard."""

import time

import pytest

from ingest.domain.robots_rules import RobotsRules, read_robots


def allows(text: str, target: str, agent: str = "Runproof") -> bool:
    return read_robots(text).allows(agent, target)


@pytest.mark.parametrize(
    ("rules", "target", "allowed"),
    [
        ("Disallow: /a", "/a", False),
        ("Disallow: /a", "/abc?d=e", False),
        ("Disallow: /a", "/b/a", True),
        ("Disallow: /a/", "/a", True),
        ("Disallow:", "/a", True),
        ("Disallow: /\nAllow: /a", "/a/b", True),
        ("Allow: /a\nDisallow: /", "/b", False),
        ("Disallow: /a/b\nAllow: /a", "/a/b/c", False),
        ("Allow: /a\nDisallow: /a", "/a", True),
        ("Disallow: /*.pdf$", "/x/y.pdf", False),
        ("Disallow: /*.pdf$", "/x/y.pdf?z", True),
        ("Disallow: /a$", "/a", False),
        ("Disallow: /a$", "/ab", True),
        ("Disallow: /*/print/*x", "/en/print/abx", False),
        ("Disallow: /*/print/*x", "/print/abx", True),
        ("Disallow: *x", "/abx", False),
        ("Disallow: /a*bc*bc$", "/abc", True),
        ("Disallow: /a*bc*bc$", "/abcbc", False),
        ("Disallow: /*?", "/a?b", False),
        ("Disallow: /%7Euser", "/~user/x", False),
        ("Disallow: /a%3cb", "/a%3Cb", False),
        ("Disallow: /é", "/%C3%A9", False),
        ("Disallow: /a%2Fb", "/a/b", True),
        ("disallow : /a # not yet", "/a", False),
        ("Sitemap: https://x.example/\nDisallow: /a", "/a", False),
        ("Disalow: /a", "/a", True),
        ("Disallow /a", "/a", True),
    ],
)
def test_the_longest_fitting_rule_decides(rules: str, target: str, allowed: bool) -> None:
    assert allows(f"User-agent: *\n{rules}\n", target) is allowed


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_lines_may_end_in_three_ways_and_the_file_with_a_mark(ending: str) -> None:
    text = "\ufeff" + ending.join(["User-agent: *", "", "Disallow: /a"])
    assert allows(text, "/a") is False


def test_the_group_of_our_name_replaces_the_one_for_all() -> None:
    text = "User-agent: *\nDisallow: /\n\nUser-agent: Other\nUser-agent: runproof/2\nDisallow: /a\n"
    assert allows(text, "/b") is True
    assert allows(text, "/a") is False
    assert allows(text, "/b", agent="Third") is False


def test_groups_of_the_same_name_are_one() -> None:
    text = "User-agent: Runproof\nDisallow: /a\n\nUser-agent: Runproof\nDisallow: /b\n"
    assert not allows(text, "/a") and not allows(text, "/b")


def test_rules_before_any_name_count_for_nobody() -> None:
    assert allows("Disallow: /\nUser-agent: Other\nDisallow: /\n", "/a") is True


@pytest.mark.parametrize("text", ["", "# nothing", "<!doctype html><html>Not found</html>", "\0\0"])
def test_a_file_without_rules_allows_everything(text: str) -> None:
    assert read_robots(text).allows("Runproof", "/a") is True


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("5", 5), ("0.5", 0.5), ("999999", 86_400), ("-1", 0), ("soon", 0), ("1e9", 0), ("", 0)],
)
def test_a_crawl_delay_is_a_number_of_seconds(value: str, seconds: float) -> None:
    rules = read_robots(f"User-agent: *\nCrawl-delay: {value}\nDisallow: /a\n")
    assert rules.delay_seconds("Runproof") == seconds
    assert rules.allows("Runproof", "/a") is False


def test_no_rules_are_no_delay() -> None:
    assert RobotsRules().delay_seconds("Runproof") == 0


def test_a_pattern_of_stars_takes_no_long_time() -> None:
    text = "User-agent: *\n" + f"Disallow: /{'*a' * 900}$\n" * 200
    started = time.monotonic()
    assert allows(text, "/" + "a" * 1_900 + "b") is True
    assert time.monotonic() - started < 1
