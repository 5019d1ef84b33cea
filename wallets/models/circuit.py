"""The circuit breaker between payouts and the payment provider: one row that all workers share.

`Closed → Open` after a number of failures in a row; `Open → Half-open` after a good read;
`Half-open → Closed` when the one payout that may be tried is accepted, `→ Open` when it fails.
"""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from wallets.models.withdrawals import Withdrawal

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
