"""Models of the double-entry ledger, and the stored proofs of books with their checkpoint."""

from django.contrib.postgres.indexes import BrinIndex
from django.db import models

from exchange.core.fields import AMOUNT, UNCHECKED, choice_field, owner_column
from exchange.core.models import Currency, Record
from exchange.participants.models import Member, Organisation
from exchange.staff.models import ProposalModel
from exchange.tokens.models import Token


class AccountKind(models.TextChoices):
    """Purpose of an account."""

    AVAILABLE = "available"
    ESCROW = "escrow"
    LIEN = "lien"
    RESERVED = "reserved"
    UNSOLD = "unsold"
    RAISE = "raise"
    # Money that arrived but may still be taken back, such as a card payment's.
    UNCLEARED = "uncleared"
    # What the owner owes the exchange: never above zero.
    RECEIVABLE = "receivable"
    CLEARING = "clearing"
    FEES = "fees"
    EXPENSES = "expenses"
    ISSUANCE = "issuance"
    # Payments without a known owner.
    UNMATCHED = "unmatched"
    # The exchange's own money at the provider, and what conversions left it long or short of.
    TREASURY = "treasury"
    POSITION = "position"
    # What issuers paid in for distributions, until each holder has it.
    DISTRIBUTION = "payable", "Distributions"
    # Tax withheld of income, until it is remitted to the authority.
    TAX = "tax", "Tax withheld"
    # A creditor's outstanding principal and earned interest, and their system counterpart.
    PRINCIPAL = "principal"
    INTEREST = "interest"
    LOANS = "loans", "Loans and earned interest"


class TransferKind(models.TextChoices):
    """Reason of a transfer."""

    DEPOSIT = "deposit", "Deposit"
    DEPOSIT_CLEAR = "deposit_clear", "Deposit cleared"
    DEPOSIT_CHARGE = "deposit_charge", "Provider charge of a deposit"
    DEPOSIT_REVERSE = "deposit_reverse", "Deposit reversal"
    DEPOSIT_HOLD = "deposit_hold", "Hold of a disputed deposit"
    DEPOSIT_RELEASE = "deposit_release", "Release of a disputed deposit"
    PAYMENT_UNMATCHED = "payment_unmatched", "Unmatched payment"
    PAYMENT_REFUND = "payment_refund", "Refund of an unmatched payment"
    RECEIVABLE_REPAY = "receivable_repay", "Receivable repayment"
    RECEIVABLE_WRITE_OFF = "receivable_write_off", "Receivable write-off"
    WITHDRAWAL_HOLD = "withdrawal_hold", "Withdrawal hold"
    WITHDRAWAL_SETTLE = "withdrawal_settle", "Withdrawal settlement"
    WITHDRAWAL_RELEASE = "withdrawal_release", "Withdrawal release"
    WITHDRAWAL_REVERSE = "withdrawal_reverse", "Withdrawal reversal"
    PROVIDER_CHARGE = "provider_charge", "Provider charge"
    WALLET_TRANSFER = "wallet_transfer", "Transfer between wallets"
    CONVERSION = "conversion", "Conversion"
    TREASURY = "treasury", "Treasury movement"
    ADJUSTMENT = "adjustment", "Adjusting entry"
    UNITS_ISSUE = "units_issue", "Issue of units"
    UNITS_RETIRE = "units_retire", "Retirement of units"
    ORDER_RESERVE = "order_reserve", "Order reservation"
    ORDER_RELEASE = "order_release", "Order release"
    TRADE = "trade", "Trade"
    RAISE_SALE = "raise_sale", "Raise sale"
    RAISE_COMPLETE = "raise_complete", "Raise completion"
    RAISE_REFUND = "raise_refund", "Raise refund"
    LOAN_DISBURSE = "loan_disburse", "Loan disbursement"
    LOAN_REPAY = "loan_repay", "Loan repayment"
    LOAN_PLEDGE = "loan_pledge", "Loan pledge"
    LOAN_RELEASE = "loan_release", "Loan release"
    LOAN_LIQUIDATE = "loan_liquidate", "Loan liquidation"
    LOAN_WRITE_OFF = "loan_write_off", "Loan write-off"
    DISTRIBUTION_FUND = "distribution_fund", "Distribution funding"
    DISTRIBUTION_PAY = "distribution_pay", "Distribution"
    DISTRIBUTION_REFUND = "distribution_refund", "Distribution refund"
    DISTRIBUTION_RECOVER = "distribution_recover", "Recovery of a distribution"


