"""Ledger records that the owner corrupts with triggers disabled."""

from typing import Any
from uuid import UUID

import psycopg

from exchange.core.ids import uuid7
from tests.environment.services import Sandbox
from tests.factories.conversions import convert, set_rates
from tests.factories.payouts import settle_at_bank
from tests.factories.transfers import transfer
from tests.factories.wallets import (
    Wallet,
    make_approved_withdrawal,
    make_member_wallet,
    make_wallet,
    status_of,
    store_bank_list,
)
from wallets.conversions.models import Conversion
from wallets.ledger.models import Account
from wallets.payouts.services import execution as payouts
from wallets.transfers.models import WalletTransfer
from wallets.withdrawals.models import Withdrawal

Owner = psycopg.Connection[Any]


class LedgerRecords:
    """Records that moved money, and the owner's connection to corrupt them with."""

    def __init__(self, owner: Owner, sandbox: Sandbox) -> None:
        store_bank_list()
        self.owner = owner
        self.wallet: Wallet = make_member_wallet(2000)
        self.other: Wallet = make_wallet(1000)
        self.third: Wallet = make_wallet(1000)
        self.pending: Withdrawal = self.wallet.request(500)
        self.approved: Withdrawal = make_approved_withdrawal(self.wallet, 300)
        own = Wallet(self.wallet.organisation)
        self.transfers: list[WalletTransfer] = [transfer(self.wallet, own, n) for n in (50, 50)]
        set_rates()
        self.conversions: list[Conversion] = [convert(own, n, "KES", "USD") for n in (20, 30)]
        self.paid = [self.pay(sandbox, self.third, amount) for amount in (400, 500)]

    @staticmethod
    def pay(sandbox: Sandbox, wallet: Wallet, amount: int) -> Withdrawal:
        withdrawal = make_approved_withdrawal(wallet, amount)
        payouts.send_payout(withdrawal.id)
        settle_at_bank(sandbox, withdrawal)
        payouts.check_status(withdrawal.id)
        assert status_of(withdrawal) == "Completed"
        return withdrawal

    def corrupt(self, statement: str, *values: Any) -> None:
        with self.owner.transaction():
            self.owner.execute("SET LOCAL session_replication_role = replica")
            assert self.owner.execute(statement, values).rowcount > 0

    def account(self, kind: str, wallet: Wallet | None = None) -> UUID:
        owner = (wallet or self.wallet).owner_id if kind in {"available", "escrow"} else None
        found: UUID = Account.objects.get(owner_id=owner, kind=kind, asset_id="KES").id
        return found

    def post(self, source: UUID, target: UUID, amount: int, kind: str = "provider_charge") -> None:
        """A transfer that balances, but that nothing called for. About nothing, so that no check
        of what a deposit or a withdrawal moved looks at it.
        """
        self.post_legs((source, f"-{amount}"), (target, str(amount)), kind=kind)

    def post_legs(self, *legs: tuple[UUID, str], kind: str, reference: str = "") -> None:
        with self.owner.transaction():
            self.owner.execute("SET LOCAL session_replication_role = replica")
            self.owner.execute(
                "SELECT post_transfers(ARRAY[%(id)s]::uuid[], ARRAY[%(kind)s]::text[],"
                " ARRAY[%(reference)s]::text[], ARRAY[NULL]::uuid[], ARRAY['x'], ARRAY[''],"
                " array_fill(%(id)s::uuid, ARRAY[2]), %(accounts)s, %(amounts)s::numeric[])",
                {
                    "id": (made := uuid7()),
                    "kind": kind,
                    "reference": reference or str(made),
                    "accounts": [account for account, _ in legs],
                    "amounts": [amount for _, amount in legs],
                },
            )
            # As the trigger would.
            self.owner.execute(
                "UPDATE wallets_transfer SET created_txid = txid_current() WHERE id = %s", [made]
            )

    def carry_balances_on(self) -> None:
        """Recompute the stored balances of all entries."""
        self.corrupt(
            "UPDATE wallets_entry e SET balance_after = x.running FROM ("
            " SELECT id, sum(amount) OVER (PARTITION BY account_id ORDER BY id) AS running"
            " FROM wallets_entry) x WHERE x.id = e.id AND e.balance_after IS NOT NULL"
        )
