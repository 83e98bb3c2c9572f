"""Forms of memory estimates."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from matrix.api.schemas.forms import Form, any_object, maybe_text, text, word_of
from matrix.api.schemas.parameters import AS_OF_PARAMETER
from matrix.domain.memory.values import Certainty, FitLevel, PartKind


def _bytes(help_text: str = "") -> serializers.IntegerField:
    return serializers.IntegerField(allow_null=True, help_text=help_text)


class MemoryModel(Form):
    """The numbers of the model that the estimate rests on."""

    name = text(allow_blank=True)
    architecture = text(allow_blank=True)
    num_layers = _bytes()
    hidden_size = _bytes()
    num_heads = _bytes()
    num_kv_heads = _bytes()
    head_dim = _bytes()
    feed_forward_size = _bytes()
    vocab_size = _bytes()
    tied_embeddings = serializers.BooleanField(allow_null=True)
    max_context_tokens = _bytes()
    num_experts = serializers.IntegerField()
    num_experts_per_token = serializers.IntegerField()
    num_mtp_layers = serializers.IntegerField()
    parameters_total = _bytes()
    num_layers_by_attention = any_object(help_text="Layers by what they keep of the tokens.")
    has_cache = serializers.BooleanField()
    source = text(allow_blank=True)


class MemoryLayout(Form):
    """How the model is spread over devices."""

    tensor_parallel = serializers.IntegerField()
    pipeline_parallel = serializers.IntegerField()
    expert_parallel = serializers.IntegerField()
    data_parallel = serializers.IntegerField()
    devices = serializers.IntegerField()


class MemoryTerm(Form):
    """One line of a formula with the numbers that were put in."""

    name = text()
    bytes = serializers.IntegerField()
    expression = text(allow_blank=True)
    numbers = any_object()


class MemoryPart(Form):
    """One of the four parts, over all devices."""

    kind = word_of(PartKind)
    certainty = word_of(Certainty)
    bytes = _bytes()
    low_bytes = _bytes()
    high_bytes = _bytes()
    terms = MemoryTerm(many=True)
    source = text(allow_blank=True)
    why_unknown = maybe_text()


class MemoryShare(Form):
    """What lies on the fullest device."""

    weights_bytes = _bytes()
    cache_bytes = _bytes()
    compute_low_bytes = _bytes()
    compute_high_bytes = _bytes()
    overhead_low_bytes = _bytes()
    overhead_high_bytes = _bytes()
    host_bytes = serializers.IntegerField(help_text="Beside it in the host's memory.")
    weights_low_bytes = _bytes("Null where the figure is exact.")
    weights_high_bytes = _bytes()
    cache_low_bytes = _bytes("Null where the figure is exact.")
    cache_high_bytes = _bytes()


class MemoryFit(Form):
    """The estimate against what a device has; an estimate alone only warns."""

    level = word_of(FitLevel)
    usable_bytes = _bytes("Of one device, for the engine.")
    usable_source = text(allow_blank=True)
    engine_bytes = _bytes("What of it the engine takes; the need is held against this.")
    needed_low_bytes = _bytes()
    needed_high_bytes = _bytes()
    headroom_bytes = _bytes()
    failure_points = any_object(help_text="load, warm-up and service, each with a fit level.")
    largest_context_tokens = _bytes("With the asked number of sequences.")
    largest_sequences = _bytes("With the asked context.")
    largest_context_at_best_tokens = _bytes("The same at the low end of the ranges.")
    largest_sequences_at_best = _bytes("The same at the low end of the ranges.")
    devices_needed = _bytes()


class MemoryWarning(Form):
    """A constant code with its facts."""

    code = text()
    facts = any_object()


class MemoryLinks(Form):
    """The same question again; null where a file was sent."""

    self = maybe_text()
    page = maybe_text()


class MemoryEstimateAnswer(Form):
    """The estimate."""

    model = MemoryModel()
    quantization = text(allow_blank=True)
    engine = maybe_text(help_text="The framework whose memory rules hold.")
    engine_version = maybe_text()
    framework = maybe_text()
    version = maybe_text()
    hardware = maybe_text()
    hardware_count = serializers.IntegerField()
    context_tokens = serializers.IntegerField()
    sequences = serializers.IntegerField()
    kv_dtype = maybe_text()
    layout = MemoryLayout()
    options = any_object()
    parts = MemoryPart(many=True)
    per_device = MemoryShare()
    fit = MemoryFit()
    warnings = MemoryWarning(many=True)
    notes = MemoryWarning(many=True)
    as_of = serializers.DateField()
    revision = serializers.IntegerField()
    links = MemoryLinks()


class MemoryEstimateRequest(Form):
    """The same parameters as the address takes, or one model file."""

    model = text(required=False, help_text="A published model; beside a file its name.")
    config = any_object(required=False, help_text="The object of a hub config.json.")
    gguf_head = text(
        required=False, help_text="Base64 of the first bytes of a GGUF file, at most 16 MiB."
    )
    quantization = text(required=False)
    framework = text(required=False)
    version = text(required=False)
    kv_dtype = text(required=False)
    hardware = text(required=False)
    count = serializers.IntegerField(required=False, min_value=1)
    hardware_count = serializers.IntegerField(required=False, min_value=1)
    context_tokens = serializers.IntegerField(required=False, min_value=1)
    sequences = serializers.IntegerField(required=False, min_value=1)
    concurrency = serializers.IntegerField(required=False, min_value=1)
    tensor_parallel = serializers.IntegerField(required=False, min_value=1)
    pipeline_parallel = serializers.IntegerField(required=False, min_value=1)
    expert_parallel = serializers.IntegerField(required=False, min_value=1)
    data_parallel = serializers.IntegerField(required=False, min_value=1)
    ubatch_tokens = serializers.IntegerField(required=False, min_value=1)
    block_tokens = serializers.IntegerField(required=False, min_value=1)
    outputs = serializers.IntegerField(required=False, min_value=1)
    flash_attention = serializers.BooleanField(required=False)
    kv_unified = serializers.BooleanField(required=False)
    swa_full = serializers.BooleanField(required=False)
    memory_share = serializers.FloatField(required=False)
    as_of = serializers.DateField(required=False)


def _query(name: str, help_text: str, **options: object) -> OpenApiParameter:
    return OpenApiParameter(
        name,
        location=OpenApiParameter.QUERY,
        description=help_text,
        **options,  # type: ignore[arg-type]
    )


def _whole(name: str, help_text: str) -> OpenApiParameter:
    return _query(name, help_text, type=OpenApiTypes.INT)


MEMORY_DOCS = [
    _query("model", "Slug, hub id or known name of a published model.", required=True),
    _query("quantization", "A scheme; that of the checkpoint when left out. A width alone, such"
           " as Q4, is refused."),
    _query("framework", "The engine; llama.cpp for GGUF schemes when left out."),
    _query("version", "A release or `latest`."),
    _query("kv_dtype", "Type of the KV cache; the engine's default when left out."),
    _query("hardware", "A device; without it nothing is said of the fit."),
    _whole("count", "Number of devices; also written hardware_count."),
    _whole("hardware_count", "The same as count."),
    _whole("context_tokens", "Tokens of each sequence, no more than the model was made for."),
    _whole("sequences", "Sequences at once; also written concurrency."),
    _whole("concurrency", "The same as sequences."),
    _whole("tensor_parallel", "Devices that share every layer."),
    _whole("pipeline_parallel", "Devices that take the layers in turn."),
    _whole("expert_parallel", "Devices that share the experts."),
    _whole("data_parallel", "Replicas."),
    _whole("ubatch_tokens", "llama.cpp: tokens of one physical batch."),
    _whole("block_tokens", "Tokens of one block of the KV cache."),
    _whole("outputs", "llama.cpp: most outputs of one batch."),
    _query("flash_attention", "llama.cpp: on or off.", enum=["on", "off"]),
    _query("kv_unified", "llama.cpp: one cache for all sequences.", enum=["on", "off"]),
    _query("swa_full", "llama.cpp: full cache for sliding-window layers.", enum=["on", "off"]),
    _query("memory_share", "Share of the device's memory that the engine takes, above 0 to 1.",
           type=OpenApiTypes.FLOAT),
    AS_OF_PARAMETER,
]  # fmt: skip
