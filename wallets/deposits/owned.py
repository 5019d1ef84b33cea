"""The owner of what comes in."""

from django.db import models

from exchange.core.fields import owner_column
from exchange.core.models import Currency
from exchange.participants.models import Member, Organisation


class OwnedModel(models.Model):
    """Base of records of one owner: a member, or the organisation itself."""

    organisation = models.ForeignKey(
        Organisation, on_delete=models.PROTECT, related_name="%(class)ss"
    )
    # A composite foreign key in SQL ties the member to the organisation.
    member = models.ForeignKey(
        Member,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="%(class)ss",
        db_constraint=False,
    )
    owner_id = owner_column()
    currency = models.ForeignKey(Currency, on_delete=models.PROTECT, related_name="+")

    class Meta:
        abstract = True
