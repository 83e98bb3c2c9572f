"""Pins, architecture lists and image arguments of a release, from its build files."""

import re
import tomllib
from collections.abc import Iterable

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from ingest.contract import UnexpectedPage
from ingest.reading.build_files import cmake_values, read_dockerfile, requirement_lines
from ingest.sources.code_facts import Json
from ingest.sources.code_files import CodeFiles, Facts

# What the facts follow of the requirements: the compute stack, and what fixes the formats.
_FOLLOWED = re.compile(
    r"^(torch|transformers|triton|numba|ray|xgrammar|outlines|compressed-tensors|xformers"
    r"|flashinfer|nvidia-|cuda-|neuronx|amdsmi|tilelang|quack|tpu|intel[-_]extension|libtpu|jax"
    r"|vllm-flash-attn)",
    re.IGNORECASE,
)
_ARGUMENTS = re.compile(r"^(CUDA_VERSION|PYTHON_VERSION|UBUNTU_VERSION|BASE_IMAGE|NIGHTLY_DATE)$")
# Lists for whoever works on the code, not for whoever runs it.
_OTHER_LISTS = re.compile(r"test|docs|dev|lint")
_LISTS = ("CUDA_SUPPORTED_ARCHS", "HIP_SUPPORTED_ARCHS")
_PYTHONS, _TORCH = "PYTHON_SUPPORTED_VERSIONS", "TORCH_SUPPORTED_VERSION_"
_PYTHON_REQUIRES = re.compile(r"python_requires\s*=\s*[\"']([^\"']+)[\"']")
_CLASSIFIER = re.compile(r"Programming Language :: Python :: (\d+\.\d+)")


def read_build_files(files: CodeFiles) -> Facts:
    """What the release requires, and what its builds and images are made for."""
    return {
        "requires_python": _requires_python(files),
        "classifiers_python": list[Json](_classifiers(files)),
        "requirements_pins": _requirements(files),
        "build_torch": _build_torch(files),
        "cmake": _cmake(files),
        "dockerfiles": _dockerfiles(files),
    }


def _project(files: CodeFiles) -> dict[str, object]:
    """The project file as data. **Raises**: ``UnexpectedPage`` where it is no TOML."""
    text = files.text("pyproject.toml")
    if text is None:
        return {}
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UnexpectedPage(
            path="pyproject.toml", expected="a TOML file", nearest=str(error)
        ) from error


def _requires_python(files: CodeFiles) -> Json:
    project = _project(files).get("project")
    stated = project.get("requires-python") if isinstance(project, dict) else None
    if not isinstance(stated, str):
        match = _PYTHON_REQUIRES.search(files.text("setup.py") or "")
        stated = match[1] if match else None
    if stated is None:
        return None
    try:
        return str(SpecifierSet(stated))
    except InvalidSpecifier:
        return stated


def _classifiers(files: CodeFiles) -> list[str]:
    for path in ("pyproject.toml", "setup.py"):
        if found := _CLASSIFIER.findall(files.text(path) or ""):
            return list(dict.fromkeys(found))
    return []


def _requirements(files: CodeFiles) -> Json:
    found: dict[str, Json] = {}
    for path, text in files.matching(r"requirements[^/]*\.txt|requirements/[^/]+\.txt"):
        if _OTHER_LISTS.search(path.rpartition("requirements")[2]):
            continue
        if lines := _followed(requirement_lines(text)):
            found[path] = list[Json](lines)
    return found


def _followed(lines: Iterable[str]) -> list[str]:
    return [line for line in lines if _FOLLOWED.match(line)]


def _build_torch(files: CodeFiles) -> Json:
    system = _project(files).get("build-system")
    stated = system.get("requires", []) if isinstance(system, dict) else []
    if not isinstance(stated, list):
        return []
    return [line for line in stated if isinstance(line, str) and line.startswith("torch")]


def _cmake(files: CodeFiles) -> Json:
    text = files.text("CMakeLists.txt")
    if text is None:
        return {}
    pythons = cmake_values(text, _PYTHONS)
    found: dict[str, Json] = {_PYTHONS: pythons[0] if pythons else None}
    for name in _LISTS:
        found[name] = list[Json](cmake_values(text, name))
    for stack in ("CUDA", "ROCM"):
        values = cmake_values(text, _TORCH + stack)
        found[_TORCH + stack] = values[0] if values else None
    return found


def _dockerfiles(files: CodeFiles) -> Json:
    found: dict[str, Json] = {}
    for path, text in files.matching(r"(docker/)?Dockerfile[^/]*"):
        made = read_dockerfile(text)
        found[path] = {
            "args": {k: v for k, v in made.arguments.items() if _ARGUMENTS.match(k)},
            "from": [image for image in made.images if re.match(r"^[^$]*[/:]", image)],
        }
    return found or None
