"""A model with one column of each kind that the filter language knows; its table exists in tests only."""

from typing import ClassVar

from django.db import models

from dimensions_site.rsql.fields import CodePointTextField


class Sample(models.Model):
    code = CodePointTextField()
    note = CodePointTextField(null=True)
    status = CodePointTextField(null=True)
    quantity = models.IntegerField(null=True)
    amount = CodePointTextField(null=True)
    coefficient = CodePointTextField(null=True)
    active = models.BooleanField(null=True)
    changed = models.DateTimeField(null=True)
    names = models.JSONField(null=True)
    bundle = models.JSONField(null=True)

    objects: ClassVar[models.Manager["Sample"]] = models.Manager()

    class Meta:
        app_label = "rsql_sample"

    def __str__(self) -> str:
        return self.code
