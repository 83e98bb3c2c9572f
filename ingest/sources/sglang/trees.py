"""The frozen copy of the documentation: two trees lie beside each other from 0.5.11 to 0.5.16."""

import re
from dataclasses import replace

from ingest.contract import Page, PageRule, Reading, Vocabulary

_OLD_TREE = re.compile(r"docs/(?!docs/|cookbook/|src/)")
_NEW_TREE_FROM, _OLD_TREE_TO = (0, 5, 11), (0, 5, 16)
PREFIX = "sphinx-tree/"


def keep_apart(rule: PageRule) -> PageRule:
    """The rule with statements of its own for pages of the frozen tree.

    While both trees exist they contradict each other now and then; the newer tree carries the
    statements on, the older one is a second document that ends with 0.5.16.
    """

    def parse(page: Page, vocabulary: Vocabulary) -> Reading:
        reading = rule.parse(page, vocabulary)
        if not is_frozen(page):
            return reading
        apart = tuple(
            replace(found, statement=PREFIX + found.statement) for found in reading.findings
        )
        return replace(reading, findings=apart)

    return replace(rule, parse=parse)


def is_frozen(page: Page) -> bool:
    """Whether a page lies in the old tree at a version that also has the new one."""
    numbers = re.findall(r"\d+", page.version)[:3]
    version = tuple(int(number) for number in numbers)
    between = _NEW_TREE_FROM <= version <= _OLD_TREE_TO
    return len(version) == 3 and between and bool(_OLD_TREE.match(page.path))
