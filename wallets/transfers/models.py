"""Transfers between wallets. The function that moves the money alone writes them."""

from django.db import models
from django.db.models import F, Q

from exchange.core.fields import AMOUNT, UNCHECKED, choice_field, owner_column
from exchange.core.models import Currency, Record
from exchange.core.references import ReferencedModel, reference_once
from exchange.participants.models import Member, Organisation


class WalletTransferStatus(models.TextChoices):
    """States of a transfer between wallets."""

    COMPLETED = "Completed"


class WalletTransfer(ReferencedModel, Record):
    """Money moved from one wallet of an organisation, or of a member of it, to another.

    Without a member the wallet is the organisation's own. Append-only.
    """

    # Inserts are frequent. The accounts that the money moved between hold members and currency to
    # the organisation (`sql/wallet_transfer_justified.sql`), so plain keys are not needed.
    organisation = models.ForeignKey(Organisation, related_name="wallet_transfers", **UNCHECKED)
    from_member = models.ForeignKey(Member, null=True, related_name="transfers_out", **UNCHECKED)
    to_member = models.ForeignKey(Member, null=True, related_name="transfers_in", **UNCHECKED)
    payer_id = owner_column("from_member")
    payee_id = owner_column("to_member")
    currency = models.ForeignKey(Currency, related_name="+", **UNCHECKED)
    amount = models.DecimalField(**AMOUNT)
    status = choice_field(
        WalletTransferStatus, max_length=10, default=WalletTransferStatus.COMPLETED
    )
    requested_by = models.CharField(max_length=80)
    created_at = models.DateTimeField()
    document = models.TextField(editable=False, default="")

    class Meta:
        ordering = ["-created_at", "-id"]
        verbose_name = "wallet transfer"
        default_permissions = ("view",)
        constraints = [
            models.CheckConstraint(condition=Q(amount__gt=0), name="wallet_transfer_positive"),
            models.CheckConstraint(
                condition=~Q(payer_id=F("payee_id")), name="wallet_transfer_between_two"
            ),
            reference_once("wallet_transfer_client_reference_once"),
        ]
        indexes = [
            models.Index(
                fields=["organisation", "-created_at", "-id"], name="wallet_transfer_listed"
            ),
            models.Index(fields=["payer_id", "-created_at"], name="wallet_transfer_of_payer"),
            models.Index(fields=["payee_id", "-created_at"], name="wallet_transfer_of_payee"),
            # The back office searches by it.
            models.Index(fields=["amount", "currency", "-id"], name="wallet_transfer_amount"),
        ]

    def __str__(self) -> str:
        return f"transfer {self.id}"
