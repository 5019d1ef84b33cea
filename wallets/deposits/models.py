"""Money in: deposits, virtual accounts, and the provider's payments behind them."""

from typing import Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models.functions import Now

from exchange.core.fields import AMOUNT, choice_field
from exchange.core.models import Record
from exchange.core.references import ReferencedModel, reference_once
from exchange.core.words import FoldedWords
from exchange.participants.models import Member, Organisation
from exchange.staff.models import ExplainedApproval, ProposalModel
from wallets.deposits.owned import OwnedModel


class DepositStatus(models.TextChoices):
    """States of a deposit."""

    PENDING = "Pending"
    COMPLETED = "Completed"
    FAILED = "Failed"
    REVERSED = "Reversed"


class DepositChannel(models.TextChoices):
    """Ways in which money arrives."""

    VIRTUAL_ACCOUNT = "virtual_account", "Virtual account"
    CHECKOUT = "checkout", "Checkout"
    # Entered by one person and confirmed by another, or by the command.
    MANUAL = "manual", "Manual"


class Deposit(ExplainedApproval, OwnedModel, ReferencedModel, ProposalModel):
    """Money for an organisation or a member: expected, arrived, failed or taken back.

    A manual one is a proposal: entered by one person and confirmed by another. The others complete
    with the provider's payment.
    """

    channel = choice_field(
        DepositChannel, max_length=15, default=DepositChannel.MANUAL, db_default="manual"
    )
    amount = models.DecimalField(
        **AMOUNT, help_text="What arrived; of a pending checkout what was requested"
    )
    fee = models.DecimalField(
        default=0,
        db_default=0,
        **AMOUNT,
        help_text="The provider's charge, where the owner bears it",
    )
    # The payment of a checkout may differ: the amount and currency above are what arrived.
    requested_amount = models.DecimalField(
        null=True, blank=True, **AMOUNT, help_text="What a checkout requested"
    )
    requested_currency = models.CharField(max_length=3, blank=True, db_default="")
    reference = models.CharField(
        max_length=100, help_text="Of a manual deposit the bank's reference; else our own"
    )
    reference_key = models.TextField(
        default="",
        db_default="",
        editable=False,
        help_text="How references of manual deposits are compared",
    )
    provider_fee = models.DecimalField(
        default=0, db_default=0, **AMOUNT, help_text="The provider's charge, whoever bears it"
    )
    note = models.CharField(max_length=300, blank=True)
    status = choice_field(DepositStatus, max_length=10, default=DepositStatus.PENDING)
    # Null: booked immediately, by a command, demo data or the provider's payment.
    proposed_by = None  # type: ignore[assignment]
    entered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    reason = models.CharField(max_length=500, blank=True, help_text="Why it failed")
    redirect_url = models.CharField(max_length=500, blank=True, db_default="")
    provider_reference = models.CharField(max_length=100, blank=True, db_default="")
    payer_name = models.CharField(max_length=200, blank=True, db_default="")
    payer_bank = models.CharField(max_length=200, blank=True, db_default="")
    payer_account = models.CharField(max_length=40, blank=True, db_default="")
    available_at = models.DateTimeField(
        null=True, blank=True, help_text="When uncleared money becomes available"
    )
    cleared_at = models.DateTimeField(null=True, blank=True)
    # Null: never disputed, or the dispute was closed without taking anything back.
    disputed_at = models.DateTimeField(null=True, blank=True)
    disputed_amount = models.DecimalField(
        null=True, blank=True, **AMOUNT, help_text="What the payer's bank demands back"
    )
    reversed_amount = models.DecimalField(
        default=0, db_default=0, **AMOUNT, help_text="What of the net amount was taken back"
    )
    flags = ArrayField(
        models.CharField(max_length=40),
        default=list,
        db_default=[],
        help_text="How the payment differs from its checkout",
    )
    updated_at = models.DateTimeField(db_default=Now())
    document = models.TextField(editable=False, default="", db_default="")

    class Meta(ProposalModel.Meta):
        permissions = [("decide_deposit", "Can confirm and reject deposits")]
        indexes = [
            models.Index(
                fields=["created_at"], condition=models.Q(status="Pending"), name="deposit_pending"
            ),
            models.Index(fields=["organisation", "-created_at", "-id"], name="deposit_listed"),
            models.Index(fields=["owner_id", "-created_at"], name="deposit_of_owner"),
            # The back office searches by these.
            models.Index(fields=["amount", "currency", "-id"], name="deposit_amount"),
            models.Index(
                fields=["reference"],
                condition=models.Q(status="Failed"),
                name="deposit_failed_reference",
            ),
            models.Index(
                fields=["payer_account"],
                condition=~models.Q(payer_account=""),
                name="deposit_payer_account",
            ),
            models.Index(
                fields=["available_at"],
                condition=models.Q(available_at__isnull=False, cleared_at__isnull=True),
                name="deposit_uncleared",
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(amount__gt=0, fee__gte=0, fee__lt=models.F("amount")),
                name="deposit_amount_positive",
            ),
            # A wrong entry that was closed can be entered again.
            models.UniqueConstraint(
                fields=["reference"],
                condition=~models.Q(status="Failed"),
                name="deposit_reference_once",
            ),
            models.UniqueConstraint(
                fields=["reference_key"],
                condition=~models.Q(status="Failed") & ~models.Q(reference_key=""),
                name="deposit_reference_key_once",
            ),
            reference_once("deposit_client_reference_once"),
        ]

    def __str__(self) -> str:
        return self.reference

    @property
    def net_amount(self) -> Any:
        """What the owner gets."""
        return self.amount - self.fee

    @property
    def taken_back(self) -> Any:
        """What of the net amount was taken back."""
        return self.net_amount if self.status == DepositStatus.REVERSED else self.reversed_amount

    @property
    def remaining(self) -> Any:
        """What of the net amount was not taken back."""
        return self.net_amount - self.taken_back

    @property
    def is_resting(self) -> bool:
        """Whether what remains is not available yet."""
        return (
            self.status == DepositStatus.COMPLETED
            and self.available_at is not None
            and self.cleared_at is None
        )

    @property
    def state(self) -> str:
        """The status as staff know it: a manual deposit was rejected or cancelled, not failed."""
        if self.channel != DepositChannel.MANUAL or self.status != DepositStatus.FAILED:
            return self.status
        # Only a rejection has a reason; who entered the deposit may also reject it.
        return "Rejected" if self.reason else "Cancelled"

    @property
    def channel_name(self) -> str:
        """The channel as staff know it: what people assigned did not arrive for its owner."""
        return "Assigned" if "assigned" in self.flags else str(self.get_channel_display())


