"""The page of hardware prices: their history by hardware, and the forms that record them."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Any

from django import forms
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from matrix.asking import UnknownParameter
from matrix.domain.catalogue import Catalogue
from matrix.domain.currencies import CURRENCIES
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase
from matrix.entering.problems import Problem
from matrix.exports import safe_text
from matrix.forms import suggesting
from matrix.index import Knowledge
from matrix.models import HardwarePrice
from matrix.pages.asked import Words, reader_for, today
from matrix.pages.links import node_name, with_query
from matrix.pages.translated import in_words
from matrix.price_lines import COLUMNS, PriceDraft
from matrix.queries.prices import amount_text, holding_uids, listed_prices

PARAMETERS = ("hardware", "currency")
MOST_SHOWN = 1_000
EXAMPLE = (
    "hardware,device_count,amount_per_hour,currency,provider,terms,effective_on\n"
    "nvidia-t4,1,0.53,USD,Example cloud,on demand,2026-10-01\n"
)


class PriceForm(forms.Form):
    """One price as a person types it; what the fields hold is judged by the reader of prices."""

    hardware = forms.CharField(
        label=_("Hardware"),
        required=False,
        help_text=_("A device of the catalogue, by any of its names."),
    )
    device_count = forms.CharField(
        label=_("Devices together"), required=False, initial="1",
        help_text=_("8 for a server of eight that is paid as one."),
        widget=forms.TextInput({"inputmode": "numeric"}),
    )  # fmt: skip
    amount_per_hour = forms.CharField(
        label=_("Price per hour"), required=False,
        help_text=_("Of all devices together, with a point: 2.49."),
        widget=forms.TextInput({"inputmode": "decimal"}),
    )  # fmt: skip
    currency = forms.CharField(
        label=_("Currency"), required=False, help_text=_("Three letters, such as USD, EUR, CNY.")
    )
    effective_on = forms.CharField(
        label=_("Holds from"), required=False, widget=forms.DateInput({"type": "date"})
    )
    provider = forms.CharField(label=_("Provider"), required=False)
    terms = forms.CharField(
        label=_("Terms"), required=False,
        help_text=_("Such as on demand, one year reserved, own depreciation."),
    )  # fmt: skip
    url = forms.CharField(label=_("Address"), required=False)
    note = forms.CharField(label=_("Note"), required=False, widget=forms.Textarea({"rows": 2}))

    def __init__(self, data: Any = None, *, given: Mapping[str, str] | None = None) -> None:
        super().__init__(data, initial=dict(given or {}))
        self.use_required_attribute = False
        self.fields["hardware"].widget = suggesting("hardware")

    def show_problems(self, problems: Iterable[Problem]) -> None:
        """Puts each problem beside its field."""
        self.full_clean()
        for problem in problems:
            name = problem.field if problem.field in self.fields else None
            self.add_error(name, in_words(problem.what))


class TableForm(forms.Form):
    """Lines of prices, pasted from a spreadsheet or a file."""

    table = forms.CharField(
        label=_("Lines"), required=False, strip=False,
        help_text=_("The first line names the columns; commas, tabs or semicolons part them."),
        widget=forms.Textarea({"rows": 6, "spellcheck": "false"}),
    )  # fmt: skip

    def __init__(self, data: Any = None) -> None:
        super().__init__(data)
        self.use_required_attribute = False


@dataclass(frozen=True, slots=True)
class PriceRow:
    """One recorded price as the page shows it."""

    row: HardwarePrice
    amount: str
    holds: bool
    is_future: bool


@dataclass(frozen=True, slots=True)
class PriceGroup:
    """The prices of one hardware node, newest first."""

    hardware: str
    name: str
    rows: Sequence[PriceRow]


@dataclass(frozen=True, slots=True)
class PricesPage:
    """Everything on the page. ``has_more`` where not every price is shown."""

    groups: Sequence[PriceGroup]
    today: date
    hardware: str
    hardware_name: str
    currency: str
    has_more: bool
    json_url: str
    csv_url: str


@dataclass(frozen=True, slots=True)
class PricePreview:
    """What an import would record."""

    new: Sequence[tuple[PriceDraft, str, str]]
    unchanged: Sequence[PriceDraft]


def read_filter(words: Words, knowledge: Knowledge) -> tuple[str, str]:
    """The hardware and the currency that an address asks for, blank for all.

    **Raises**: ``InvalidValue``, ``UnknownName``, ``UnknownParameter``.
    """
    for name in words:
        if name not in PARAMETERS:
            raise UnknownParameter(name=name, accepted=PARAMETERS)
    given = {name: (values[-1].strip() if values else "") for name, values in words.items()}
    hardware, currency = given.get("hardware", ""), given.get("currency", "").upper()
    if currency and currency not in CURRENCIES:
        raise InvalidValue(
            name="currency",
            value=currency[:20],
            accepted=Phrase("a code of ISO 4217 such as USD or EUR"),
        )
    reader = reader_for(knowledge)
    return (reader.resolve("hardware", hardware) if hardware else ""), currency


def build_prices_page(
    knowledge: Knowledge, *, hardware: str = "", currency: str = ""
) -> PricesPage:
    """The recorded prices, grouped by hardware. **Queries**: 1."""
    rows = listed_prices(hardware=hardware, currency=currency)
    found = list(rows[: MOST_SHOWN + 1])
    shown, on = found[:MOST_SHOWN], today()
    pairs = [("hardware", hardware), ("currency", currency)]
    return PricesPage(
        groups=_groups(shown, knowledge.catalogue, on=on),
        today=on,
        hardware=hardware,
        hardware_name=node_name(knowledge.catalogue, "hardware", hardware) if hardware else "",
        currency=currency,
        has_more=len(found) > MOST_SHOWN,
        json_url=with_query(reverse("api-hardware-prices"), pairs),
        csv_url=with_query(reverse("prices-csv"), pairs),
    )


def _groups(rows: Sequence[HardwarePrice], catalogue: Catalogue, *, on: date) -> list[PriceGroup]:
    holding = holding_uids(rows, on=on)
    return [
        PriceGroup(
            hardware=hardware,
            name=node_name(catalogue, "hardware", hardware),
            rows=[
                PriceRow(
                    row=row,
                    amount=amount_text(row.amount_per_hour),
                    holds=row.uid in holding,
                    is_future=row.effective_on > on,
                )
                for row in members
            ],
        )
        for hardware, members in groupby(rows, key=lambda row: row.hardware)
    ]


def build_preview(
    knowledge: Knowledge, new: Sequence[PriceDraft], unchanged: Sequence[PriceDraft]
) -> PricePreview:
    """What an import would record, in readable names."""
    return PricePreview(
        new=[
            (
                draft,
                node_name(knowledge.catalogue, "hardware", draft.hardware),
                amount_text(draft.amount_per_hour),
            )
            for draft in new
        ],
        unchanged=unchanged,
    )


def prices_csv(rows: Iterable[HardwarePrice]) -> str:
    """Standing prices in the columns that an import takes."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for row in rows:
        values = {name: str(getattr(row, name)) for name in COLUMNS}
        values["amount_per_hour"] = amount_text(row.amount_per_hour)
        writer.writerow([safe_text(values[name]) for name in COLUMNS])
    return text.getvalue()
