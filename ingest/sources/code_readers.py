"""The registry of readers of source files, and the facts pages of a set of pages."""

from collections.abc import Iterable, Iterator

from ingest.contract import Page
from ingest.sources.code_files import FACTS_PAGE_PATH, CodeReader, facts_page
from ingest.sources.llama_cpp_code.from_files import READER as LLAMA_CPP
from ingest.sources.sglang_code.from_files import READER as SGLANG
from ingest.sources.vllm_code.from_files import READER as VLLM

CODE_READERS: tuple[CodeReader, ...] = (VLLM, SGLANG, LLAMA_CPP)


def code_reader_of(source: str) -> CodeReader | None:
    """The reader of source files that a source's facts come from, or ``None``."""
    return next((reader for reader in CODE_READERS if reader.source == source), None)


def facts_pages(framework: str, pages: Iterable[Page]) -> Iterator[Page]:
    """The facts page of each version whose source files are among the pages.

    **Shapes**: a version that has a prepared facts page already is left to it.
    **Raises**: ``UnexpectedPage`` for source files that are not understood.
    """
    by_version: dict[str, list[Page]] = {}
    for page in pages:
        by_version.setdefault(page.version, []).append(page)
    for reader in CODE_READERS:
        if reader.framework != framework:
            continue
        for own in by_version.values():
            prepared = any(page.path == FACTS_PAGE_PATH for page in own)
            if not prepared and (made := facts_page(reader, own)):
                yield made
