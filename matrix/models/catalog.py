"""Catalogue rows: slowly changing, each with slug, names, place in its tree, facts and source."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class CatalogSource(models.Model):
    """Where catalogue rows come from."""

    key = models.CharField(_("key"), max_length=120, unique=True)
    title = models.CharField(_("title"), max_length=300)
    url = models.URLField(_("address"), max_length=600, blank=True)
    version = models.CharField(_("version"), max_length=80, blank=True)
    commit = models.CharField(_("commit"), max_length=64, blank=True)
    read_on = models.DateField(_("read on"), null=True, blank=True)

    class Meta:
        ordering = ("key",)
        verbose_name = _("catalogue source")
        verbose_name_plural = _("catalogue sources")

    def __str__(self) -> str:
        return self.title


class CatalogNode(models.Model):
    """The common columns of all catalogue trees."""

    slug = models.CharField(_("slug"), max_length=160, unique=True)
    name = models.CharField(_("name"), max_length=200)
    kind = models.CharField(
        _("kind"), max_length=40, help_text=_("Level in the tree, such as vendor or device.")
    )
    parent = models.ForeignKey(
        "self",
        verbose_name=_("parent"),
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="children",
    )
    aliases = models.JSONField(_("other names"), default=list, blank=True)
    moved = models.JSONField(_("former names"), default=list, blank=True)
    facts = models.JSONField(
        _("facts"), default=dict, blank=True, help_text=_("Each number has its unit in its key.")
    )
    source_keys = models.JSONField(_("sources"), default=list, blank=True)

    class Meta:
        abstract = True
        ordering = ("slug",)

    def __str__(self) -> str:
        return self.name


class Framework(CatalogNode):
    """An inference framework, plug-in or fork."""

    class Meta(CatalogNode.Meta):
        verbose_name = _("framework")
        verbose_name_plural = _("frameworks")


class Backend(CatalogNode):
    """A compute back end inside a framework."""

    class Meta(CatalogNode.Meta):
        verbose_name = _("backend")
        verbose_name_plural = _("backends")


class Hardware(CatalogNode):
    """A vendor, architecture family, architecture or device."""

    class Meta(CatalogNode.Meta):
        verbose_name = _("hardware")
        verbose_name_plural = _("hardware")


class LanguageModel(CatalogNode):
    """An architecture class, model family or checkpoint."""

    class Meta(CatalogNode.Meta):
        verbose_name = _("model")
        verbose_name_plural = _("models")


class Quantization(CatalogNode):
    """A quantization family or scheme."""

    class Meta(CatalogNode.Meta):
        verbose_name = _("quantization")
        verbose_name_plural = _("quantizations")


class Container(CatalogNode):
    """A checkpoint container that carries a scheme."""

    class Meta(CatalogNode.Meta):
        verbose_name = _("container")
        verbose_name_plural = _("containers")


class Feature(CatalogNode):
    """A feature or feature group."""

    class Meta(CatalogNode.Meta):
        verbose_name = _("feature")
        verbose_name_plural = _("features")


class SplitName(models.Model):
    """A word that covers several nodes of an area, or means one of several."""

    area = models.CharField(_("area"), max_length=20)
    name = models.CharField(_("name"), max_length=200)
    nodes = models.JSONField(_("nodes"), default=list)
    covers_all = models.BooleanField(
        _("covers all"), default=True, help_text=_("Off: the word means one of the nodes.")
    )

    class Meta:
        ordering = ("area", "name")
        constraints = (models.UniqueConstraint(fields=("area", "name"), name="one_split_per_word"),)
        verbose_name = _("split name")
        verbose_name_plural = _("split names")

    def __str__(self) -> str:
        return self.name


class CuratedAlias(models.Model):
    """A word of a source that a curator mapped to a node; it outlives every load of the catalogue.

    Loading the shipped catalogue overwrites the names of its nodes and then adds these again.
    """

    area = models.CharField(_("area"), max_length=20)
    word = models.CharField(_("word"), max_length=200)
    slug = models.CharField(_("node"), max_length=160)
    kind = models.CharField(_("kind"), max_length=20, default="curated")
    reason = models.TextField(_("reason"), blank=True)
    actor = models.CharField(_("actor"), max_length=150)
    recorded_at = models.DateTimeField(_("recorded at"))

    class Meta:
        ordering = ("area", "word")
        constraints = (
            models.UniqueConstraint(fields=("area", "word"), name="one_curated_alias_per_word"),
        )
        verbose_name = _("curated alias")
        verbose_name_plural = _("curated aliases")

    def __str__(self) -> str:
        return f"{self.area} {self.word} → {self.slug}"


class CuratedFacts(models.Model):
    """Facts of a node that a model hub states; they outlive every load of the catalogue.

    What contradicts the node's facts is kept only after a curator accepted it.
    """

    area = models.CharField(_("area"), max_length=20)
    slug = models.CharField(_("node"), max_length=160)
    facts = models.JSONField(_("facts"), default=dict)
    url = models.URLField(_("address"), max_length=600, blank=True)
    revision = models.CharField(_("revision"), max_length=64, blank=True)
    snapshot_sha256 = models.CharField(_("snapshot"), max_length=64, blank=True)
    actor = models.CharField(_("actor"), max_length=150)
    recorded_at = models.DateTimeField(_("recorded at"))

    class Meta:
        ordering = ("area", "slug")
        constraints = (
            models.UniqueConstraint(fields=("area", "slug"), name="one_row_of_facts_per_node"),
        )
        verbose_name = _("facts of a hub")
        verbose_name_plural = _("facts of a hub")

    def __str__(self) -> str:
        return f"{self.area} {self.slug}"
