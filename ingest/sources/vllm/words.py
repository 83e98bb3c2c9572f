"""What vLLM's page words mean as catalogue slugs, where the pages themselves fix the meaning."""

import re

# Compute capabilities per NVIDIA architecture, oldest first. A floor or a range on a page is
# turned into members of this list, never into "greater or equal" over future architectures.
NVIDIA_ARCHITECTURES: tuple[tuple[str, str, float], ...] = (
    ("nvidia-kepler", "nvidia-sm-35", 3.5),
    ("nvidia-kepler", "nvidia-sm-37", 3.7),
    ("nvidia-maxwell", "nvidia-sm-50", 5.0),
    ("nvidia-maxwell", "nvidia-sm-52", 5.2),
    ("nvidia-maxwell", "nvidia-sm-53", 5.3),
    ("nvidia-pascal", "nvidia-sm-60", 6.0),
    ("nvidia-pascal", "nvidia-sm-61", 6.1),
    ("nvidia-pascal", "nvidia-sm-62", 6.2),
    ("nvidia-volta", "nvidia-sm-70", 7.0),
    ("nvidia-volta", "nvidia-sm-72", 7.2),
    ("nvidia-turing", "nvidia-sm-75", 7.5),
    ("nvidia-ampere", "nvidia-sm-80", 8.0),
    ("nvidia-ampere", "nvidia-sm-86", 8.6),
    ("nvidia-ampere", "nvidia-sm-87", 8.7),
    ("nvidia-ada", "nvidia-sm-89", 8.9),
    ("nvidia-hopper", "nvidia-sm-90", 9.0),
    ("nvidia-blackwell", "nvidia-sm-100", 10.0),
    ("nvidia-blackwell", "nvidia-sm-103", 10.3),
    ("nvidia-blackwell", "nvidia-sm-110", 11.0),
    ("nvidia-blackwell", "nvidia-sm-120", 12.0),
    ("nvidia-blackwell", "nvidia-sm-121", 12.1),
)

NVIDIA_FAMILY_WORDS: dict[str, str] = {
    "volta": "nvidia-volta",
    "turing": "nvidia-turing",
    "ampere": "nvidia-ampere",
    "ada": "nvidia-ada",
    "ada lovelace": "nvidia-ada",
    "hopper": "nvidia-hopper",
    "blackwell": "nvidia-blackwell",
}

# The devices that the installation pages name as examples, and the family each stands for. A
# B200 stands for its own architecture only: other Blackwell parts have other capabilities.
NVIDIA_EXAMPLE_DEVICES: dict[str, str] = {
    "v100": "nvidia-volta",
    "t4": "nvidia-turing",
    "rtx20xx": "nvidia-turing",
    "a100": "nvidia-ampere",
    "l4": "nvidia-ada",
    "h100": "nvidia-hopper",
    "b200": "nvidia-sm-100",
}

# Column labels of the quantization and feature matrices.
HARDWARE_COLUMNS: dict[str, str] = {
    **NVIDIA_FAMILY_WORDS,
    "nvidia": "nvidia",
    "amd": "amd",
    "amd gpu": "amd",
    "intel gpu": "intel",
    "intel gaudi": "intel-gaudi",
    "x86 cpu": "cpu-x86",
    "arm cpu": "cpu-arm",
    "cpu": "cpu",
    "aws inferentia": "aws-neuron",
    "aws neuron": "aws-neuron",
    "google tpu": "google-tpu",
    "tpu": "google-tpu",
}

# "Intel Arc" beside data-centre GPUs means cards; the graphics inside a CPU bear the name too.
INSIDE_CPUS = frozenset({"intel-arc-arrow-lake", "intel-arc-lunar-lake", "intel-arc-meteor-lake"})
# A vendor's name on a page never means the generations that no installation page of vLLM has ever
# listed, and "TPU" means the versions that its TPU pages listed.
NEVER_LISTED: dict[str, frozenset[str]] = {
    "nvidia": frozenset({"nvidia-kepler", "nvidia-maxwell", "nvidia-pascal"}),
    "amd": frozenset(
        {"amd-cdna1", "amd-gcn4", "amd-gcn5", "amd-rdna1", "amd-rdna2"}
        | {"amd-gfx1102", "amd-gfx1103"}
    ),
    "intel": frozenset({"intel-gen9", "intel-xe-lp", "intel-xe3"}) | INSIDE_CPUS,
    "google-tpu": frozenset({"google-tpu-v3", "google-tpu-v7x"}),
}
# The AMD generations whose matrix units compute FP8.
AMD_WITH_FP8 = ("amd-cdna3", "amd-cdna4", "amd-rdna4")

