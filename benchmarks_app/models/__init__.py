"""The tables of measured runs, one module per subject."""

from benchmarks_app.models.marks import ChangeMark
from benchmarks_app.models.names import UnknownName
from benchmarks_app.models.runs import Measurement, Run, RunFile, RunQuerySet, SampleSet
from benchmarks_app.models.uploads import Receipt, StoredChunk, StoredFile, Upload, UploadFile

__all__ = [
    "ChangeMark",
    "Measurement",
    "Receipt",
    "Run",
    "RunFile",
    "RunQuerySet",
    "SampleSet",
    "StoredChunk",
    "StoredFile",
    "UnknownName",
    "Upload",
    "UploadFile",
]