class Asset(models.Model):
    """A currency (id: its code) or the units of a token (id: the token's)."""

    id = models.CharField(max_length=36, primary_key=True)
    currency = models.OneToOneField(
        Currency, on_delete=models.PROTECT, null=True, blank=True, related_name="asset"
    )
    token = models.OneToOneField(
        Token, on_delete=models.PROTECT, null=True, blank=True, related_name="units"
    )
    decimals = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(currency__isnull=False, token__isnull=True)
                | models.Q(currency__isnull=True, token__isnull=False),
                name="asset_currency_or_token",
            ),
        ]

    def __str__(self) -> str:
        return self.id


class Account(Record):
    """An owner's amount of one asset for one purpose, or a system account (no owner)."""

    asset = models.ForeignKey(Asset, on_delete=models.PROTECT, related_name="accounts")
    kind = choice_field(AccountKind, max_length=10)
    organisation = models.ForeignKey(
        Organisation, on_delete=models.PROTECT, null=True, related_name="accounts"
    )
    # A composite foreign key in SQL ties the member to the organisation.
    member = models.ForeignKey(
        Member, on_delete=models.PROTECT, null=True, related_name="accounts", db_constraint=False
    )
    owner_id = owner_column(null=True)
    balance = models.DecimalField(null=True, **AMOUNT)
    closed = models.BooleanField(
        default=False, db_default=False, help_text="Of a closed member: stays empty"
    )

    class Meta:
        ordering = ["asset", "kind", "id"]
        constraints = [
            # Runs on every movement, so it is short. A trigger checks kind and owner once, when the
            # account is opened.
            models.CheckConstraint(
                condition=models.Q(balance__isnull=False)
                & (models.Q(balance__gte=0) | models.Q(kind="receivable"))
                | models.Q(balance__isnull=True, organisation__isnull=True),
                name="account_balance_not_negative",
            ),
            models.CheckConstraint(
                condition=~models.Q(kind="receivable") | models.Q(balance__lte=0),
                name="account_receivable_not_positive",
            ),
            # What a closed member owes can still grow: a deposit may be taken back.
            models.CheckConstraint(
                condition=models.Q(closed=False)
                | models.Q(balance=0)
                | models.Q(kind="receivable"),
                name="account_of_closed_member",
            ),
            # Targets of composite foreign keys.
            models.UniqueConstraint(
                fields=["id", "owner_id", "organisation", "asset"], name="account_owner"
            ),
            models.UniqueConstraint(
                fields=["owner_id", "asset", "kind"],
                name="account_once_per_owner",
                nulls_distinct=False,
            ),
        ]
        indexes = [
            # Without the balance, which changes with every movement: what owners owe is read from
            # these few accounts.
            models.Index(
                fields=["asset"],
                condition=models.Q(kind="receivable"),
                name="account_receivable",
            )
        ]

    def __str__(self) -> str:
        return f"{self.asset_id} {self.kind} of {self.owner_id or 'the exchange'}"


class Transfer(Record):
    """An immutable movement: two or more entries that sum to zero for every asset."""

    kind = choice_field(TransferKind, max_length=30)
    reference = models.CharField(
        max_length=120,
        help_text="Unique name of the step, such as `withdrawal:<id>:close` (settle or release)",
    )
    subject_id = models.UUIDField(null=True, help_text="Id of the record it is about")
    actor = models.CharField(max_length=80)
    memo = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField()
    created_txid = models.BigIntegerField()

    class Meta:
        verbose_name = "ledger transfer"
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["reference"], name="transfer_reference_once"),
            # A subject is closed, charged and reversed once, whatever the references.
            models.UniqueConstraint(
                fields=["subject_id"],
                condition=models.Q(kind__in=["withdrawal_settle", "withdrawal_release"]),
                name="transfer_closes_once",
            ),
            models.UniqueConstraint(
                fields=["subject_id"],
                condition=models.Q(kind="provider_charge"),
                name="transfer_charges_once",
            ),
            models.UniqueConstraint(
                fields=["subject_id"],
                condition=models.Q(kind="withdrawal_reverse"),
                name="transfer_reverses_once",
            ),
        ]
        indexes = [
            models.Index(fields=["subject_id"], name="transfer_subject"),
            # Finds the transfers since the checkpoint; costs an insert nothing.
            BrinIndex(
                fields=["created_txid"],
                pages_per_range=32,
                autosummarize=True,
                name="transfer_txid",
            ),
        ]

    def __str__(self) -> str:
        return self.reference


