"""Adjusting entries: proposed by one person, confirmed by another, posted once."""

from django.db import models
from django.db.models import Q

from exchange.core.fields import AMOUNT, choice_field
from exchange.core.models import Currency
from exchange.staff.models import ApprovalStatus, ExplainedApproval, ProposalModel
from wallets.ledger.models import AccountKind
from wallets.reconciliation.models import ReconciliationBreak


class AdjustmentKind(models.TextChoices):
    """Why clearing is adjusted."""

    BANK_CHARGE = "bank_charge", "Bank charge"
    CORRECTION = "correction", "Correction"
    EXPLAINED_BREAK = "explained_break", "Explained break"


class AdjustedAccount(models.TextChoices):
    """The other side of clearing."""

    EXPENSES = AccountKind.EXPENSES.value, "Expenses"
    FEES = AccountKind.FEES.value, "Fees"
    TREASURY = AccountKind.TREASURY.value, "Treasury"


class Direction(models.TextChoices):
    """What the payment provider holds, compared with the books."""

    LESS = "less", "Less than booked"
    MORE = "more", "More than booked"


class AdjustingEntry(ExplainedApproval, ProposalModel):
    """An amount moved between clearing and an account of the exchange, with its reason.

    `settles` is the closed break that it books, in part or as a whole.
    """

    kind = choice_field(AdjustmentKind, max_length=15)
    currency = models.ForeignKey(Currency, on_delete=models.PROTECT, related_name="+")
    account = choice_field(AdjustedAccount, max_length=8)
    direction = choice_field(Direction, max_length=4, verbose_name="provider holds")
    amount = models.DecimalField(**AMOUNT)
    settles = models.ForeignKey(
        ReconciliationBreak,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="adjustments",
    )
    note = models.CharField(max_length=300)

    class Meta(ProposalModel.Meta):
        verbose_name_plural = "adjusting entries"
        default_permissions = ("view",)
        permissions = [("adjust_books", "Can propose and confirm adjusting entries")]
        constraints = [
            models.CheckConstraint(condition=Q(amount__gt=0), name="adjustment_amount_positive"),
            models.CheckConstraint(condition=Q(note__regex=r"\S"), name="adjustment_in_writing"),
            models.CheckConstraint(
                condition=Q(account__in=AdjustedAccount.values), name="adjustment_account"
            ),
            models.CheckConstraint(
                condition=Q(kind="explained_break", settles__isnull=False)
                | Q(kind="correction", settles__isnull=True)
                | Q(kind="bank_charge", settles__isnull=True, account="expenses", direction="less"),
                name="adjustment_fits_kind",
            ),
        ]
        indexes = [
            models.Index(
                fields=["created_at"],
                condition=Q(status=ApprovalStatus.PENDING),
                name="adjustment_pending",
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} of {self.amount.normalize():f} {self.currency_id}"

    @property
    def reference(self) -> str:
        """The words that name the entry in a notice."""
        return str(self.get_kind_display())
