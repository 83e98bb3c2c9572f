"""The page of domestic accelerators counts what the claims say, and invents nothing."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from matrix.accelerators import domestic_vendors
from matrix.domain.levels import EvidenceKind
from matrix.index import current_knowledge, forget_knowledge
from matrix.models import Backend, Framework, Hardware, Release
from matrix.services import add_claims, raise_revision
from tests import builders
from tests.matrix.api.rows import make_world

AS_OF = date(2026, 1, 10)


@pytest.fixture(autouse=True)
def world(db: None) -> Iterator[None]:
    """The small world with two boards of Ascend, a plug-in for it, and an idle stack."""
    forget_knowledge()
    make_world()
    root = Hardware.objects.create(slug="ascend", name="Huawei Ascend", kind="vendor")
    for slug in ("ascend-a2", "ascend-a3"):
        Hardware.objects.create(slug=slug, name=slug.upper(), kind="architecture", parent=root)
    Hardware.objects.create(slug="iluvatar", name="Iluvatar", kind="vendor")
    Backend.objects.create(
        slug="cann", name="CANN", kind="backend",
        facts={"hardware_roots": ["ascend"], "default_for": ["ascend"]},
    )  # fmt: skip
    plugin = Framework.objects.get(slug="vllm-ascend")
    plugin.facts = {"version_scheme": "pep440", "relation": "plugin", "backends": ["cann"]}
    plugin.save()
    Framework.objects.create(slug="idle", name="Idle", kind="engine", facts={"backends": ["cann"]})
    for version in ("0.6.0", "0.9.0"):
        Release.objects.create(
            framework=plugin, version=version, upstream_version="0.9.0" if version > "0.7" else "",
            released_at=datetime.combine(builders.released_on(version), datetime.min.time(), UTC),
        )  # fmt: skip
    add_claims(
        [
            ascend("supported", uid="platform"),
            ascend("supported", uid="awq", quantization="awq"),
            ascend("unsupported", uid="fp8", quantization="fp8"),
            ascend("supported", uid="lora", features=["lora"]),
        ],
        shipped=False,
    )
    raise_revision()
    yield
    forget_knowledge()


def ascend(level: str, *, uid: str, features: Any = (), **nodes: Any) -> Any:
    """A claim of the plug-in about the A2."""
    return builders.claim(
        level,
        about=builders.scope(hardware="ascend-a2", features=features, **nodes),
        framework="vllm-ascend",
        seen=("0.9.0",),
        uid=uid,
        kind=EvidenceKind.RELEASE_NOTE if uid == "lora" else EvidenceKind.DOCUMENTATION,
    )


def ask(client: Client, **words: str) -> Any:
    """The vendors of the answer by name."""
    plain = client.get(reverse("api-domestic-accelerators"), words).json()
    return {row["vendor"]: row for row in plain["vendors"]}


def test_a_stack_is_counted_by_the_verdicts_of_what_is_named_with_the_hardware(
    client: Client,
) -> None:
    vendor = ask(client, as_of=AS_OF.isoformat())["ascend"]
    (stack,) = vendor["stacks"]
    assert (stack["framework"], stack["kind"], stack["parent"]) == (
        "vllm-ascend", "plugin", "vllm",
    )  # fmt: skip
    counts = {row["axis"]: row["levels"] for row in stack["counts"]}
    assert counts["quantization"] == {
        "supported": 1, "conditional": 0, "partial": 0, "unsupported": 1, "unknown": 0,
    }  # fmt: skip
    assert counts["feature"]["supported"] == 1
    assert sum(counts["model"].values()) == 0
    assert stack["claims_count"] == vendor["claims_count"] == 4
    assert stack["strongest_evidence_kind"] == "release-note"
    assert stack["newest_observation_on"] == builders.released_on("0.9.0").isoformat()
    assert vendor["devices"] == ["ascend-a2"]


def test_how_far_it_is_behind_its_upstream_is_dated_and_counted(client: Client) -> None:
    (stack,) = ask(client, as_of=AS_OF.isoformat())["ascend"]["stacks"]
    follows = stack["following"]
    assert (follows["upstream"], follows["version"], follows["follows"]) == (
        "vllm", "0.9.0", "0.9.0",
    )  # fmt: skip
    assert (follows["upstream_newest"], follows["behind_releases_count"]) == ("0.12.0", 3)
    assert follows["behind_days"] == 90
    (then,) = ask(client, as_of=builders.released_on("0.9.0").isoformat())["ascend"]["stacks"]
    assert then["following"]["behind_releases_count"] == 0


def test_an_unstated_pairing_is_unknown_and_never_zero(client: Client) -> None:
    Release.objects.filter(framework__slug="vllm-ascend").update(upstream_version="")
    raise_revision()
    vendor = ask(client, as_of=AS_OF.isoformat())["ascend"]
    follows = vendor["stacks"][0]["following"]
    assert follows["follows"] is None
    assert follows["behind_days"] is None
    assert follows["behind_releases_count"] is None
    assert any("not stated" in gap for gap in vendor["gaps"])
    assert "not stated" in client.get(reverse("domestic")).content.decode()


def test_what_is_named_for_other_hardware_only_is_told_apart_and_as_of_the_day(
    client: Client,
) -> None:
    Release.objects.create(
        framework=Framework.objects.get(slug="vllm-ascend"),
        version="0.10.0",
        released_at=datetime.combine(builders.released_on("0.10.0"), datetime.min.time(), UTC),
    )
    add_claims(
        [
            builders.claim(
                "supported",
                about=builders.scope(hardware="nvidia-t4", quantization=["awq", "gguf"]),
                framework="vllm-ascend",
                seen=("0.10.0",),
                uid="elsewhere",
            )
        ],
        shipped=False,
    )
    raise_revision()

    def elsewhere(day: date) -> int:
        (stack,) = ask(client, as_of=day.isoformat())["ascend"]["stacks"]
        counts = {row["axis"]: row for row in stack["counts"]}
        return int(counts["quantization"]["elsewhere_count"])

    assert elsewhere(AS_OF) == 1
    assert elsewhere(builders.released_on("0.9.0")) == 0


def test_gaps_name_what_nothing_speaks_about(client: Client) -> None:
    vendors = ask(client, as_of=AS_OF.isoformat())
    ascend_row = vendors["ascend"]
    assert ascend_row["stacks_without_claims"] == ["idle"]
    assert ascend_row["unnamed_devices"] == ["ascend-a3"]
    gaps = " ".join(ascend_row["gaps"])
    assert "ASCEND-A3" in gaps
    assert "Nothing was measured" in gaps
    assert "any model" in gaps
    assert vendors["iluvatar"]["gaps"] == ["No statement names this hardware at all."]


def test_contradictions_are_counted_and_lead_to_their_cells(client: Client) -> None:
    add_claims(
        [
            builders.claim(
                "unsupported",
                about=builders.scope(hardware="ascend-a2", quantization="awq"),
                framework="vllm-ascend",
                seen=("0.9.0",),
                uid="awq-no",
                source="other:rule",
            )
        ],
        shipped=False,
    )
    raise_revision()
    (stack,) = ask(client, as_of=AS_OF.isoformat())["ascend"]["stacks"]
    assert stack["conflicts_count"] == len(stack["conflicts"]) == 1
    assert client.get(stack["conflicts"][0]["cell_url"]).status_code == 200


def test_before_anything_was_stated_nothing_is_counted(client: Client) -> None:
    day = builders.released_on("0.9.0") - timedelta(days=1)
    vendor = ask(client, as_of=day.isoformat())["ascend"]
    assert (vendor["stacks"], vendor["claims_count"]) == ([], 0)
    assert vendor["stacks_without_claims"] == ["idle", "vllm-ascend"]


def test_a_no_on_one_board_is_no_no_of_the_vendor() -> None:
    add_claims(
        [
            builders.claim(
                "supported",
                about=builders.scope(hardware="ascend-a3", quantization="fp8"),
                framework="vllm-ascend",
                seen=("0.9.0",),
                uid="fp8-a3",
            ),
            builders.claim(
                "supported",
                about=builders.scope(hardware="ascend-a3"),
                framework="vllm-ascend",
                seen=("0.9.0",),
                uid="a3",
            ),
        ],
        shipped=False,
    )
    raise_revision()
    vendor = domestic_vendors(current_knowledge(), as_of=AS_OF)[0]
    count = next(c for c in vendor.stacks[0].counts if c.axis == "quantization")
    assert {level.value: n for level, n in count.levels.items() if n} == {"supported": 2}


def test_every_number_leads_somewhere_and_the_page_asks_one_query(client: Client) -> None:
    (stack,) = ask(client)["ascend"]["stacks"]
    for address in (stack["claims_url"], *(row["matrix_url"] for row in stack["counts"])):
        assert client.get(address).status_code == 200
    with CaptureQueriesContext(connection) as queries:
        page = client.get(reverse("domestic")).content.decode()
    assert len(queries) <= 1
    assert "Huawei Ascend" in page
    assert reverse("domestic") in client.get(reverse("overview")).content.decode()


def test_wrong_words_are_refused(client: Client) -> None:
    for words in ({"as_of": "soon"}, {"vendor": "ascend"}):
        assert client.get(reverse("domestic"), words).status_code == 400
        assert client.get(reverse("api-domestic-accelerators"), words).status_code == 400


def test_one_release_behind_is_written_as_one(client: Client) -> None:
    day = builders.released_on("0.10.0").isoformat()
    answer = client.get(reverse("domestic"), {"as_of": day})
    text = " ".join(answer.content.decode().split())
    assert " days · 1 release behind 0.10.0" in text