class Entry(Record):
    """A leg of a transfer; `amount` is added to the account."""

    # A guard in SQL checks transfer, account and asset. Rows are never removed, so foreign keys,
    # which look up and lock every row, are not needed.
    transfer = models.ForeignKey(
        Transfer, on_delete=models.PROTECT, related_name="entries", db_constraint=False
    )
    account = models.ForeignKey(Account, related_name="entries", **UNCHECKED)
    asset = models.ForeignKey(Asset, related_name="+", **UNCHECKED)
    amount = models.DecimalField(**AMOUNT)
    balance_after = models.DecimalField(
        null=True, help_text="Balance of the owner's account; null for system accounts", **AMOUNT
    )

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "entries"
        constraints = [
            models.CheckConstraint(condition=~models.Q(amount=0), name="entry_amount_not_zero"),
        ]
        indexes = [models.Index(fields=["account", "-id"], name="entry_statement")]

    def __str__(self) -> str:
        return f"{self.amount} {self.asset_id}"


class BooksProof(Record):
    """A stored run of the proof of books, with its findings."""

    ran_at = models.DateTimeField()
    incremental = models.BooleanField(
        db_default=False, help_text="Whether it started from the checkpoint"
    )
    passed = models.BooleanField()
    findings = models.JSONField(default=list)
    milliseconds = models.PositiveIntegerField()
    totals = models.JSONField(
        default=dict,
        help_text="Sum of each system account's entries before `totals_before`, by account",
    )
    totals_before = models.UUIDField(
        null=True, help_text="Entries with smaller ids are in `totals`"
    )

    class Meta:
        ordering = ["-ran_at", "-id"]
        verbose_name = "ledger integrity check"
        verbose_name_plural = "ledger integrity checks"

    def __str__(self) -> str:
        return f"{self.ran_at:%Y-%m-%d %H:%M} {'passed' if self.passed else 'FAILED'}"


class PeriodClose(ProposalModel):
    """The close of a month, proposed with its figures as CSV, approved with the document as PDF.

    No transfer is dated into an approved month, or one before it.
    """

    month = models.DateField(help_text="Its first day")
    proof = models.ForeignKey(BooksProof, on_delete=models.PROTECT, related_name="+")
    csv = models.BinaryField()
    csv_sha256 = models.CharField(max_length=64)
    pdf = models.BinaryField(null=True)
    pdf_sha256 = models.CharField(max_length=64, blank=True, default="", db_default="")

    class Meta(ProposalModel.Meta):
        default_permissions = ("view",)
        permissions = [("close_period", "Can propose and confirm the close of a month")]
        constraints = [
            models.UniqueConstraint(
                fields=["month"], condition=~models.Q(status="Rejected"), name="period_close_once"
            ),
            models.CheckConstraint(
                condition=models.Q(month__day=1), name="period_close_of_whole_month"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.month:%B %Y}"


class Checkpoint(models.Model):
    """The position up to which the proof of books passed; one row. SQL functions write it."""

    id = models.PositiveSmallIntegerField(primary_key=True)
    position = models.BigIntegerField(
        help_text="Transfers of transactions with smaller ids are in the balances"
    )
    taken_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        constraints = [
            models.CheckConstraint(condition=models.Q(id=1), name="checkpoint_single"),
        ]

    def __str__(self) -> str:
        return f"checkpoint of {self.taken_at:%Y-%m-%d %H:%M}"


class CheckpointBalance(models.Model):
    """The entries of one account up to the checkpoint: sum, number and digest."""

    account = models.OneToOneField(
        Account, on_delete=models.PROTECT, primary_key=True, related_name="+", db_constraint=False
    )
    total = models.DecimalField(**AMOUNT)
    entries = models.BigIntegerField()
    digest = models.DecimalField(max_digits=40, decimal_places=0)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.total} of {self.account_id}"


class ConversionPosition(models.Model):
    """What the exchange is long (above zero) or short of in a currency: its `position` account.

    System accounts keep no balance. This one does, under a row lock, so that limits hold.
    """

    currency = models.OneToOneField(
        Currency, on_delete=models.PROTECT, primary_key=True, related_name="+"
    )
    amount = models.DecimalField(**AMOUNT)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.amount} {self.currency_id}"
