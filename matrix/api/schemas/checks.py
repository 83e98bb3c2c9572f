"""Forms of checks and of stack checks."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter
from rest_framework import serializers

from matrix.api.schemas.catalogue import Maintenance
from matrix.api.schemas.claims import Condition
from matrix.api.schemas.forms import (
    Form,
    StrictForm,
    any_object,
    maybe_day,
    maybe_text,
    text,
    texts,
    word_of,
)
from matrix.api.schemas.parameters import AS_OF_PARAMETER, KNOWN_AT_PARAMETER
from matrix.api.schemas.verdicts import AnswerLinks, VerdictHead
from matrix.domain.check_outcomes import ChangeKind, Outcome
from matrix.domain.check_stack import Answer, Subject
from matrix.domain.levels import LegKind, SupportLevel, UnknownReason


class CheckLeg(Form):
    """A leg in short: the claims that decide it, or come nearest where none does."""

    kind = word_of(LegKind)
    subject = text()
    level = word_of(SupportLevel)
    unknown_reason = word_of(UnknownReason, allow_null=True)
    claims = texts()


class CheckVerdict(VerdictHead):
    """The verdict of a framework in short."""

    conditions_count = serializers.IntegerField()
    deciding_claims = texts()
    conditions = Condition(many=True)
    depends_on = texts()
    legs = CheckLeg(many=True)


class CheckChange(Form):
    """What would have to be otherwise, as an asked verdict or estimate answered it."""

    kind = word_of(ChangeKind)
    values = texts(help_text="Slugs, a version or a number.")
    level = word_of(SupportLevel, allow_null=True, help_text="The verdict there.")
    fit = maybe_text(help_text="What the estimate says there.")
    earlier_release = serializers.BooleanField()
    claims = texts(help_text="Claims that decide there and not here.")
    cell = serializers.DictField(allow_null=True)


class CheckRelease(Form):
    """The newest stable release on the asked day."""

    version = text()
    released_on = serializers.DateField()


class CheckLinks(Form):
    """The verdict as data and as a page."""

    verdict = text()
    page = text()


class CheckResult(Form):
    """One framework's answer."""

    framework = text()
    version = maybe_text()
    outcome = word_of(Outcome, help_text="Verdict and memory together.")
    sentence = text()
    concerns_question = serializers.BooleanField()
    verdict = CheckVerdict()
    memory = any_object(
        help_text="The fit on the fullest device in bytes, or why_unknown with a sentence."
    )
    measured_runs = serializers.ListField(child=any_object())
    throughput_at_slo = serializers.DictField(allow_null=True)
    changes = CheckChange(many=True)
    maintenance = Maintenance()
    newest_release = CheckRelease(allow_null=True)
    links = CheckLinks()


class CheckReply(Form):
    """Every framework's answer, best first; those of which nothing is known by slug only."""

    question = any_object(help_text="What was asked, canonical.")
    as_of = serializers.DateField()
    known_at = maybe_day()
    revision = serializers.IntegerField()
    ruleset = text()
    count = serializers.IntegerField()
    results = CheckResult(many=True)
    nothing_known = texts(help_text="Unknown, which is not a no.")
    notes = serializers.ListField(
        child=any_object(), help_text="Codes with facts: what the estimate took for what."
    )
    links = AnswerLinks()


class CheckRequest(Form):
    """The parameters of GET checks/, with the object of a hub config.json instead of a model."""

    config = any_object(required=False, help_text="The object of a hub config.json.")
    model = text(required=False)
    quantization = text(required=False)
    hardware = text(required=False)
    count = serializers.IntegerField(required=False, min_value=1)
    tensor_parallel = serializers.IntegerField(required=False, min_value=1)
    pipeline_parallel = serializers.IntegerField(required=False, min_value=1)
    backend = text(required=False)
    kv_dtype = text(required=False)
    feature = texts(required=False)
    setting = texts(required=False)
    context_tokens = serializers.IntegerField(required=False, min_value=1)
    concurrency = serializers.IntegerField(required=False, min_value=1)
    ttft_ms = serializers.FloatField(required=False)
    tpot_ms = serializers.FloatField(required=False)
    e2el_ms = serializers.FloatField(required=False)
    share = serializers.FloatField(required=False)
    framework = texts(required=False)
    version = text(required=False)
    as_of = serializers.DateField(required=False)
    known_at = serializers.DateField(required=False)


