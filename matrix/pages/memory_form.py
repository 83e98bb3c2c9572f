"""The form of the memory page: plain fields, judged by ``memory_asking``."""

from collections.abc import Mapping, Sequence

from django import forms
from django.utils.translation import gettext_lazy as _

from matrix.forms import Choices, initial_values, suggesting


def _number(placeholder: str = "") -> forms.NumberInput:
    return forms.NumberInput({"min": "1", "step": "1", "placeholder": placeholder})


class MemoryForm(forms.Form):
    """What is asked; shown with what was asked, never validated by itself."""

    model = forms.CharField(label=_("Model"), required=False)
    quantization = forms.CharField(label=_("Quantization"), required=False)
    framework = forms.ChoiceField(label=_("Framework"), required=False)
    version = forms.CharField(label=_("Version"), required=False)
    hardware = forms.CharField(label=_("Hardware"), required=False)
    count = forms.CharField(label=_("Devices"), required=False, widget=_number("1"))
    context_tokens = forms.CharField(
        label=_("Context in tokens"), required=False, widget=_number("4096")
    )
    sequences = forms.CharField(label=_("Sequences at once"), required=False, widget=_number("1"))
    kv_dtype = forms.CharField(label=_("KV-cache type"), required=False)

    def __init__(self, *, frameworks: Choices, given: Mapping[str, Sequence[str]]) -> None:
        super().__init__(initial=initial_values(given), prefix=None)
        self.use_required_attribute = False
        none = [("", _("any"))]
        self.fields["framework"].choices = [*none, *frameworks]  # type: ignore[attr-defined]
        version = suggesting("version", placeholder=str(_("newest stable")))
        version.attrs["hx-include"] = "closest form"
        version.attrs["hx-trigger"] = "focus"
        self.fields["version"].widget = version
        for name, hint in (
            ("model", "Qwen/Qwen3-32B"),
            ("quantization", str(_("as published"))),
            ("hardware", "NVIDIA T4"),
            ("kv_dtype", str(_("the engine's default"))),
        ):
            self.fields[name].widget = suggesting(name, placeholder=hint)


class ModelFileForm(MemoryForm):
    """The same with a model file in place of a published model."""

    config = forms.CharField(
        label=_("config.json of the model"), required=False, widget=forms.Textarea({"rows": 8})
    )
    gguf_head = forms.FileField(
        label=_("or the first bytes of a GGUF file"),
        required=False,
        help_text=_("At most 16 MiB are read; nothing is stored."),
    )

    def __init__(self, *, frameworks: Choices, given: Mapping[str, Sequence[str]]) -> None:
        super().__init__(frameworks=frameworks, given=given)
        self.fields["model"].label = _("Name of the model")
        # Two forms stand on one page; their fields are told apart by their identifiers.
        self.auto_id = "file_%s"
