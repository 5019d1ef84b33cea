"""Daily reports: what we hold of payouts and money beside what the provider says of them.

A report is asked for (`Waiting`), worked on under a lease (`Running`) and then says one of three
things: it agrees, it differs, or it is incomplete because the provider could not be relied on.
"""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from exchange.ids import uuid7
from exchange.models import Currency
from wallets.models.withdrawals import Withdrawal


class ReportStatus(models.TextChoices):
    """What a report says, once it says something."""

    WAITING = "Waiting"
    RUNNING = "Running"
    AGREES = "Agrees"
    DIFFERS = "Differs"
    INCOMPLETE = "Incomplete"


class Reconciliation(models.Model):
    """One report about one day in UTC. A later one about the same day stands beside it."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    day = models.DateField()
    status = models.CharField(
        max_length=10, choices=ReportStatus.choices, default=ReportStatus.WAITING
    )
    reason = models.CharField(max_length=500, blank=True, help_text="Why it is incomplete")
    differences = models.PositiveIntegerField(default=0)
    compared = models.PositiveIntegerField(default=0, help_text="Payouts held beside transfers")
    asked_by = models.CharField(max_length=80, help_text="The actor")
    asked_by_label = models.CharField(max_length=200)
    claimed_by = models.CharField(max_length=80, blank=True)
    leased_until = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        permissions = [("run_reconciliation", "Can run the comparison with the provider")]
        constraints = [
            models.UniqueConstraint(
                fields=["day"],
                condition=Q(status__in=["Waiting", "Running"]),
                name="reconciliation_one_under_way",
            ),
            models.CheckConstraint(
                condition=~Q(status="Agrees") | Q(differences=0, reason=""),
                name="reconciliation_agrees_without_differences",
            ),
        ]
        indexes = [models.Index(fields=["day", "-created_at"], name="reconciliation_of_day")]

    def __str__(self) -> str:
        return f"{self.day} {self.status}"


class LineKind(models.TextChoices):
    """What a line is about. The first are figures, the others differences."""

    IN_FLIGHT = "In flight"
    COMPLETED = "Completed"
    FAILED = "Failed"
    CHARGES = "Charges"
    OPENING = "Clearing at the start of the day"
    DEPOSITS = "Deposits"
    PAYOUTS = "Payouts"
    CHARGED = "Charges of the provider"
    REVERSALS = "Reversals"
    OTHER = "Other movements"
    CLOSING = "Clearing at the end of the day"
    BALANCE = "Balance now"
    EXPECTED = "Expected gap"
    GAP = "Gap nobody explains"
    MISSING = "Missing at the provider"
    UNKNOWN = "Unknown to us"
    AMOUNT = "Amount"
    CURRENCY = "Currency"
    ACCOUNT = "Account"
    STATUS = "Status"
    FEE = "Charge"
    FLOAT = "Balance"


class ReconciliationLine(models.Model):
    """One line of a report: a figure of ours beside theirs, or a difference (`off`)."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    report = models.ForeignKey(
        Reconciliation, on_delete=models.PROTECT, related_name="lines", db_index=False
    )
    position = models.PositiveIntegerField()
    off = models.BooleanField()
    kind = models.CharField(max_length=40, choices=LineKind.choices)
    currency = models.ForeignKey(
        Currency, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )
    our_count = models.PositiveIntegerField(null=True)
    our_amount = models.DecimalField(max_digits=38, decimal_places=8, null=True)
    their_count = models.PositiveIntegerField(null=True)
    their_amount = models.DecimalField(max_digits=38, decimal_places=8, null=True)
    our_text = models.CharField(max_length=200, blank=True)
    their_text = models.CharField(max_length=200, blank=True)
    reference = models.CharField(max_length=120, blank=True)
    provider_id = models.CharField(max_length=40, blank=True)
    withdrawal = models.ForeignKey(
        Withdrawal, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["report", "position"], name="reconciliation_line_once"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.reference or self.currency_id or ''}".strip()
