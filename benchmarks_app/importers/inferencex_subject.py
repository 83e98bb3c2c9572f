"""What a row of InferenceX says of its subject: model, image, hardware and parallel layout."""

import math
import re

from benchmarks_app.contract import Fact, Notice
from benchmarks_app.importers.taking import take_integers, take_texts
from benchmarks_app.reading.fields import Fields

# A derived harness of vLLM's own names the hardware "device".
HARDWARE = ("hw", "device")
_TEXTS = {
    "model.id": "model",
    "framework.name": "framework",
    "quantization.weights": "precision",
    "spec_decoding": "spec_decoding",
    "scenario": "scenario_type",
}
_DIGEST = re.compile(r"@(sha256:[0-9a-f]{64})\Z")


def read_subject(row: Fields) -> tuple[dict[str, Fact], list[Notice]]:
    """Facts of model, framework, hardware and image, and what is missing of them."""
    hardware = next((name for name in HARDWARE if name in row), "hw")
    names = {**_TEXTS, "accelerator.name": hardware}
    facts = {"tool.name": Fact("InferenceX"), **take_texts(row, names)}
    notices = []
    image = row.text("image")
    if image is None and "image" in row:
        notices.append(Notice("empty_image"))
    elif image is not None:
        facts["container.image"] = Fact(image, pointer=row.place("image"))
        digest = _DIGEST.search(image)
        if digest:
            facts["container.digest"] = Fact(digest[1], pointer=row.place("image"))
    for name in ("kv_offloading", "offloading"):
        offload = row.text(name)
        if offload is not None:
            facts["kv_offload"] = Fact(offload, pointer=row.place(name))
            break
    disagg = _flag(row, "disagg")
    if disagg is not None:
        facts["parallelism.disagg"] = Fact(disagg, pointer=row.place("disagg"))
    return {**facts, **_layout(row)}, notices


def _flag(row: Fields, name: str) -> bool | None:
    """A flag, which some writers spell as a text."""
    words = {"true": True, "false": False}.get(str(row.peek(name)))
    if words is None:
        return row.flag(name)
    row.take(name)
    return words


def _layout(row: Fields) -> dict[str, Fact]:
    """The parallel layout and the number of accelerators.

    Of a split deployment only what prefill and decode share is a fact; the rest stays unmapped.
    """
    stated = row.integer("num_gpus")
    facts = _parallel_layout(row)
    if stated:
        facts["accelerator.count"] = Fact(stated, pointer=row.place("num_gpus"))
    return facts


def _parallel_layout(row: Fields) -> dict[str, Fact]:
    """The layout, and the number of accelerators as the tool itself computes it."""
    prefill, decode = row.integer("num_prefill_gpu"), row.integer("num_decode_gpu")
    if prefill is not None or decode is not None:
        facts = {}
        # Where nothing is split some writers give the same devices under both names.
        is_shared = _flag(row, "disagg") is False and prefill == decode
        if prefill is not None and decode is not None and not is_shared:
            place = row.place("num_prefill_gpu")
            facts["accelerator.count"] = Fact(prefill + decode, pointer=place)
        for name in ("tp", "pp", "ep"):
            first, second = row.peek(f"prefill_{name}"), row.peek(f"decode_{name}")
            if isinstance(first, int) and (first == second or decode == 0):
                row.ignore(f"decode_{name}", name)
                facts |= take_integers(row, {f"parallelism.{name}": f"prefill_{name}"})
        return facts
    facts = take_integers(row, {f"parallelism.{name}": name for name in ("tp", "pp", "ep")})
    sizes = [row.peek(name) for name in ("tp", "pp", "pcp_size")]
    known = [one for one in sizes if isinstance(one, int) and not isinstance(one, bool)]
    if isinstance(sizes[0], int) and len(known) == sum(one is not None for one in sizes):
        count = math.prod(known)
        if count > 0:
            facts["accelerator.count"] = Fact(count, pointer=row.place("tp"))
    return facts
