"""Deposits: entered by one member of staff, confirmed by another."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Coalesce

from exchange.core.fields import AMOUNT, choice_field
from exchange.core.models import Currency
from exchange.participants.models import Member, Organisation
from exchange.staff.models import ProposalModel


class DepositStatus(models.TextChoices):
    """States of a deposit."""

    PENDING = "Pending"
    CONFIRMED = "Confirmed"
    REJECTED = "Rejected"
    # By the person who entered it, before confirmation.
    CANCELLED = "Cancelled"


class Deposit(ProposalModel):
    """An incoming payment for an organisation or a member."""

    organisation = models.ForeignKey(
        Organisation, on_delete=models.PROTECT, related_name="deposits"
    )
    # A composite foreign key in SQL ties the member to the organisation.
    member = models.ForeignKey(
        Member,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="deposits",
        db_constraint=False,
    )
    owner_id = models.GeneratedField(
        expression=Coalesce("member_id", "organisation_id"),
        output_field=models.UUIDField(),
        db_persist=True,
    )
    currency = models.ForeignKey(Currency, on_delete=models.PROTECT, related_name="+")
    amount = models.DecimalField(**AMOUNT)
    reference = models.CharField(
        max_length=100, help_text="The bank's reference of the incoming payment"
    )
    note = models.CharField(max_length=300, blank=True)
    status = choice_field(DepositStatus, max_length=10, default=DepositStatus.PENDING)
    # Null: booked immediately, by a command or demo data.
    proposed_by = None  # type: ignore[assignment]
    entered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    reason = models.CharField(max_length=500, blank=True)

    class Meta(ProposalModel.Meta):
        permissions = [("decide_deposit", "Can confirm and reject deposits")]
        indexes = [
            models.Index(
                fields=["created_at"], condition=models.Q(status="Pending"), name="deposit_pending"
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(amount__gt=0), name="deposit_amount_positive"
            ),
            # A wrong entry that was closed can be entered again.
            models.UniqueConstraint(
                fields=["reference"],
                condition=~models.Q(status__in=["Rejected", "Cancelled"]),
                name="deposit_reference_once",
            ),
            models.CheckConstraint(
                condition=~models.Q(status="Cancelled")
                | models.Q(decided_by__isnull=False, decided_by=models.F("entered_by")),
                name="deposit_cancelled_by_who_entered_it",
            ),
        ]

    def __str__(self) -> str:
        return self.reference
