"""Forms of the dashboard: plain GET fields; what they hold is read and judged by ``asking``."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django import forms
from django.urls import reverse_lazy
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from matrix.domain.catalogue import Catalogue
from matrix.grids import GRID_AXES, kinds_of
from matrix.pages.changes import CLOCK_WORDS
from matrix.pages.explorer_state import ANY_LEVEL, ExplorerState
from matrix.pages.words import AXIS_WORDS, kind_word

Choices = Sequence[tuple[str, str | Promise]]


def suggesting(axis: str, **attributes: str) -> forms.TextInput:
    """A text field whose known names are fetched when it is first entered."""
    attrs = {
        "list": f"suggest-{axis}",
        "autocomplete": "off",
        "spellcheck": "false",
        "hx-get": f"{reverse_lazy('suggestions')}?axis={axis}",
        "hx-trigger": "focus once",
        "hx-target": f"#suggest-{axis}",
        **attributes,
    }
    return forms.TextInput(attrs)


class QuestionForm(forms.Form):
    """The plain fields of a question; shown with what was asked, never validated by itself."""

    framework = forms.ChoiceField(label=_("Framework"), required=False)
    version = forms.CharField(label=_("Version"), required=False)
    model = forms.CharField(label=_("Model"), required=False)
    quantization = forms.CharField(label=_("Quantization"), required=False)
    hardware = forms.CharField(label=_("Hardware"), required=False)
    feature = forms.CharField(label=_("Features"), required=False)
    as_of = forms.CharField(
        label=_("As of"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )

    def __init__(self, *, frameworks: Choices, given: Mapping[str, Sequence[str]]) -> None:
        super().__init__(initial=initial_values(given), prefix=None)
        self.use_required_attribute = False
        self.fields["framework"].choices = frameworks  # type: ignore[attr-defined]
        version = suggesting("version", placeholder=str(_("newest stable")))
        version.attrs["hx-include"] = "closest form"
        version.attrs["hx-trigger"] = "focus"
        self.fields["version"].widget = version
        for name in ("model", "quantization", "hardware"):
            self.fields[name].widget = suggesting(name, placeholder=str(_("any")))
        several = str(_("any; several with commas"))
        self.fields["feature"].widget = suggesting("feature", placeholder=several)


class ExplorerForm(QuestionForm):
    """The explorer's axes, levels and pins."""

    rows = forms.ChoiceField(label=_("Rows"))
    rows_level = forms.ChoiceField(label=_("Level of rows"), required=False)
    columns = forms.ChoiceField(label=_("Columns"))
    columns_level = forms.ChoiceField(label=_("Level of columns"), required=False)
    backend = forms.CharField(label=_("Backend"), required=False)
    kv_dtype = forms.CharField(label=_("KV-cache type"), required=False)
    all = forms.BooleanField(label=_("All known, even if no claim names it"), required=False)
    filter = forms.CharField(
        label=_("Filter rows"), required=False, widget=forms.TextInput({"type": "search"})
    )

    def __init__(
        self,
        *,
        frameworks: Choices,
        given: Mapping[str, Sequence[str]],
        catalogue: Catalogue,
        state: ExplorerState | None = None,
    ) -> None:
        values = dict(given)
        if state is not None:
            shown = state.question.cell
            values |= {
                "rows": [state.rows],
                "columns": [state.columns],
                "rows_level": [state.rows_level],
                "columns_level": [state.columns_level],
                "framework": [shown.framework],
                "all": ["1"] if state.everything else [],
            }
        if state is not None and not state.question.cell.framework:
            frameworks = [("", _("all on the axis")), *frameworks]
        super().__init__(frameworks=frameworks, given=values)
        axes = [(axis, AXIS_WORDS[axis]) for axis in GRID_AXES]
        for name in ("rows", "columns"):
            self.fields[name].choices = axes  # type: ignore[attr-defined]
            axis = (values.get(name) or [""])[-1]
            kinds = kinds_of(catalogue, axis) if axis in GRID_AXES else ()
            levels = [(ANY_LEVEL, _("any level")), *((kind, kind_word(kind)) for kind in kinds)]
            self.fields[f"{name}_level"].choices = levels  # type: ignore[attr-defined]
        self.fields["all"].widget.attrs["value"] = "1"
        for name in ("backend", "kv_dtype"):
            self.fields[name].widget = suggesting(name, placeholder=str(_("any")))


class DayForm(forms.Form):
    """The day on which a page is read."""

    as_of = forms.CharField(
        label=_("On day"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
    )

    def __init__(self, *, given: Mapping[str, Sequence[str]]) -> None:
        super().__init__(initial=initial_values(given))
        self.use_required_attribute = False


class ReleaseDifferenceForm(forms.Form):
    """Two releases of one framework."""

    before = forms.CharField(label=_("From release"), required=False)
    after = forms.CharField(label=_("To release"), required=False)

    def __init__(self, *, given: Mapping[str, Sequence[str]], framework: str) -> None:
        super().__init__(initial=initial_values(given))
        self.use_required_attribute = False
        for name in ("before", "after"):
            widget = suggesting("version")
            widget.attrs["hx-get"] += f"&framework={framework}"
            self.fields[name].widget = widget


class ChangesForm(forms.Form):
    """Two days, a framework and a clock."""

    def __init__(
        self,
        *,
        frameworks: Choices,
        sources: Iterable[str],
        given: Mapping[str, Sequence[str]],
    ) -> None:
        super().__init__(initial=initial_values(given))
        self.use_required_attribute = False
        day = {"type": "date"}
        # "from" is no name that a class body could hold.
        self.fields["from"] = forms.CharField(label=_("After"), widget=forms.DateInput(day))
        self.fields["to"] = forms.CharField(label=_("Up to"), widget=forms.DateInput(day))
        self.fields["framework"] = forms.ChoiceField(
            label=_("Framework"), choices=[("", _("all")), *frameworks]
        )
        self.fields["clock"] = forms.ChoiceField(
            label=_("Dated by"),
            choices=[(clock.value, word) for clock, word in CLOCK_WORDS.items()],
        )
        self.fields["source"] = forms.ChoiceField(
            label=_("Source"),
            choices=[("", _("all")), *((source, source) for source in sources)],
        )


def initial_values(given: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """The values that fields show; several values of one field are joined by commas."""
    return {name: ", ".join(value for value in values if value) for name, values in given.items()}
