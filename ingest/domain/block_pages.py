"""Pages that stand in the place of a page: challenges, sign-in forms, refusals, empty shells.

They come with status 200 and the right type, so only their text tells. All of them are short, and
documentation may quote any of these words; so a page with much visible text is never one of them.
"""

import re
from dataclasses import dataclass

# Far more than any such page says, far less than a page of documentation.
MOST_VISIBLE_CHARACTERS = 3_000
MOST_CHARACTERS = 400_000
_HIDDEN = ("script", "style", "template", "svg")


@dataclass(frozen=True, slots=True)
class _Sign:
    """A kind of page, and the words of which one must stand in its markup, title or text."""

    name: str
    markup: tuple[str, ...] = ()
    title: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    most_visible: int = MOST_VISIBLE_CHARACTERS


_SIGNS = (
    _Sign(
        "a browser check",
        markup=(
            "_cf_chl_opt",
            'id="challenge-form"',
            'id="anubis_challenge"',
            "_incapsula_resource",
            "awswafcookiedomainlist",
            "captcha-delivery.com",
            "acw_sc__v2",
            "aliyun_waf",
        ),
        title=("just a moment", "ddos-guard", "security check", "安全验证", "访问验证"),
        text=(
            "checking your browser before",
            "checking if the site connection is secure",
            "verify you are human",
            "verifying you are human",
            "making sure you're not a bot",
            "making sure you&#39;re not a bot",
            "unusual traffic from your computer network",
        ),
    ),
    _Sign(
        "a captcha",
        markup=(
            'class="g-recaptcha',
            'class="h-captcha',
            'class="cf-turnstile',
            'id="px-captcha',
        ),
        title=("captcha", "are you a robot", "robot or human"),
        text=("请完成验证", "拖动滑块", "请输入验证码"),
    ),
    _Sign(
        "a sign-in form",
        markup=('type="password"', "type='password'", "type=password"),
    ),
    _Sign(
        "a refusal",
        markup=("errors.edgesuite.net",),
        title=("access denied", "attention required", "403 forbidden", "访问被拒绝", "访问受限"),
    ),
    _Sign(
        "a notice that the page does not exist",
        title=("404", "page not found", "not found"),
        most_visible=1_500,
    ),
    _Sign(
        "a shell that only a browser fills",
        text=("enable javascript", "requires javascript", "javascript is disabled"),
        most_visible=300,
    ),
)


def blocked_by(text: str) -> str | None:
    """Returns what kind of page stands in the page's place ("a captcha"), None for a real page.

    **Shapes**: ``text`` is a whole page; what holds no markup is never one of these.
    """
    lower = text[: MOST_CHARACTERS + 1].lower()
    if len(lower) > MOST_CHARACTERS or not _is_markup(lower):
        return None
    visible = _show(lower)
    match = re.search(r"<title[^<>]{0,200}>([^<]{0,300})", lower)
    title = match[1].strip() if match else ""
    for sign in _SIGNS:
        if len(visible) <= sign.most_visible and (
            any(word in lower for word in sign.markup)
            or title.startswith(sign.title)
            or any(word in visible for word in sign.text)
        ):
            return sign.name
    return None


def _is_markup(lower: str) -> bool:
    start = lower[:2_000].lstrip("\ufeff \t\r\n")
    return start.startswith(("<!doctype", "<html", "<head", "<?xml", "<!--")) or "<html" in start


def _show(lower: str) -> str:
    """Returns the text between the tags with single blanks; one pass, whatever the markup."""
    parts: list[str] = []
    place = 0
    while (start := lower.find("<", place)) >= 0:
        parts.append(lower[place:start])
        name = next((name for name in _HIDDEN if lower.startswith(name, start + 1)), None)
        end = lower.find(f"</{name}", start) if name else lower.find(">", start)
        if end < 0:
            break
        place = end + 1
    else:
        parts.append(lower[place:])
    return " ".join(" ".join(parts).split())
