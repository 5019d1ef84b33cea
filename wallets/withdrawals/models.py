"""Withdrawal requests with their bank record, payout and decisions."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Coalesce

from exchange.core.fields import AMOUNT, UNCHECKED, choice_field
from exchange.core.ids import uuid7
from exchange.core.models import Currency, Record
from exchange.core.references import ReferencedModel, reference_once
from exchange.participants.models import Member, Organisation
from wallets.banks.models import BankAccount
from wallets.ledger.models import Account


class WithdrawalStatus(models.TextChoices):
    """States of a withdrawal request."""

    PENDING = "Pending"
    APPROVED = "Approved"
    REJECTED = "Rejected"
    CANCELLED = "Cancelled"
    PROCESSING = "Processing"
    UNKNOWN = "Unknown"
    COMPLETED = "Completed"
    FAILED = "Failed"
    REVERSED = "Reversed"


# The amount is in escrow in these states. `approval_requirement.sql` and the metrics
# (`config.metrics.readings`) repeat them.
OPEN_STATUSES = (
    WithdrawalStatus.PENDING,
    WithdrawalStatus.APPROVED,
    WithdrawalStatus.PROCESSING,
    WithdrawalStatus.UNKNOWN,
)

# The provider has not confirmed the outcome yet.
IN_FLIGHT = (WithdrawalStatus.PROCESSING, WithdrawalStatus.UNKNOWN)
# Closed, and the bank may say later that the transfer was paid or returned.
MAY_CHANGE_LATER = (
    WithdrawalStatus.COMPLETED,
    WithdrawalStatus.FAILED,
    WithdrawalStatus.REVERSED,
)


class Withdrawal(ReferencedModel):
    """A request to pay out of an organisation's or a member's wallet to a bank account."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    # Inserts are frequent, so only indexes that serve a query. Foreign keys are composite, in SQL:
    # escrow account of this owner, organisation and currency, bank record of this organisation.
    # Plain ones would lock the shared rows of currency and organisation.
    organisation = models.ForeignKey(Organisation, related_name="withdrawals", **UNCHECKED)
    member = models.ForeignKey(
        Member, null=True, blank=True, related_name="withdrawals", **UNCHECKED
    )
    owner_id = models.GeneratedField(
        expression=Coalesce("member_id", "organisation_id"),
        output_field=models.UUIDField(),
        db_persist=True,
    )
    reference = models.CharField(max_length=40)
    currency = models.ForeignKey(Currency, related_name="+", **UNCHECKED)
    amount = models.DecimalField(**AMOUNT)
    fee = models.DecimalField(**AMOUNT)
    disburse_amount = models.DecimalField(**AMOUNT)
    gusd_amount = models.DecimalField(null=True, blank=True, **AMOUNT)
    internal_fee = models.DecimalField(default=0, **AMOUNT)
    internal_fee_type = models.CharField(max_length=10, default="NONE")
    escrow_account = models.ForeignKey(Account, related_name="+", **UNCHECKED)
    bank = models.OneToOneField(
        BankAccount, on_delete=models.PROTECT, related_name="withdrawal", db_constraint=False
    )
    status = choice_field(WithdrawalStatus, max_length=10, default=WithdrawalStatus.PENDING)
    version = models.PositiveIntegerField(default=1)
    requested_by = models.CharField(max_length=80, help_text="Actor that requested it")
    approvals_needed = models.PositiveSmallIntegerField(default=1)
    first_approver = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        db_index=False,
    )
    second_approver = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        db_index=False,
    )
    actioned_on = models.DateTimeField(null=True, blank=True)
    actioned_by = models.CharField(max_length=200, blank=True)
    reason = models.CharField(
        max_length=500, blank=True, help_text="Why it was rejected, cancelled, or failed"
    )
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    document = models.TextField(editable=False, default="")

    class Meta:
        ordering = ["-created_at", "-id"]
        permissions = [
            ("decide_withdrawal", "Can approve and reject withdrawals"),
            ("resolve_payout", "Can decide about unresolved and returned payouts"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["reference"], name="withdrawal_reference_once"),
            reference_once("withdrawal_client_reference_once"),
            models.CheckConstraint(
                condition=models.Q(
                    amount=models.F("fee") + models.F("disburse_amount"),
                    fee__gte=0,
                    disburse_amount__gt=0,
                ),
                name="withdrawal_amounts_add_up",
            ),
        ]
        indexes = [
            models.Index(fields=["organisation", "-created_at", "-id"], name="withdrawal_listed"),
            models.Index(fields=["owner_id", "-created_at"], name="withdrawal_of_owner"),
            # The back office searches by either.
            models.Index(fields=["amount"], name="withdrawal_amount"),
            models.Index(fields=["disburse_amount"], name="withdrawal_net_amount"),
            models.Index(
                fields=["status", "created_at"],
                condition=models.Q(status__in=OPEN_STATUSES),
                name="withdrawal_open",
            ),
            models.Index(
                fields=["updated_at"],
                condition=models.Q(status="Failed"),
                name="withdrawal_failed",
            ),
            models.Index(
                fields=["updated_at", "status", "currency", "disburse_amount"],
                condition=models.Q(status__in=MAY_CHANGE_LATER),
                name="withdrawal_ended",
            ),
            # Sole approvals within 24 hours; not touched by new requests.
            models.Index(
                fields=["first_approver", "actioned_on"],
                condition=models.Q(first_approver__isnull=False),
                name="withdrawal_approved_by",
            ),
        ]

    def __str__(self) -> str:
        return self.reference

    @property
    def owner_model(self) -> str:
        """`user` for a member's wallet, `organisation` for the organisation's own."""
        return "organisation" if self.member_id is None else "user"


