"""What servicing finds out about open loans, and how staff end defaulted ones."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from credit.models.loans import Loan
from exchange.core.ids import uuid7
from exchange.models import ProposalModel


class Valuation(models.Model):
    """The last valuation of a loan's collateral; NULL figures where a price was missing or old."""

    loan = models.OneToOneField(
        Loan, on_delete=models.PROTECT, primary_key=True, related_name="valuation"
    )
    value = models.DecimalField(
        max_digits=38, decimal_places=8, null=True, help_text="Of all collateral, at price.sell"
    )
    loan_to_value = models.DecimalField(
        max_digits=20, decimal_places=8, null=True, help_text="Principal owed / value"
    )
    problem = models.CharField(max_length=300, blank=True, help_text="Why it could not be valued")
    valued_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.value} for {self.loan_id}"


class Shortfall(models.Model):
    """Collateral that no longer covers its loan, from when it was found until it is cured."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    loan = models.ForeignKey(Loan, on_delete=models.PROTECT, related_name="shortfalls")
    cause = models.CharField(max_length=300)
    required = models.DecimalField(
        max_digits=38, decimal_places=8, help_text="Value the principal owed needs"
    )
    value = models.DecimalField(max_digits=38, decimal_places=8)
    opened_at = models.DateTimeField()
    cured_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-opened_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["loan"], condition=Q(cured_at__isnull=True), name="shortfall_open_once"
            ),
        ]

    def __str__(self) -> str:
        return f"shortfall of {self.loan_id}"


class EndingAction(models.TextChoices):
    """How a defaulted loan can be ended by two people."""

    LIQUIDATE = "liquidate", "Liquidate"
    WRITE_OFF = "write_off", "Write off"


class EndingStatus(models.TextChoices):
    """States of a proposal."""

    PENDING = "Pending"
    CONFIRMED = "Confirmed"
    DECLINED = "Declined"
    # The loan was repaid before anybody decided.
    LAPSED = "Lapsed"


class EndingProposal(ProposalModel):
    """One person proposes to liquidate or write off a loan, another confirms.

    `plan` freezes the prices at the proposal: [{token_id, symbol, price, quoted_at, quantity,
    passed, value}], decimals as strings. It is the most that may pass. What the borrower paid
    meanwhile makes it less: `final_plan` and its figures are what was done.
    """

    loan = models.ForeignKey(Loan, on_delete=models.PROTECT, related_name="endings")
    action = models.CharField(max_length=9, choices=EndingAction.choices)
    status = models.CharField(
        max_length=9, choices=EndingStatus.choices, default=EndingStatus.PENDING
    )
    reason = None  # type: ignore[assignment]
    note = models.CharField(max_length=500)
    plan = models.JSONField(default=list)
    owed = models.DecimalField(max_digits=38, decimal_places=8, help_text="When it was proposed")
    value_passed = models.DecimalField(
        max_digits=38, decimal_places=8, default=0, help_text="Value of the units passed"
    )
    deficiency = models.DecimalField(
        max_digits=38, decimal_places=8, default=0, help_text="Owed and not covered"
    )
    final_plan = models.JSONField(null=True, blank=True, help_text="What passed, once confirmed")
    final_owed = models.DecimalField(max_digits=38, decimal_places=8, null=True, blank=True)
    final_value = models.DecimalField(max_digits=38, decimal_places=8, null=True, blank=True)
    final_deficiency = models.DecimalField(max_digits=38, decimal_places=8, null=True, blank=True)

    class Meta(ProposalModel.Meta):
        permissions = [("end_loan", "Can propose and confirm liquidations and write-offs")]
        constraints = [
            models.UniqueConstraint(
                fields=["loan"], condition=Q(status="Pending"), name="ending_pending_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.loan_id}"
