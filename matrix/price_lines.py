"""Reads prices as people write them: one object, or a pasted or uploaded table of lines."""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any
from urllib.parse import urlsplit

from matrix.asking import QuestionReader
from matrix.domain.currencies import CURRENCIES
from matrix.domain.errors import RunproofError
from matrix.domain.phrases import Phrase
from matrix.entering.fields import Fields, read_day
from matrix.entering.lines import Entry
from matrix.entering.problems import Problem, nearest_words, shown_value, with_nearest

COLUMNS = (
    "hardware", "device_count", "amount_per_hour", "currency", "provider", "terms",
    "effective_on", "url", "note",
)  # fmt: skip
NEEDED_COLUMNS = ("hardware", "amount_per_hour", "currency", "effective_on")
MOST_LINES = 2_000
LARGEST_BYTES = 2**20
MOST_DEVICES = 4_096
FIRST_DAY = date(2010, 1, 1)
LONGEST_AHEAD = timedelta(days=3 * 366)
_WHOLE_DIGITS, _DECIMAL_PLACES = 8, 6
_AMOUNT = re.compile(rf"\d{{1,{_WHOLE_DIGITS}}}(\.\d{{1,{_DECIMAL_PLACES}}})?", re.ASCII)
_SEPARATORS = (",", "\t", ";")
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class PriceDraft:
    """A price that was read and not recorded yet; ``line`` is 0 for one that stands alone."""

    hardware: str
    device_count: int
    amount_per_hour: Decimal
    currency: str
    effective_on: date
    provider: str = ""
    terms: str = ""
    url: str = ""
    note: str = ""
    line: int = 0


def read_price(
    given: Mapping[str, Any], reader: QuestionReader
) -> tuple[PriceDraft | None, list[Problem]]:
    """The price of one object, or everything that is wrong with it."""
    problems: list[Problem] = []
    fields = Fields(given, problems)
    hardware = _hardware(fields, reader)
    count = fields.whole("device_count")
    if count is not None and count > MOST_DEVICES:
        fields.refuse(
            "device_count",
            Phrase(
                "is {count}; accepted: 1 to {most_devices}", count=count, most_devices=MOST_DEVICES
            ),
        )
    amount = _amount(fields)
    currency = _currency(fields)
    effective_on = _day(fields, reader.today)
    provider, terms = fields.text("provider", longest=120), fields.text("terms", longest=120)
    address, note = _address(fields), fields.text("note", longest=2_000)
    fields.refuse_unknown(COLUMNS)
    if problems or amount is None or effective_on is None:
        return None, problems
    draft = PriceDraft(
        hardware=hardware,
        device_count=count or 1,
        amount_per_hour=amount,
        currency=currency,
        effective_on=effective_on,
        provider=provider,
        terms=terms,
        url=address,
        note=note,
    )
    return draft, []


def _hardware(fields: Fields, reader: QuestionReader) -> str:
    word = fields.text("hardware", longest=160, required=True)
    if not word:
        return ""
    try:
        return reader.resolve("hardware", word)
    except RunproofError as error:
        fields.refuse("hardware", str(error).rstrip("."))
        return ""


def _amount(fields: Fields) -> Decimal | None:
    text = fields.text("amount_per_hour", longest=40, required=True)
    if not text:
        return None
    try:
        amount = Decimal(text) if _AMOUNT.fullmatch(text) else Decimal(0)
    except InvalidOperation:
        amount = Decimal(0)
    if amount <= 0:
        fields.refuse(
            "amount_per_hour",
            Phrase(
                "is {value}; accepted: a number above 0 with a point, such as 2.49, "
                "of at most {whole_digits} digits before it and {decimal_places} "
                "behind it",
                value=shown_value(text),
                whole_digits=_WHOLE_DIGITS,
                decimal_places=_DECIMAL_PLACES,
            ),
        )
        return None
    return amount


def _currency(fields: Fields) -> str:
    text = fields.text("currency", longest=20, required=True).upper()
    if text and text not in CURRENCIES:
        what = Phrase(
            "is {value}; accepted: a code of ISO 4217 such as USD, EUR or CNY",
            value=shown_value(text),
        )
        fields.refuse("currency", with_nearest(what, nearest_words(text, sorted(CURRENCIES))))
    return text


