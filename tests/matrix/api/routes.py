"""Every route of the interface with an address that answers, found in the URL configuration."""

from collections.abc import Iterator

from django.urls import reverse
from django.urls.resolvers import URLPattern

from matrix.api.urls import urlpatterns

_WORDS = {
    "api-framework": {"slug": "vllm"},
    "api-backend": {"slug": "cuda"},
    "api-hardware-node": {"slug": "nvidia-t4"},
    "api-model": {"slug": "llama-3"},
    "api-quantization": {"slug": "awq"},
    "api-container": {"slug": "awq"},
    "api-feature": {"slug": "lora"},
    "api-release": {"framework": "vllm", "version": "0.6.0"},
    "api-alias": {"name": "Turing"},
    "api-hardware-price": {"uid": "t4-price"},
    "api-hardware-price-withdraw": {"uid": "t4-price"},
    "api-claim": {"uid": "turing"},
    "api-claim-supersede": {"uid": "turing"},
    "api-claim-withdraw": {"uid": "turing"},
    **{
        f"api-dossier{part}": {"uid": "frozen"}
        for part in ("", "-candidates", "-criteria", "-scores", "-waivers", "-freeze", "-versions",
                     "-sign-offs", "-comments", "-rechecks", "-export")
    },
    "api-dossier-candidate": {"uid": "frozen", "key": "1"},
    "api-dossier-criterion": {"uid": "frozen", "key": "1"},
}  # fmt: skip
_QUERIES = {
    "api-checks": "?model=meta--llama-3-8b&quantization=awq&hardware=nvidia-t4",
    "api-verdicts": "?framework=vllm",
    "api-changes": "?from=2025-01-01",
    "api-memory-estimates": "?model=meta--llama-3-8b&quantization=awq&hardware=nvidia-t4",
}


def routes() -> Iterator[URLPattern]:
    """All named routes; a route without a name would escape the tests, so there is none."""
    for route in urlpatterns:
        assert isinstance(route, URLPattern)
        assert route.name, route
        yield route


def names() -> list[str]:
    """The names of all routes."""
    return [str(route.name) for route in routes()]


def address(name: str, *, query: bool = True) -> str:
    """An address of the route that answers."""
    return reverse(name, kwargs=_WORDS.get(name)) + (_QUERIES.get(name, "") if query else "")


def methods(name: str) -> set[str]:
    """The methods that the route takes, but for OPTIONS and HEAD."""
    route = next(route for route in routes() if route.name == name)
    view = route.callback.view_class  # type: ignore[attr-defined]
    return {m.upper() for m in ("get", "post", "put", "patch", "delete") if hasattr(view, m)}


READABLE = [name for name in names() if "GET" in methods(name)]
WRITABLE = [name for name in names() if "POST" in methods(name)]
# Imports take lines and tables instead; their own tests send what they must refuse.
_LINES = ("api-claim-imports", "api-hardware-price-imports")
WRITABLE_AS_JSON = [name for name in WRITABLE if name not in _LINES]
# Their bodies have members that may all be left out.
ALL_OPTIONAL = ("api-dossier-versions", "api-dossier-rechecks")
