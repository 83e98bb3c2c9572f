"""The short way to a verdict gives, byte for byte, what the whole way gives."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from matrix import rates
from matrix.api import shortcut
from matrix.services import withdraw_claim
from tests.matrix.api.problems import problem
from tests.matrix.api.rows import bearer, make_user

pytestmark = pytest.mark.django_db

BOTH = Callable[..., tuple[Any, Any]]

SHORT = [
    "framework=vllm",
    "framework=vLLM&version=0.6.0&quantization=AWQ&hardware=Turing",
    "framework=vllm&version=latest&hardware=nvidia-v100&quantization=fp8",
    "framework=vllm&quantization=fp8&hardware=nvidia-volta&as_of=2025-07-01",
    "framework=vllm&hardware=nvidia-turing&known_at=2025-01-02",
    "framework=vllm&hardware=google-tpu",
    "framework=vllm-ascend",
    "framework=vllm&feature=lora&feature=eagle&setting=--x:1&setting=--y:2",
    "framework=vllm&hardware=Turing&count=2&context_tokens=4096&kv_dtype=fp8",
    "framework=vllm&model=&version=",
    "framework=%20vllm%20&hardware=nvidia%2Dt4",
    "",
    "framework=",
    "framework=vlm",
    "framework=vllm&hardware=turin",
    "framework=vllm&hardware=old+cards",
    "framework=vllm&version=0.66.0",
    "framework=vllm&version=0.9.0&as_of=2025-07-01",
    "framework=vllm&as_of=2025-02-30",
    "framework=vllm&known_at=2021-12-31",
    "framework=vllm&count=0",
    "framework=vllm&setting=--flag",
    "framework=vllm&engine=v9",
    "framework=vllm&hardwear=x",
    "framework=vllm&kind=device",
    "framework=vllm&parent=nvidia",
    "framework=vllm&framework=vllm",
    "framework=vllm&model=%00",
    "framework=vllm&model=%ED%A0%80",
    "framework=vllm&model=" + "x" * 5_000,
    "framework=vllm&format=json",
    "&&=&framework=vllm",
]
WHOLE = [
    "framework=vllm&over=version&page_size=5",
    "framework=vllm&page_size=5",
    "framework=vllm&cursor=zzz",
    "framework=vllm&over=",
    "&".join(["a=1"] * 5_000),
]
HEADERS: list[tuple[dict[str, str], bool]] = [
    ({}, True),
    ({"accept": "*/*"}, True),
    ({"accept": "application/json;q=0.9, text/html;q=0.8"}, True),
    ({"accept-language": "zh-hans,en;q=0.5"}, True),
    ({"if-none-match": "*"}, True),
    ({"if-none-match": 'W/"other"'}, True),
    ({"origin": "https://other.example", "hx-request": "true"}, True),
    ({"accept": "text/html,*/*;q=0.8"}, False),
    ({"accept": "image/png"}, False),
    ({"authorization": "Bearer rp_wrong"}, False),
    ({"authorization": "Basic YTpi"}, False),
    ({"cookie": "theme=dark"}, False),
    ({"cookie": "sessionid=x; django_language=zh-hans"}, False),
]


@pytest.fixture
def ways() -> list[bool]:
    """For each request in turn, whether it took the short way."""
    return []


@pytest.fixture
def both(
    world: None, client: Client, monkeypatch: pytest.MonkeyPatch, ways: list[bool]
) -> Iterator[BOTH]:
    """Asks one address as it comes and by the whole way, at the same second of an empty limit."""
    genuine = shortcut.asks_for_one_cell
    monkeypatch.setattr(rates.time, "time", lambda: 1_800_000_007.0)

    def decide(request: Any) -> bool:
        ways.append(genuine(request))
        return ways[-1]

    def ask(query: str, **headers: str) -> tuple[Any, Any]:
        answers = []
        for way in (decide, lambda request: False):
            monkeypatch.setattr(shortcut, "asks_for_one_cell", way)
            cache.clear()
            answers.append(client.get(f"{reverse('api-verdicts')}?{query}", headers=headers))
        return answers[0], answers[1]

    yield ask


def same(short: Any, whole: Any) -> None:
    """Fails unless both are one answer; the order of lists in a header says nothing."""
    assert short.status_code == whole.status_code
    assert short.content == whole.content
    assert headers_of(short) == headers_of(whole)
    assert short.cookies == whole.cookies


def headers_of(answer: Any) -> dict[str, Any]:
    """The headers by name; each request has an identifier of its own."""
    separators = {"Vary": ", ", "Content-Security-Policy": "; "}
    return {
        name: sorted(value.split(separators[name])) if name in separators else value
        for name, value in answer.headers.items()
        if name != "X-Request-ID"
    }


@pytest.mark.parametrize("query", SHORT, ids=lambda query: query[:60])
def test_a_question_about_one_cell_has_one_answer_by_both_ways(
    both: BOTH, ways: list[bool], query: str
) -> None:
    same(*both(query))
    assert ways == [True]


@pytest.mark.parametrize("query", WHOLE, ids=lambda query: query[:60])
def test_lists_and_unreadable_queries_take_the_whole_way(
    both: BOTH, ways: list[bool], query: str
) -> None:
    same(*both(query))
    assert ways == [False]


@pytest.mark.parametrize(("headers", "is_short"), HEADERS, ids=str)
@pytest.mark.parametrize("query", ["framework=vllm&hardware=Turing", "framework=vlm"])
def test_the_headers_of_a_request_change_both_ways_alike(
    both: BOTH, ways: list[bool], query: str, headers: dict[str, str], is_short: bool
) -> None:
    same(*both(query, **headers))
    assert ways == [is_short]


def test_an_answer_that_the_client_holds_is_the_same_304(both: BOTH) -> None:
    first, _ = both("framework=vllm&hardware=Turing")
    short, whole = both("framework=vLLM&hardware=nvidia-turing",
                        **{"if-none-match": first.headers["ETag"]})  # fmt: skip
    same(short, whole)
    assert short.status_code == 304


def test_a_request_for_a_strange_host_is_refused_alike(both: BOTH, ways: list[bool]) -> None:
    short, whole = both("framework=vllm", host="strange.example")
    # Each refusal is a page with a secret of its own, so only the rest of it can be compared.
    assert (short.status_code, headers_of(short)) == (400, headers_of(whole))
    assert ways == [False]


def test_the_short_way_has_the_security_headers_of_the_site(both: BOTH, ways: list[bool]) -> None:
    short, _ = both("framework=vllm")
    assert ways == [True]
    for name in ("Content-Security-Policy", "X-Frame-Options", "X-Content-Type-Options",
                 "Referrer-Policy", "Cross-Origin-Opener-Policy"):  # fmt: skip
        assert short.headers[name]
    assert re.search(r"default-src 'none'", short.headers["Content-Security-Policy"])


def test_a_reader_beyond_the_limit_is_refused_alike(both: BOTH, settings: Any) -> None:
    rates = {"anon": "0/minute", "user": "9/minute"}
    settings.REST_FRAMEWORK = settings.REST_FRAMEWORK | {"DEFAULT_THROTTLE_RATES": rates}
    short, whole = both("framework=vllm")
    same(short, whole)
    problem(short, 429, "too-many-requests")


def test_each_answer_by_the_short_way_counts_once(world: None, client: Client) -> None:
    left = [
        int(client.get(reverse("api-verdicts"), {"framework": f}).headers["RateLimit-Remaining"])
        for f in ("vllm", "vlm", "vllm")
    ]
    # A new window may begin in between, which starts the count again.
    assert left == [599, 598, 597] or 599 in left[1:]


def test_a_closed_installation_has_no_short_way(
    both: BOTH, ways: list[bool], settings: Any
) -> None:
    settings.RUNPROOF_PUBLIC = False
    short, whole = both("framework=vllm")
    same(short, whole)
    problem(short, 401, "not-authenticated")
    short, whole = both("framework=vllm", **bearer(make_user("ada"), "read"))
    same(short, whole)
    assert short.status_code == 200
    assert ways == [False, False]


def test_a_site_served_by_https_redirects_alike(both: BOTH, settings: Any, client: Client) -> None:
    # Middlewares read this when they are made, which the client does at its first request.
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_HSTS_SECONDS = 60
    short, whole = both("framework=vllm")
    same(short, whole)
    assert short.status_code == 301


def test_an_unforeseen_error_is_the_same_problem(
    both: BOTH, client: Client, monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    def fail(*args: Any, **kwargs: Any) -> Any:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr("matrix.api.verdicts.answer_plain", fail)
    client.raise_request_exception = False
    short, whole = both("framework=vllm")
    same(short, whole)
    problem(short, 500, "server-error")
    assert b"secret" not in short.content
    assert caplog.text.count("ZeroDivisionError") >= 2


@pytest.mark.parametrize("method", ["head", "post", "options", "delete"])
def test_other_methods_take_the_whole_way(
    both: BOTH, client: Client, ways: list[bool], method: str
) -> None:
    both("framework=vllm")
    path = reverse("api-verdicts") + "?framework=vllm"
    assert getattr(client, method)(path).status_code in (200, 400, 405)
    assert ways == [True]


def test_a_kept_answer_ends_with_its_knowledge_and_its_language(both: BOTH) -> None:
    words = "framework=vllm&hardware=Turing"
    before, _ = both(words)
    same(*both(words))
    chinese, whole = both(words, **{"accept-language": "zh-hans"})
    same(chinese, whole)
    for uid in ("turing", "awq-on-turing"):
        withdraw_claim(uid, actor="test", reason="was wrong")
    after, whole = both(words)
    same(after, whole)
    assert before.json()["level"] == "supported"
    assert after.json()["level"] == "unknown"