class Payout(models.Model):
    """Payment of an approved withdrawal: created by the approval, executed by `wallets.payouts`.

    Holds the worker's lease and the state of the provider's transfer.
    """

    withdrawal = models.OneToOneField(
        Withdrawal, on_delete=models.PROTECT, primary_key=True, related_name="payout"
    )
    # The worker's lease.
    claimed_by = models.CharField(max_length=80, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveIntegerField(default=0)
    # Set in its own transaction before the POST: a worker that crashes later may have paid.
    posted_at = models.DateTimeField(null=True, blank=True)
    provider_id = models.CharField(max_length=40, blank=True)
    provider_status = models.CharField(max_length=20, blank=True)
    provider_fee = models.DecimalField(null=True, blank=True, **AMOUNT)
    provider_message = models.CharField(max_length=500, blank=True)
    last_error = models.CharField(max_length=300, blank=True)
    next_step_at = models.DateTimeField(null=True, blank=True)
    status_checks = models.PositiveIntegerField(default=0)
    not_found_count = models.PositiveIntegerField(default=0)
    first_not_found_at = models.DateTimeField(null=True, blank=True)
    last_not_found_at = models.DateTimeField(null=True, blank=True)
    settled_at = models.DateTimeField(null=True, blank=True)
    monitor_until = models.DateTimeField(
        null=True, blank=True, help_text="Closed payouts are checked for a return until then"
    )
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        ordering = ["-created_at"]
        indexes = [
            models.Index(
                fields=["next_step_at"],
                condition=models.Q(next_step_at__isnull=False),
                name="payout_step_due",
            ),
            models.Index(
                fields=["withdrawal"],
                condition=models.Q(provider_status="FAILED", settled_at__isnull=False),
                name="payout_returned",
            ),
        ]

    def __str__(self) -> str:
        return f"payout of {self.withdrawal_id}"

    @property
    def returned(self) -> bool:
        """Whether the bank returned the money after completion."""
        return self.provider_status == "FAILED" and self.settled_at is not None


class Verdict(models.TextChoices):
    """Kinds of decisions on a withdrawal."""

    APPROVE = "Approve"
    REJECT = "Reject"
    CANCEL = "Cancel"
    ADD_DETAILS = "Add details"
    PROPOSE = "Propose"
    CONFIRM = "Confirm"
    DECLINE = "Decline"


class Decision(models.Model):
    """Decision on a version of a withdrawal, with actor and reason. Append-only."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    withdrawal = models.ForeignKey(Withdrawal, on_delete=models.PROTECT, related_name="decisions")
    verdict = choice_field(Verdict, max_length=11)
    actor = models.CharField(max_length=80)
    actor_label = models.CharField(max_length=200)
    reason = models.CharField(max_length=500, blank=True)
    details = models.JSONField(default=dict, blank=True)
    # Flags at the time (`wallets.withdrawals.selectors.review_flags`) with their text; None for
    # decisions without flags.
    flags = models.JSONField(null=True, blank=True)
    override = models.CharField(
        max_length=500,
        blank=True,
        db_default="",
        help_text="Reason for approving despite a critical flag; internal",
    )
    version = models.PositiveIntegerField(help_text="Version of the withdrawal that was decided on")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["created_at", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["withdrawal", "version"],
                condition=models.Q(verdict__in=["Approve", "Reject", "Cancel"]),
                name="decision_once_per_version",
            ),
            models.CheckConstraint(
                condition=~models.Q(verdict="Approve", flags__contains=[{"level": "Critical"}])
                | models.Q(override__regex=r"\S"),
                name="decision_critical_flag_overridden",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.verdict} by {self.actor_label}"


class BulkStatus(models.TextChoices):
    """States of a bulk of approvals."""

    WAITING = "Waiting"
    UNDONE = "Undone"
    DONE = "Done"


class BulkApproval(Record):
    """Approvals that one person confirmed together; they start at `starts_at` unless undone.

    `rows` are the withdrawals as they were shown, `results` what became of each, in their order.
    """

    approver = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    rows = models.JSONField()
    reason = models.CharField(max_length=500, blank=True)
    status = choice_field(BulkStatus, max_length=7, default=BulkStatus.WAITING)
    results = models.JSONField(default=list)
    created_at = models.DateTimeField()
    starts_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    claimed_by = models.CharField(max_length=80, blank=True)
    leased_until = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)

    class Meta:
        default_permissions = ()
        indexes = [
            models.Index(
                fields=["starts_at"],
                condition=models.Q(status=BulkStatus.WAITING),
                name="bulk_approval_due",
            )
        ]

    def __str__(self) -> str:
        return f"{len(self.rows)} approvals by {self.approver_id}"