class ManualDeposits(models.Manager["Deposit"]):
    """Deposits entered by hand."""

    def get_queryset(self) -> models.QuerySet[Deposit]:
        """Return the manual deposits."""
        return super().get_queryset().filter(channel=DepositChannel.MANUAL)


class ManualDeposit(Deposit):
    """A deposit that one person enters and another one confirms."""

    objects = ManualDeposits()  # type: ignore[assignment, misc]

    class Meta:
        proxy = True
        default_permissions = ()


class VirtualAccount(OwnedModel, Record):
    """A permanent bank account number of an owner; what is paid into it is the owner's."""

    reference = models.CharField(
        max_length=100, unique=True, help_text="The `tx_ref` of all its payments"
    )
    order_reference = models.CharField(max_length=100, help_text="The provider's own reference")
    bank_name = models.CharField(max_length=200)
    account_number = models.CharField(max_length=40)
    account_name = models.CharField(max_length=200)
    status = models.CharField(max_length=10, default="Active", db_default="Active")
    created_at = models.DateTimeField()
    document = models.TextField(editable=False, default="", db_default="")

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["owner_id", "currency"], name="virtual_account_once_per_owner"
            )
        ]
        indexes = [models.Index(fields=["account_number"], name="virtual_account_number")]

    def __str__(self) -> str:
        return f"{self.bank_name} {self.account_number}"


class PaymentStatus(models.TextChoices):
    """States of a payment at the provider, as far as we looked it up."""

    # Known from a webhook or a list: to be looked up.
    REPORTED = "Reported"
    PENDING = "Pending"
    CREDITED = "Credited"
    UNMATCHED = "Unmatched"
    # Requested at the provider; until its answer is known, the money stays unmatched.
    REFUNDING = "Refunding"
    REFUNDED = "Refunded"
    FAILED = "Failed"
    # The provider does not know it, or calls it differently than the webhook did.
    DISPROVED = "Disproved"


OPEN_PAYMENTS = (PaymentStatus.REPORTED, PaymentStatus.PENDING)
# Of which only what was charged back may change.
CLOSED_PAYMENTS = (
    PaymentStatus.CREDITED,
    PaymentStatus.UNMATCHED,
    PaymentStatus.REFUNDING,
    PaymentStatus.REFUNDED,
)
# Whose money is on the account of unmatched payments.
UNMATCHED_PAYMENTS = (PaymentStatus.UNMATCHED, PaymentStatus.REFUNDING)


# What a payment is searched by: the words of the names of its payer and of the payer's bank.
PAYER_WORDS = FoldedWords("payer_name", "payer_bank")


