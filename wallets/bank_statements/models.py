"""The exchange's own bank accounts, the statement files read for them, and the lines of these."""

from functools import reduce
from operator import or_
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from exchange.core.fields import AMOUNT, choice_field
from exchange.core.models import Currency, Record
from wallets.adjustments.models import AdjustingEntry
from wallets.deposits.models import Deposit
from wallets.treasury.models import TreasuryMovement

# Of no list: records are looked up by none of these.
_UNLISTED: Any = {"on_delete": models.PROTECT, "related_name": "+", "db_index": False}
# Columns of a line with the record that it matches.
MATCHES = ("deposit", "movement", "adjustment")


def _matched_with(*given: str) -> Q:
    """Return the condition that a line is matched with records in exactly these columns."""
    return Q(**{f"{field}__isnull": field not in given for field in MATCHES})


class OwnBankAccount(Record):
    """An account of the exchange at a bank. Its statements name it by `number`."""

    name = models.CharField(max_length=100, unique=True)
    currency = models.ForeignKey(Currency, **_UNLISTED)
    number = models.CharField(max_length=34, help_text="IBAN or number, without spaces")
    layout = models.JSONField(
        null=True, help_text="How to read a CSV file of the bank; null: none was saved"
    )
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, **_UNLISTED)
    created_at = models.DateTimeField()

    class Meta:
        verbose_name = "own bank account"
        default_permissions = ("view",)
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["number", "currency"], name="own_bank_account_once")
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def masked_number(self) -> str:
        """The number as pages show it: its last four characters."""
        return f"…{self.number[-4:]}"


class FileStatus(models.TextChoices):
    """States of a statement file."""

    UPLOADED = "Uploaded"
    IMPORTED = "Imported"
    DISCARDED = "Discarded"


class FileKind(models.TextChoices):
    """Kinds of statement files."""

    CAMT = "camt.053", "camt.053"
    CSV = "CSV", "CSV"


class StatementFile(Record):
    """A file as the bank issued it. Its content is kept until it is imported or discarded."""

    name = models.CharField(max_length=150)
    kind = choice_field(FileKind, max_length=10)
    sha256 = models.CharField(max_length=64)
    account = models.ForeignKey(
        OwnBankAccount, null=True, blank=True, help_text="Of a CSV file", **_UNLISTED
    )
    status = choice_field(FileStatus, max_length=10, default=FileStatus.UPLOADED)
    content = models.BinaryField(null=True, help_text="Compressed (zlib)")
    lines = models.PositiveIntegerField()
    new_lines = models.PositiveIntegerField(
        null=True, help_text="Lines that were not known when it was imported"
    )
    first_day = models.DateField()
    last_day = models.DateField()
    has_balances = models.BooleanField(help_text="Whether balances prove that no line is missing")
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, **_UNLISTED)
    created_at = models.DateTimeField()
    handled_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, **_UNLISTED)
    handled_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = "bank statement file"
        default_permissions = ("view",)
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    status="Uploaded",
                    content__isnull=False,
                    new_lines__isnull=True,
                    handled_by__isnull=True,
                    handled_at__isnull=True,
                )
                | ~Q(status="Uploaded")
                & Q(content__isnull=True, handled_by__isnull=False, handled_at__isnull=False),
                name="statement_file_content_until_decided",
            ),
            models.CheckConstraint(
                condition=Q(status="Imported", new_lines__lte=F("lines"))
                & Q(new_lines__isnull=False)
                | ~Q(status="Imported") & Q(new_lines__isnull=True),
                name="statement_file_new_lines",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class LineStatus(models.TextChoices):
    """States of a line."""

    OPEN = "Open"
    # Its record is proposed, and another person is to approve it.
    PROPOSED = "Proposed"
    MATCHED = "Matched"
    SET_ASIDE = "Set aside"


class StatementLine(Record):
    """A booking on a bank statement, above 0 where money arrived; only its match ever changes."""

    account = models.ForeignKey(OwnBankAccount, **_UNLISTED)
    file = models.ForeignKey(StatementFile, on_delete=models.PROTECT, related_name="+")
    currency = models.ForeignKey(Currency, **_UNLISTED)
    booked_on = models.DateField()
    value_on = models.DateField()
    amount = models.DecimalField(**AMOUNT)
    bank_reference = models.CharField(max_length=100, blank=True)
    number = models.PositiveIntegerField(
        help_text="From 1, among lines of the account with the same day, amount and reference"
    )
    payment_reference = models.CharField(
        max_length=100, blank=True, help_text="Of the payer: the end-to-end reference"
    )
    counterparty = models.CharField(max_length=200, blank=True)
    description = models.CharField(max_length=500, blank=True)
    is_reversal = models.BooleanField(default=False)
    status = choice_field(LineStatus, max_length=10, default=LineStatus.OPEN)
    deposit = models.ForeignKey(Deposit, null=True, blank=True, **_UNLISTED)
    movement = models.ForeignKey(TreasuryMovement, null=True, blank=True, **_UNLISTED)
    adjustment = models.ForeignKey(AdjustingEntry, null=True, blank=True, **_UNLISTED)
    reason = models.CharField(max_length=300, blank=True, help_text="Why it was set aside")
    handled_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, **_UNLISTED)
    handled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "bank statement line"
        default_permissions = ("view",)
        permissions = [
            ("match_statement", "Can import bank statements and match their lines with records")
        ]
        ordering = ["-booked_on", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["account", "booked_on", "amount", "bank_reference", "number"],
                name="statement_line_once",
            ),
            models.UniqueConstraint(fields=["deposit"], name="statement_line_of_deposit_once"),
            # A closed position has a line in each of its currencies.
            models.UniqueConstraint(
                fields=["movement", "currency"], name="statement_line_of_movement_once"
            ),
            models.UniqueConstraint(
                fields=["adjustment"], name="statement_line_of_adjustment_once"
            ),
            models.CheckConstraint(condition=~Q(amount=0), name="statement_line_amount"),
            models.CheckConstraint(
                condition=Q(status__in=["Open", "Set aside"]) & _matched_with()
                | Q(status__in=["Proposed", "Matched"])
                & reduce(or_, (_matched_with(field) for field in MATCHES)),
                name="statement_line_has_one_match",
            ),
            models.CheckConstraint(
                condition=Q(status="Set aside") & ~Q(reason="")
                | ~Q(status="Set aside") & Q(reason=""),
                name="statement_line_set_aside_with_reason",
            ),
            models.CheckConstraint(
                condition=Q(status="Open", handled_by__isnull=True, handled_at__isnull=True)
                | ~Q(status="Open") & Q(handled_by__isnull=False, handled_at__isnull=False),
                name="statement_line_decided",
            ),
        ]
        indexes = [
            models.Index(
                fields=["booked_on"], condition=Q(status="Open"), name="statement_line_open"
            ),
            models.Index(fields=["-booked_on", "-id"], name="statement_line_listed"),
            models.Index(fields=["amount", "currency", "-id"], name="statement_line_amount_index"),
        ]

    def __str__(self) -> str:
        return self.bank_reference or f"Line {self.number} of {self.booked_on}"
