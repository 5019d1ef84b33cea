"""Bank lists as the provider gave them, and the bank record of each withdrawal."""

from __future__ import annotations

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Func

from exchange.core.ids import uuid7
from exchange.models import Currency, Organisation


class BankList(models.Model):
    """The provider's list of banks for one currency, as last fetched."""

    currency = models.OneToOneField(Currency, on_delete=models.CASCADE, primary_key=True)
    banks = models.JSONField(default=list, help_text="[{id, name, code}], the provider's own")
    fetched_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.currency_id} banks of {self.fetched_at:%Y-%m-%d %H:%M}"


class BankAccount(models.Model):
    """Where one withdrawal goes: a snapshot, never shared between withdrawals.

    What the caller gave never changes; the corridor fields (branch, recipient) may be filled in
    by staff while the withdrawal is Pending.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    # Organisation and currency are held by the withdrawal that points here (composite keys, SQL).
    organisation = models.ForeignKey(
        Organisation,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )
    name = models.CharField(max_length=200, help_text="Bank name, the provider's spelling")
    code = models.CharField(max_length=20)
    provider_bank_id = models.BigIntegerField(null=True)
    account_number = models.CharField(max_length=40)
    account_name = models.CharField(max_length=200)
    given_name = models.CharField(max_length=200, help_text="Account name as the caller gave it")
    name_resolved = models.BooleanField(default=False)
    currency = models.ForeignKey(
        Currency,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )
    branch_code = models.CharField(max_length=40, blank=True)
    recipient_first_name = models.CharField(max_length=100, blank=True)
    recipient_last_name = models.CharField(max_length=100, blank=True)
    recipient_email = models.EmailField(blank=True)
    recipient_phone = models.CharField(max_length=30, blank=True)
    recipient_address = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField()
    document = models.TextField(editable=False, default="")
    # What a record is searched by: the function `bank_words` (migrations) says what that is.
    words = models.GeneratedField(
        expression=Func("account_name", "given_name", "account_number", function="bank_words"),
        output_field=SearchVectorField(),
        db_persist=True,
    )

    class Meta:
        ordering = ["-created_at", "-id"]
        verbose_name = "bank record"
        constraints = [
            models.UniqueConstraint(fields=["id", "organisation"], name="bank_organisation"),
        ]
        indexes = [
            models.Index(fields=["account_number", "code"], name="bank_account_used"),
            # New rows wait in a list of the index's own, so a request hardly pays for it.
            GinIndex(fields=["words"], name="bank_words"),
        ]

    def __str__(self) -> str:
        return f"{self.account_name}, {self.name} {self.account_number}"
