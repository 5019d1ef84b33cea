"""The mechanics of paying an approved withdrawal through the provider."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from exchange.core.ids import uuid7
from exchange.staff.models import ProposalModel
from wallets.withdrawals.models import Withdrawal


class Payout(models.Model):
    """What we know of the provider's transfer for one withdrawal."""

    withdrawal = models.OneToOneField(
        Withdrawal, on_delete=models.PROTECT, primary_key=True, related_name="payout"
    )
    # The claim: who works on it and until when nobody else may.
    claimed_by = models.CharField(max_length=80, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveIntegerField(default=0)
    # Set in its own transaction before the POST: a worker that dies after it may have paid.
    posted_at = models.DateTimeField(null=True, blank=True)
    provider_id = models.CharField(max_length=40, blank=True)
    provider_status = models.CharField(max_length=20, blank=True)
    provider_fee = models.DecimalField(max_digits=38, decimal_places=8, null=True, blank=True)
    provider_message = models.CharField(max_length=500, blank=True)
    last_error = models.CharField(max_length=300, blank=True)
    next_step_at = models.DateTimeField(null=True, blank=True)
    look_ups = models.PositiveIntegerField(default=0)
    not_found_count = models.PositiveIntegerField(default=0)
    first_not_found_at = models.DateTimeField(null=True, blank=True)
    last_not_found_at = models.DateTimeField(null=True, blank=True)
    settled_at = models.DateTimeField(null=True, blank=True)
    watch_until = models.DateTimeField(
        null=True, blank=True, help_text="Completed payouts are looked up again until then"
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
        """Whether the bank sent the money back after the payout was completed."""
        return self.provider_status == "FAILED" and self.settled_at is not None


class ProposalAction(models.TextChoices):
    """What two people together may do about a payout."""

    SEND_AGAIN = "Send again"
    FAIL = "Fail"
    REVERSE = "Reverse"
    RETURN = "Return"


class ProposalStatus(models.TextChoices):
    """Where a proposal stands."""

    OPEN = "Open"
    CONFIRMED = "Confirmed"
    DECLINED = "Declined"


class Proposal(ProposalModel):
    """One person proposes what to do about a payout that is lost, came back or waits; another one
    confirms.
    """

    withdrawal = models.ForeignKey(Withdrawal, on_delete=models.PROTECT, related_name="proposals")
    action = models.CharField(max_length=12, choices=ProposalAction.choices)
    reason = models.CharField(max_length=500)
    status = models.CharField(
        max_length=10, choices=ProposalStatus.choices, default=ProposalStatus.OPEN
    )

    class Meta(ProposalModel.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["withdrawal"],
                condition=models.Q(status="Open"),
                name="proposal_one_open_per_withdrawal",
            ),
            models.CheckConstraint(
                condition=models.Q(status="Open", decided_by__isnull=True)
                | (~models.Q(status="Open") & models.Q(decided_by__isnull=False)),
                name="proposal_decided_by_somebody",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.withdrawal_id}"


class ProviderEvent(models.Model):
    """A webhook the provider sent us, kept once however often it comes. A hint, not a fact."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the body, hex")
    reference = models.CharField(max_length=100, blank=True)
    provider_id = models.CharField(max_length=40, blank=True)
    body = models.TextField(help_text="At most the first 8 KiB")
    received_at = models.DateTimeField()
    seen = models.PositiveIntegerField(default=1)

    class Meta:
        ordering = ["-received_at", "-id"]

    def __str__(self) -> str:
        return self.reference or self.digest[:12]


ONLY_ROW = 1


class CircuitState(models.TextChoices):
    """Whether payouts are posted: all of them, none, or one to try."""

    CLOSED = "Closed"
    OPEN = "Open"
    HALF_OPEN = "Half-open"


class PayoutCircuit(models.Model):
    """Whether payouts are posted to the payment provider now."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=ONLY_ROW, editable=False)
    state = models.CharField(
        max_length=9, choices=CircuitState.choices, default=CircuitState.CLOSED
    )
    failures = models.PositiveIntegerField(default=0, help_text="In a row, while Closed")
    failed_trials = models.PositiveIntegerField(default=0, help_text="Since it opened")
    reason = models.CharField(max_length=300, blank=True, help_text="The last failure")
    opened_at = models.DateTimeField(null=True)
    next_probe_at = models.DateTimeField(null=True)
    # The one payout that is tried while Half-open, and until when its worker has the trial.
    trial = models.ForeignKey(
        Withdrawal, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )
    trial_until = models.DateTimeField(null=True)
    quiet_until = models.DateTimeField(
        null=True, help_text="The provider asked to be left alone until then (Retry-After)"
    )
    updated_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        constraints = [
            models.CheckConstraint(condition=Q(id=ONLY_ROW), name="payout_circuit_only_row"),
            models.CheckConstraint(
                condition=Q(trial=None, trial_until=None)
                | Q(trial__isnull=False, trial_until__isnull=False, state="Half-open"),
                name="payout_circuit_trial_half_open",
            ),
            models.CheckConstraint(
                condition=Q(state="Closed")
                | Q(opened_at__isnull=False, next_probe_at__isnull=False),
                name="payout_circuit_probes",
            ),
        ]

    def __str__(self) -> str:
        return f"payouts: {self.state}"
