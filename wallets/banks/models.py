"""Bank lists of the provider."""

from django.conf import settings
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Func

from exchange.core.fields import UNCHECKED
from exchange.core.models import Currency, Record
from exchange.participants.models import Organisation


class BankList(models.Model):
    """The provider's banks of one currency, as last fetched."""

    currency = models.OneToOneField(Currency, on_delete=models.CASCADE, primary_key=True)
    banks = models.JSONField(default=list, help_text="[{id, name, code}], the provider's own")
    fetched_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.currency_id} banks of {self.fetched_at:%Y-%m-%d %H:%M}"


class BankAccount(Record):
    """Destination of one withdrawal: a snapshot, never shared between withdrawals.

    Data from the client never changes; staff may complete the corridor fields (branch, recipient)
    while the withdrawal is Pending.
    """

    # Enforced by the composite keys of the withdrawal (SQL).
    organisation = models.ForeignKey(Organisation, related_name="+", **UNCHECKED)
    name = models.CharField(max_length=200, help_text="Bank name as the provider spells it")
    code = models.CharField(max_length=20)
    provider_bank_id = models.BigIntegerField(null=True)
    account_number = models.CharField(max_length=40)
    account_name = models.CharField(max_length=200)
    provided_name = models.CharField(
        max_length=200, help_text="Account name provided by the client"
    )
    name_resolved = models.BooleanField(default=False)
    currency = models.ForeignKey(Currency, related_name="+", **UNCHECKED)
    branch_code = models.CharField(max_length=40, blank=True)
    recipient_first_name = models.CharField(max_length=100, blank=True)
    recipient_last_name = models.CharField(max_length=100, blank=True)
    recipient_email = models.EmailField(blank=True)
    recipient_phone = models.CharField(max_length=30, blank=True)
    recipient_address = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField()
    document = models.TextField(editable=False, default="")
    # Search vector; see the function `bank_words` (migrations) and `exchange.core.words`.
    words = models.GeneratedField(
        expression=Func("account_name", "provided_name", "account_number", function="bank_words"),
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
            models.Index(fields=["name", "-id"], name="bank_name"),
            # GIN's pending list keeps the cost of an insert low.
            GinIndex(fields=["words"], name="bank_words"),
        ]

    def __str__(self) -> str:
        return f"{self.account_name}, {self.name} {self.account_number}"


class AccountVerification(Record):
    """That a person of staff verified whose a destination account is, and how; written once.

    It is evidence for those who decide: no check is left out for a verified account.
    """

    account_number = models.CharField(max_length=40)
    code = models.CharField(max_length=20, help_text="Of the bank")
    account_name = models.CharField(max_length=200, help_text="The name that was verified")
    how = models.CharField(max_length=300)
    verified_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    created_at = models.DateTimeField()

    class Meta:
        default_permissions = ("add",)
        ordering = ["-id"]
        indexes = [models.Index(fields=["account_number", "code", "-id"], name="account_verified")]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(how__regex=r"\S"), name="verification_says_how"
            )
        ]

    def __str__(self) -> str:
        return f"{self.account_name}, verified by {self.verified_by}"
