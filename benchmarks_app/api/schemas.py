"""Forms of runs and uploads, as OpenAPI tells them, with real examples."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter
from rest_framework import serializers

from benchmarks_app.domain.levels import (
    LoadMode,
    RunClass,
    RunOutcome,
    RunState,
    RunStatus,
    UploadState,
)
from benchmarks_app.domain.notices import Weight
from matrix.api.openapi import Problem
from matrix.api.schemas.forms import (
    Form,
    StrictForm,
    Word,
    any_object,
    maybe_day,
    maybe_moment,
    maybe_text,
    text,
    texts,
    word_of,
)


def _maybe_number(**options: Any) -> serializers.FloatField:
    return serializers.FloatField(allow_null=True, **options)


def _maybe_count(**options: Any) -> serializers.IntegerField:
    return serializers.IntegerField(allow_null=True, **options)


class HeadlineValue(Form):
    """One value that a list shows."""

    metric = text()
    stat = text()
    value = serializers.FloatField()
    unit = text()
    origin = text(help_text="reported by the tool, or recomputed here from samples.")
    definition = text()


class BenchmarkRun(Form):
    """A run as a list shows it. Node members are catalogue slugs, null while a name is unknown."""

    uid = text()
    state = word_of(RunState)
    version = serializers.IntegerField()
    replaces = maybe_text()
    replaced_by = maybe_text()
    run_class = word_of(RunClass)
    status = word_of(RunStatus)
    outcome = word_of(RunOutcome)
    outcome_detail = maybe_text()
    label = maybe_text()
    tool = text()
    format = text()
    framework = maybe_text()
    framework_version = maybe_text()
    model = maybe_text()
    quantization = maybe_text()
    hardware = maybe_text()
    hardware_count = _maybe_count()
    backend = maybe_text()
    load_mode = word_of(LoadMode, allow_null=True)
    max_concurrency = _maybe_count()
    request_rate_per_s = _maybe_number()
    input_tokens = _maybe_number()
    output_tokens = _maybe_number()
    measured_at = maybe_moment()
    measured_on = maybe_day()
    grade = maybe_text(help_text="Reproducibility, A to D.")
    published_at = maybe_moment()
    ended_at = maybe_moment()
    claim = maybe_text(help_text="The claim on the matrix that rests on it.")
    headline = HeadlineValue(many=True)


class StatedFact(serializers.Serializer[Any]):
    """One stated value; `declared` is what a person typed where it differs from the observed."""

    name = text()
    value = serializers.JSONField()
    origin = text(required=False)
    pointer = text(required=False)
    declared = serializers.JSONField(required=False)
    not_captured = serializers.BooleanField(required=False)


class RunValue(Form):
    """One statistic of one metric, in the metric's unit."""

    metric = text()
    definition = text(help_text="What is computed; values of different ones are not compared.")
    stat = text()
    value = serializers.FloatField()
    unit = maybe_text()
    better = maybe_text(help_text="lower, higher or neither.")
    origin = text()
    basis = maybe_text()
    percentile_method = maybe_text()
    pointer = maybe_text()


class RunNotice(Form):
    """What a reader of the run must know."""

    code = text()
    weight = word_of(Weight)
    detail = maybe_text()
    pointer = maybe_text()


class SamplesNote(Form):
    """What was recorded one by one."""

    requests = serializers.IntegerField()
    columns = texts()


class RunFileNote(Form):
    """A file that the run comes from."""

    name = text()
    part = text()
    format = text(allow_blank=True)
    tool = text(allow_blank=True)
    sha256 = text()
    size_bytes = serializers.IntegerField()


class BenchmarkRunDetail(BenchmarkRun):
    """All that may be shown of a run."""

    digest = text()
    reason = maybe_text()
    facts = StatedFact(many=True)
    load = any_object()
    requests = any_object()
    tokens = any_object()
    failures = any_object()
    measurements = RunValue(many=True)
    notices = RunNotice(many=True)
    missing = texts(help_text="Facts without which it cannot be repeated.")
    unmapped = any_object(help_text="Fields that were not understood, by place; texts masked.")
    withheld = texts(help_text="Places whose content is never shown.")
    command = maybe_text()
    samples = SamplesNote(allow_null=True)
    files = RunFileNote(many=True)
    links: Any = serializers.DictField(child=serializers.CharField(allow_null=True))


class UploadError(Form):
    """Why nothing of an upload could be read."""

    code = text()
    detail = text()
    place = maybe_text()


class UploadFileNote(Form):
    """One file of an upload and what it was."""

    name = text()
    sha256 = text()
    size_bytes = serializers.IntegerField()
    role = maybe_text()
    format = maybe_text()
    tool = maybe_text()
    reason = maybe_text()
    error_code = maybe_text()


