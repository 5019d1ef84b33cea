"""What owners owe, and write-offs of it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import models
from django.db.models import OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce

from exchange.core.fields import AMOUNT
from exchange.staff.models import ApprovalStatus, ProposalModel
from wallets.ledger.models import Account, AccountKind, Entry


class Receivables(models.Manager["Receivable"]):
    """Accounts of owners who owe, with the time since when."""

    def get_queryset(self) -> models.QuerySet[Receivable]:
        """Return the accounts below zero; `since` is when each last left zero."""
        of_account = Entry.objects.filter(account=OuterRef("pk"))
        settled = Entry.objects.filter(account=OuterRef("account"), balance_after=0)
        first: models.QuerySet[Any] = of_account.filter(
            id__gt=Coalesce(Subquery(settled.order_by("-id").values("id")[:1]), Value(UUID(int=0)))
        )
        since = first.order_by("id").values("transfer__created_at")[:1]
        rows = super().get_queryset().filter(kind=AccountKind.RECEIVABLE, balance__lt=0)
        return rows.annotate(since=Subquery(since))


class Receivable(Account):
    """The account of an owner who owes the exchange; its balance is below zero."""

    objects = Receivables()  # type: ignore[misc]

    class Meta:
        proxy = True
        ordering = ["-id"]
        default_permissions = ("view",)

    @property
    def owed(self) -> Any:
        """The amount owed, above zero."""
        return -(self.balance or 0)


class ReceivableWriteOff(ProposalModel):
    """A debt, or a part of it, that the exchange gives up: by two people."""

    account = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="write_offs")
    amount = models.DecimalField(**AMOUNT)
    explanation = models.CharField(max_length=500, help_text="Why the debt will not be paid")

    class Meta(ProposalModel.Meta):
        verbose_name = "receivable write-off"
        default_permissions = ("view",)
        permissions = [("write_off_receivable", "Can propose and confirm write-offs of debts")]
        constraints = [
            models.UniqueConstraint(
                fields=["account"],
                condition=Q(status=ApprovalStatus.PENDING),
                name="write_off_pending_once",
            ),
            models.CheckConstraint(condition=Q(amount__gt=0), name="write_off_amount_positive"),
        ]

    def __str__(self) -> str:
        return f"write-off of {self.account}"

    @property
    def currency_id(self) -> str:
        """The currency of the amount: that of the account."""
        return self.account.asset_id
