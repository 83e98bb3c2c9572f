"""The forms of checks: plain fields; what they hold is read and judged by ``checking``."""

from collections.abc import Mapping, Sequence

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from matrix.forms import initial_values, suggesting

Choices = Sequence[tuple[str, str | Promise]]
# Fields that people fill in rarely; they fold away while they are empty.
FOLDED = (
    "framework",
    "kv_dtype",
    "tensor_parallel",
    "ttft_ms",
    "tpot_ms",
    "e2el_ms",
    "share",
    "as_of",
)
ON_OVERVIEW = (
    "model",
    "quantization",
    "hardware",
    "count",
    "context_tokens",
    "concurrency",
    "framework",
)


class CheckForm(forms.Form):
    """What is asked of every framework."""

    model = forms.CharField(label=_("Model"), required=False)
    quantization = forms.CharField(label=_("Quantization"), required=False)
    hardware = forms.CharField(label=_("Hardware"), required=False)
    count = forms.CharField(label=_("Number of devices"), required=False)
    context_tokens = forms.CharField(label=_("Context (tokens)"), required=False)
    concurrency = forms.CharField(label=_("Sequences at a time"), required=False)
    feature = forms.CharField(label=_("Features"), required=False)
    framework = forms.ChoiceField(label=_("Framework"), required=False)
    kv_dtype = forms.CharField(label=_("KV-cache type"), required=False)
    tensor_parallel = forms.CharField(label=_("Tensor parallel"), required=False)
    ttft_ms = forms.CharField(label=_("First token within (ms)"), required=False)
    tpot_ms = forms.CharField(label=_("Each further token within (ms)"), required=False)
    e2el_ms = forms.CharField(label=_("Whole answer within (ms)"), required=False)
    share = forms.CharField(label=_("Share of requests within"), required=False)
    as_of = forms.CharField(
        label=_("As of"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )

    def __init__(
        self,
        *,
        frameworks: Choices,
        given: Mapping[str, Sequence[str]],
        auto_id: str = "id_%s",
    ) -> None:
        super().__init__(initial=initial_values(given), prefix=None, auto_id=auto_id)
        self.use_required_attribute = False
        self.fields["framework"].choices = [("", _("all")), *frameworks]  # type: ignore[attr-defined]
        placeholders = {
            "model": _("name, hub id or address"),
            "quantization": _("that of the checkpoint"),
            "hardware": _("any"),
            "feature": _("any; several with commas"),
            "kv_dtype": _("the framework's default"),
        }
        for name, text in placeholders.items():
            self.fields[name].widget = suggesting(name, placeholder=str(text))
        whole = {"count": "1", "context_tokens": "4096", "concurrency": "1", "tensor_parallel": ""}
        for name, usual in whole.items():
            attrs = {"inputmode": "numeric", "autocomplete": "off", "placeholder": usual}
            self.fields[name].widget = forms.TextInput(attrs)
        for name in ("ttft_ms", "tpot_ms", "e2el_ms", "share"):
            attrs = {"inputmode": "decimal", "autocomplete": "off"}
            self.fields[name].widget = forms.TextInput(attrs)
        self.fields["share"].widget.attrs["placeholder"] = "0.95"

    @property
    def overview_fields(self) -> list[forms.BoundField]:
        """The fields of the first page."""
        return [self[name] for name in ON_OVERVIEW]

    @property
    def plain_fields(self) -> list[forms.BoundField]:
        """The fields that are always shown."""
        return [field for field in self if field.name not in FOLDED]

    @property
    def folded_fields(self) -> list[forms.BoundField]:
        """The fields under "more"."""
        return [field for field in self if field.name in FOLDED]

    @property
    def is_unfolded(self) -> bool:
        """Whether a field under "more" holds anything but the filter of all frameworks."""
        return any(self.initial.get(name) for name in FOLDED)


class StackForm(forms.Form):
    """A lock file or an image, with the model and the hardware it is meant for."""

    requirements = forms.CharField(
        label=_("Requirements, lock file or output of pip freeze"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 10, "spellcheck": "false", "autocomplete": "off"}),
    )
    image = forms.CharField(label=_("Image"), required=False)
    model = forms.CharField(label=_("Model"), required=False)
    quantization = forms.CharField(label=_("Quantization"), required=False)
    hardware = forms.CharField(label=_("Hardware"), required=False)
    count = forms.CharField(label=_("Number of devices"), required=False)

    def __init__(self, *, given: Mapping[str, Sequence[str]]) -> None:
        super().__init__(initial=initial_values(given), prefix=None)
        self.use_required_attribute = False
        self.fields["image"].widget = forms.TextInput(
            {"placeholder": "vllm/vllm-openai:v0.11.0", "autocomplete": "off"}
        )
        for name in ("model", "quantization", "hardware"):
            self.fields[name].widget = suggesting(name, placeholder=str(_("any")))
        self.fields["count"].widget = forms.TextInput({"inputmode": "numeric", "placeholder": "1"})
