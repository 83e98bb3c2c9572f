"""Questions about memory: words of a request to a memory request, or a named error."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from urllib.parse import urlencode

from django.utils import timezone

from matrix.asking import (
    MissingParameter,
    QuestionReader,
    RepeatedParameter,
    UnknownParameter,
    cell_words,
)
from matrix.asking.reading import check_text
from matrix.domain.catalogue import Catalogue
from matrix.domain.coordinates import Cell
from matrix.domain.errors import AmbiguousName, InvalidValue, UnknownName
from matrix.domain.levels import Axis
from matrix.domain.memory.errors import MemoryInputError
from matrix.domain.memory.values import MemoryRequest, ModelShape
from matrix.domain.phrases import Phrase
from matrix.index import Knowledge
from matrix.memory_hardware import DeviceMemory, device_memory
from matrix.memory_layout import (
    LAYOUT_NAMES,
    OPTION_NAMES,
    engine_of,
    layout_of,
    options_of,
    read_number,
)
from matrix.memory_shapes import GivenModel, model_of_config, model_of_head, model_of_slug
from matrix.queries import words_of_axis

Words = Mapping[str, Sequence[str]]
Note = tuple[str, Mapping[str, object]]

NODE_NAMES = ("framework", "model", "quantization", "hardware", "kv_dtype")
# Other words for the same parameters, as people write them.
SPELLINGS: Mapping[str, str] = {"hardware_count": "count", "concurrency": "sequences"}
MEMORY_PARAMETERS: tuple[str, ...] = (
    *NODE_NAMES, "version", "count", "context_tokens", "sequences", *LAYOUT_NAMES, *OPTION_NAMES,
    *SPELLINGS, "as_of",
)  # fmt: skip

MOST_SEQUENCES = 1_000_000
LONGEST_CONTEXT = 1_000_000_000
DEFAULT_CONTEXT = 4096

# A width without a scheme: it says neither how many weights there are nor what else is stored.
_ONLY_BITS = re.compile(r"(?:q|w|int|fp|iq)?\s*-?\s*[1-8]\s*-?\s*(?:bits?|b)?", re.IGNORECASE)
_WIDTH_ACCEPTED = (
    "a scheme that says how its weights are stored, such as gguf-q4-k-m, awq-w4a16, gptq-w4a16, "
    "fp8 or bf16: bits alone leave out scales, tensors that stay wide, and the number of weights"
)
_SCHEME_ACCEPTED = (
    "a scheme such as bf16, awq-w4a16, fp8 or gguf-q4-k-m: what the checkpoint itself holds is not "
    "known, or it holds files of several"
)
# Schemes of repositories that hold several files, each in a type of its own.
_OF_MANY_FILES = frozenset({"gguf"})
_MODEL_ACCEPTED = (
    "a published model with known layers, a pasted config.json, or the head of a GGUF file: a "
    "quantization says how many bits a weight has, not how many weights there are"
)


@dataclass(frozen=True, slots=True)
class MemoryQuestion:
    """A request for an estimate, with the catalogue's names of what was asked.

    Slugs are empty where nothing was named; ``notes`` are constant codes with facts of what was
    taken for what (``shape-of-base``, ``scheme-of-checkpoint``, ``hardware-memory-unknown`` …).
    **Dates**: ``as_of`` chooses the newest release where no version is named.
    """

    request: MemoryRequest
    as_of: date
    model: str = ""
    quantization: str = ""
    framework: str = ""
    version: str = ""
    hardware: str = ""
    kv_dtype: str = ""
    count: int = 1
    usable_source: str = ""
    notes: tuple[Note, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)


def memory_request_of(
    words: Words,
    knowledge: Knowledge,
    *,
    config: Mapping[str, object] | None = None,
    gguf_head: bytes | None = None,
) -> MemoryRequest:
    """The request of the words, asked today; see ``read_memory_question``."""
    reader = QuestionReader(
        knowledge.catalogue,
        today=timezone.now().date(),
        words_of_axis=partial(words_of_axis, knowledge),
    )
    return read_memory_question(words, reader, config=config, gguf_head=gguf_head).request


def memory_words(cell: Cell, **more: int | str | None) -> dict[str, list[str]]:
    """The words that ask for the memory of a cell; ``more`` such as ``sequences``.

    What does not bear on memory is left out: back end, container, features.
    """
    words = {name: [value] for name, value in cell_words(cell) if name in MEMORY_PARAMETERS}
    words |= {name: [str(value)] for name, value in more.items() if value is not None}
    return words


def read_memory_question(
    words: Words,
    reader: QuestionReader,
    *,
    config: Mapping[str, object] | None = None,
    gguf_head: bytes | None = None,
) -> MemoryQuestion:
    """The question of the words, and of one pasted model file where it is given.

    **Raises**: what reading a cell raises, and MemoryInputError for what no estimate can be made
    of: a width without a scheme, a scheme without a model, a context beyond the model's.
    """
    single = _single_words(words)
    as_of = reader.read_day("as_of", single.get("as_of")) or reader.today
    given = _given_model(single, reader, config=config, gguf_head=gguf_head)
    scheme, notes = _scheme(single, reader, given)
    framework = _framework(single, reader)
    version = _version(single, reader.catalogue, framework, as_of)
    hardware = reader.resolve("hardware", single["hardware"]) if "hardware" in single else ""
    kv_dtype = reader.resolve("kv_dtype", single["kv_dtype"]) if "kv_dtype" in single else ""
    engine = engine_of(reader.catalogue, framework, scheme)
    count, layout = layout_of(single, engine=engine)
    devices = device_memory(reader.catalogue, hardware) if hardware else DeviceMemory()
    request = MemoryRequest(
        shape=given.shape,
        scheme=scheme,
        engine=engine,
        version=version,
        context_tokens=_context(single, given.shape),
        sequences=read_number(single, "sequences", default=1, most=MOST_SEQUENCES),
        kv_dtype=kv_dtype,
        layout=layout,
        weight_bytes_known=given.weight_bytes if scheme == given.scheme else None,
        device_memory_bytes=devices.bytes_,
        device_usable_bytes=devices.usable_bytes,
        options=options_of(single, reader.catalogue, hardware, engine),
    )
    return MemoryQuestion(
        request=request,
        as_of=as_of,
        model=given.slug,
        quantization=scheme,
        framework=framework,
        version=version,
        hardware=hardware,
        kv_dtype=kv_dtype,
        count=count,
        usable_source=devices.usable_source,
        notes=(*given.notes, *notes, *devices.notes),
        words=single,
    )


def memory_query(question: MemoryQuestion) -> str:
    """The query string that asks the question again: canonical slugs, its day pinned."""
    words = dict(question.words)
    words |= {
        name: slug
        for name, slug in (
            ("model", question.model),
            ("quantization", question.quantization),
            ("framework", question.framework),
            ("version", question.version),
            ("hardware", question.hardware),
            ("kv_dtype", question.kv_dtype),
        )
        if slug
    }
    words["as_of"] = question.as_of.isoformat()
    return urlencode([(name, words[name]) for name in MEMORY_PARAMETERS if name in words])


def _single_words(words: Words) -> dict[str, str]:
    """The words by the names they have here, blanks left out."""
    single: dict[str, str] = {}
    for name, values in words.items():
        if name not in MEMORY_PARAMETERS:
            raise UnknownParameter(name=name, accepted=MEMORY_PARAMETERS)
        given = [text for text in (check_text(name, value) for value in values) if text]
        if len(values) > 1:
            raise RepeatedParameter(name=name, values=list(values))
        own = SPELLINGS.get(name, name)
        if given and own in single:
            raise RepeatedParameter(name=own, values=[single[own], given[0]])
        if given:
            single[own] = given[0]
    return single


# -- the model ------------------------------------------------------------------------------------


def _given_model(
    single: Mapping[str, str],
    reader: QuestionReader,
    *,
    config: Mapping[str, object] | None,
    gguf_head: bytes | None,
) -> GivenModel:
    word = single.get("model", "")
    if config is not None and gguf_head is not None:
        raise InvalidValue(
            name="gguf_head", value="given beside config", accepted=Phrase("one of the two files")
        )
    if gguf_head is not None:
        return model_of_head(gguf_head, reader.catalogue, name=word)
    if config is not None:
        return model_of_config(config, reader.catalogue, name=word)
    if not word:
        if "quantization" in single:
            raise MemoryInputError(
                key="quantization", value=single["quantization"], accepted=_MODEL_ACCEPTED,
                code="no-model-size",
            )  # fmt: skip
        raise MissingParameter(name="model", accepted=_MODEL_ACCEPTED)
    try:
        return model_of_slug(_model_slug(word, reader), reader.catalogue)
    except MemoryInputError as error:
        error.facts["value"] = word
        raise


def _model_slug(word: str, reader: QuestionReader) -> str:
    """The checkpoint of a word; also of its address on a hub."""
    for prefix in ("https://huggingface.co/", "https://modelscope.cn/models/"):
        word = word.removeprefix(prefix)
    return reader.resolve("model", word.rstrip("/"))


def _scheme(
    single: Mapping[str, str], reader: QuestionReader, given: GivenModel
) -> tuple[str, tuple[Note, ...]]:
    """The scheme asked for, else that of the checkpoint itself."""
    word = single.get("quantization", "")
    if not word:
        if not given.scheme or given.scheme in _OF_MANY_FILES:
            raise MissingParameter(name="quantization", accepted=_SCHEME_ACCEPTED)
        fact = {"model": given.shape.name, "quantization": given.scheme}
        return given.scheme, (("scheme-of-checkpoint", fact),)
    scheme = resolve_scheme(word, reader)
    if (
        _is_quantized(given.scheme)
        and scheme != given.scheme
        and not is_within(reader.catalogue, scheme, given.scheme)
    ):
        return scheme, (("checkpoint-in-other-scheme", {
            "model": given.shape.name, "quantization": scheme, "holds": given.scheme,
        }),)  # fmt: skip
    return scheme, ()


def _is_quantized(scheme: str) -> bool:
    return scheme not in ("", "none", "bf16", "fp16", "fp32")


def is_within(catalogue: Catalogue, scheme: str, wider: str) -> bool:
    """Whether one scheme is a kind of another, such as a GGUF type of GGUF."""
    tree = catalogue.trees.tree(Axis.QUANTIZATION)
    return wider in tree and wider in tree.up(scheme)


def resolve_scheme(word: str, reader: QuestionReader) -> str:
    """The slug of a scheme; a bare width such as ``Q4`` is refused with the reason."""
    try:
        return reader.resolve("quantization", word)
    except (UnknownName, AmbiguousName) as error:
        if not _ONLY_BITS.fullmatch(word):
            raise
        nearest = error.facts.get("nearest")
        refusal = MemoryInputError(
            key="quantization",
            value=word,
            accepted=_WIDTH_ACCEPTED,
            code="ambiguous-scheme",
            nearest=[str(name) for name in nearest] if isinstance(nearest, list) else (),
        )
        # As it was written, so that a page can put a near name in its place.
        refusal.facts["value"] = word
        raise refusal from error


def _context(single: Mapping[str, str], shape: ModelShape) -> int:
    most = shape.max_context_tokens
    if "context_tokens" not in single:
        return min(DEFAULT_CONTEXT, most) if most else DEFAULT_CONTEXT
    asked = read_number(single, "context_tokens", default=DEFAULT_CONTEXT, most=LONGEST_CONTEXT)
    if most is not None and asked > most:
        raise MemoryInputError(
            key="context_tokens",
            value=asked,
            accepted=Phrase(
                "at most {most}, the longest context that {name} was made for",
                most=most,
                name=shape.name or shape.architecture,
            ),
            code="context-too-long",
        )
    return asked


# -- the engine and the devices -------------------------------------------------------------------


def _framework(single: Mapping[str, str], reader: QuestionReader) -> str:
    return reader.resolve("framework", single["framework"]) if "framework" in single else ""


def _version(single: Mapping[str, str], catalogue: Catalogue, framework: str, as_of: date) -> str:
    """The release that is named, else the newest stable one on the day; empty where none is."""
    word = single.get("version")
    if not framework:
        if word:
            raise MissingParameter(
                name="framework", accepted=Phrase("the framework of the version")
            )
        return ""
    history = catalogue.histories[framework]
    rank = history.asked_rank(word, as_of=as_of)
    return history.releases[rank].version if rank is not None else ""