class Payment(Record):
    """A payment to us at the provider. Amounts are those of the status check, not a webhook's."""

    transaction_id = models.BigIntegerField(unique=True, help_text="The provider's")
    tx_ref = models.CharField(max_length=100, blank=True)
    status = choice_field(PaymentStatus, max_length=10, default=PaymentStatus.REPORTED)
    provider_reference = models.CharField(max_length=100, blank=True, help_text="`flw_ref`")
    currency_code = models.CharField(max_length=10, blank=True)
    amount = models.DecimalField(null=True, blank=True, **AMOUNT)
    charged_amount = models.DecimalField(null=True, blank=True, **AMOUNT)
    settled_amount = models.DecimalField(null=True, blank=True, **AMOUNT)
    provider_fee = models.DecimalField(null=True, blank=True, **AMOUNT)
    booked_fee = models.DecimalField(
        null=True,
        blank=True,
        **AMOUNT,
        help_text="The fee that was booked when it was kept as unmatched; null if it was not",
    )
    payment_type = models.CharField(max_length=40, blank=True)
    payer_name = models.CharField(max_length=200, blank=True)
    payer_bank = models.CharField(max_length=200, blank=True, db_default="")
    payer_account = models.CharField(max_length=40, blank=True, db_default="")
    paid_at = models.DateTimeField(null=True, blank=True)
    deposit = models.OneToOneField(
        Deposit, on_delete=models.PROTECT, null=True, blank=True, related_name="payment"
    )
    refund_reference = models.CharField(
        max_length=100,
        blank=True,
        db_default="",
        help_text="The provider's reference of the refund",
    )
    charged_back_amount = models.DecimalField(
        default=0,
        db_default=0,
        **AMOUNT,
        help_text="What the provider last said was taken back from us",
    )
    last_error = models.CharField(max_length=300, blank=True)
    lookups = models.PositiveIntegerField(default=0)
    next_lookup_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(
                fields=["next_lookup_at"],
                condition=models.Q(next_lookup_at__isnull=False),
                name="payment_lookup_due",
            ),
            models.Index(
                fields=["created_at"],
                condition=models.Q(status__in=["Unmatched", "Refunding"]),
                name="payment_unmatched",
            ),
            # The back office searches by these.
            models.Index(fields=["provider_reference"], name="payment_at_provider"),
            models.Index(fields=["tx_ref", "-id"], name="payment_reference"),
            GinIndex(PAYER_WORDS, name="payment_payer_words"),
            # The daily comparison with the provider.
            models.Index(fields=["paid_at"], name="payment_paid_on"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(status="Credited", deposit__isnull=False)
                | ~models.Q(status="Credited") & models.Q(deposit__isnull=True),
                name="payment_credited_to_deposit",
            )
        ]

    def __str__(self) -> str:
        return f"{self.transaction_id}"


class DepositReversal(ProposalModel):
    """A chargeback or a wrong deposit: takes a completed deposit back, or a part of it.

    One person proposes it and another confirms it. The system proposes it, without a person, where
    the provider says that the payment was taken back.
    """

    proposed_by = models.ForeignKey(  # type: ignore[assignment]
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    amount = models.DecimalField(**AMOUNT, help_text="What is taken back")
    # Null: not of a dispute. What rests anyway until the deposit clears is not part of it.
    held = models.DecimalField(
        null=True,
        blank=True,
        **AMOUNT,
        help_text="What a dispute keeps as uncleared until the decision",
    )
    deposit = models.ForeignKey(Deposit, on_delete=models.PROTECT, related_name="reversals")
    explanation = models.CharField(
        max_length=500, help_text="Why the money is taken back, with the provider's reference"
    )

    class Meta(ProposalModel.Meta):
        default_permissions = ("view",)
        permissions = [("reverse_deposit", "Can propose and confirm reversals of deposits")]
        constraints = [
            models.UniqueConstraint(
                fields=["deposit"],
                condition=models.Q(status="Pending"),
                name="deposit_reversal_once",
            )
        ]

    def __str__(self) -> str:
        return f"reversal of {self.deposit_id}"


class PaymentAction(models.TextChoices):
    """What becomes of a payment without a known owner, and the result of a refund."""

    ASSIGN = "Assign"
    REFUND = "Refund"
    # Where the provider's answer to a refund was lost, people find out and record it.
    REFUNDED = "Refunded", "Record refund"
    NOT_REFUNDED = "Not refunded", "Record no refund"


class PaymentResolution(ProposalModel):
    """A decision by two people: the owner of an unmatched payment, its refund, or its result."""

    payment = models.ForeignKey(Payment, on_delete=models.PROTECT, related_name="resolutions")
    action = choice_field(PaymentAction, max_length=12)
    organisation = models.ForeignKey(
        Organisation, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    member = models.ForeignKey(
        Member,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        db_constraint=False,
    )
    explanation = models.CharField(max_length=500)
    refund_reference = models.CharField(
        max_length=100,
        blank=True,
        db_default="",
        help_text="The provider's reference of the refund",
    )

    class Meta(ProposalModel.Meta):
        default_permissions = ("view",)
        permissions = [("resolve_payment", "Can propose and confirm what becomes of payments")]
        constraints = [
            models.UniqueConstraint(
                fields=["payment"],
                condition=models.Q(status="Pending"),
                name="payment_resolution_once",
            ),
            models.CheckConstraint(
                condition=models.Q(action="Assign", organisation__isnull=False)
                | ~models.Q(action="Assign")
                & models.Q(organisation__isnull=True, member__isnull=True),
                name="payment_resolution_has_owner",
            ),
            models.CheckConstraint(
                condition=models.Q(action="Refunded") ^ models.Q(refund_reference=""),
                name="payment_resolution_has_reference",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.payment_id}"
