"""The hosts that may be asked: nothing else is, neither by a feed nor along a redirect."""

from dataclasses import dataclass
from enum import StrEnum


class HostKind(StrEnum):
    """What a host serves."""

    CODE = "code"
    DOCUMENTATION = "documentation"
    REGISTRY = "registry"
    MODELS = "models"
    STORE = "store"  # where registries keep their blobs; only ever reached along a redirect


@dataclass(frozen=True, slots=True)
class HostRule:
    """How one host is asked.

    **Shapes**: ``obeys_robots`` is off for endpoints made for programs: they have documented
    limits of their own, while their robots.txt speaks about search engines and the web pages
    beside them. ``sends_token`` marks the one host that the code host's token is meant for.
    ``scheme`` other than https is honoured only where the policy lets tests use loopback.
    **Units**: ``interval_seconds`` between two requests of one installation.
    """

    host: str
    kind: HostKind
    interval_seconds: float = 1.0
    obeys_robots: bool = True
    sends_token: bool = False
    port: int = 443
    scheme: str = "https"


FETCH_HOSTS: tuple[HostRule, ...] = (
    # Code hosts: the REST interface, and the files whose addresses it hands out.
    HostRule("api.github.com", HostKind.CODE, obeys_robots=False, sends_token=True),
    HostRule("raw.githubusercontent.com", HostKind.CODE, 0.5, obeys_robots=False),
    HostRule("gitee.com", HostKind.CODE, 2.0),
    HostRule("raw.gitee.com", HostKind.CODE, 2.0),
    HostRule("gitcode.com", HostKind.CODE, 2.0),
    HostRule("raw.gitcode.com", HostKind.CODE, 2.0),
    HostRule("api.gitcode.com", HostKind.CODE, 2.0, obeys_robots=False),
    # Documentation of the frameworks.
    HostRule("docs.vllm.ai", HostKind.DOCUMENTATION),
    HostRule("docs.sglang.ai", HostKind.DOCUMENTATION),
    HostRule("docs.sglang.io", HostKind.DOCUMENTATION),
    HostRule("nvidia.github.io", HostKind.DOCUMENTATION),
    HostRule("lmdeploy.readthedocs.io", HostKind.DOCUMENTATION),
    HostRule("llama-cpp-python.readthedocs.io", HostKind.DOCUMENTATION),
    HostRule("docs.ollama.com", HostKind.DOCUMENTATION),
    HostRule("docs.gpustack.ai", HostKind.DOCUMENTATION),
    HostRule("casper-hansen.github.io", HostKind.DOCUMENTATION),
    HostRule("lmstudio.ai", HostKind.DOCUMENTATION),
    HostRule("pytorch.org", HostKind.DOCUMENTATION),
    # Documentation of the plug-ins and accelerator stacks.
    HostRule("docs.nvidia.com", HostKind.DOCUMENTATION),
    HostRule("developer.nvidia.com", HostKind.DOCUMENTATION),
    HostRule("rocm.docs.amd.com", HostKind.DOCUMENTATION),
    HostRule("docs.habana.ai", HostKind.DOCUMENTATION),
    HostRule("awsdocs-neuron.readthedocs-hosted.com", HostKind.DOCUMENTATION),
    HostRule("docs.cloud.google.com", HostKind.DOCUMENTATION),
    HostRule("cloud.google.com", HostKind.DOCUMENTATION),
    HostRule("xllm.readthedocs.io", HostKind.DOCUMENTATION),
    HostRule("vllm-kunlun.readthedocs.io", HostKind.DOCUMENTATION),
    HostRule("www.hiascend.com", HostKind.DOCUMENTATION, 2.0),
    HostRule("developer.metax-tech.com", HostKind.DOCUMENTATION, 2.0),
    HostRule("docs.mthreads.com", HostKind.DOCUMENTATION, 2.0),
    HostRule("developer.sourcefind.cn", HostKind.DOCUMENTATION, 2.0),
    # Container registries and their token services.
    HostRule("ghcr.io", HostKind.REGISTRY, 0.5, obeys_robots=False),
    HostRule("auth.docker.io", HostKind.REGISTRY, 0.5, obeys_robots=False),
    HostRule("registry-1.docker.io", HostKind.REGISTRY, 0.5, obeys_robots=False),
    HostRule("hub.docker.com", HostKind.REGISTRY, obeys_robots=False),
    HostRule("quay.io", HostKind.REGISTRY, 0.5, obeys_robots=False),
    HostRule("nvcr.io", HostKind.REGISTRY, 0.5, obeys_robots=False),
    HostRule("pkg-containers.githubusercontent.com", HostKind.STORE, 0.5, obeys_robots=False),
    HostRule("production.cloudflare.docker.com", HostKind.STORE, 0.5, obeys_robots=False),
    HostRule("cdn01.quay.io", HostKind.STORE, 0.5, obeys_robots=False),
    HostRule("cdn02.quay.io", HostKind.STORE, 0.5, obeys_robots=False),
    HostRule("cdn03.quay.io", HostKind.STORE, 0.5, obeys_robots=False),
    # Model configurations.
    HostRule("huggingface.co", HostKind.MODELS, obeys_robots=False),
)