class UploadRunNote(Form):
    """One run of an upload."""

    uid = text()
    state = word_of(RunState)
    status = word_of(RunStatus)
    label = maybe_text()
    grade = maybe_text()
    missing = texts()
    claim = maybe_text()
    in_upload = serializers.BooleanField(
        help_text="False for a run that another upload brought with the same content."
    )


class BenchmarkUpload(Form):
    """How an upload stands."""

    uid = text()
    state = word_of(UploadState)
    done = serializers.BooleanField()
    received_at = serializers.DateTimeField()
    files_count = serializers.IntegerField()
    files_read = serializers.IntegerField()
    runs_count = serializers.IntegerField()
    error = UploadError(allow_null=True)
    files = UploadFileNote(many=True)
    runs = UploadRunNote(many=True)
    links: Any = serializers.DictField(child=serializers.CharField())


class UploadedAnswer(BenchmarkUpload):
    """An upload as it was just received."""

    is_new = serializers.BooleanField(help_text="False where these bytes were sent before.")


class UnreadableResultProblem(Problem):
    """Nothing of the files could be read; `place` says where the first fault stands."""

    reason_code = serializers.CharField()
    place = serializers.CharField(required=False)
    accepted = serializers.CharField(required=False)
    upload = serializers.CharField(required=False)


class RunWithdrawInput(StrictForm):
    """Why a run is taken back."""

    reason = text(max_length=2_000)


class NotAttachedNote(Form):
    """A reason why a run says nothing about a cell."""

    code = text()
    sentence = text()


class PublishedAnswer(BenchmarkRunDetail):
    """A run as it was just published."""

    not_attached = NotAttachedNote(many=True)


class MeasurementList(Form):
    """All values of a run."""

    uid = text()
    measurements = RunValue(many=True)


class FormUpload(serializers.Serializer[Any]):
    """Files with what their sender says of them."""

    file = serializers.ListField(child=serializers.FileField())
    tool = serializers.CharField(required=False, help_text="Only where the choice is wrong.")
    run_class = Word(choices=[one.value for one in RunClass], required=False)
    publish = Word(choices=["1", "0"], required=False)
    environment = serializers.FileField(required=False)
    declare = serializers.ListField(child=serializers.CharField(), required=False)
    declared = serializers.CharField(required=False)
    pasted = serializers.CharField(required=False)


UPLOAD_PARAMETERS = [
    OpenApiParameter("name", str, description="File name of a raw body."),
    OpenApiParameter("tool", str, description="The tool, where it is not found out rightly."),
    OpenApiParameter("run_class", str, enum=[one.value for one in RunClass]),
    OpenApiParameter("publish", str, enum=["1", "0"], description="Needs the scope write."),
    OpenApiParameter(
        "declare", str, many=True, description="name=value of a fact; repeatable."
    ),
    OpenApiParameter(
        "X-Content-SHA256", str, location=OpenApiParameter.HEADER,
        description="Hexadecimal digest of the body, checked when given; or Content-Digest.",
    ),
]  # fmt: skip
UPLOAD_BODY = {
    "multipart/form-data": FormUpload,
    "application/octet-stream": OpenApiTypes.BINARY,
    "application/json": OpenApiTypes.OBJECT,
    "application/zip": OpenApiTypes.BINARY,
}
LIST_PARAMETERS = [
    OpenApiParameter(
        "ordering", str, enum=["-created", "created", "-measured", "measured"],
        description="Newest first when left out.",
    )
]  # fmt: skip
SAMPLE_PARAMETERS = [
    OpenApiParameter("format", str, enum=["ndjson", "csv"], description="Before Accept."),
    OpenApiParameter("part", str, enum=["requests", "pooled", "repeats"],
                     description="Columns of one kind; requests when left out."),
]  # fmt: skip
UPLOAD_EXAMPLES = [
    OpenApiExample(
        "One file of vLLM, just received",
        response_only=True,
        status_codes=["202"],
        value={
            "uid": "k7m2q9xw4tza",
            "state": "received",
            "done": False,
            "is_new": True,
            "received_at": "2026-11-02T09:30:00Z",
            "files_count": 1,
            "files_read": 0,
            "runs_count": 0,
            "error": None,
            "files": [
                {
                    "name": "vllm-infqps-Qwen3-8B.json",
                    "sha256": "9f2c4e0d8a1b37c65544e3d2c1b0a9f8e7d6c5b4a39281706f5e4d3c2b1a0918",
                    "size_bytes": 1984,
                    "role": None,
                    "format": None,
                    "tool": None,
                    "reason": None,
                    "error_code": None,
                }
            ],
            "runs": [],
            "links": {
                "status": "/api/v1/benchmark-uploads/k7m2q9xw4tza/",
                "page": "/benchmarks/uploads/k7m2q9xw4tza/",
            },
        },
    )
]