FEATURE_WORDS: dict[str, tuple[str, ...]] = {
    "cp": ("chunked-prefill",),
    "apc": ("prefix-caching",),
    "lora": ("lora",),
    "prmpt adptr": ("prompt-adapter",),
    "sd": ("speculative-decoding",),
    "cuda graph": ("cuda-graphs",),
    "pooling": ("pooling",),
    "enc-dec": ("encoder-decoder",),
    "logp": ("logprobs",),
    "prmpt logp": ("prompt-logprobs",),
    "async output": ("async-output",),
    "multi-step": ("multi-step",),
    "mm": ("multimodal",),
    "best-of": ("best-of",),
    "beam-search": ("beam-search",),
    "guided dec": ("structured-output",),
    "prompt-embeds": ("prompt-embeds",),
    "prefix caching": ("prefix-caching",),
    "chunked prefill": ("chunked-prefill",),
    "logprobs calculation": ("logprobs",),
    "multimodal models": ("multimodal",),
    "embedding models": ("embeddings",),
    "pooling models": ("pooling",),
    "encoder-decoder models": ("encoder-decoder",),
    "decoder-only models": ("decoder-only",),
    "mamba models": ("hybrid-ssm",),
    "spec decode": ("speculative-decoding",),
    "prompt logprobs with prefix caching": ("prompt-logprobs", "prefix-caching"),
    "structured output alternative backends": ("structured-output-backends",),
    "request-level structured output backend": ("structured-output-request-backend",),
    "best_of": ("best-of",),
    "per-request logits processors": ("logits-processors",),
    "gpu <> cpu kv cache swapping": ("cpu-kv-swap",),
    "concurrent partial prefills": ("concurrent-partial-prefills",),
}


def fold(text: str) -> str:
    """The text as words are looked up: lower case, single blanks."""
    return " ".join(text.split()).lower()


def families_below(floor: float) -> tuple[str, ...]:
    """NVIDIA families that lie wholly below a compute capability, oldest first.

    **Units**: ``floor`` is a compute capability such as 7.5.
    """
    tops: dict[str, float] = {}
    for family, _, capability in NVIDIA_ARCHITECTURES:
        tops[family] = max(capability, tops.get(family, 0.0))
    return tuple(family for family, top in tops.items() if top < floor)


def nodes_in_capabilities(wanted: set[str]) -> frozenset[str]:
    """Families that are wholly among the wanted architectures, else the architectures alone."""
    members: dict[str, set[str]] = {}
    for family, node, _ in NVIDIA_ARCHITECTURES:
        members.setdefault(family, set()).add(node)
    nodes: set[str] = set()
    for family, own in members.items():
        nodes |= {family} if own <= wanted else own & wanted
    return frozenset(nodes)


_SPAN = re.compile(r"(\d+)\.(x|\d+)(?:-(\d+)\.(x|\d+))?")


def architectures_in_range(text: str) -> set[str] | None:
    """The NVIDIA architectures of a range such as ``≥8.0``, ``9.x-10.x``, ``10.x, 12.x``, ``9.0``.

    ``None`` for words that are no range (``Any``, ``N/A``) or that are not understood.
    """
    nodes: set[str] = set()
    for part in text.replace(" ", "").split(","):
        if part[:1] in {"≥", ">"}:
            floor = _number(part.lstrip("≥>="))
            if floor is None:
                return None
            nodes |= {node for _, node, value in NVIDIA_ARCHITECTURES if value >= floor}
            continue
        match = _SPAN.fullmatch(part)
        if match is None:
            return None
        low, high = _bounds(match)
        nodes |= {node for _, node, value in NVIDIA_ARCHITECTURES if low <= value <= high}
    return nodes


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\d+(?:\.\d+)?", text) else None


def _bounds(match: re.Match[str]) -> tuple[float, float]:
    major, minor, last_major, last_minor = match.groups()
    low = float(f"{major}.{'0' if minor == 'x' else minor}")
    if last_major is None:
        last_major, last_minor = major, minor
    high = float(f"{last_major}.{'9' if last_minor == 'x' else last_minor}")
    return low, high
