"""Reads what an SGLang server said of itself: its version and resolved arguments.

The server answers only where it is SGLang; another server leaves the field null.
"""

from benchmarks_app.contract import Fact, Notice
from benchmarks_app.importers.model_identity import model_facts, tokenizer_fact
from benchmarks_app.reading.fields import Fields
from matrix.domain.redaction import mask_text

# Hosts, keys and what holds them.
_SECRET = (
    "host", "port", "api_key", "admin_api_key", "dist_init_addr", "nccl_init_addr", "base_url",
    "ssl_keyfile", "ssl_certfile", "ssl_ca_certs", "ssl_keyfile_password",
    "remote_instance_weight_loader_seed_instance_ip", "encoder_urls", "prefill_urls", "decode_urls",
    "watermark_key", "watermark_secret",
)  # fmt: skip
_TEXTS = (
    ("version", "framework.version"),
    ("revision", "model.revision"),
    ("dtype", "dtype"),
    ("quantization", "quantization.weights"),
    ("kv_cache_dtype", "quantization.kv_cache"),
    ("speculative_algorithm", "spec_decoding"),
    ("attention_backend", "framework.backend"),
)
_NUMBERS = (
    ("tp_size", "parallelism.tp"),
    ("pp_size", "parallelism.pp"),
    ("ep_size", "parallelism.ep"),
    ("dp_size", "parallelism.dp"),
)


def server_facts(fields: Fields) -> tuple[dict[str, Fact], tuple[Notice, ...]]:
    """Facts of ``server_info``; arguments without a fact stay in the rest of ``fields``."""
    info = fields.child("server_info")
    if fields.peek("server_info") is None:
        fields.take("server_info")
        return {}, ()
    info.withhold(*_SECRET)
    for state in info.children("internal_states"):
        state.withhold(*_SECRET)
    facts, notices = _names(info)
    for key, name in _TEXTS:
        text = info.text(key)
        if text:
            facts[name] = Fact(text, pointer=info.place(key))
    for key, name in _NUMBERS:
        number = info.integer(key)
        if number is not None:
            facts[name] = Fact(number, pointer=info.place(key))
    if "framework.version" in facts:
        facts["framework.name"] = Fact("sglang", pointer=info.place("version"))
    # The server writes the word "null" where prefill and decode run together.
    mode = info.text("disaggregation_mode")
    if mode and mode != "null":
        facts["parallelism.disagg"] = Fact(mode, pointer=info.place("disaggregation_mode"))
    return facts, notices


def _names(info: Fields) -> tuple[dict[str, Fact], tuple[Notice, ...]]:
    """Model, tokenizer and command line, without names of people and keys."""
    facts: dict[str, Fact] = {}
    notices: tuple[Notice, ...] = ()
    model = info.text("model_path")
    if model:
        facts, notices = model_facts(model, info.place("model_path"))
    tokenizer = info.text("tokenizer_path")
    if tokenizer:
        facts["tokenizer.id"] = tokenizer_fact(tokenizer, info.place("tokenizer_path"))
    command = info.text("launch_command")
    if command:
        shown = mask_text(command).text
        facts["framework.arguments"] = Fact(shown, pointer=info.place("launch_command"))
    return facts, notices
