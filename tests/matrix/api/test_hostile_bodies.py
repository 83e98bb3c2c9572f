"""Bodies that were made to hurt: each is refused by name, and nothing of it is written."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from matrix.dossiers import open_dossier
from matrix.models import Dossier, HardwarePrice
from tests.matrix.api.problems import problem
from tests.matrix.api.routes import WRITABLE_AS_JSON, address, names
from tests.matrix.api.rows import bearer, make_user

CONFIG = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "num_hidden_layers": 32,
    "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
    "intermediate_size": 14336, "vocab_size": 128256, "max_position_embeddings": 8192,
}  # fmt: skip
WORDS = {"framework": "vllm", "version": "0.6.0", "hardware": "Turing", "quantization": "awq"}


@pytest.fixture
def send(world: None, client: Client) -> Any:
    """Sends a body to an address as a curator; returns the answer."""
    headers = bearer(make_user("curator", "curator"), "write")

    def sent(path: str, body: Any, method: str = "post") -> Any:
        return getattr(client, method)(path, body, content_type="application/json", headers=headers)

    return sent


@pytest.mark.parametrize("name", WRITABLE_AS_JSON)
@pytest.mark.parametrize(
    "body", ['{"a": 1e999}', '{"a": [-1e999]}', '{"a": 1, "a": 2}', '{"x": {"a": 1, "a": 1}}']
)
def test_no_endpoint_takes_infinite_numbers_or_members_named_twice(
    send: Any, name: str, body: str
) -> None:
    problem(send(address(name, query=False), body), 400, "malformed-json")


@pytest.mark.parametrize("name", [n for n in names() if n.startswith("api-dossier-")])
@pytest.mark.parametrize("uid", ["\x00", "x" * 2_000, "é", "nope"])
def test_what_cannot_be_the_identifier_of_a_dossier_is_not_found(
    send: Any, client: Client, name: str, uid: str
) -> None:
    key = {"key": "1"} if name in ("api-dossier-candidate", "api-dossier-criterion") else {}
    path = reverse(name, kwargs={"uid": uid, **key})
    if name == "api-dossier-export":
        problem(client.get(path), 404, "not-found")
        return
    bodies: dict[str, Any] = {
        "api-dossier-candidates": {"edition": 0, "name": "a", "words": WORDS},
        "api-dossier-criteria": {"edition": 0, "name": "a", "kind": "knock-out"},
        "api-dossier-scores": {"edition": 0, "candidate": "1", "criterion": "1", "note": "a"},
        "api-dossier-waivers": {
            "edition": 0, "candidate": "1", "criterion": "1", "reason": "a", "removal_plan": "b",
            "remove_by": "2099-01-01",
        },
        "api-dossier-versions": {}, "api-dossier-rechecks": {},
        "api-dossier-comments": {"text": "a"},
        "api-dossier-sign-offs": {"content_sha256": "a", "person": "b", "stance": "agree"},
    }  # fmt: skip
    method = "patch" if key else "post"
    problem(send(path, bodies.get(name, {"edition": 0}), method), 404, "not-found")


@pytest.mark.parametrize("uid", ["%00", "%C3%A9"])
def test_the_page_of_what_cannot_be_a_dossier_is_not_found(
    world: None, client: Client, uid: str
) -> None:
    assert client.get(f"/dossiers/{uid}/").status_code == 404


def test_a_dossier_whose_identifier_has_hyphens_answers(world: None, client: Client) -> None:
    open_dossier(uid="made-for-show", title="Shown", actor="test")
    answer = client.get(reverse("api-dossier", kwargs={"uid": "made-for-show"}))
    assert answer.json()["title"] == "Shown"


@pytest.mark.parametrize(
    ("layout", "field"),
    [
        ({"memory_share": 5}, "layout.memory_share"),
        ({"memory_share": "\x00"}, "layout.memory_share"),
        ({"memory_share": "\ud800"}, "layout.memory_share"),
        ({"flash_attention": "maybe"}, "layout.flash_attention"),
        ({"ubatch_tokens": -1}, "layout.ubatch_tokens"),
    ],
)
def test_a_setting_that_no_estimate_can_take_is_refused_when_it_is_written(
    send: Any, layout: Any, field: str
) -> None:
    uid = send(reverse("api-dossiers"), {"title": "Draft"}).json()["uid"]
    body = {"edition": 0, "name": "A", "words": WORDS, "layout": layout}
    answer = send(reverse("api-dossier-candidates", kwargs={"uid": uid}), body)
    members = problem(answer, 422, "invalid-dossier")
    assert [one["field"] for one in members["problems"]] == [field]
    assert members["problems"][0]["accepted"]
    draft = Dossier.objects.get(uid=uid)
    assert (draft.edition, draft.candidates.count()) == (0, 0)


def test_a_refused_member_of_a_dossier_names_the_value_that_was_sent(send: Any) -> None:
    answer = send(reverse("api-dossiers"), {"title": "Draft", "as_of": "last week"})
    (one,) = problem(answer, 422, "invalid-dossier")["problems"]
    assert (one["field"], one["value"]) == ("as_of", "last week")
    assert "last week" in one["message"]


def test_a_number_beyond_every_float_is_a_wrong_number(send: Any) -> None:
    text = '{"title": "Draft", "need": {"objectives": {"ttft_ms": ' + "9" * 400 + "}}}"
    (one,) = problem(send(reverse("api-dossiers"), text), 422, "invalid-dossier")["problems"]
    assert one["field"] == "need.objectives.ttft_ms"
    answer = send(reverse("api-checks"), '{"count": ' + "9" * 3_000 + "}")
    assert problem(answer, 400, "invalid-value")["parameter"] == "count"


def test_a_second_next_version_names_the_first(send: Any) -> None:
    path = reverse("api-dossier-versions", kwargs={"uid": "frozen"})
    fresh = send(path, {}).json()["uid"]
    assert problem(send(path, {}), 409, "conflict")["newer"] == fresh


def test_a_currency_that_is_none_is_no_empty_list_of_prices(world: None, client: Client) -> None:
    path = reverse("api-hardware-prices")
    assert problem(client.get(f"{path}?currency=euro"), 400, "invalid-value")["value"] == "euro"
    assert client.get(f"{path}?currency=usd").status_code == 200


def test_a_price_named_twice_is_not_recorded(send: Any) -> None:
    before = HardwarePrice.objects.count()
    text = (
        '{"hardware": "nvidia-t4", "amount_per_hour": "1", "amount_per_hour": "2",'
        ' "currency": "USD", "effective_on": "2026-10-01"}'
    )
    problem(send(reverse("api-hardware-prices"), text), 400, "malformed-json")
    assert HardwarePrice.objects.count() == before


def test_a_class_that_is_not_known_is_not_answered_as_another_of_its_kind(send: Any) -> None:
    config = {**CONFIG, "architectures": ["LlamaForRewardModel"]}
    answer = send(reverse("api-checks"), {"config": config, "quantization": "bf16"})
    assert problem(answer, 400, "unknown-name")["value"] == "LlamaForRewardModel"


def test_a_config_that_names_no_model_is_refused_as_a_config(send: Any) -> None:
    answer = send(reverse("api-checks"), {"config": {"hidden_size": 4096}})
    assert problem(answer, 400, "invalid-value")["parameter"] == "config"


@pytest.mark.parametrize("name", ["api-checks", "api-memory-estimates"])
def test_a_config_larger_than_any_real_one_is_refused(send: Any, name: str) -> None:
    config = {**CONFIG, "padding": "x" * 2**20}
    answer = send(reverse(name), {"config": config, "quantization": "bf16"})
    assert problem(answer, 422, "unreadable-file")["parameter"] == "config"
