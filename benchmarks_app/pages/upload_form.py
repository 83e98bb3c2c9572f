"""The form on which people send result files, and the one on which they state where they ran."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from benchmarks_app.domain.levels import RunClass
from benchmarks_app.pages.declared import read_lines, tool_names
from benchmarks_app.pages.words import CLASS_SIGNS
from benchmarks_app.services.environment import read_environment_json
from matrix.domain.errors import InvalidValue
from matrix.domain.phrases import Phrase
from matrix.pages.translated import in_words

LONGEST_ENVIRONMENT_BYTES = 2**20
LONGEST_PASTED = 400_000
LONGEST_LINES = 20_000
LONGEST_REASON = 2_000


class SeveralFiles(forms.ClearableFileInput):
    """A field that takes several files; with ``webkitdirectory`` a folder."""

    allow_multiple_selected = True


class FilesField(forms.FileField):
    """All files of a field; an empty one among them is kept, its importer says what it is."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, allow_empty_file=True, **kwargs)

    def clean(self, data: Any, initial: Any = None) -> Any:
        """The list of files."""
        return [super(FilesField, self).clean(one, initial) for one in data or () if one]


def _area(label: Any, *, rows: int, longest: int, help_text: Any = "") -> forms.CharField:
    widget = forms.Textarea({"rows": rows, "spellcheck": "false", "autocomplete": "off"})
    return forms.CharField(
        label=label, required=False, help_text=help_text, widget=widget, max_length=longest
    )


class EnvironmentForm(forms.Form):
    """What people know of the environment: a file, output of tools, lines of names and values."""

    environment = forms.FileField(
        label=_("Environment file"),
        required=False,
        help_text=_("JSON with the keys listed below"),
        widget=forms.FileInput({"accept": ".json,application/json"}),
    )
    pasted = _area(
        _("Output of tools"), rows=5, longest=LONGEST_PASTED,
        help_text=_("nvidia-smi -q, rocm-smi, npu-smi info, docker inspect, lscpu, pip freeze …"),
    )  # fmt: skip
    declared = _area(
        _("Further facts"), rows=3, longest=LONGEST_LINES,
        help_text=_("one a line: name = value, such as framework.commit = 1a2b3c4"),
    )  # fmt: skip

    def stated(self) -> dict[str, object]:
        """The facts of the file and of the lines. **Raises**: ``InvalidValue``."""
        facts: dict[str, object] = {}
        file = self.cleaned_data.get("environment")
        if file is not None:
            facts |= environment_facts(text_of(file))
        return facts | read_lines(self.cleaned_data.get("declared", ""))


class UploadForm(EnvironmentForm):
    """Result files with what their sender says of them."""

    results = FilesField(
        label=_("Files"),
        required=False,
        help_text=_("one or several, also a .zip or .gz"),
        widget=SeveralFiles({"multiple": True}),
    )
    folder = FilesField(
        label=_("Or a folder"),
        required=False,
        help_text=_("files that lie beside each other are read together"),
        widget=SeveralFiles({"multiple": True, "webkitdirectory": True}),
    )
    tool = forms.ChoiceField(
        label=_("Tool"),
        required=False,
        help_text=_("found out from the content; choose one only to insist on it"),
    )
    run_class = forms.ChoiceField(
        label=_("What the files are"),
        required=False,
        choices=[(one.value, CLASS_SIGNS[one].word) for one in RunClass],
        initial=RunClass.MEASURED.value,
        help_text=_(
            "published: numbers of a page, not of a file; demonstration: a stand-in or a toy, which"
            " says nothing about speed"
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.use_required_attribute = False
        tools = [(tool, tool) for tool in tool_names()]
        self.fields["tool"].choices = [  # type: ignore[attr-defined]
            ("", _("automatic")), *tools,
        ]  # fmt: skip

    def clean(self) -> dict[str, Any]:
        """The checked values; an upload holds at least one file."""
        values: dict[str, Any] = super().clean() or {}
        if not values.get("results") and not values.get("folder") and not self.errors:
            self.add_error("results", _("Choose one or more files."))
        return values

    def sent_files(self, paths: Sequence[str] = ()) -> list[tuple[str, Any]]:
        """Name and file of each; ``paths`` are their places in the chosen folder, where known."""
        files = [*self.cleaned_data["results"], *self.cleaned_data["folder"]]
        if len(paths) != len(files):
            return [(file.name or "upload", file) for file in files]
        return [(path or file.name, file) for path, file in zip(paths, files, strict=True)]


class ReasonForm(forms.Form):
    """Why something published is taken back or corrected."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_REASON,
        widget=forms.Textarea({"rows": 3}),
        help_text=_("shown with the run from now on"),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.use_required_attribute = False


def text_of(file: Any) -> str:
    """The text of a small file. **Raises**: ``InvalidValue``."""
    data: bytes = file.read(LONGEST_ENVIRONMENT_BYTES + 1)
    if len(data) > LONGEST_ENVIRONMENT_BYTES:
        raise InvalidValue(
            name="environment",
            value=f"{file.size} bytes",
            accepted=Phrase(
                "up to {longest_environment_bytes} bytes",
                longest_environment_bytes=LONGEST_ENVIRONMENT_BYTES,
            ),
        )
    return data.decode("utf-8-sig", "replace")


def environment_facts(text: str) -> Mapping[str, object]:
    """The facts of an environment file. **Raises**: ``InvalidValue`` for keys that are none."""
    if not text.strip():
        return {}
    facts, unknown = read_environment_json(text)
    if unknown:
        raise InvalidValue(
            name="environment", value=", ".join(unknown)[:120],
            accepted=Phrase("the names of facts, such as accelerator.driver or framework.commit"),
        )  # fmt: skip
    return facts


def show_problem(form: forms.Form, error: Exception, *, fields: Iterable[str]) -> None:
    """Puts an error beside the field that it names, else above the form."""
    named = str(getattr(error, "facts", {}).get("parameter", ""))
    form.add_error(named if named in set(fields) else None, in_words(str(error)))


CHOOSE_WORDS: Mapping[str, Promise] = {
    "sending": _("Sending"),
    "sent": _("Sent; the files are being read"),
    "failed": _("The upload failed. Check the connection and send it again."),
    "cancelled": _("Cancelled. Nothing was kept."),
}