def _query(name: str, help_text: str, **options: object) -> OpenApiParameter:
    return OpenApiParameter(
        name,
        location=OpenApiParameter.QUERY,
        description=help_text,
        **options,  # type: ignore[arg-type]
    )


CHECK_DOCS = [
    _query("model", "Slug, known name, hub id or the address of its page on a hub."),
    _query("quantization", "Slug or known name; that of the checkpoint when left out."),
    _query("hardware", "Slug or known name of a device or a family of devices."),
    _query("count", "Number of devices.", type=OpenApiTypes.INT),
    _query("tensor_parallel", "Devices that share every layer.", type=OpenApiTypes.INT),
    _query("pipeline_parallel", "Devices that take the layers in turn.", type=OpenApiTypes.INT),
    _query("backend", "Slug or known name."),
    _query("kv_dtype", "Type of the KV cache."),
    _query("feature", "Slug or known name; repeatable.", type=OpenApiTypes.STR, many=True),
    _query("setting", "name:value; repeatable.", type=OpenApiTypes.STR, many=True),
    _query("context_tokens", "Tokens of each sequence; also 8k.", type=OpenApiTypes.STR),
    _query("concurrency", "Sequences at a time.", type=OpenApiTypes.INT),
    _query("ttft_ms", "First token within, in milliseconds.", type=OpenApiTypes.NUMBER),
    _query("tpot_ms", "Each further token within, in milliseconds.", type=OpenApiTypes.NUMBER),
    _query("e2el_ms", "The whole answer within, in milliseconds.", type=OpenApiTypes.NUMBER),
    _query("share", "Share of requests within all of them; 0.95 when left out.",
           type=OpenApiTypes.NUMBER),
    _query("framework", "Only these frameworks; repeatable.", type=OpenApiTypes.STR, many=True),
    _query("version", "A release, with exactly one framework."),
    AS_OF_PARAMETER,
    KNOWN_AT_PARAMETER,
]  # fmt: skip


class StackCheckRequest(StrictForm):
    """A lock file or an image, or both, and what they are meant for."""

    requirements = text(
        required=False,
        max_length=2**19,
        help_text="Text of requirements.txt, pip freeze, uv.lock, poetry.lock, pylock.toml or a"
        " conda environment file.",
    )
    image = text(required=False, help_text="An image such as vllm/vllm-openai:v0.11.0.")
    model = text(required=False)
    quantization = text(required=False)
    hardware = text(required=False)
    count = serializers.IntegerField(required=False, min_value=1)
    feature = texts(required=False)
    as_of = serializers.DateField(required=False)


class StackEvidence(Form):
    """Where a finding stands: a claim, or the file that states a pin."""

    claim = maybe_text(help_text="Identifier of a claim.")
    url = maybe_text()
    text = text(allow_blank=True)


class StackFinding(Form):
    """What is known of one part of the stack."""

    code = text(help_text="Constant code of the kind of finding.")
    answer = word_of(Answer)
    subject = word_of(Subject)
    name = text(help_text="The package, image or framework.")
    seen = text(allow_blank=True)
    wanted = text(allow_blank=True)
    line = serializers.IntegerField(allow_null=True)
    sentence = text()
    evidence = StackEvidence(many=True)


class StackFramework(Form):
    """A framework that the stack holds."""

    framework = text()
    version = maybe_text()
    found_as = text()
    verdict = CheckVerdict(allow_null=True)
    page = maybe_text()


class StackCheckReply(Form):
    """The weakest finding is the answer; nothing works by not being known."""

    answer = word_of(Answer)
    sentence = text()
    frameworks = StackFramework(many=True)
    findings = StackFinding(many=True)
    packages_read_count = serializers.IntegerField()
    left_out = serializers.ListField(child=any_object(), help_text="Lines that name no package.")
    as_of = serializers.DateField()
    revision = serializers.IntegerField()
    ruleset = text()


CHECK_EXAMPLES: list[OpenApiExample] = []
STACK_EXAMPLES = [
    OpenApiExample(
        "pinned packages for a model",
        request_only=True,
        value={
            "requirements": "vllm==0.11.0\ntorch==2.6.0\n",
            "model": "Qwen/Qwen3-32B-AWQ",
            "hardware": "T4",
            "count": 2,
        },
    )
]
