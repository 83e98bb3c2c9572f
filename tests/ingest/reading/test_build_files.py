"""Build files are read line by line: variables, image arguments, requirements."""

from ingest.reading.build_files import cmake_values, read_dockerfile, requirement_lines

CMAKE = """
set(ARCHS "7.5;8.0")
if(NEW)
  set(ARCHS "8.0;9.0")
endif()
#set(ARCHS "1.0")
set(PYTHONS "3.11" "3.12")
set(MAJOR 0)
"""
DOCKER = """
ARG CUDA_VERSION=12.8.1
ARG UNSET
FROM --platform=linux/amd64 nvidia/cuda:${CUDA_VERSION}-devel AS base
ARG CUDA_VERSION=ignored
FROM base AS last
FROM ubuntu:24.04
"""
REQUIREMENTS = """
-r common.txt
# a remark
torch==2.8.0  # pinned
pkg @ https://host.test/a#egg=b ; python_version < "4"
--extra-index-url https://host.test

ray[data]
"""


def test_every_value_of_a_variable_is_read_in_order() -> None:
    assert cmake_values(CMAKE, "ARCHS") == ["7.5;8.0", "8.0;9.0"]
    assert cmake_values(CMAKE, "PYTHONS") == ['"3.11" "3.12"']
    assert cmake_values(CMAKE, "MAJOR") == ["0"]
    assert cmake_values(CMAKE, "MISSING") == []


def test_a_dockerfile_gives_its_first_defaults_and_its_foreign_images() -> None:
    made = read_dockerfile(DOCKER)
    assert made.arguments == {"CUDA_VERSION": "12.8.1"}
    assert made.images == ("nvidia/cuda:${CUDA_VERSION}-devel", "ubuntu:24.04")


def test_requirements_are_read_without_options_remarks_and_addresses() -> None:
    assert list(requirement_lines(REQUIREMENTS)) == [
        "torch==2.8.0",
        'pkg @ <url> ; python_version < "4"',
        "ray[data]",
    ]
