"""Quotes and conversions. SQL functions alone write them."""

from typing import Any

from django.db import models
from django.db.models import F, Q

from exchange.core.fields import AMOUNT, UNCHECKED, choice_field, owner_column
from exchange.core.models import Currency, Record
from exchange.participants.models import Member, Organisation

# A rate as it is shown: 12 decimals, rounded down.
_RATE: Any = {"max_digits": 40, "decimal_places": 12}
_SPREAD: Any = {"max_digits": 8, "decimal_places": 2}


class ConversionTerms(Record):
    """What is converted into what, and how it was computed.

    `fee` is the spread: what `amount` is worth at the middle rate less what arrives. Both amounts
    are rounded down.
    """

    # Rows are frequent and currencies never removed, so plain keys are not needed.
    from_currency = models.ForeignKey(Currency, related_name="+", **UNCHECKED)
    to_currency = models.ForeignKey(Currency, related_name="+", **UNCHECKED)
    amount = models.DecimalField(**AMOUNT)
    rate = models.DecimalField(help_text="Units of the target for one unit, after spread", **_RATE)
    converted_amount = models.DecimalField(help_text="What arrives", **AMOUNT)
    fee = models.DecimalField(help_text="The spread, in the target currency", **AMOUNT)
    # Units per USD, and the settings changes that they are from; null for USD itself.
    from_rate = models.DecimalField(max_digits=30, decimal_places=8)
    to_rate = models.DecimalField(max_digits=30, decimal_places=8)
    from_rate_change = models.UUIDField(null=True)
    to_rate_change = models.UUIDField(null=True)
    # In basis points.
    from_spread = models.DecimalField(**_SPREAD)
    to_spread = models.DecimalField(**_SPREAD)
    requested_by = models.CharField(max_length=80)
    created_at = models.DateTimeField()
    document = models.TextField(editable=False, default="")

    class Meta:
        abstract = True


class ConversionQuote(ConversionTerms):
    """Terms offered to an organisation until `expires_at`. Never changed; removed when old."""

    organisation = models.ForeignKey(Organisation, related_name="+", **UNCHECKED)
    expires_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        indexes = [models.Index(fields=["created_at"], name="conversion_quote_age")]

    def __str__(self) -> str:
        return f"quote {self.id}"


class ConversionStatus(models.TextChoices):
    """States of a conversion."""

    COMPLETED = "Completed"


class Conversion(ConversionTerms):
    """Money of one wallet converted by a quote. Append-only."""

    organisation = models.ForeignKey(Organisation, related_name="conversions", **UNCHECKED)
    member = models.ForeignKey(Member, null=True, related_name="conversions", **UNCHECKED)
    owner_id = owner_column()
    # Quotes are removed, so no key; the terms are copied.
    quote_id = models.UUIDField()
    status = choice_field(ConversionStatus, max_length=10, default=ConversionStatus.COMPLETED)

    class Meta:
        ordering = ["-created_at", "-id"]
        default_permissions = ("view",)
        constraints = [
            models.UniqueConstraint(fields=["quote_id"], name="conversion_quote_once"),
            models.CheckConstraint(
                condition=Q(amount__gt=0, converted_amount__gt=0, fee__gte=0)
                & ~Q(from_currency=F("to_currency")),
                name="conversion_amounts_positive",
            ),
        ]
        indexes = [
            models.Index(fields=["organisation", "-created_at", "-id"], name="conversion_listed"),
            models.Index(fields=["owner_id", "-created_at"], name="conversion_of_owner"),
            # The back office searches by it.
            models.Index(fields=["amount", "from_currency", "-id"], name="conversion_amount"),
        ]

    def __str__(self) -> str:
        return f"conversion {self.id}"
