"""llama.cpp's facts from the source files of a release."""

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ingest.contract import UnexpectedPage
from ingest.reading.build_files import cmake_values, read_dockerfile
from ingest.reading.cpp_code import enum_comments, enum_names, table_rows
from ingest.sources.code_facts import Json
from ingest.sources.code_files import CodeFiles, CodeReader, Facts
from ingest.sources.llama_cpp_code.files_converter import CONVERTER_PATHS, read_converter

# The table of names stood in one large file until early 2025.
_ARCH_FILES = ("src/llama-arch.cpp", "src/llama.cpp", "llama.cpp")
_GGML_HEADERS = ("ggml/include/ggml.h", "ggml.h")
_LLAMA_HEADERS = ("include/llama.h", "llama.h")
_QUANTIZE = (
    "tools/quantize/quantize.cpp",
    "examples/quantize/quantize.cpp",
)
_CUDA_LISTS = (
    "ggml/src/ggml-cuda/CMakeLists.txt",
    "ggml/src/CMakeLists.txt",
    "CMakeLists.txt",
)
_UNKNOWN_ARCH = "(unknown)"
_TYPE, _FTYPE = "GGML_TYPE_", re.compile(r"^LLAMA_FTYPE_(?:MOSTLY_|ALL_)?")
_NO_TYPES = frozenset({"COUNT", "GUESSED"})
_REMOVED = re.compile(r"^GGML_TYPE_(\w+)\s*=\s*\d+,\s*(.*removed.*)$")
_LIST_LINE = re.compile(r"^#?\s*(?:set|list)\s*\(\s*(?:APPEND\s+)?CMAKE_CUDA_ARCHITECTURES\s")
_ARGUMENTS = re.compile(
    r"(UBUNTU|CUDA|ROCM|ASCEND|ONEAPI|MUSA)_VERSION|\w+_DOCKER_ARCH|CANN_BASE_IMAGE"
    r"|ASCEND_SOC_TYPE|OPENVINO_VERSION\w*"
)
_OPTION = re.compile(r"^\s*option\s*\(\s*(GGML_[A-Z0-9]+)\s", re.MULTILINE)
_IMAGE = re.compile(r"^(?:\d+\.|-)\s+`([^`\s]+:[^`\s]+)`:(.*)$", re.MULTILINE)
_PLATFORM = re.compile(r"`(linux/[a-z0-9]+)`")
_BACKENDS = re.compile(
    r"AMX|BLAS|CANN|CUDA|ET|HEXAGON|HIP|HIPBLAS|KOMPUTE|METAL|MUSA|OPENCL|OPENVINO|RPC|SYCL"
    r"|VIRTGPU|VULKAN|WEBGPU|ZDNN|ZENDNN"
)


def _read(files: CodeFiles) -> Facts:
    return {
        "llama_cpp_commit": None,
        "llama_version_semver": _version(files.text("CMakeLists.txt"), "LLAMA_VERSION"),
        "ggml_version": _version(files.text("ggml/CMakeLists.txt"), "GGML_VERSION"),
        "architectures": list[Json](_architectures(files)),
        **_types(files),
        "quantize_options": _options(files),
        "ggml_backend_dirs": list[Json](_backend_folders(files)),
        "ggml_cmake_backend_options": list[Json](_backend_options(files)),
        "cuda_default_architectures_lines": list[Json](_cuda_lines(files)),
        "devops_dockerfile_args": _dockerfiles(files),
        "docker_images": _images(files),
        "ops_csv": _operators(files),
        "hf_architectures": read_converter(files),
    }


def _version(text: str | None, prefix: str) -> Json:
    """A version of three numbers, where the build file states them one by one."""
    parts = [cmake_values(text or "", f"{prefix}_{part}") for part in ("MAJOR", "MINOR", "PATCH")]
    return ".".join(values[0] for values in parts) if all(parts) else None


def _architectures(files: CodeFiles) -> list[str]:
    """The names of the architecture table.

    **Raises**: ``UnexpectedPage`` where no file has it.
    """
    for path in _ARCH_FILES:
        rows = table_rows(files.text(path) or "", r"\bLLM_ARCH_NAMES\s*=")
        if rows:
            return [row[1] for row in rows if len(row) > 1 and row[1] != _UNKNOWN_ARCH]
    raise UnexpectedPage(
        path=_ARCH_FILES[0], expected="the table LLM_ARCH_NAMES", nearest=", ".join(files.files)
    )


def _types(files: CodeFiles) -> Facts:
    header = files.text(*_GGML_HEADERS) or ""
    names = [name.removeprefix(_TYPE) for name in enum_names(header, "ggml_type")]
    removed = (_REMOVED.match(text) for text in enum_comments(header, "ggml_type"))
    stored = enum_names(files.text(*_LLAMA_HEADERS) or "", "llama_ftype")
    return {
        "ggml_types": [name for name in names if name not in _NO_TYPES],
        "ggml_types_removed_comment": [[m[1], m[2].strip()] for m in removed if m],
        "llama_ftypes": [n for name in stored if (n := _FTYPE.sub("", name)) not in _NO_TYPES],
    }


def _options(files: CodeFiles) -> list[Json]:
    rows = table_rows(files.text(*_QUANTIZE) or "", r"\bQUANT_OPTIONS\s*=")
    return [{"name": row[0], "note": ",".join(row[2:]).strip()} for row in rows if len(row) > 2]


def _backend_folders(files: CodeFiles) -> list[str]:
    """The backends that have a folder of their own, by its name."""
    found = {
        match[1] for path in files.files if (match := re.match(r"ggml/src/ggml-([a-z0-9]+)/", path))
    }
    return sorted(found)


