"""Sentences of the warnings and notes of an estimate, and words of its formula lines."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

TERM_WORDS: Mapping[str, Promise] = {
    "activations": _("Activations at the peak"),
    "cache-chunked": _("Layers that attend within chunks"),
    "cache-full": _("Layers with full attention"),
    "cache-index": _("Keys of the sparse-attention index"),
    "cache-latent": _("Layers with latent attention (one row per token)"),
    "cache-sliding": _("Layers with a sliding window"),
    "checkpoint-files": _("Tensors of the checkpoint"),
    "compute-graph": _("Largest step of the graph"),
    "compute-pipeline": _("Copies of inputs between devices"),
    "compute-host": _("Its part on the host"),
    "device-context": _("Context of the device's driver"),
    "gguf-embedding-twice": _("Tied embedding, once more on the device"),
    "gguf-lower-bound": _("Fewest bytes that the file type takes"),
    "gguf-mapped-gap": _("What of the file is not mapped, or is moved"),
    "gguf-not-loaded": _("What of the file is not loaded"),
    "gguf-repacked": _("Tensors laid out anew for the processor"),
    "gguf-tensors": _("Tensors of the file"),
    "graphs": _("Captured graphs"),
    "no-cache": _("An encoder keeps nothing"),
    "output-buffer": _("Logits that are handed out"),
    "outside-torch": _("Communication and libraries outside the framework's allocator"),
    "state-recurrent": _("States of recurrent layers"),
    "weights-attention": _("Attention matrices"),
    "weights-attention-replicated": _("Attention matrices that every rank holds whole"),
    "weights-embedding": _("Embedding"),
    "weights-experts": _("Experts, all of them"),
    "weights-head": _("Output head"),
    "weights-key-value": _("Key and value projections"),
    "weights-mlp": _("Feed-forward matrices"),
    "weights-other": _("Parts beside the language model, in 16 bits"),
    "weights-position-tables": _("Tables of positions"),
    "weights-prediction": _("Layers that predict several tokens"),
    "weights-router": _("Routers, in high precision"),
    "weights-shared-experts": _("Shared experts"),
    "weights-small": _("Norms, biases, gates, in high precision"),
}

WHY_UNKNOWN_WORDS: Mapping[str, Promise] = {
    "kv-bits-unknown": _("how wide this cache type is, is not known"),
    "layer-numbers-missing": _("numbers of the model's layers are missing"),
    "no-gguf-inventory": _("which tensors llama.cpp makes of this architecture is not known"),
    "no-parameters": _("the number of parameters is not known"),
    "parameters-unknown": _("the number of parameters is not known"),
    "scheme-bits-unknown": _("how many bits this scheme stores is not known"),
    "unknown-architecture": _("the cache of this architecture is not known"),
    "unknown-cache-shape": _("the cache of this architecture is not known"),
    "unknown-file-type": _("this is no type of GGUF file that is known"),
}

WARNING_SENTENCES: Mapping[str, Promise] = {
    # What was taken for what.
    "shape-of-base": _(
        "No layers are stated for %(model)s itself; it has those of its base %(base)s."
    ),
    "scheme-of-checkpoint": _(
        "No quantization was named; %(model)s is published in %(quantization)s."
    ),
    "checkpoint-in-other-scheme": _(
        "%(model)s is published in %(holds)s; the figures are for the same layers in"
        " %(quantization)s."
    ),
    "hardware-of-several-sizes": _(
        "%(hardware)s is made with several sizes of memory; name one: %(boards)s."
    ),
    "hardware-memory-unknown": _("How much memory %(hardware)s has is not known here."),
    "one-part-of-several": _(
        "The file is one of %(parts)s parts: what all of them hold is reckoned, not read."
    ),
    "no-tensor-table": _(
        "The table of the file's %(tensors)s tensors is missing: their size is reckoned, not read."
    ),
    "tensor-table-cut": _(
        "The table of the file's %(tensors)s tensors is cut off; %(bytes_needed)s bytes of the"
        " file's head would hold it. Until then their size is reckoned, not read."
    ),
    # The model.
    "unknown-architecture": _(
        "The architecture %(architecture)s is not known here: only what its parameters take at"
        " least can be said."
    ),
    "layer-numbers-missing": _(
        "Numbers of the layers of %(architecture)s are missing, so its cache cannot be reckoned."
    ),
    "parameters-unknown": _(
        "The number of parameters of %(architecture)s is not known and cannot be counted."
    ),
    "head-size-derived": _(
        "The head size %(head_dim)s is hidden size over heads, as the code of %(architecture)s"
        " itself does where none is stated."
    ),
    "encoder-without-cache": _("An encoder keeps no cache: context costs compute only."),
    "context-beyond-model": _(
        "A context of %(asked)s tokens is beyond the %(accepted)s that the model was made for."
    ),
    "prediction-layers": _(
        "Layers that predict several tokens (%(parameters)s weights) are loaded for speculative"
        " decoding only; they are not counted."
    ),
    "vision-peak": _(
        "Pictures and sound need far more at their peak than text: up to tens of GiB were seen."
    ),
    "vision-parts-not-counted": _("Parts beside the language model are not counted."),
    # The scheme.
    "scheme-bits-unknown": _("How many bits %(scheme)s stores for a weight is not known here."),
    "scheme-lower-bound": _(
        "For %(scheme)s only its nominal bits are known: the weights take at least this much."
    ),
    "kept-parts-vary": _(
        "Which tensors a checkpoint in %(scheme)s keeps in 16 bits differs from one to the next."
    ),
    "kv-bits-unknown": _("How wide the cache type %(kv_dtype)s is, is not known here."),
    "gguf-mix-may-differ": _(
        "The file is reckoned as llama-quantize makes %(scheme)s; mixes of others under the same"
        " name differ by several per cent."
    ),
    # The layout and the engine.
    "heads-not-divisible": _(
        "%(heads)s attention heads cannot be divided among %(tensor_parallel)s devices; engines"
        " refuse this."
    ),
    "kv-heads-replicated": _(
        "%(kv_heads)s KV heads are fewer than %(tensor_parallel)s devices: each device holds one"
        " and some hold the same."
    ),
    "latent-replicated": _(
        "The cache of latent attention is the same on all %(tensor_parallel)s devices: more"
        " devices do not make it smaller."
    ),
    "hybrid-allocator": _(
        "Layers of several kinds: the engine's own pages were seen to take up to 8 per cent more,"
        " in one case 58."
    ),
    "windows-not-freed": _(
        "Whether this release frees what lies outside sliding windows is not known; the high end"
        " counts all tokens."
    ),
    "engine-rules-borrowed": _(
        "The memory rules of this engine are not known here; those of vLLM stand in for them."
    ),
    "weights-by-free-memory": _(
        "%(engine)s reports weights by how much free memory they cost, which was seen to be up to"
        " %(excess_percent)s per cent more."
    ),
    "compute-scaled": _(
        "Activations are scaled by %(scale)s from logs of smaller models to a hidden size of"
        " %(hidden_size)s; no log of this size is known."
    ),
    "compute-may-be-more": _(
        "The compute buffer is likely %(likely_bytes)s but may be up to %(high_bytes)s."
    ),
    "pipeline-copies-vary": _(
        "With %(devices)s devices each input is counted four times; back ends that do not run ahead"
        " hold it once."
    ),
    "experts-on-host-not-counted": _(
        "Experts that stay on the host pass through the compute buffer; that is not counted."
    ),
    "older-latent-cache": _(
        "Files and versions of llama.cpp from before mid-2025 keep keys and values of every head of"
        " latent attention, which is many times more."
    ),
    # The device.
    "device-context-added": _(
        "The context of the device's driver, up to %(high_bytes)s, is not among llama.cpp's own"
        " figures; the range counts it."
    ),
    "engine-share": _(
        "%(engine)s takes %(share_percent)s per cent of the device (%(engine_bytes)s) unless"
        " %(setting)s says otherwise."
    ),
    "device-usable-unknown": _(
        "What programs get of %(stated)s is not known; drivers keep some of it."
    ),
    "device-memory-unknown": _("No memory of a device is known, so nothing is said of the fit."),
}
