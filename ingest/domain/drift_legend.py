"""The legend that a page gives for its signs, as check sums: whether it changed, not what it says.

An entry is a sign outside the tables of statuses followed by a few words. A sign that starts many
lines is a bullet, not a legend.
"""

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ingest.contract import Page

# Signs that pages use for statuses, without variation selectors.
_SIGN = "✅❌✔✓✗✘✖☑☐❎🟠🟡🟢🔴🔵🚧⚠❓❔⏳🔜🆗√×🟩🟥🟨"
_SIGNS = re.compile(f"[{_SIGN}]")
_ENTRY = re.compile(f"([{_SIGN}])([^{_SIGN}]*)")
_NOT_WORDS = re.compile(r"[^\w]+")
_VARIATION = re.compile("[\ufe0e\ufe0f]")
# The same sign explained more often than this explains nothing.
_MOST_ENTRIES = 2
_MOST_ROWS_OF_LEGEND_TABLE = 12


def read_legend(page: Page) -> Mapping[str, str]:
    """Returns each sign of the page's legend with the check sum of its words."""
    return {
        sign: f"{zlib.crc32('|'.join(sorted(set(words))).encode()):08x}"
        for sign, words in explain_signs(page).items()
    }


def explain_signs(page: Page) -> Mapping[str, Sequence[str]]:
    """Returns each sign of the page's legend with its words, bare of case and punctuation."""
    found: dict[str, list[str]] = {}
    for text in _texts(page):
        for sign, words in _ENTRY.findall(_VARIATION.sub("", text)):
            plain = " ".join(_NOT_WORDS.sub(" ", words).casefold().split())
            if plain:
                found.setdefault(sign, []).append(plain)
    return {sign: words for sign, words in sorted(found.items()) if len(words) <= _MOST_ENTRIES}


def _texts(page: Page) -> Iterator[str]:
    """Yields the texts in which a legend may stand."""
    document = page.document
    for paragraph in document.paragraphs:
        yield from paragraph.text.splitlines()
    for item in document.items:
        yield item.text
    for note in document.footnotes:
        yield note.text
    for table in document.tables:
        if table.caption:
            yield table.caption
        first = [row[0].text for row in table.rows if row]
        signs = sum(len(text) <= 2 and bool(_SIGNS.search(text)) for text in first)
        if signs and signs == len(first) <= _MOST_ROWS_OF_LEGEND_TABLE:
            for row in table.rows:
                yield " ".join(cell.text for cell in row[:2])


def count_signs(text: str) -> Counter[str]:
    """Returns how often each status sign stands on a page."""
    return Counter(_SIGNS.findall(text))