def _day(fields: Fields, today: date) -> date | None:
    text = fields.text("effective_on", longest=40, required=True)
    if not text:
        return None
    day = read_day(text)
    last = today + LONGEST_AHEAD
    if day is None or not FIRST_DAY <= day <= last:
        fields.refuse(
            "effective_on",
            Phrase(
                "is {value}; accepted: a day as YYYY-MM-DD from {first_day} to {last}",
                value=shown_value(text),
                first_day=FIRST_DAY,
                last=last,
            ),
        )
        return None
    return day


def _address(fields: Fields) -> str:
    text = fields.text("url", longest=600)
    if not text:
        return ""
    try:
        parts = urlsplit(text)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and " " not in text
        named = parts.username or parts.password
    except ValueError:
        good, named = False, None
    if not good or named:
        fields.refuse(
            "url",
            Phrase(
                "is {value}; accepted: an http or https address without an account",
                value=shown_value(text),
            ),
        )
        return ""
    return text


def read_prices(data: bytes, reader: QuestionReader) -> tuple[list[PriceDraft], list[Problem]]:
    """The prices of a table with a line of names, and what is wrong with the others.

    Cells are parted by commas, tabs or semicolons, as the first line shows; blank cells are not
    given.
    """
    entries, problems = _read_table(data)
    drafts = []
    for entry in entries:
        draft, found = read_price(entry.given, reader)
        problems += [problem.at(entry.line) for problem in found]
        if draft is not None:
            drafts.append(replace(draft, line=entry.line))
    return drafts, problems


def _read_table(data: bytes) -> tuple[list[Entry], list[Problem]]:
    if len(data) > LARGEST_BYTES:
        what = Phrase(
            "holds {count} bytes; accepted: up to {largest_bytes}",
            count=len(data),
            largest_bytes=LARGEST_BYTES,
        )
        return [], [Problem("file", what)]
    try:
        text = data.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        return [], [Problem("", Phrase("is no UTF-8; accepted: text in UTF-8"), line=line)]
    if "\0" in text:
        return [], [Problem("file", Phrase("holds a zero byte; accepted: text in UTF-8"))]
    problems: list[Problem] = []
    entries = _entries(text, problems)
    if not entries and not problems:
        problems.append(
            Problem(
                "file",
                Phrase(
                    "holds no price; accepted: a line of names ({names}) and a line for each price",
                    names=", ".join(COLUMNS),
                ),
            )
        )
    return entries, problems


def _entries(text: str, problems: list[Problem]) -> list[Entry]:
    first = next((line for line in text.splitlines() if _is_row(line)), "")
    separator = max(_SEPARATORS, key=first.count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    header: Sequence[str] | None = None
    entries: list[Entry] = []
    start = 1
    try:
        for cells in rows:
            line, start = start, rows.line_num + 1
            if not any(cell.strip() for cell in cells) or cells[0].lstrip().startswith("#"):
                continue
            if header is None:
                header = _header(cells, line, problems)
                if not header:
                    return []
            elif len(cells) != len(header):
                what = Phrase(
                    "has {count} cells; accepted: {columns}, as in the first line",
                    count=len(cells),
                    columns=len(header),
                )
                problems.append(Problem("", what, line=line))
            elif len(entries) == MOST_LINES:
                problems.append(
                    Problem(
                        "file",
                        Phrase("has more than {most_lines} prices", most_lines=MOST_LINES),
                        line=line,
                    )
                )
                return []
            else:
                entries.append(Entry(line, dict(zip(header, cells, strict=True))))
    except csv.Error as error:
        what = Phrase('is no table: {error}; accepted: cells quoted with " and ""', error=error)
        problems.append(Problem("", what, line=start))
    return entries


def _is_row(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _header(cells: Sequence[str], line: int, problems: list[Problem]) -> Sequence[str]:
    """The names of the columns, or nothing after saying what is wrong with them."""
    names = [cell.strip().lower().replace(" ", "_") for cell in cells]
    found = [
        with_nearest(
            Phrase(
                "holds {name}, no known column; accepted: {names}",
                name=shown_value(name),
                names=", ".join(COLUMNS),
            ),
            nearest_words(name, COLUMNS),
        )
        for name in names
        if name not in COLUMNS
    ]
    found += [
        Phrase("holds the column {name} twice; accepted: once", name=name)
        for name in COLUMNS
        if names.count(name) > 1
    ]
    found += [
        Phrase("lacks the column {name}", name=name) for name in NEEDED_COLUMNS if name not in names
    ]
    problems += [Problem("", what, line=line) for what in found]
    return [] if found else names
