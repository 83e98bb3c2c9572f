"""The form above the features: the day, and a release of each framework."""

from collections.abc import Mapping, Sequence

from django import forms
from django.utils.translation import gettext as _

from matrix.forms import DayForm
from matrix.pages.features import FeatureColumn

VERSION_PREFIX = "version_"


class FeaturesForm(DayForm):
    """The day and the releases; what they hold is read and judged by the view."""

    def __init__(
        self, *, given: Mapping[str, Sequence[str]], columns: Sequence[FeatureColumn]
    ) -> None:
        super().__init__(given=given)
        for column in columns:
            name = f"{VERSION_PREFIX}{column.slug}"
            self.fields[name] = forms.CharField(
                label=_("Release of %(framework)s") % {"framework": column.name},
                required=False,
                initial=(given.get(name) or [""])[-1],
                widget=forms.TextInput(
                    {
                        "placeholder": _("newest stable"),
                        "autocomplete": "off",
                        "spellcheck": "false",
                    }
                ),
            )


def pinned_versions(given: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The release asked of each framework, blank ones left out."""
    return {
        name.removeprefix(VERSION_PREFIX): values[-1].strip()
        for name, values in given.items()
        if name.startswith(VERSION_PREFIX) and values and values[-1].strip()
    }
