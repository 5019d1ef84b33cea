"""Records that an attacker with the service's login finds: wallets, a withdrawal, a loan."""

from dataclasses import dataclass
from uuid import UUID

from credit.loans.models import Loan
from tests.assertions.ledger import account_id_of, post
from tests.environment.database import Connection
from tests.factories.lending import Lending, make_lending
from tests.factories.wallets import Wallet, make_wallet, store_bank_list
from wallets.ledger.models import Account
from wallets.withdrawals.models import Withdrawal


@dataclass
class LedgerRecords:
    """A wallet of 500 KES with 500 in a Pending withdrawal, an open loan, and the attacker."""

    wallet: Wallet
    other: Wallet
    withdrawal: Withdrawal
    lending: Lending
    loan: Loan
    attacker: Connection

    def post(
        self, kind: str, reference: str, subject: UUID | None, *legs: tuple[UUID, str]
    ) -> None:
        post(self.attacker, *legs, kind=kind, reference=reference, subject=subject)

    def units(self, wallet: Wallet, kind: str) -> UUID:
        found: UUID = Account.objects.get(
            owner_id=wallet.owner_id, kind=kind, asset_id=str(self.lending.token.id)
        ).id
        return found

    def money(self, wallet: Wallet, kind: str = "available") -> UUID:
        return account_id_of(wallet, kind, "NGN")


def make_ledger_records(attacker: Connection) -> LedgerRecords:
    store_bank_list()
    wallet, other = make_wallet(1000), make_wallet(1000)
    lending = make_lending()
    return LedgerRecords(wallet, other, wallet.request(500), lending, lending.lend(), attacker)
