"""Container images that the deployment and installation pages name.

**Source**: docs "Docker" and the image sections of the installation pages.
"""

import re

from ingest.contract import Finding, FindingKind, Page, Reading, StatementStatus, Vocabulary
from ingest.sources.scopes import statement_key
from ingest.sources.vllm.gather import Gatherer

_IMAGE = re.compile(
    r"(?<![\w./-])(?P<name>vllm/vllm-[a-z0-9-]+|rocm/vllm(?:-[a-z0-9-]+)?"
    r"|public\.ecr\.aws/[a-z0-9]+/vllm-[a-z0-9-]+|intel/vllm)(?::(?P<tag>[\w.-]+))?(?![\w/])"
)


def read_images(page: Page, vocabulary: Vocabulary) -> Reading:
    """Each image reference once, at its first line; a page without any states nothing."""
    gather = Gatherer(page=page, vocabulary=vocabulary)
    seen: set[str] = set()
    for number, text in enumerate(gather.document.source_lines, start=1):
        for match in _IMAGE.finditer(text):
            reference = match.group(0)
            if reference in seen:
                continue
            seen.add(reference)
            gather.add(
                Finding(
                    kind=FindingKind.ARTEFACT,
                    statement=statement_key("image", reference.lower()),
                    status=StatementStatus.PUBLISHED,
                    raw=reference,
                    locator=gather.line_locator(number),
                    names={"image": match.group("name"), "tag": match.group("tag") or ""},
                    value=reference,
                )
            )
    return gather.reading()
