"""Parts what nobody may see from what stays verbatim: keys, addresses, machines, people, prompts.

Values that an importer does not map are kept as they stand; this walks them once and takes out
the leaves whose name says that they identify someone or quote what was sent and answered.
"""

import re
from collections.abc import Iterable, Mapping

# The words around decide: "num_tokens" is a count, "token" is a key to something.
_PRIVATE = re.compile(
    r"(?i)(?:.*[_-])?(?:api[_-]?keys?|access[_-]?key|secret|password|passwd|credentials?|"
    r"auth(?:orization)?|headers?|cookies?|host(?:name)?|base_url|url|urls|uri|endpoint|endpoints|"
    r"target_url|namespace|node|node_name|pod|pod_name|user|user_?name|email|"
    r"key_path|cert_path|prompts?|messages?|generated_texts?|gen_text|error_msg|traceback|"
    r"request_data|response_data|response_chunks|reported_error)"
)
_TOKEN = re.compile(r"(?i)token|.*[_-](?:hf|hub|auth|access|bearer|session)_token|hf_token")
_ADDRESS = re.compile(r"(?i)\s*[a-z][a-z0-9+.-]*://")
_PUBLIC_NAMES = frozenset({"num_prompts", "max_prompts", "per_node", "number_of_nodes"})


def is_private(name: str, value: object) -> bool:
    """Whether a field of this name with this value is withheld; numbers and flags never are."""
    if value is None or isinstance(value, (bool, int, float)) or value in ("", [], {}):
        return False
    if name in _PUBLIC_NAMES:
        return False
    if isinstance(value, str) and _ADDRESS.match(value) and not value.startswith("file:"):
        return True
    return bool(_PRIVATE.fullmatch(name) or _TOKEN.fullmatch(name))


def part_private(
    rest: Mapping[str, object], extra: Iterable[str] = ()
) -> tuple[dict[str, object], tuple[str, ...]]:
    """The values by place without private leaves, and the places of those.

    ``extra`` are further field names that are private in the tool's files.
    """
    names = frozenset(extra)
    kept: dict[str, object] = {}
    withheld: list[str] = []
    for place, value in rest.items():
        name = place.rpartition(".")[2]
        if name in names or is_private(name, value):
            withheld.append(place)
        else:
            kept[place] = _without(value, place, names, withheld)
    return kept, tuple(withheld)


def _without(value: object, place: str, names: frozenset[str], withheld: list[str]) -> object:
    if isinstance(value, dict):
        kept = {}
        for name, inner in value.items():
            where = f"{place}.{name}"
            if (name in names and inner not in (None, "")) or is_private(str(name), inner):
                withheld.append(where)
            else:
                kept[name] = _without(inner, where, names, withheld)
        return kept
    if isinstance(value, list) and any(isinstance(one, (dict, list)) for one in value):
        return [_without(one, f"{place}[{i}]", names, withheld) for i, one in enumerate(value)]
    return value
