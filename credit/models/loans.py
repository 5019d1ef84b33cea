"""Loans, the units pledged for them, and what was repaid. Rates are 0 to 1, durations months."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from credit.models.configurations import ConfigurationVersion, LoanConfiguration
from exchange.core.ids import uuid7
from exchange.models import Currency, Member, Organisation, Token


class LoanStatus(models.TextChoices):
    """States of a loan."""

    ACTIVE = "ACTIVE"
    OVERDUE = "OVERDUE"
    DEFAULTED = "DEFAULTED"
    COMPLETED = "COMPLETED"
    LIQUIDATED = "LIQUIDATED"
    WRITTEN_OFF = "WRITTEN_OFF"


OPEN = (LoanStatus.ACTIVE, LoanStatus.OVERDUE, LoanStatus.DEFAULTED)


class Loan(models.Model):
    """Money lent to a member against units of tokens, on the terms of one version."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    borrower = models.ForeignKey(
        Member, on_delete=models.PROTECT, related_name="loans", db_constraint=False
    )
    organisation = models.ForeignKey(
        Organisation, on_delete=models.PROTECT, related_name="+", help_text="The borrower's"
    )
    creditor = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="loans_made")
    configuration = models.ForeignKey(
        LoanConfiguration, on_delete=models.PROTECT, related_name="loans"
    )
    version = models.ForeignKey(ConfigurationVersion, on_delete=models.PROTECT, related_name="+")
    currency = models.ForeignKey(Currency, on_delete=models.PROTECT, related_name="+")
    amount = models.DecimalField(max_digits=38, decimal_places=8, help_text="Lent out")
    repayment_amount = models.DecimalField(
        max_digits=38, decimal_places=8, help_text="To be paid back in all"
    )
    repayment_date = models.DateTimeField()
    interest_rate = models.DecimalField(max_digits=9, decimal_places=8)
    collateral_ratio = models.DecimalField(max_digits=9, decimal_places=8)
    duration = models.PositiveSmallIntegerField()
    grace_period = models.PositiveSmallIntegerField()
    grace_period_unit = models.CharField(max_length=4)
    status = models.CharField(max_length=11, choices=LoanStatus.choices, default=LoanStatus.ACTIVE)
    interest_repaid = models.DecimalField(max_digits=38, decimal_places=8, default=0)
    principal_repaid = models.DecimalField(max_digits=38, decimal_places=8, default=0)
    reason = models.CharField(max_length=500, blank=True)
    bank_name = models.CharField(max_length=200, blank=True)
    bank_code = models.CharField(max_length=40, blank=True)
    account_number = models.CharField(max_length=40, blank=True)
    requested_by = models.CharField(max_length=80, help_text="The actor")
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)
    # The collateral as the wire shows it, in this row so that the document trigger sees it.
    collateral_text = models.TextField(default="[]", editable=False)
    document = models.TextField(editable=False, default="")

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    amount__gt=0,
                    repayment_amount__gte=F("amount"),
                    interest_repaid__gte=0,
                    principal_repaid__gte=0,
                    principal_repaid__lte=F("amount"),
                    interest_repaid__lte=F("repayment_amount") - F("amount"),
                ),
                name="loan_amounts",
            ),
        ]
        indexes = [
            models.Index(fields=["organisation", "-created_at", "-id"], name="loan_of_borrower"),
            models.Index(fields=["creditor", "-created_at", "-id"], name="loan_of_creditor"),
            models.Index(
                fields=["repayment_date"],
                condition=Q(status__in=["ACTIVE", "OVERDUE", "DEFAULTED"]),
                name="loan_open",
            ),
        ]

    def __str__(self) -> str:
        return f"loan {self.id}"


class Collateral(models.Model):
    """Units of one token pledged for a loan; `quantity` is what is still liened."""

    loan = models.ForeignKey(Loan, on_delete=models.PROTECT, related_name="collaterals")
    token = models.ForeignKey(Token, on_delete=models.PROTECT, related_name="+")
    position = models.PositiveSmallIntegerField(help_text="The order in which it is liquidated")
    quantity = models.DecimalField(max_digits=38, decimal_places=8)
    pledged_price = models.DecimalField(
        max_digits=38, decimal_places=8, help_text="price.sell when it was pledged"
    )

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["loan", "token"], name="collateral_once"),
            models.CheckConstraint(condition=Q(quantity__gte=0), name="collateral_not_negative"),
        ]

    def __str__(self) -> str:
        return f"{self.quantity} of {self.token_id}"


class Repayment(models.Model):
    """One payment of a borrower: interest first, then principal. Never changed."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    loan = models.ForeignKey(Loan, on_delete=models.PROTECT, related_name="repayments")
    amount = models.DecimalField(max_digits=38, decimal_places=8)
    interest = models.DecimalField(max_digits=38, decimal_places=8)
    principal = models.DecimalField(max_digits=38, decimal_places=8)
    outstanding = models.DecimalField(
        max_digits=38, decimal_places=8, help_text="Still to be paid after it"
    )
    paid_by = models.CharField(max_length=80)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["created_at", "id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(amount__gt=0, amount=F("interest") + F("principal")),
                name="repayment_parts",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.amount} for {self.loan_id}"


class Outstanding(models.Model):
    """Principal of all open loans of a configuration in one currency; a trigger keeps it."""

    configuration = models.ForeignKey(
        LoanConfiguration, on_delete=models.PROTECT, related_name="outstanding"
    )
    currency = models.ForeignKey(Currency, on_delete=models.PROTECT, related_name="+")
    principal = models.DecimalField(max_digits=38, decimal_places=8)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["configuration", "currency"], name="outstanding_once"),
            models.CheckConstraint(condition=Q(principal__gte=0), name="outstanding_not_negative"),
        ]

    def __str__(self) -> str:
        return f"{self.principal} {self.currency_id} of {self.configuration_id}"
