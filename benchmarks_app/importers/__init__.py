"""All importers, one module a tool; what a file is, is asked of each."""

from benchmarks_app.contract import FileReading, FileRole, Importer
from benchmarks_app.domain.errors import ResultError
from benchmarks_app.importers import (
    aiperf,
    aisbench,
    evalscope,
    genai_perf,
    guidellm,
    hf_inference_benchmarker,
    inference_perf,
    inferencex,
    llama_batched_bench,
    llama_bench,
    llmd_benchmark_report,
    llmperf,
    lmdeploy,
    mlperf,
    optimum_benchmark,
    runproof,
    sglang,
    tgi_benchmark,
    trtllm_bench,
    vllm,
)
from benchmarks_app.reading.document import Document, Kind, open_document
from matrix.domain.phrases import Phrase

IMPORTERS: tuple[Importer, ...] = (
    aiperf.IMPORTER,
    aisbench.IMPORTER,
    evalscope.IMPORTER,
    genai_perf.IMPORTER,
    guidellm.IMPORTER,
    hf_inference_benchmarker.IMPORTER,
    inference_perf.IMPORTER,
    inferencex.IMPORTER,
    llama_batched_bench.IMPORTER,
    llama_bench.IMPORTER,
    llmd_benchmark_report.IMPORTER,
    llmperf.IMPORTER,
    lmdeploy.IMPORTER,
    mlperf.IMPORTER,
    optimum_benchmark.IMPORTER,
    runproof.IMPORTER,
    sglang.IMPORTER,
    tgi_benchmark.IMPORTER,
    trtllm_bench.IMPORTER,
    vllm.IMPORTER,
)


def recognise(document: Document) -> tuple[Importer, str] | None:
    """The one importer that knows the document, with the format, or ``None``.

    **Raises**: ``ResultError`` when several claim it: a page with results of several tools, else
    a fault of ours.
    """
    claims = [
        (importer, found) for importer in IMPORTERS if (found := importer.recognises(document))
    ]
    if len(claims) > 1:
        tools = ", ".join(f"{importer.tool} ({found})" for importer, found in claims)
        raise ResultError(
            code="several-formats",
            what=Phrase("Several importers claim the file: {tools}", tools=tools),
            accepted=Phrase(
                "the output of one tool a file; a page that quotes several is to be split"
            ),
        )
    return claims[0] if claims else None


def read_file(name: str, data: bytes, *, tool: str = "") -> FileReading:
    """What a file says; a file that no importer knows is a rejected one with its reason.

    ``tool`` restricts to the importer that a person chose by hand.
    **Raises**: ``ResultError`` for bytes that are broken, naming the place.
    """
    document = open_document(name, data)
    # The bytes of a large file are given back before its values become arrays.
    del data
    known = recognise(document)
    if known is None:
        return _unknown(document)
    importer, found = known
    if tool and importer.tool != tool:
        raise ResultError(
            code="wrong-tool",
            what=Phrase(
                "The file was written by {tool} ({found}), not by {tool_2}",
                tool=importer.tool,
                found=found,
                tool_2=tool,
            ),
            accepted=Phrase("{tool}, or no choice of tool", tool=importer.tool),
        )
    return importer.read(document, found)


def _unknown(document: Document) -> FileReading:
    if document.kind is Kind.BINARY:
        what = f"The file is {document.media or 'no text'}"
    else:
        what = f"No importer knows this {document.kind.value.replace('-', ' ')} file"
    seen = _keys(document)
    keys = f" (it holds {', '.join(seen)})" if seen else ""
    tools = ", ".join(sorted({importer.tool for importer in IMPORTERS}))
    return FileReading(
        format="unknown",
        tool="",
        role=FileRole.REJECTED,
        reason=f"{what}{keys}; accepted: results of {tools}, or the documented Runproof JSON.",
    )


def _keys(document: Document) -> list[str]:
    """The first keys of what is inside, so that the sender sees what was looked at."""
    value = document.records[0].value if document.records else document.value
    if isinstance(value, list) and value:
        value = value[0]
    return [repr(str(key)[:40]) for key in list(value)[:6]] if isinstance(value, dict) else []
