"""Reconciliation reports, and the breaks that they find.

A report is requested (`Waiting`), runs under a lease (`Running`), and ends as `Matched`, `Differs`
or `Incomplete` (the provider failed or contradicted itself). Each difference of a complete day
opens a break, which stays open until two people close it, whatever later reports find.
"""

from django.conf import settings
from django.db import models
from django.db.models import F, Func, Q
from django.db.models.lookups import GreaterThanOrEqual

from exchange.core.fields import AMOUNT, UNCHECKED, choice_field
from exchange.core.models import Currency, Record
from exchange.staff.models import ProposalModel
from wallets.deposits.models import Payment
from wallets.withdrawals.models import Withdrawal


class ReportStatus(models.TextChoices):
    """States of a report."""

    WAITING = "Waiting"
    RUNNING = "Running"
    MATCHED = "Matched"
    DIFFERS = "Differs"
    INCOMPLETE = "Incomplete"


class Reconciliation(Record):
    """A report of one day (UTC). Later reports of the same day do not replace it."""

    day = models.DateField()
    status = choice_field(ReportStatus, max_length=10, default=ReportStatus.WAITING)
    reason = models.CharField(max_length=500, blank=True, help_text="Why the report is incomplete")
    differences = models.PositiveIntegerField(default=0)
    compared = models.PositiveIntegerField(
        default=0, help_text="Payouts and payments compared with the provider's records"
    )
    requested_by = models.CharField(max_length=80, help_text="The actor")
    requested_by_label = models.CharField(max_length=200)
    claimed_by = models.CharField(max_length=80, blank=True)
    leased_until = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField()
    balances_at = models.DateTimeField(null=True, help_text="When the balances were read")
    finished_at = models.DateTimeField(null=True)
    # The day had not ended when the report was requested.
    provisional = models.GeneratedField(
        expression=GreaterThanOrEqual(
            F("day"),
            Func(
                F("created_at"),
                template="(%(expressions)s AT TIME ZONE 'UTC')::date",
                output_field=models.DateField(),
            ),
        ),
        output_field=models.BooleanField(),
        db_persist=True,
    )

    class Meta:
        ordering = ["-created_at", "-id"]
        permissions = [("run_reconciliation", "Can run reconciliation with the provider")]
        constraints = [
            models.UniqueConstraint(
                fields=["day"],
                condition=Q(status__in=["Waiting", "Running"]),
                name="reconciliation_one_under_way",
            ),
            models.CheckConstraint(
                condition=~Q(status="Matched") | Q(differences=0, reason=""),
                name="reconciliation_matched_without_differences",
            ),
        ]
        indexes = [models.Index(fields=["day", "-created_at"], name="reconciliation_of_day")]

    def __str__(self) -> str:
        return f"{self.day} {self.status}"


class LineKind(models.TextChoices):
    """Kinds of lines: totals first, then differences."""

    RECEIVED = "Received"
    DEPOSIT_CHARGES = "Charges of deposits"
    IN_FLIGHT = "In flight"
    COMPLETED = "Completed"
    FAILED = "Failed"
    CHARGES = "Charges"
    OPENING = "Opening clearing balance"
    DEPOSITS = "Deposits"
    PAYOUTS = "Payouts"
    CHARGED = "Provider charges"
    REVERSALS = "Reversals"
    TREASURY = "Treasury movements"
    OTHER = "Other movements"
    CLOSING = "Closing clearing balance"
    BALANCE = "Provider balance"
    IN_TRANSIT = "In transit"
    VARIANCE = "Variance"
    BOOKED = "Booked by adjusting entries"
    MISSING = "Missing at provider"
    UNKNOWN = "Not in our records"
    AMOUNT = "Amount"
    CURRENCY = "Currency"
    ACCOUNT = "Account"
    STATUS = "Status"
    FEE = "Provider charge"
    TWICE = "Credited twice"
    CHARGED_BACK = "Charged back"
    UNEXPLAINED = "Unexplained variance"
    NO_BALANCE = "Balance not provided"


class BothSides(Record):
    """Subject of a line or a break: our side and the provider's."""

    kind = choice_field(LineKind, max_length=40)
    currency = models.ForeignKey(
        Currency, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )
    our_amount = models.DecimalField(null=True, **AMOUNT)
    their_amount = models.DecimalField(null=True, **AMOUNT)
    our_text = models.CharField(max_length=200, blank=True)
    their_text = models.CharField(max_length=200, blank=True)
    reference = models.CharField(max_length=120, blank=True)
    provider_id = models.CharField(max_length=40, blank=True)
    withdrawal = models.ForeignKey(
        Withdrawal, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )
    payment = models.ForeignKey(Payment, null=True, related_name="+", **UNCHECKED)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.kind} {self.reference or self.currency_id or ''}".strip()


class ReconciliationLine(BothSides):
    """A line of a report: a total on both sides, or a difference."""

    report = models.ForeignKey(
        Reconciliation, on_delete=models.PROTECT, related_name="lines", db_index=False
    )
    position = models.PositiveIntegerField()
    is_difference = models.BooleanField()
    our_count = models.PositiveIntegerField(null=True)
    their_count = models.PositiveIntegerField(null=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["report", "position"], name="reconciliation_line_once"),
        ]


class BreakStatus(models.TextChoices):
    """States of a break. Explained breaks await a second person."""

    OPEN = "Open"
    EXPLAINED = "Explained"
    CLOSED = "Closed"


class ReconciliationBreak(BothSides):
    """A difference with the provider, open until two people close it.

    Its subject never changes; later reports only update `in_latest_report`.
    """

    day = models.DateField()
    difference = models.DecimalField(null=True, help_text="Provider less ours", **AMOUNT)
    status = choice_field(BreakStatus, max_length=9, default=BreakStatus.OPEN)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        help_text="Person responsible",
    )
    first_report = models.ForeignKey(
        Reconciliation, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    latest_report = models.ForeignKey(
        Reconciliation, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    in_latest_report = models.BooleanField(
        default=True, help_text="Whether the latest report still has it"
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        permissions = [("decide_break", "Can explain and close reconciliation breaks")]
        indexes = [
            models.Index(fields=["day"], name="break_of_day"),
            models.Index(fields=["day"], condition=~Q(status="Closed"), name="break_open_of_day"),
        ]


class BreakExplanation(ProposalModel):
    """An explanation of a break, by which another person closes it, or which they reject."""

    subject = models.ForeignKey(
        ReconciliationBreak, on_delete=models.PROTECT, related_name="explanations"
    )
    explanation = models.CharField(max_length=500)

    class Meta(ProposalModel.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["subject"], condition=Q(status="Pending"), name="explanation_pending_once"
            ),
            models.CheckConstraint(
                condition=Q(explanation__regex=r"\S"), name="explanation_in_writing"
            ),
        ]

    def __str__(self) -> str:
        return self.explanation