def _backend_options(files: CodeFiles) -> list[str]:
    """The switches of the build that turn a backend on; those that tune one are left out."""
    options = _OPTION.findall(files.text("ggml/CMakeLists.txt") or "")
    return sorted({name for name in options if _BACKENDS.fullmatch(name.removeprefix("GGML_"))})


def _cuda_lines(files: CodeFiles) -> list[str]:
    """The lines that fill the default list of CUDA architectures with numbers or words."""
    for path in _CUDA_LISTS:
        lines = (line.strip() for line in (files.text(path) or "").splitlines())
        if found := [line for line in lines if _LIST_LINE.match(line) and "${" not in line]:
            return found
    return []


def _dockerfiles(files: CodeFiles) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for path, text in files.matching(r"\.devops/.*Dockerfile"):
        arguments: dict[str, Json] = {
            name: value
            for name, value in read_dockerfile(text).arguments.items()
            if _ARGUMENTS.fullmatch(name) and not value.startswith("$")
        }
        if arguments:
            found[path.rpartition("/")[2]] = arguments
    return found


def _images(files: CodeFiles) -> list[Json]:
    """The images that the page about containers lists, with their platforms."""
    text = files.text("docs/docker.md") or ""
    found: list[Json] = []
    for match in _IMAGE.finditer(text):
        platforms = list[Json](_PLATFORM.findall(match[2]))
        if platforms:
            found.append({"tag": match[1], "platforms": platforms})
    return found


@dataclass(slots=True)
class _Count:
    """How many of the tests pass."""

    ok: int = 0
    n: int = 0

    def add(self, *, passes: bool) -> None:
        self.ok += passes
        self.n += 1

    @property
    def status(self) -> str:
        return "yes" if self.ok == self.n else "partial" if self.ok else "no"

    def plain(self) -> Json:
        return {"status": self.status, "ok": self.ok, "n": self.n}


@dataclass(slots=True)
class _Tests:
    """The tests of one backend, counted by operator and by the type that decides."""

    rows: int = 0
    names: set[tuple[str, str]] = field(default_factory=set)
    ops: dict[str, _Count] = field(default_factory=dict)
    by_type: dict[str, dict[str, _Count]] = field(default_factory=dict)

    def plain(self) -> Json:
        return {
            "rows": self.rows,
            "backend_names": [list[Json](pair) for pair in sorted(self.names)],
            "ops": {name: self.ops[name].status for name in sorted(self.ops)},
            **{
                key: {kind: counts[kind].plain() for kind in sorted(counts)}
                for key, _, _ in _DECIDING
                if (counts := self.by_type.get(key, {})) is not None
            },
        }


_DECIDING = (
    ("mul_mat_by_type_a", "MUL_MAT", re.compile(r"\btype_a=(\w+)")),
    ("flash_attn_by_kv_type", "FLASH_ATTN_EXT", re.compile(r"\btype_(?:KV|K)=(\w+)")),
)
_COLUMNS = ("backend_name", "op_name", "op_params", "supported", "backend_reg_name")


def _operators(files: CodeFiles) -> Json:
    """The operator tests of the backends, from the files that the documentation is made of."""
    found: dict[str, Json] = {}
    for path, text in files.matching(r"docs/ops/[^/]+\.csv"):
        name = path.rpartition("/")[2].removesuffix(".csv")
        found[name] = _count_tests(path, text).plain()
    return found or None


def _count_tests(path: str, text: str) -> _Tests:
    reader = csv.DictReader(io.StringIO(text))
    if not set(_COLUMNS) <= set(reader.fieldnames or ()):
        raise UnexpectedPage(
            path=path,
            expected=f"a list of operator tests with the columns {', '.join(_COLUMNS)}",
            nearest=", ".join(reader.fieldnames or ())[:200],
        )
    tests = _Tests()
    try:
        for row in reader:
            _count(tests, row)
    except csv.Error as error:
        raise UnexpectedPage(
            path=path, expected="a list of operator tests, one a line", nearest=str(error)
        ) from error
    return tests


def _count(tests: _Tests, row: Mapping[str, str | None]) -> None:
    op, passes = row["op_name"] or "", row["supported"] == "1"
    tests.rows += 1
    tests.names.add((row["backend_name"] or "", row["backend_reg_name"] or ""))
    tests.ops.setdefault(op, _Count()).add(passes=passes)
    for key, deciding, pattern in _DECIDING:
        if op == deciding and (match := pattern.search(row["op_params"] or "")):
            counts = tests.by_type.setdefault(key, {})
            counts.setdefault(match[1], _Count()).add(passes=passes)


READER = CodeReader(
    framework="llama.cpp",
    source="llama.cpp-code",
    paths=(
        r"src/llama-arch\.cpp",
        r"(src/)?llama\.cpp",
        r"(ggml/include/)?ggml\.h",
        r"(include/)?llama\.h",
        r"(tools|examples)/quantize/quantize\.cpp",
        r"(ggml/|ggml/src/)?CMakeLists\.txt",
        # Of a backend's folder one file is enough to see that it is there.
        r"ggml/src/ggml-[^/]+/(CMakeLists\.txt|common\.(h|hpp|cuh))",
        r"\.devops/.*Dockerfile",
        r"docs/docker\.md",
        r"docs/ops/[^/]+\.csv",
        *CONVERTER_PATHS,
    ),
    needed=(
        (r"src/llama-arch\.cpp", r"(src/)?llama\.cpp"),
        (r"(ggml/include/)?ggml\.h",),
        (r"(include/)?llama\.h",),
    ),
    read=_read,
    address="https://github.com/ggml-org/llama.cpp/tree/{commit}",
    commit_key="llama_cpp_commit",
)
