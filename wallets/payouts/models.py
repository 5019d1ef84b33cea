"""Resolution proposals and the circuit breaker of payouts.

The payout itself is created by the approval: `wallets.withdrawals.models.Payout`.
"""

from django.db import models
from django.db.models import Q

from exchange.core.fields import choice_field
from exchange.staff.models import ProposalModel
from wallets.withdrawals.models import Withdrawal


class ProposalAction(models.TextChoices):
    """Resolutions of a payout; each requires dual approval."""

    SEND_AGAIN = "Send again"
    FAIL = "Fail"
    REVERSE = "Reverse"
    RETURN = "Return"


class Proposal(ProposalModel):
    """Proposed resolution of a payout; another person approves or rejects it."""

    withdrawal = models.ForeignKey(Withdrawal, on_delete=models.PROTECT, related_name="proposals")
    action = choice_field(ProposalAction, max_length=12)
    reason = models.CharField(max_length=500)

    class Meta(ProposalModel.Meta):
        verbose_name = "payout proposal"
        constraints = [
            models.UniqueConstraint(
                fields=["withdrawal"],
                condition=models.Q(status="Pending"),
                name="proposal_one_open_per_withdrawal",
            ),
            models.CheckConstraint(
                condition=models.Q(status="Pending", decided_by__isnull=True)
                | (~models.Q(status="Pending") & models.Q(decided_by__isnull=False)),
                name="proposal_decided_by_somebody",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.withdrawal_id}"


ONLY_ROW = 1


class CircuitState(models.TextChoices):
    """States of the circuit: payouts are posted, on hold, or limited to one trial."""

    CLOSED = "Closed"
    OPEN = "Open"
    HALF_OPEN = "Half-open"


class PayoutCircuit(models.Model):
    """Circuit breaker of payouts; a single row."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=ONLY_ROW, editable=False)
    state = choice_field(CircuitState, max_length=9, default=CircuitState.CLOSED)
    failures = models.PositiveIntegerField(default=0, help_text="Consecutive, while Closed")
    failed_trials = models.PositiveIntegerField(default=0, help_text="Since it opened")
    reason = models.CharField(max_length=300, blank=True, help_text="The last failure")
    opened_at = models.DateTimeField(null=True)
    next_probe_at = models.DateTimeField(null=True)
    # The trial payout while Half-open, and when its lease ends.
    trial = models.ForeignKey(
        Withdrawal, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )
    trial_until = models.DateTimeField(null=True)
    quiet_until = models.DateTimeField(
        null=True, help_text="No requests to the provider before this time (Retry-After)"
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
