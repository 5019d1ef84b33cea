"""Circuit breaker of payouts: stops posting while the payment provider fails.

Consecutive failures (401, 403, 429, 5xx, timeouts, unreadable responses) open the circuit, and
payouts stay Approved. One worker at a time probes the provider with a read each minute. A
successful read permits exactly one trial payout: acceptance closes the circuit, failure opens it
again with a longer delay. The trial is a lease, so a crashed worker does not block others. All
workers share one row (`PayoutCircuit`).

The setting PAYOUTS_ON_HOLD stops posting too, until two people change it (`holds`).

Lock order: withdrawal, then this row.
"""

from datetime import datetime, timedelta
from uuid import UUID

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import DecimalField, F, Func, Q, Value
from django.utils import timezone

from exchange.core import leases, task_notifier
from wallets.alerts.services import raise_alert, resolve_alert
from wallets.fees.definitions import PAYOUTS_ON_HOLD
from wallets.payouts.models import CircuitState, PayoutCircuit
from wallets.providers.base import ProviderError
from wallets.providers.registry import payment_provider
from wallets.withdrawals.services.transitions import SWEEP_PAYOUTS

log = structlog.get_logger(__name__)

ALERT = "provider_outage"
# Each failed trial doubles the delay before the next probe, at most this many times.
_MAX_DOUBLINGS = 5
_MAX_BACKOFF = timedelta(hours=1)


def acquire_permit(withdrawal_id: UUID) -> bool:
    """Return whether the payout may be claimed now; while Half-open, reserve the trial for it.

    Call with the withdrawal locked, in the transaction of the claim.
    """
    now = timezone.now()
    circuit, on_hold = _read()
    if on_hold or _is_backing_off(circuit, now):
        return False
    if circuit.state == CircuitState.CLOSED:
        return True
    taken = PayoutCircuit.objects.filter(state=CircuitState.HALF_OPEN, trial=None).update(
        trial=withdrawal_id,
        trial_until=now + timedelta(seconds=settings.PAYOUT_LEASE_SECONDS),
    )
    return taken == 1


def release_permit(withdrawal_id: UUID) -> None:
    """Give the trial back if it is reserved for this payout, which was not posted."""
    PayoutCircuit.objects.filter(state=CircuitState.HALF_OPEN, trial=withdrawal_id).update(
        trial=None, trial_until=None
    )


def accepts_payouts() -> bool:
    """Return whether a due payout could be claimed now."""
    circuit, on_hold = _read()
    return not on_hold and (
        circuit.state == CircuitState.CLOSED
        or (circuit.state == CircuitState.HALF_OPEN and circuit.trial_id is None)
    )


def is_backing_off() -> bool:
    """Return whether the provider's Retry-After has not passed yet."""
    return _is_backing_off(PayoutCircuit.objects.get(), timezone.now())


def back_off(seconds: float | None) -> None:
    """Pause requests to the provider for `seconds`, an hour at most; None does not pause."""
    if not seconds:
        return
    until = timezone.now() + min(timedelta(seconds=seconds), _MAX_BACKOFF)
    PayoutCircuit.objects.filter(Q(quiet_until=None) | Q(quiet_until__lt=until)).update(
        quiet_until=until
    )


def record_acceptance(withdrawal_id: UUID) -> None:
    """Reset the failure count after an accepted payout; close the circuit after the trial."""
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
    """Record that the provider responded without accepting the payout.

    This neither counts as a failure nor closes the circuit; another payout may be the trial.
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
    """Count a failed post and open the circuit at the threshold.

    `outage` is False for an unreadable response that does not indicate an outage: it counts only
    against the trial payout.
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
    """Probe the provider with a read if the circuit is open and a probe is due."""
    now = timezone.now()
    if PayoutCircuit.objects.filter(state=CircuitState.CLOSED).exists():
        return
    # The lease ran out: the worker crashed, which counts as a failed trial.
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
        back_off(error.retry_after)
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
    """Open the circuit; the caller saves."""
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
        " Approved payouts are sent once the provider recovers.",
    )


def _has_failures() -> bool:
    """Return whether there is anything to reset; without a lock, since usually there is not."""
    return not PayoutCircuit.objects.filter(state=CircuitState.CLOSED, failures=0).exists()


def _is_backing_off(circuit: PayoutCircuit, now: datetime) -> bool:
    return circuit.quiet_until is not None and circuit.quiet_until > now


def _read() -> tuple[PayoutCircuit, bool]:
    """Return the circuit, and whether people or a command put payouts on hold."""
    hold = Func(Value(PAYOUTS_ON_HOLD), function="effective_setting", output_field=DecimalField())
    circuit = PayoutCircuit.objects.annotate(hold=hold).get()
    return circuit, circuit.hold > 0


def _lock() -> PayoutCircuit:
    return PayoutCircuit.objects.select_for_update(of=("self",), no_key=True).get()
