"""Freezes of owners, and the proposals to lift them."""

from django.conf import settings
from django.db import models

from exchange.core.fields import owner_column
from exchange.core.models import Currency, Record
from exchange.participants.models import Member, Organisation
from exchange.staff.models import ProposalModel


class Freeze(Record):
    """A freeze of an owner (a member, or an organisation's own wallet), or of one currency of it.

    Placed by one person and lifted by two. A lifted freeze stays as history.
    """

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="freezes")
    # A composite foreign key in SQL ties the member to the organisation.
    member = models.ForeignKey(
        Member,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="freezes",
        db_constraint=False,
    )
    owner_id = owner_column()
    currency = models.ForeignKey(
        Currency,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Empty: every currency and all units",
    )
    reason = models.CharField(max_length=500, help_text="Never sent to the organisation")
    placed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()
    lifted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        default_permissions = ("view",)
        permissions = [
            ("place_freeze", "Can freeze members and wallets"),
            ("lift_freeze", "Can propose and confirm to lift freezes"),
        ]
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["owner_id", "currency"],
                condition=models.Q(lifted_at=None),
                nulls_distinct=False,
                name="freeze_active_once",
            )
        ]
        indexes = [models.Index(fields=["owner_id", "-created_at", "-id"], name="freeze_of_owner")]

    def __str__(self) -> str:
        return f"freeze of {self.member or self.organisation}"

    @property
    def scope(self) -> str:
        """What is frozen: a currency, or everything."""
        return self.currency_id or "All currencies and units"

    @property
    def state(self) -> str:
        """Whether it is in effect."""
        return "Active" if self.lifted_at is None else "Lifted"


class FreezeLift(ProposalModel):
    """A proposal to lift a freeze: by one person, confirmed by another."""

    freeze = models.ForeignKey(Freeze, on_delete=models.PROTECT, related_name="lifts")
    explanation = models.CharField(max_length=500)

    class Meta(ProposalModel.Meta):
        default_permissions = ("view",)
        constraints = [
            models.UniqueConstraint(
                fields=["freeze"],
                condition=models.Q(status__in=["Pending", "Approved"]),
                name="freeze_lift_once",
            )
        ]
        indexes = [
            models.Index(
                fields=["created_at"],
                condition=models.Q(status="Pending"),
                name="freeze_lift_pending",
            )
        ]

    def __str__(self) -> str:
        return f"lift of the {self.freeze}"
