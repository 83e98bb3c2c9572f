"""The glossary says the same words on the page, in English and in Chinese."""

import re
from pathlib import Path

from django.utils import translation

from matrix.pages.glossary import TERMS

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
_ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


def rows(name: str) -> list[tuple[str, ...]]:
    """The rows of the one table of a document, without its head."""
    return list(_ROW.findall((DOCS / name).read_text("utf-8")))[1:]


def test_the_page_and_both_documents_hold_the_same_terms() -> None:
    with translation.override("en"):
        shown = [str(term) for term, _meaning in TERMS]
    assert shown == [row[0] for row in rows("glossary.md")]
    assert shown == [row[1] for row in rows("glossary.zh-Hans.md")]
    assert len(shown) == len(set(shown)) > 60


def test_every_meaning_is_a_sentence() -> None:
    with translation.override("en"):
        for _term, meaning in TERMS:
            assert re.fullmatch(r"[A-Z].*[.…]", str(meaning)), meaning


def test_the_chinese_document_explains_every_term_in_chinese() -> None:
    for chinese, _english, meaning, _code in rows("glossary.zh-Hans.md"):
        assert _CHINESE.search(chinese), chinese
        assert _CHINESE.search(meaning), meaning
