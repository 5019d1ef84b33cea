"""A payout as its row has it, claims of it, and what the provider is to say next."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.utils import timezone

from tests.factories.wallets import status_of
from wallets.payouts.services import execution as payouts
from wallets.providers.base import TransferRecord, TransferStatus
from wallets.providers.sandbox import SandboxServer
from wallets.providers.sandbox.faults import Fault
from wallets.withdrawals.models import Payout, Withdrawal


def row(withdrawal: Withdrawal) -> Payout:
    return Payout.objects.get(withdrawal=withdrawal)


def change(withdrawal: Withdrawal, **columns: Any) -> None:
    """Change the payout; a time is given as how far it is from now."""
    now = timezone.now()
    values = {k: now + v if isinstance(v, timedelta) else v for k, v in columns.items()}
    Payout.objects.filter(withdrawal=withdrawal).update(**values)


def values(withdrawal: Withdrawal) -> tuple[Any, ...]:
    """The withdrawal's status, and all of its payout."""
    return status_of(withdrawal), Payout.objects.filter(withdrawal=withdrawal).values().get()


def seconds(moment: datetime | None, since: datetime | None = None) -> int | None:
    """How many whole seconds off the moment is."""
    if moment is None:
        return None
    return round((moment - (since or timezone.now())).total_seconds())


def token_of(withdrawal: Withdrawal) -> str:
    """Claim the payout."""
    claim = payouts._claim(withdrawal.id)
    assert claim is not None
    return claim.token


def marked(withdrawal: Withdrawal) -> str:
    """Claim the payout and mark that it is about to be posted."""
    token = token_of(withdrawal)
    assert payouts._mark_posting(withdrawal.id, token)
    return token


def record_of(withdrawal: Withdrawal, status: TransferStatus, **changes: Any) -> TransferRecord:
    """The provider's record of exactly what was ordered, but for `changes`."""
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


def orders(sandbox: SandboxServer) -> int:
    return sum(entry["method"] == "POST" for entry in sandbox.requests.entries())


def refuse_orders(sandbox: SandboxServer, message: str) -> None:
    body = f'{{"status":"error","message":"{message}","data":null}}'
    sandbox.faults.add(
        Fault(fault="error_5xx", method="POST", path_prefix="/v3/transfers", status=400, body=body)
    )


def fail(sandbox: SandboxServer, method: str = "GET", times: int = 3) -> None:
    """The provider fails all of a read's tries."""
    path = "/v3/transfers"
    sandbox.faults.add(Fault(fault="error_5xx", method=method, path_prefix=path, times=times))
