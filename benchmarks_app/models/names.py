"""Names in runs that no catalogue node carries yet, waiting for somebody to say what they mean."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class UnknownName(models.Model):
    """A name of one axis as runs state it; decided once, then every run with it is resolved.

    ``slug`` is the node that it means; ``no_node`` says that it means none of the catalogue.
    """

    axis = models.CharField(_("axis"), max_length=20)
    name = models.CharField(_("name"), max_length=300)
    first_seen_at = models.DateTimeField(_("first seen at"))
    slug = models.CharField(_("node"), max_length=160, blank=True)
    no_node = models.BooleanField(_("means no node"), default=False)
    decided_by = models.CharField(_("decided by"), max_length=150, blank=True)
    decided_at = models.DateTimeField(_("decided at"), null=True, blank=True)

    class Meta:
        ordering = ("axis", "name")
        constraints = (
            models.UniqueConstraint(fields=("axis", "name"), name="one_row_per_axis_and_name"),
        )
        verbose_name = _("unknown name")
        verbose_name_plural = _("unknown names")

    def __str__(self) -> str:
        return self.name
