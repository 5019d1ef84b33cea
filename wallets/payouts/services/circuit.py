"""The circuit breaker of payouts: stops posting while the payment provider fails.

A number of failures in a row (401, 403, 429, 5xx, time-outs and answers that make no sense) opens
it: payouts wait in Approved. One read a minute probes the provider, one worker at a time. After a
good read exactly one payout is tried; its acceptance closes the circuit, its failure opens it
again, and the next try comes later each time. The trial is a lease, so a worker that dies with it
holds up nobody. Everything is in one row (`PayoutCircuit`), which all workers share.

Lock order: withdrawal, then this row.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from exchange.core import leases, task_notifier
from wallets.alerts.services import raise_alert, resolve_alert
from wallets.payouts.models import CircuitState, PayoutCircuit
from wallets.providers.base import ProviderError, ProviderUnavailable
from wallets.providers.registry import payment_provider
from wallets.withdrawals.services.transitions import SWEEP_PAYOUTS

log = structlog.get_logger(__name__)

ALERT = "provider_outage"
# After each failed trial the next probe waits twice as long, at most 2 to the power of this.
_MAX_DOUBLINGS = 5
_MAX_BACKOFF = timedelta(hours=1)


def acquire_permit(withdrawal_id: UUID) -> bool:
    """Say whether the payout may be claimed now; while Half-open, take the one trial for it.

    Call under the lock of the withdrawal, in the transaction of the claim.
    """
    now = timezone.now()
    circuit = PayoutCircuit.objects.get()
    if _is_backing_off(circuit, now):
        return False
    if circuit.state == CircuitState.CLOSED:
        return True
    taken = PayoutCircuit.objects.filter(state=CircuitState.HALF_OPEN, trial=None).update(
        trial=withdrawal_id,
        trial_until=now + timedelta(seconds=settings.PAYOUT_LEASE_SECONDS),
    )
    return taken == 1


def accepts_payouts() -> bool:
    """Whether a payout that is due could be claimed now."""
    circuit = PayoutCircuit.objects.get()
    return circuit.state == CircuitState.CLOSED or (
        circuit.state == CircuitState.HALF_OPEN and circuit.trial_id is None
    )


def is_backing_off() -> bool:
    """Whether the provider asked to be left alone (Retry-After) until later than now."""
    return _is_backing_off(PayoutCircuit.objects.get(), timezone.now())


def back_off(seconds: float | None) -> None:
    """Ask the provider nothing for so long, an hour at most; None is no wish of the provider."""
    if not seconds:
        return
    until = timezone.now() + min(timedelta(seconds=seconds), _MAX_BACKOFF)
    PayoutCircuit.objects.filter(Q(quiet_until=None) | Q(quiet_until__lt=until)).update(
        quiet_until=until
    )


def record_acceptance(withdrawal_id: UUID) -> None:
    """The provider accepted the payout: end the row of failures; close the circuit if it was the
    trial.
    """
    if not _has_failures():
        return
    with transaction.atomic():
        circuit = _lock()
        if circuit.state == CircuitState.CLOSED:
            circuit.failures = 0
            circuit.save()
        elif circuit.state == CircuitState.HALF_OPEN and circuit.trial_id == withdrawal_id:
            _close(circuit)


def record_response(withdrawal_id: UUID) -> None:
    """The provider answered and did not accept the payout: no failure of the provider, and no
    reason to close the circuit. Another payout may be tried.
    """
    if not _has_failures():
        return
    with transaction.atomic():
        circuit = _lock()
        if circuit.state == CircuitState.CLOSED:
            circuit.failures = 0
        elif circuit.trial_id == withdrawal_id:
            circuit.trial = circuit.trial_until = None
        circuit.save()


def record_failure(
    withdrawal_id: UUID, *, error: str, outage: bool = True, retry_after: float | None = None
) -> None:
    """The post of the payout failed: count it, and open the circuit when it is one too many.

    `outage` is False for an answer that is not understood but is no sign of an outage: it counts
    only for the payout that is tried.
    """
    back_off(retry_after)
    with transaction.atomic():
        circuit = _lock()
        if circuit.state == CircuitState.CLOSED and outage:
            circuit.failures += 1
            circuit.reason = error[:300]
            if circuit.failures >= settings.PROVIDER_CIRCUIT_FAILURES:
                circuit.opened_at = timezone.now()
                _open(circuit)
            circuit.save()
        elif circuit.state == CircuitState.HALF_OPEN and circuit.trial_id == withdrawal_id:
            circuit.reason = error[:300]
            circuit.failed_trials += 1
            _open(circuit)
            circuit.save()


def probe_if_due() -> None:
    """Read from the provider once if the circuit is open and it is time; by one worker only."""
    now = timezone.now()
    if PayoutCircuit.objects.filter(state=CircuitState.CLOSED).exists():
        return
    # The worker that had the trial is gone: as good as a failed one.
    PayoutCircuit.objects.filter(state=CircuitState.HALF_OPEN, trial_until__lte=now).update(
        state=CircuitState.OPEN,
        trial=None,
        trial_until=None,
        failed_trials=F("failed_trials") + 1,
    )
    loud = Q(quiet_until=None) | Q(quiet_until__lte=now)
    if not leases.claim_due(
        PayoutCircuit.objects.filter(loud, state=CircuitState.OPEN),
        "next_probe_at",
        timedelta(seconds=settings.PROVIDER_CIRCUIT_PROBE_SECONDS),
    ):
        return
    try:
        payment_provider().probe()
    except ProviderError as error:
        back_off(error.retry_after if isinstance(error, ProviderUnavailable) else None)
        with transaction.atomic():
            circuit = _lock()
            if circuit.state == CircuitState.OPEN:
                circuit.reason = str(error)[:300]
                circuit.save()
                _raise_outage_alert(circuit)
        return
    with transaction.atomic():
        circuit = _lock()
        if circuit.state == CircuitState.OPEN:
            circuit.state = CircuitState.HALF_OPEN
            circuit.save()
            log.warning("payout_circuit_half_open")
            task_notifier.notify_after_commit(SWEEP_PAYOUTS)


def _open(circuit: PayoutCircuit) -> None:
    """Stop payouts; the caller saves."""
    wait = settings.PROVIDER_CIRCUIT_PROBE_SECONDS * 2 ** min(circuit.failed_trials, _MAX_DOUBLINGS)
    circuit.state = CircuitState.OPEN
    circuit.next_probe_at = timezone.now() + timedelta(seconds=wait)
    circuit.trial = circuit.trial_until = None
    log.error("payout_circuit_open", reason=circuit.reason, failed_trials=circuit.failed_trials)
    _raise_outage_alert(circuit)


def _close(circuit: PayoutCircuit) -> None:
    circuit.state = CircuitState.CLOSED
    circuit.failures = circuit.failed_trials = 0
    circuit.reason = ""
    circuit.opened_at = circuit.next_probe_at = None
    circuit.trial = circuit.trial_until = None
    circuit.save()
    log.warning("payout_circuit_closed")
    resolve_alert(ALERT)
    task_notifier.notify_after_commit(SWEEP_PAYOUTS)


def _raise_outage_alert(circuit: PayoutCircuit) -> None:
    raise_alert(
        ALERT,
        message="Payouts are on hold: the payment provider failed"
        f" {settings.PROVIDER_CIRCUIT_FAILURES} times in a row. Last failure: {circuit.reason}."
        " Approved payouts wait and are sent when the provider accepts one again.",
    )


def _has_failures() -> bool:
    """Whether there is anything to reset. The usual answer is no, and then no row is locked."""
    return not PayoutCircuit.objects.filter(state=CircuitState.CLOSED, failures=0).exists()


def _is_backing_off(circuit: PayoutCircuit, now: datetime) -> bool:
    return circuit.quiet_until is not None and circuit.quiet_until > now


def _lock() -> PayoutCircuit:
    return PayoutCircuit.objects.select_for_update(of=("self",), no_key=True).get()
