"""What hardware costs: the users' own dated prices, never edited."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class HardwarePrice(models.Model):
    """The price of an hour of a machine part, as somebody recorded it for a day on.

    **Units**: ``amount_per_hour`` in ``currency`` for ``device_count`` devices together.
    **Dates**: it holds from ``effective_on`` until a later price of the same kind does.
    """

    uid = models.CharField(_("identifier"), max_length=24, unique=True)
    hardware = models.CharField(_("hardware"), max_length=160)
    device_count = models.PositiveIntegerField(_("devices together"), default=1)
    amount_per_hour = models.DecimalField(_("price per hour"), max_digits=14, decimal_places=6)
    currency = models.CharField(_("currency"), max_length=3)
    provider = models.CharField(_("provider"), max_length=120, blank=True)
    terms = models.CharField(_("terms"), max_length=120, blank=True)
    effective_on = models.DateField(_("holds from"))
    url = models.URLField(_("address"), max_length=600, blank=True)
    note = models.TextField(_("note"), blank=True)
    is_demonstration = models.BooleanField(_("demonstration"), default=False)
    recorded_by = models.CharField(_("recorded by"), max_length=150)
    recorded_at = models.DateTimeField(_("recorded at"))
    withdrawn_at = models.DateTimeField(_("withdrawn at"), null=True, blank=True)
    withdrawn_by = models.CharField(_("withdrawn by"), max_length=150, blank=True)
    reason = models.TextField(_("reason of withdrawal"), blank=True)

    class Meta:
        ordering = ("hardware", "-effective_on", "-id")
        constraints = (
            models.CheckConstraint(
                condition=models.Q(amount_per_hour__gt=0), name="a_price_is_above_zero"
            ),
            models.CheckConstraint(
                condition=models.Q(device_count__gte=1), name="a_price_is_of_one_device_or_more"
            ),
            models.CheckConstraint(
                condition=models.Q(withdrawn_at__isnull=True) | ~models.Q(reason=""),
                name="a_withdrawn_price_has_a_reason",
            ),
        )
        indexes = (models.Index(fields=("hardware", "effective_on")),)
        verbose_name = _("hardware price")
        verbose_name_plural = _("hardware prices")

    def __str__(self) -> str:
        return f"{self.hardware} {self.amount_per_hour} {self.currency}"
