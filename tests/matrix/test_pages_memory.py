"""The memory pages: one sentence first, forms that work without scripts, refusals that explain."""

import io
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse

from matrix import memory_accuracy
from matrix.domain.memory.estimate_warnings import WARNING_CODES
from matrix.domain.memory.llamacpp import WHY_UNKNOWN
from matrix.domain.memory.truth_compare import QUANTITIES, REASONS
from matrix.domain.memory.values import (
    AttentionKind,
    Certainty,
    DeviceShare,
    FailurePoint,
    Fit,
    FitLevel,
    MemoryEstimate,
    MemoryRequest,
    ModelShape,
    PartKind,
)
from matrix.index import current_knowledge
from matrix.pages.memory import fit_sentence, fit_summary
from matrix.pages.memory_accuracy import CLASS_WORDS, PEER_WORDS, QUANTITY_WORDS, REASON_WORDS
from matrix.pages.memory_warning_words import WARNING_SENTENCES, WHY_UNKNOWN_WORDS
from matrix.pages.memory_words import (
    ATTENTION_WORDS,
    CERTAINTY_WORDS,
    FIT_SIGNS,
    PART_WORDS,
    POINT_SENTENCES,
    POINT_WORDS,
    exact_text,
    range_text,
    size_text,
    warning_sentence,
)
from tests.matrix.domain.memory.gguf_writing import gguf_head
from tests.matrix.domain.memory.test_gguf_header import SMALL, small_tensors
from tests.matrix.pages_world import fill_pages_world

GIB = 2**30
ASKED = {"model": "meta/Llama-3-8B", "quantization": "awq", "framework": "vllm",
         "hardware": "nvidia-t4"}  # fmt: skip


@pytest.fixture
def world(db: None) -> Iterator[None]:
    fill_pages_world()
    yield


def estimate(*, level: FitLevel, usable: int | None = 16 * GIB) -> MemoryEstimate:
    shape = ModelShape(name="m", architecture="a")
    share = DeviceShare(8 * GIB, 2 * GIB, GIB, 3 * GIB, 0, GIB)
    fit = Fit(
        level=level,
        usable_bytes=usable,
        needed_low_bytes=11 * GIB,
        needed_high_bytes=14 * GIB,
        largest_context_tokens=4096,
    )
    return MemoryEstimate(MemoryRequest(shape, scheme="bf16"), parts=(), share=share, fit=fit)


def test_the_pieces_of_the_bar_fill_it_and_the_limit_stands_where_memory_ends() -> None:
    summary = fit_summary(estimate(level=FitLevel.FITS))
    assert [segment.style for segment in summary.segments] == [
        "weights", "kv-cache", "compute", "spread",
    ]  # fmt: skip
    assert sum(segment.width for segment in summary.segments) == pytest.approx(100 * 14 / 16, 0.01)
    assert summary.limit_x == 100
    wide = fit_summary(estimate(level=FitLevel.EXCEEDS, usable=7 * GIB))
    assert wide.limit_x == 50


@pytest.mark.parametrize("level", list(FitLevel))
def test_every_level_has_its_sentence_and_none_says_fits_that_does_not(level: FitLevel) -> None:
    sentence = fit_sentence(estimate(level=level))
    assert "16.0 GiB" in sentence
    assert (": it fits" in sentence) is (level in (FitLevel.FITS, FitLevel.TIGHT))


def test_where_the_engine_takes_a_share_the_need_is_held_against_that() -> None:
    whole = estimate(level=FitLevel.EXCEEDS)
    shared = replace(whole, fit=replace(whole.fit, engine_bytes=12 * GIB))
    assert "12.0 GiB that the engine takes of 16.0 GiB" in fit_sentence(shared)
    assert fit_summary(shared).engine_x == 75
    assert fit_summary(whole).engine_x is None


def test_the_bar_says_everything_in_words_too() -> None:
    html = render_to_string(
        "matrix/_fit_bar.html", {"fit": fit_summary(estimate(level=FitLevel.TIGHT))}
    )
    assert "style=" not in html
    assert 'aria-hidden="true"' in html
    for text in ("tight", "8.0 GiB", "2.0 GiB", "16.0 GiB"):
        assert text in re.sub(r"<svg.*?</svg>", "", html, flags=re.DOTALL)


def test_without_any_figure_there_is_no_bar() -> None:
    share = DeviceShare(None, None, None, None, None, None)
    shape = ModelShape(name="m", architecture="a")
    empty = MemoryEstimate(
        MemoryRequest(shape, scheme="bf16"), (), share, Fit(level=FitLevel.UNKNOWN)
    )
    summary = fit_summary(empty)
    assert not summary.is_known
    assert "<svg" not in render_to_string("matrix/_fit_bar.html", {"fit": summary})


def test_sizes_are_read_in_binary_units_and_kept_exact_beside() -> None:
    assert [size_text(n) for n in (None, 0, 512, 3 * 2**20, GIB, 1000 * GIB)] == [
        "?", "0", "0.5 KiB", "3 MiB", "1.0 GiB", "1000 GiB",
    ]  # fmt: skip
    assert exact_text(1234567) == "1,234,567 bytes"
    assert range_text(GIB, GIB + 1) == "1.0 GiB"
    assert range_text(GIB, 2 * GIB) == "1.0 GiB to 2.0 GiB"


def test_every_code_has_its_words() -> None:
    assert set(WARNING_CODES) <= set(WARNING_SENTENCES)
    assert set(WHY_UNKNOWN) <= set(WHY_UNKNOWN_WORDS)
    assert set(REASONS) <= set(REASON_WORDS)
    assert set(QUANTITIES) <= set(QUANTITY_WORDS)
    assert set(memory_accuracy.CLASSES) <= set(CLASS_WORDS)
    for kind, words in (
        (AttentionKind, ATTENTION_WORDS),
        (Certainty, CERTAINTY_WORDS),
        (FailurePoint, POINT_WORDS),
        (FitLevel, FIT_SIGNS),
        (FitLevel, POINT_SENTENCES),
        (PartKind, PART_WORDS),
    ):
        assert set(kind) == set(words)


