"""The bytes of llama.cpp's cache: keys and values of every layer, and the states beside them."""

from collections import Counter
from functools import lru_cache

from matrix.domain.memory.ggml_types import GGML_TYPES
from matrix.domain.memory.llamacpp_settings import (
    LlamaSettings,
    pad_tokens,
    refuse_broken_heads,
    refuse_unlike_types,
)
from matrix.domain.memory.llamacpp_values import LlamaShape
from matrix.domain.memory.values import AttentionKind, LayerShape, Term

SOURCE = "llama.cpp 0c1e57098, src/llama-kv-cache*.cpp, llama-memory-recurrent.cpp"
_STATE_BYTES = 4  # States are kept in f32.
# Of how many layers in a row all but the last have a window.
_WINDOW_PATTERNS = {"gemma2": 2, "gemma3": 6, "gpt-oss": 2, "llama4": 4}


@lru_cache(maxsize=256)
def layers_of(shape: LlamaShape) -> tuple[LayerShape, ...]:
    """What each layer keeps by llama.cpp's rules; a layer with both counts twice."""
    kept: list[LayerShape] = []
    for layer in range(shape.layers):
        recurs = shape.is_recurrent[layer]
        if recurs:
            kept.append(_state_layer(shape))
        if shape.kv_heads[layer] and (not recurs or shape.arch == "falcon-h1"):
            kept.append(_attention_layer(shape, layer))
    return tuple(kept)


def _attention_layer(shape: LlamaShape, layer: int) -> LayerShape:
    if shape.latent is not None and shape.has_split_latent:
        width = shape.latent.kv_rank + shape.latent.rope_dim
        return LayerShape(AttentionKind.LATENT, kv_heads=1, key_dim=width)
    kind, window = AttentionKind.FULL, None
    if shape.window_tokens and _has_window(shape, layer):
        kind = AttentionKind.CHUNKED if shape.arch == "llama4" else AttentionKind.SLIDING
        window = shape.window_tokens
    return LayerShape(
        kind,
        kv_heads=shape.kv_heads[layer],
        key_dim=shape.key_dim,
        value_dim=shape.value_dim,
        window_tokens=window,
    )


def _has_window(shape: LlamaShape, layer: int) -> bool:
    if shape.window_layers:
        return shape.window_layers[layer]
    pattern = _WINDOW_PATTERNS.get(shape.arch, 0)
    return bool(pattern) and layer % pattern < pattern - 1


def _state_layer(shape: LlamaShape) -> LayerShape:
    if shape.conv_cache:
        conv = shape.embedding * (shape.conv_cache - 1)
        return LayerShape(AttentionKind.RECURRENT, state_elements=conv, conv_elements=conv)
    state = shape.state
    if state is None:
        return LayerShape(AttentionKind.RECURRENT)
    conv = (state.conv_kernel - 1) * state.conv_dim
    held = state.state_size * state.inner_size
    return LayerShape(AttentionKind.RECURRENT, state_elements=conv + held, conv_elements=conv)


def cache_terms(layers: tuple[LayerShape, ...], settings: LlamaSettings) -> tuple[Term, ...]:
    """The cache by kind of layer. **Raises** MemoryInputError for what llama.cpp refuses."""
    terms = []
    for kind in AttentionKind:
        alike = [layer for layer in layers if layer.attention is kind]
        if not alike or kind is AttentionKind.NONE:
            continue
        size = sum(n * _layer_bytes(layer, settings) for layer, n in Counter(alike).items())
        terms.append(_term(kind, alike, size, settings))
    return tuple(terms)


def fullest_cache_bytes(
    layers: tuple[LayerShape, ...], settings: LlamaSettings, *, count: int
) -> int:
    """The most that one device keeps when ``count`` layers and the output are spread evenly.

    Layers of several kinds do not lie evenly: a device may have more than its share of the wide.
    """
    held = [0] * settings.devices
    each = max(len(layers) // count, 1)  # A layer with both attention and a state stands twice.
    sizes = {layer: _layer_bytes(layer, settings) for layer in set(layers)}
    for index, layer in enumerate(layers):
        if layer.attention is not AttentionKind.NONE:
            held[min(index // each, count) * settings.devices // (count + 1)] += sizes[layer]
    return max(held)


def cells_of(layer: LayerShape, settings: LlamaSettings) -> int:
    """How many tokens a layer's cache holds for each stream."""
    if layer.window_tokens is None or settings.keeps_full_window:
        return settings.cells
    windows = settings.sequences if settings.is_unified else 1
    wanted = layer.window_tokens * windows + settings.batch_tokens_asked
    return pad_tokens(min(settings.cells, wanted))


def _layer_bytes(layer: LayerShape, settings: LlamaSettings) -> int:
    if layer.attention is AttentionKind.RECURRENT:
        return settings.sequences * _STATE_BYTES * layer.state_elements
    cells = cells_of(layer, settings) * settings.streams
    key = GGML_TYPES[settings.key_type]
    if layer.attention is AttentionKind.LATENT:
        refuse_unlike_types(settings)
        return cells * key.row_bytes(layer.key_dim)
    refuse_broken_heads(settings, key_dim=layer.key_dim, value_dim=layer.value_dim)
    value = GGML_TYPES[settings.value_type]
    return cells * (
        key.row_bytes(layer.kv_heads * layer.key_dim)
        + value.row_bytes(layer.kv_heads * layer.value_dim)
    )


def _term(kind: AttentionKind, alike: list[LayerShape], size: int, settings: LlamaSettings) -> Term:
    if kind is AttentionKind.RECURRENT:
        return Term(
            name="state-recurrent",
            bytes_=size,
            expression="layers × sequences × state_elements × 4",
            numbers={
                "layers": len(alike),
                "sequences": settings.sequences,
                "state_elements": alike[0].state_elements,
            },
        )
    numbers: dict[str, float | int | str] = {
        "layers": len(alike),
        "streams": settings.streams,
        "cells": cells_of(alike[0], settings),
        "kv_heads": alike[0].kv_heads,
        "key_dim": alike[0].key_dim,
        "key_type": settings.key_type,
    }
    expression = "layers × streams × cells × row_bytes(key_type, key_dim)"
    if kind is not AttentionKind.LATENT:
        numbers |= {"value_dim": alike[0].value_dim, "value_type": settings.value_type}
        expression = (
            "layers × streams × cells × (row_bytes(key_type, kv_heads × key_dim) + "
            "row_bytes(value_type, kv_heads × value_dim))"
        )
    return Term(name=f"cache-{kind}", bytes_=size, expression=expression, numbers=numbers)
