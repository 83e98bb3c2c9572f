"""The closed vocabularies of measured runs."""

from enum import StrEnum


class RunStatus(StrEnum):
    """How a run ended; a failed run is a result, not a missing one."""

    OK = "ok"
    PARTIAL = "partial"  # some requests failed
    FAILED = "failed"  # nothing that was asked for completed
    INVALID = "invalid"  # the tool's own rules call it invalid
    CANCELLED = "cancelled"
    SUSPECT = "suspect"  # the file contradicts itself


class LoadMode(StrEnum):
    """How load was offered; runs of different modes are not compared."""

    CLOSED_LOOP = "closed_loop"  # a fixed number of requests in flight
    OPEN_LOOP = "open_loop"  # arrivals at a rate, whatever is in flight
    BURST = "burst"  # everything at once
    REPLAY = "replay"  # recorded or scripted sessions
    OFFLINE_BATCH = "offline_batch"  # a batch handed to the engine, no server between
    MICROBENCH = "microbench"  # the kernels alone: no scheduler, no server


class Origin(StrEnum):
    """Where a stated value comes from."""

    FILE = "file"
    SIBLING = "sibling"
    FILENAME = "filename"
    PASTED = "pasted"
    UPLOADER = "uploader"


# What a file or a tool's output says was observed; what a person typed was declared. A name is
# chosen by a person as well.
OBSERVED_ORIGINS = frozenset({Origin.FILE, Origin.SIBLING, Origin.PASTED})


class RunClass(StrEnum):
    """What kind of evidence a run is; never mixed without a mark."""

    MEASURED = "measured"  # uploaded here with its file
    PUBLISHED = "published"  # a table that a vendor or project printed
    DEMONSTRATION = "demonstration"  # genuine file of a tool whose server was a stand-in


class RunState(StrEnum):
    """Where a run stands on its way."""

    DRAFT = "draft"
    PUBLISHED = "published"
    WITHDRAWN = "withdrawn"
    REPLACED = "replaced"  # a newer version corrects it


class UploadState(StrEnum):
    """Where an upload stands."""

    RECEIVED = "received"
    READING = "reading"
    READ = "read"  # its runs exist, as drafts or published
    REJECTED = "rejected"
    FAILED = "failed"  # our fault; the bytes are kept and can be read again


class RunOutcome(StrEnum):
    """What the run shows about the cell it ran on."""

    COMPLETED = "completed"
    DOES_NOT_FIT = "does-not-fit"
    FAILS = "fails"
    NOT_SHOWN = "not-shown"  # the run says nothing about whether it works
