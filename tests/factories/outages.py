"""An outage of the provider and the payout circuit that it opens."""

from collections import Counter

from django.utils import timezone

from tests.environment.processes import wait_until
from tests.environment.services import Sandbox
from tests.factories.payouts import (
    TRANSFERS,
    advance_time,
    call_sandbox,
)
from tests.factories.wallets import (
    Wallet,
    make_approved_withdrawal,
)
from wallets.payouts.models import PayoutCircuit
from wallets.payouts.services import circuit
from wallets.payouts.services import execution as payouts
from wallets.payouts.tasks import sweep_payouts
from wallets.withdrawals.models import Withdrawal

WORKERS = 4
# In a row, after which the circuit opens.
FAILURES = 5
# Faults that outlast a test.
MANY = 10_000
EVERYTHING = {"path_prefix": "/v3"}


def circuit_row() -> PayoutCircuit:
    """Return the circuit as it is stored."""
    return PayoutCircuit.objects.get()


def count_statuses() -> Counter[str]:
    """Count the withdrawals of each status."""
    return Counter(Withdrawal.objects.values_list("status", flat=True))


def count_requests(sandbox: Sandbox) -> int:
    """Count the requests of every kind that reached the provider."""
    return len(call_sandbox(sandbox, "GET", "requests"))


def open_circuit(wallet: Wallet, sandbox: Sandbox, count: int = FAILURES) -> list[Withdrawal]:
    """Fail payouts until the circuit is open; return these payouts, now Unknown."""
    sandbox.fault("error_5xx", times=MANY, match=TRANSFERS)
    unknown = [make_approved_withdrawal(wallet) for _ in range(count)]
    for withdrawal in unknown:
        payouts.send_payout(withdrawal.id)
    # A running worker may have claimed one of them.
    wait_until(lambda: circuit_row().state == "Open", "the circuit is open")
    return unknown


def restore_provider(sandbox: Sandbox) -> None:
    """Remove the faults of the provider."""
    call_sandbox(sandbox, "DELETE", "faults")


def probe_now() -> None:
    """Probe the provider without waiting for the next scheduled probe."""
    PayoutCircuit.objects.update(next_probe_at=timezone.now(), quiet_until=None)
    circuit.probe_if_due()


def complete_payouts(sandbox: Sandbox) -> None:
    """Sweep, an hour of the payouts' time apart, until every payout is completed."""
    call_sandbox(sandbox, "POST", "settle")
    for _ in range(6):
        for withdrawal in Withdrawal.objects.filter(status__in=["Processing", "Unknown"]):
            advance_time(withdrawal, 3600)
        sweep_payouts()
        call_sandbox(sandbox, "POST", "settle")