def test_a_warning_writes_sizes_as_sizes() -> None:
    facts = {"likely_bytes": GIB, "high_bytes": 2 * GIB}
    sentence = warning_sentence("compute-may-be-more", facts)
    assert "1.0 GiB" in sentence
    assert "2.0 GiB" in sentence


@pytest.mark.django_db
def test_the_form_alone_is_shown_first(client: Client, world: None) -> None:
    page = client.get(reverse("memory")).content.decode()
    assert 'name="model"' in page
    assert 'name="gguf_head"' in page
    assert "fit-line" not in page


def test_the_answer_comes_first_with_parts_points_and_an_address(
    client: Client, world: None
) -> None:
    page = client.get(reverse("memory"), ASKED).content.decode()
    main = page[page.index("<main") :]
    assert main.index("fit-line") < main.index("<form")
    for text in ("Weights", "KV cache and states", "Loading the weights", "Feed-forward matrices",
                 "parameters × bits / 8", "32 with full attention", "1,073,741,824"):  # fmt: skip
        assert text in page, text
    link = re.search(r'id="permalink" readonly value="([^"]+)"', page)
    assert link is not None
    again = client.get(link.group(1).replace("&amp;", "&"))
    assert again.status_code == 200


def test_blank_fields_do_not_stay_in_the_address(client: Client, world: None) -> None:
    answer = client.get(reverse("memory"), {**ASKED, "kv_dtype": "", "version": " "})
    assert answer.status_code == 302
    assert "kv_dtype" not in answer["Location"]


@pytest.mark.parametrize(
    ("words", "status", "text"),
    [
        ({**ASKED, "quantization": "Q4"}, 400, "Ambiguous quantization"),
        ({**ASKED, "context_tokens": "9000"}, 400, "8192"),
        ({**ASKED, "model": "meta/Llama-3-9B"}, 400, "Did you mean"),
    ],
)
def test_a_refusal_explains_itself_and_keeps_the_form(
    client: Client, world: None, words: dict[str, str], status: int, text: str
) -> None:
    answer = client.get(reverse("memory"), words)
    assert answer.status_code == status
    page = answer.content.decode()
    assert text in page
    assert 'value="nvidia-t4"' in page


CONFIG = """{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "num_hidden_layers": 2,
"hidden_size": 128, "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 256,
"vocab_size": 512, "tie_word_embeddings": false, "max_position_embeddings": 4096}"""


def test_a_pasted_config_is_estimated_and_has_no_address(client: Client, world: None) -> None:
    answer = client.post(
        reverse("memory"), {"config": CONFIG, "quantization": "bf16", "model": "<b>mine</b>"}
    )
    assert answer.status_code == 200
    page = answer.content.decode()
    assert "has no address" in page
    assert "permalink" not in page
    assert "<b>mine</b>" not in page


def test_an_uploaded_head_is_estimated(client: Client, world: None) -> None:
    head = SimpleUploadedFile("small.gguf", gguf_head(SMALL, small_tensors()))
    answer = client.post(reverse("memory"), {"gguf_head": head, "hardware": "nvidia-t4"})
    assert answer.status_code == 200
    page = answer.content.decode()
    assert "Small" in page
    assert "Tensors of the file" in page
    assert "level-supported" in page


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"config": '{"a": 1, "a": 2}'}, 422),
        ({"config": "[" * 60_000}, 422),
        ({"gguf_head": b"MZ\x90\x00 no model"}, 422),
        ({"gguf_head": b"GGUF\x03\x00\x00\x00" + b"\xff" * 64}, 422),
        ({}, 400),
    ],
)
def test_a_hostile_file_is_refused(
    client: Client, world: None, fields: dict[str, Any], status: int
) -> None:
    if "gguf_head" in fields:
        fields = {"gguf_head": SimpleUploadedFile("model.gguf", fields["gguf_head"])}
    assert client.post(reverse("memory"), fields).status_code == status


def test_a_body_that_is_too_large_is_refused_before_it_is_read(client: Client, world: None) -> None:
    class Unread(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise AssertionError("the body was read")

    length: Any = {"CONTENT_LENGTH": str(2**33), "wsgi.input": Unread()}
    kind = "multipart/form-data; boundary=x"
    answer = client.generic("POST", reverse("memory"), b"", content_type=kind, **length)
    assert answer.status_code == 413


def test_a_form_from_elsewhere_is_refused(world: None) -> None:
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(reverse("memory"), {"config": CONFIG}).status_code == 403


def test_the_accuracy_page_waits_and_then_tells(client: Client, world: None) -> None:
    knowledge = current_knowledge()
    accuracy = memory_accuracy.current_accuracy(knowledge, wait_s=120)
    assert accuracy is not None
    page = client.get(reverse("memory-accuracy")).content.decode()
    assert 'http-equiv="refresh"' not in page
    for word in (*QUANTITIES[2:], "hf-mem 0.5.6", "Figures outside", "plot-data-accuracy"):
        assert word in page, word
    assert {line.what for line in accuracy.peers} <= set(PEER_WORDS)


def test_while_accuracy_is_worked_out_the_page_says_so(
    client: Client, world: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("matrix.views.memory.current_accuracy", lambda *a, **k: None)
    page = client.get(reverse("memory-accuracy")).content.decode()
    assert 'http-equiv="refresh"' in page
    assert 'role="status"' in page
