"""Moore Threads: current plug-in, port of 2024, torch_musa."""

import pytest

from ingest.contract import Source, UnexpectedPage
from ingest.sources.moore_threads import PLUGIN_SOURCE, PORT_SOURCE, TORCH_SOURCE
from matrix.domain.levels import Tier
from tests.ingest.sources.said import page_of, rule_named, said, unknown, vocabulary_of

WORDS = vocabulary_of(
    model={"Alpha-Flash": "alpha-flash", "Beta": "beta"}, hardware={"M1000": "card-m1000"}
)
S5000 = "hardware=moore-threads-mtt-s5000"

PLUGIN = """\
*New model support images* 🔥

- [Beta](https://e.org/beta) — `registry.mthreads.com/x/vllm-openai:beta-1`

## About

- Uses the pinned MUSA stack: PyTorch/torch_musa 2.11.0.post2 (MUSA 5.2.0), \
MATE 0.2.7, and torchada 0.1.95
- Per-checkpoint recipes for Qwen, Alpha-Flash and Beta on S5000.

export VLLM_MUSA_IMAGE=registry.mthreads.com/x/vllm-openai:v0.28.0

| vLLM-MUSA | PyTorch/MUSA | Engine | Status |
|---|---|---|---|
| v0.28.0-dev | 2.11.x | V1 engine | Upgrade candidate |
| v0.20.0 | 2.9.x | V1 engine | Supported |

Here both runners are supported on MUSA.
This branch tracks the upstream v0.28.0 commit.
"""


def test_a_candidate_branch_makes_experimental_statements_only() -> None:
    reading = rule_named(PLUGIN_SOURCE, "readme").parse(
        page_of(PLUGIN, path="README.md", version="010d6096a1"), WORDS
    )
    assert said(reading) == [
        "candidate release/v0.28.0-dev (release) = Upgrade candidate",
        "released release/v0.20.0 (release) = Supported",
        "pinned requirement/torch (requirement) = 2.11.0.post2",
        "pinned requirement/musa (requirement) = 5.2.0",
        "pinned requirement/mate (requirement) = 0.2.7",
        "pinned requirement/torchada (requirement) = 0.1.95",
        f"experimental platform/moore-threads-mtt-s5000 [{S5000}]",
        "experimental model/qwen/moore-threads-mtt-s5000 [?]",
        f"experimental model/alpha-flash/moore-threads-mtt-s5000 [model=alpha-flash {S5000}]",
        f"experimental model/beta/moore-threads-mtt-s5000 [model=beta {S5000}]",
        "published image/beta (artefact) = registry.mthreads.com/x/vllm-openai:beta-1",
        f"experimental model-image/beta/moore-threads-mtt-s5000 [model=beta {S5000}]",
        "published image/vllm-openai (artefact) = v0.28.0",
        "candidate pairing/vllm (pairing) = 0.28.0",
        f"experimental feature/engine-v1/moore-threads-mtt-s5000 [{S5000} features=engine-v1]",
        "experimental feature/model-runner-v2/moore-threads-mtt-s5000 "
        f"[{S5000} features=model-runner-v2]",
    ]
    assert unknown(reading) == ["model: Qwen"]
    recipe = reading.findings[6]
    assert recipe.tier is Tier.EXPERIMENTAL
    assert reading.findings[11].conditions[0].value.endswith(":beta-1")


PORT = """\
# port

- musa_toolkit dev3.0.0
- pytorch v2.2.0
- [torch_musa v2.0.0](https://e.org)
- triton >= v2.2.0
- vllm v0.4.2

当前仓库porting自vllm v0.4.2版本。
"""


def test_the_port_is_superseded_and_claims_no_card() -> None:
    reading = rule_named(PORT_SOURCE, "port").parse(
        page_of(PORT, path="README_vllm_musa.md"), WORDS
    )
    assert said(reading) == [
        "pinned requirement/musa_toolkit (requirement) = dev3.0.0",
        "pinned requirement/torch (requirement) = 2.2.0",
        "pinned requirement/torch_musa (requirement) = 2.0.0",
        "range requirement/triton (requirement) = >=2.2.0",
        "superseded pairing/vllm (pairing) = 0.4.2",
        "pinned pairing/vllm-port (pairing) = 0.4.2",
    ]
    assert reading.findings[4].names["torch"] == "2.2.0"
    assert reading.findings[4].locator.line == 7


TORCH = """\
# torch

- **SDK**, including driver and MCCL(*S4000 only*);

For **S80/S3000** users, since the MCCL library is not provided there

**NOTE:** we don't provide MCCL in MUSA SDK 4.0.1

PyTorch v2.5.0 needs torchvision==0.20.0 and torchaudio==2.5.0, and so on

docker run registry.mthreads.com/x/dev-public:rc4-qy1-py310 /bin/bash
docker run registry.mthreads.com/x/dev-public:rc4-qy1-py310 /bin/bash

| Repo | Branch | Link |
|--|--|--|
| lib3d | musa-dev | https://e.org/l |
| more | | |
"""


def test_the_collective_library_is_there_on_one_card_only() -> None:
    reading = rule_named(TORCH_SOURCE, "readme").parse(page_of(TORCH, path="README.md"), WORDS)
    assert said(reading) == [
        "supported library/mccl/s4000 (value) = S4000",
        "unsupported library/mccl/s80/s3000 (value) = S80/S3000",
        "unsupported library/mccl/musa-sdk-4.0.1 (value) = MUSA SDK 4.0.1",
        "requires requirement/torchvision (requirement) = 0.20.0",
        "requires requirement/torch (requirement) = 2.5.0",
        "requires requirement/torchaudio (requirement) = 2.5.0",
        "published image/registry.mthreads.com/x/dev-public (artefact) = rc4-qy1-py310",
        "supported repository/lib3d (pairing) = musa-dev",
    ]


def test_unified_memory_is_stated_for_the_named_architecture() -> None:
    text = "# Memory\n\n## Overview\n\nM1000 architecture employs a UMA design.\n"
    reading = rule_named(TORCH_SOURCE, "memory").parse(
        page_of(text, path="torch_musa/README.md"), WORDS
    )
    assert said(reading) == [
        "supported feature/unified-memory/card-m1000 [hardware=card-m1000 features=unified-memory]"
    ]


@pytest.mark.parametrize(
    ("source", "rule", "path"),
    [
        (PLUGIN_SOURCE, "readme", "README.md"),
        (PORT_SOURCE, "port", "README_vllm_musa.md"),
        (TORCH_SOURCE, "readme", "README.md"),
        (TORCH_SOURCE, "memory", "torch_musa/README.md"),
    ],
)
def test_a_page_of_another_shape_is_refused(source: Source, rule: str, path: str) -> None:
    with pytest.raises(UnexpectedPage):
        rule_named(source, rule).parse(page_of("# Moved\n\nElsewhere.\n", path=path), WORDS)
