"""Prices of hardware: how they are shown, recorded, imported and taken back."""

from drf_spectacular.utils import OpenApiExample, OpenApiParameter
from rest_framework import serializers

from matrix.api.openapi import Problem
from matrix.api.schemas.forms import (
    Form,
    StrictForm,
    many,
    maybe_moment,
    maybe_text,
    text,
    texts,
)
from matrix.price_lines import COLUMNS, MOST_DEVICES

_AMOUNT = "Decimal number as text, for all devices together."


class HardwarePrice(Form):
    """A price as somebody recorded it; it is never edited."""

    uid = text()
    hardware = text(help_text="Slug of the hardware node.")
    device_count = serializers.IntegerField(help_text="Devices that the price is for together.")
    amount_per_hour = text(help_text=_AMOUNT)
    currency = text(help_text="Code of ISO 4217.")
    provider = maybe_text()
    terms = maybe_text()
    effective_on = serializers.DateField(help_text="It holds from this day on.")
    url = maybe_text()
    note = maybe_text()
    is_demonstration = serializers.BooleanField()
    recorded_by = text()
    recorded_at = serializers.DateTimeField()
    withdrawn_at = maybe_moment()
    withdrawn_by = maybe_text()
    reason = maybe_text(help_text="Why it was withdrawn.")


class HardwarePriceInput(Form):
    """A price to record; numbers may be sent as text."""

    hardware = text(max_length=160, help_text="Slug or known name.")
    amount_per_hour = text(max_length=40, help_text=_AMOUNT)
    currency = text(max_length=3)
    effective_on = serializers.DateField()
    device_count = serializers.IntegerField(required=False, min_value=1, max_value=MOST_DEVICES)
    provider = text(required=False, max_length=120)
    terms = text(required=False, max_length=120)
    url = text(required=False, max_length=600)
    note = text(required=False, max_length=2_000)


class PriceWithdrawal(StrictForm):
    """Why a price is taken back."""

    reason = text(max_length=500)


class PlannedPrice(Form):
    """What an import does with one line."""

    line = serializers.IntegerField()
    uid = maybe_text(help_text="Null in a dry run.")
    hardware = text()
    amount_per_hour = text()
    currency = text()
    effective_on = serializers.DateField()


class PriceImportAnswer(Form):
    """What an import recorded, or would record."""

    dry_run = serializers.BooleanField()
    lines = serializers.IntegerField(help_text="Prices read.")
    new = many(PlannedPrice)
    unchanged = serializers.ListField(
        child=serializers.IntegerField(), help_text="Lines of prices that stand already."
    )


class InvalidPriceProblem(Problem):
    """Everything that is wrong with a price."""

    problems = texts()


IMPORT_PARAMETERS = [
    OpenApiParameter(
        "dry_run",
        location=OpenApiParameter.QUERY,
        description="`1` says only what would be recorded.",
        enum=["0", "1", "true", "false"],
    )
]
PRICE_EXAMPLES = [
    OpenApiExample(
        "Eight devices together",
        request_only=True,
        value={
            "hardware": "nvidia-t4",
            "device_count": 8,
            "amount_per_hour": "4.16",
            "currency": "USD",
            "provider": "Own data centre",
            "terms": "depreciation and power",
            "effective_on": "2026-10-01",
        },
    )
]
IMPORT_EXAMPLES = [
    OpenApiExample(
        "A table",
        request_only=True,
        media_type="text/csv",
        value=",".join(COLUMNS[:4]) + ",effective_on\nnvidia-t4,1,0.52,USD,2026-10-01\n",
    )
]
