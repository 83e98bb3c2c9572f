"""What was sent: bytes under their digest, who sent them when, and what was made of each file."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from benchmarks_app.domain.levels import UploadState

_STATES = [(state.value, state.value) for state in UploadState]


class StoredFile(models.Model):
    """The bytes of one file under their SHA-256, kept as they came and never changed.

    They may hold prompts, names and keys, so that only curators may take them out again.
    """

    sha256 = models.CharField(_("SHA-256"), max_length=64, unique=True)
    size_bytes = models.PositiveBigIntegerField(_("size in bytes"))
    first_received_at = models.DateTimeField(_("first received at"))

    class Meta:
        ordering = ("-first_received_at", "sha256")
        verbose_name = _("stored file")
        verbose_name_plural = _("stored files")

    def __str__(self) -> str:
        return self.sha256[:12]


class StoredChunk(models.Model):
    """A piece of a file, so that none has to be held whole to be stored."""

    file = models.ForeignKey(
        StoredFile, verbose_name=_("file"), on_delete=models.CASCADE, related_name="chunks"
    )
    number = models.PositiveIntegerField(_("number"))
    body = models.BinaryField(_("bytes"))

    class Meta:
        ordering = ("file", "number")
        constraints = (
            models.UniqueConstraint(fields=("file", "number"), name="one_chunk_per_number"),
        )
        verbose_name = _("chunk")
        verbose_name_plural = _("chunks")

    def __str__(self) -> str:
        return f"{self.file_id}:{self.number}"


class Upload(models.Model):
    """One or more files sent together; the same set of bytes is the same upload.

    **Shapes**: ``digest`` is the SHA-256 of the sorted digests of the files; ``declared`` maps
    fact names to what the first sender typed; ``pasted`` is masked output of tools;
    ``error_facts`` are those of the error. **Dates**: all by this server's clock.
    """

    uid = models.CharField(_("identifier"), max_length=24, unique=True)
    digest = models.CharField(_("digest"), max_length=64, unique=True)
    state = models.CharField(_("state"), max_length=20, choices=_STATES)
    tool = models.CharField(_("tool chosen by hand"), max_length=60, blank=True)
    run_class = models.CharField(_("class of its runs"), max_length=20)
    declared = models.JSONField(_("declared facts"), default=dict, blank=True)
    pasted = models.TextField(_("pasted output"), blank=True)
    publish = models.BooleanField(_("publish when read"), default=False)
    received_by = models.CharField(_("received from"), max_length=150)
    received_at = models.DateTimeField(_("received at"))
    way = models.CharField(_("way"), max_length=20)
    read_at = models.DateTimeField(_("read at"), null=True, blank=True)
    files_read = models.PositiveIntegerField(_("files read so far"), default=0)
    run_count = models.PositiveIntegerField(_("number of runs"), default=0)
    error_code = models.CharField(_("error"), max_length=60, blank=True)
    error_facts = models.JSONField(_("facts of the error"), default=dict, blank=True)
    error_sentence = models.TextField(_("error in words"), blank=True)

    class Meta:
        ordering = ("-received_at", "-id")
        indexes = (models.Index(fields=("received_by", "-received_at")),)
        verbose_name = _("upload")
        verbose_name_plural = _("uploads")

    def __str__(self) -> str:
        return self.uid


class UploadFile(models.Model):
    """One file of an upload and what was read from it.

    **Shapes**: ``role`` is of ``FileRole``, blank until read; ``notices`` are objects with code,
    detail, pointer; ``unmapped`` maps places to verbatim values (texts masked when shown);
    ``withheld`` lists places whose content is kept in the bytes alone.
    """

    upload = models.ForeignKey(
        Upload, verbose_name=_("upload"), on_delete=models.CASCADE, related_name="files"
    )
    file = models.ForeignKey(
        StoredFile, verbose_name=_("file"), on_delete=models.PROTECT, related_name="uploads"
    )
    name = models.CharField(_("name"), max_length=400)
    role = models.CharField(_("role"), max_length=20, blank=True)
    format = models.CharField(_("format"), max_length=80, blank=True)
    tool = models.CharField(_("tool"), max_length=60, blank=True)
    reason = models.TextField(_("reason"), blank=True)
    error_code = models.CharField(_("error"), max_length=60, blank=True)
    notices = models.JSONField(_("notices"), default=list, blank=True)
    unmapped = models.JSONField(_("fields not understood"), default=dict, blank=True)
    withheld = models.JSONField(_("withheld places"), default=list, blank=True)

    class Meta:
        ordering = ("upload", "name", "id")
        constraints = (
            models.UniqueConstraint(fields=("upload", "file"), name="one_row_per_file_of_upload"),
        )
        verbose_name = _("file of an upload")
        verbose_name_plural = _("files of uploads")

    def __str__(self) -> str:
        return self.name


class Receipt(models.Model):
    """Every time that an upload was sent, by whoever; the second sender gets the same runs.

    **Shapes**: ``declared`` is what this sender typed, kept beside the first one's.
    """

    upload = models.ForeignKey(
        Upload, verbose_name=_("upload"), on_delete=models.CASCADE, related_name="receipts"
    )
    sent_by = models.CharField(_("sent by"), max_length=150)
    sent_at = models.DateTimeField(_("sent at"))
    declared = models.JSONField(_("declared facts"), default=dict, blank=True)

    class Meta:
        ordering = ("upload", "sent_at", "id")
        verbose_name = _("receipt")
        verbose_name_plural = _("receipts")

    def __str__(self) -> str:
        return f"{self.upload_id} {self.sent_by}"
