"""What MindIE LLM's Chinese pages mean: colours, products with card counts, features, schemes."""

import re
from dataclasses import dataclass

from ingest.contract import StatementStatus
from ingest.sources.collecting import one_line
from ingest.sources.statuses import StatusTable
from matrix.domain.coordinates import NumberRange

SIGNS = StatusTable({"✅": StatementStatus.SUPPORTED, "❌": StatementStatus.UNSUPPORTED})
PAIR_SIGNS = StatusTable(
    {
        "✅": StatementStatus.SUPPORTED,
        "❌": StatementStatus.UNSUPPORTED,
        "❔": StatementStatus.UNKNOWN,
    }
)
# The state of a model is in the colour of its dot alone.
COLOURS = {
    "green": StatementStatus.VALIDATED,
    "#008000": StatementStatus.VALIDATED,
    "#ffa500": StatementStatus.PARTIAL,
    "orange": StatementStatus.PARTIAL,
}
FUNCTIONAL_ONLY = "works functionally; not fully validated"
PRODUCTS = {
    "atlas 800i a2": "ascend-atlas-800i-a2",
    "atlas 800i a3": "ascend-atlas-800i-a3",
    "atlas 300i duo": "ascend-atlas-300i-duo",
}
# Pages that name no product speak about the servers that every model page lists first.
SERVERS = ("ascend-atlas-800i-a2", "ascend-atlas-800i-a3")
EVERY_NPU = ("ascend",)
SCHEMES = {
    "w8a8": "int8-w8a8",
    "w4a8": "int8-w4a8",
    "w8a16": "int8-w8a16",
    "w8a8 量化": "int8-w8a8",
    "w4a8 混合量化": "int8-w4a8",
    "w8a16 量化": "int8-w8a16",
    "pd mix 量化": "int8-pd-mix",
    "fa3 量化": "kv-attention-quant",
    "kv cache int8": "kv-int8",
    "w8a8sc 稀疏量化": "int8-w8a8sc",
    "w16a16sc 稀疏量化": "w16a16sc",
    "w16a16sc 量化": "w16a16sc",
    "w4a16量化特性": "int4-w4a16",
}
KV_SCHEMES = frozenset({"kv-attention-quant", "kv-int8"})
FEATURES: dict[str, tuple[str, ...]] = {
    "atbgraph": ("atb-graph",),
    "aclgraph": ("acl-graph",),
    "lora": ("lora",),
    "multi-lora": ("multi-lora",),
    "moe": ("moe",),
    "mla": ("mla",),
    "负载均衡": ("eplb",),
    "共享专家外置": ("shared-expert-dp",),
    "离群值抑制": ("outlier-suppression",),
    "异步调度": ("async-scheduling",),
    "slo 调度优化": ("slo-scheduling",),
    "splitfuse": ("chunked-prefill",),
    "micro batch": ("micro-batch",),
    "并行解码": ("lookahead",),
    "kv cache 池化": ("kv-pool",),
    "function call": ("tool-calling",),
    "思考解析": ("reasoning-parser",),
    "权重离线切分": ("sharded-loading",),
}
# The matrices are headed "DeepSeek 模型" and "Qwen 模型"; these are the families of those names
# for which the pages list the features as validated.
FAMILIES = {
    "deepseek": ("deepseek-r1", "deepseek-v3", "deepseek-v3.1"),
    "qwen": ("qwen2.5", "qwen3", "qwen3-moe"),
}
# "负载均衡 (仅支持 Qwen-MoE)": expert load balancing is for the mixture-of-experts models.
MOE_ONLY = ("qwen3-moe",)

_PLACE = re.compile(r"^(Atlas [\w ]+?)\s*[：:]\s*(.+)$")
_REFUSED, _PENDING = "不支持", "待测试"
_COUNTS = re.compile(r"^((?:\d+/)*\d+)\s*卡?(\d+芯)?\s*(?:[（(]推荐(\d+)卡[）)])?$")


@dataclass(frozen=True, slots=True)
class Place:
    """One line of a hardware cell: "Atlas 800I A2：1/2/4卡（推荐2卡）"."""

    word: str
    said: str
    slug: str
    counts: tuple[int, ...] = ()
    advised: int | None = None
    refused: bool = False
    pending: bool = False

    @property
    def known(self) -> bool:
        """Whether the product and what is said of it are understood."""
        return bool(self.slug) and bool(self.counts or self.refused or self.pending)

    @property
    def note(self) -> str:
        """The card counts in words."""
        if not self.counts:
            return ""
        cards = " or ".join(filter(None, (", ".join(map(str, self.counts[:-1])),
                                          str(self.counts[-1]))))  # fmt: skip
        advised = f", {self.advised} advised" if self.advised else ""
        return f"on {cards} card{'s' if self.counts != (1,) else ''}{advised}"

    @property
    def range(self) -> NumberRange | None:
        """The least and most cards, where one card is not enough."""
        if not self.counts or min(self.counts) == 1:
            return None
        return NumberRange(minimum=min(self.counts), maximum=max(self.counts))


def read_places(text: str) -> list[Place]:
    """The lines of a hardware cell."""
    places = []
    for line in text.split("\n"):
        flat = one_line(line)
        if not flat:
            continue
        match = _PLACE.match(flat)
        if not match:
            places.append(Place(word=flat, said="", slug=""))
            continue
        word, said = match.group(1), match.group(2).strip()
        counts = _COUNTS.match(said)
        places.append(
            Place(
                word=word,
                said=said,
                slug=PRODUCTS.get(word.casefold(), ""),
                counts=tuple(int(n) for n in counts.group(1).split("/")) if counts else (),
                advised=int(counts.group(3)) if counts and counts.group(3) else None,
                refused=said == _REFUSED,
                pending=said == _PENDING,
            )
        )
    return places
