"""Helpers of payout tests: rows, claims, and the provider's next responses."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.utils import timezone

from config.local.sandbox import SandboxServer
from config.local.sandbox.faults import Fault
from tests.factories.wallets import status_of
from wallets.payouts.services import execution as payouts
from wallets.providers.base import TransferRecord, TransferStatus
from wallets.withdrawals.models import Payout, Withdrawal


def read_payout(withdrawal: Withdrawal) -> Payout:
    return Payout.objects.get(withdrawal=withdrawal)


def update_payout(withdrawal: Withdrawal, **columns: Any) -> None:
    """Update columns of the payout; a timedelta counts from now."""
    now = timezone.now()
    values = {k: now + v if isinstance(v, timedelta) else v for k, v in columns.items()}
    Payout.objects.filter(withdrawal=withdrawal).update(**values)


def read_values(withdrawal: Withdrawal) -> tuple[Any, ...]:
    """Return the withdrawal's status and all columns of its payout."""
    return status_of(withdrawal), Payout.objects.filter(withdrawal=withdrawal).values().get()


def seconds_until(moment: datetime | None, since: datetime | None = None) -> int | None:
    """Return the whole seconds from `since` (now by default) to the moment."""
    if moment is None:
        return None
    return round((moment - (since or timezone.now())).total_seconds())


def claim_payout(withdrawal: Withdrawal) -> str:
    """Claim the payout and return the token."""
    claim = payouts._claim(withdrawal.id)
    assert claim is not None
    return claim.token


def claim_and_mark(withdrawal: Withdrawal) -> str:
    """Claim the payout, mark it as about to be posted, and return the token."""
    token = claim_payout(withdrawal)
    assert payouts._mark_posting(withdrawal, token)
    return token


def transfer_record(
    withdrawal: Withdrawal, status: TransferStatus, **changes: Any
) -> TransferRecord:
    """Build the provider's record of the order, with `changes`."""
    return TransferRecord(
        **{
            "provider_id": "77",
            "reference": withdrawal.reference,
            "status": status,
            "amount": withdrawal.disburse_amount,
            "fee": Decimal(0),
            "currency": withdrawal.currency_id,
            "account_number": withdrawal.bank.account_number,
            "bank_code": withdrawal.bank.code,
            "complete_message": "",
            "raw": {},
            **changes,
        }
    )


def count_orders(sandbox: SandboxServer) -> int:
    return sum(entry["method"] == "POST" for entry in sandbox.requests.entries())


def decline_orders(sandbox: SandboxServer, message: str) -> None:
    body = f'{{"status":"error","message":"{message}","data":null}}'
    sandbox.faults.add(
        Fault(fault="error_5xx", method="POST", path_prefix="/v3/transfers", status=400, body=body)
    )


def fail_requests(sandbox: SandboxServer, method: str = "GET", times: int = 3) -> None:
    """Make the provider fail the next attempts; the default is all attempts of a read."""
    path = "/v3/transfers"
    sandbox.faults.add(Fault(fault="error_5xx", method=method, path_prefix=path, times=times))
