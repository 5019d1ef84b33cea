"""Wallets with money in them, withdrawals in any state, and the staff who decide: by services.

What a test changes besides these goes through the services too, so the books hold at every step.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import count
from typing import Any
from uuid import UUID

from django.contrib.auth.models import Permission
from django.utils import timezone

from config.books import CHECKS
from exchange.core.idempotency import StoredResponse
from exchange.participants.models import Member, Organisation
from exchange.staff.models import StaffUser
from exchange.tokens.models import Token
from tests.factories.api_clients import TESTER, make_member, make_organisation
from tests.factories.staff import LONG_AGO
from wallets.banks.models import BankList
from wallets.deposits import services as deposits
from wallets.ledger import proof as books
from wallets.ledger.models import Account
from wallets.ledger.selectors.wallets import wallet_balances
from wallets.withdrawals.commands import RequestWithdrawal
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services import decisions, requests

SYSTEM = TESTER
# Why somebody approves what is flagged Stop: wallets of several organisations pay one account.
OVERRIDE = "The bank confirmed the payee by telephone"
BANK = "KCB Bank Kenya"
# What the sandbox makes of an account (wallets.providers.sandbox).
PAID_ACCOUNT, DECLINED_ACCOUNT, FAILING_ACCOUNT, RETURNED_ACCOUNT = (
    "0690000031",
    "0690000036",
    "0690000037",
    "0690000038",
)
# Every currency with a bank of the sandbox's list and an amount above its minimum and below the
# threshold of a second approval.
BANKS = {
    "NGN": "Access Bank",
    "KES": BANK,
}
_numbers: Iterator[int] = count(1)


@dataclass(frozen=True)
class Wallet:
    """One owner's wallet: an organisation's own, or one member's."""

    organisation: Organisation
    member: Member | None = None

    @property
    def owner_id(self) -> UUID:
        return (self.member or self.organisation).id

    @property
    def member_id(self) -> UUID | None:
        return None if self.member is None else self.member.id

    def fund(self, amount: str | int | Decimal, currency: str = "KES") -> Wallet:
        deposits.book_deposit(
            payment=deposits.IncomingPayment(
                organisation_id=self.organisation.id,
                member_id=self.member_id,
                currency=currency,
                amount=Decimal(amount),
                reference=f"arrival-{next(_numbers)}",
            ),
            actor=SYSTEM,
        )
        return self

    def request(
        self,
        amount: str | int | Decimal = 500,
        *,
        currency: str = "KES",
        account: str = PAID_ACCOUNT,
        bank: str | None = None,
        **more: Any,
    ) -> Withdrawal:
        """A Pending withdrawal."""
        answer = self.submit_request(amount, currency=currency, account=account, bank=bank, **more)
        found = json.loads(answer.data)["withdrawalRequest"]["_id"]
        return Withdrawal.objects.get(id=found)

    def submit_request(
        self,
        amount: str | int | Decimal = 500,
        *,
        currency: str = "KES",
        account: str = PAID_ACCOUNT,
        bank: str | None = None,
        **more: Any,
    ) -> StoredResponse:
        """The service's own answer to a request for a withdrawal."""
        return requests.request_withdrawal(
            RequestWithdrawal(
                organisation=self.organisation.id,
                member=self.member_id,
                actor=str(SYSTEM),
                amount=Decimal(amount),
                currency=currency,
                bank_name=bank or BANKS[currency],
                account_name="Ada Obi",
                account_number=account,
            ),
            **more,
        )

    def balance(self, kind: str = "available", currency: str = "KES") -> Decimal:
        for row in wallet_balances(self.owner_id):
            if row["currency"] == currency:
                found: Decimal = row[kind]  # type: ignore[literal-required]
                return found
        raise AssertionError(f"no {currency}")

    @property
    def kes(self) -> tuple[Decimal, Decimal]:
        """Available and escrow in KES."""
        return self.balance(), self.balance("escrow")


def balance_of(owner_id: UUID, asset: Token | UUID | str, kind: str = "available") -> Decimal | int:
    """The balance of one account of a currency or of a token's units; 0 where there is none."""
    asset_id = str(asset.id if isinstance(asset, Token) else asset)
    found = Account.objects.filter(owner_id=owner_id, asset_id=asset_id, kind=kind)
    return found.values_list("balance", flat=True).first() or 0


def make_wallet(amount: str | int | Decimal = 0, *, currency: str = "KES") -> Wallet:
    """An organisation's own wallet."""
    wallet = Wallet(make_organisation())
    return wallet.fund(amount, currency) if amount else wallet


def make_member_wallet(amount: str | int | Decimal = 0, *, currency: str = "KES") -> Wallet:
    """The wallet of a member of a new organisation."""
    owner = make_organisation()
    wallet = Wallet(owner, make_member(owner))
    return wallet.fund(amount, currency) if amount else wallet


def make_staff(*codenames: str) -> StaffUser:
    """Somebody of the back office who may decide and resolve, or just what is named."""
    user = StaffUser.objects.create_user(
        username=f"staff{next(_numbers)}",
        is_staff=True,
        access_changed_at=timezone.now() - LONG_AGO,
    )
    wanted = codenames or ("decide_withdrawal", "resolve_payout", "add_deposit", "decide_deposit")
    user.user_permissions.add(*Permission.objects.filter(codename__in=wanted))
    # Read again: the one above remembers that it had no permissions.
    return StaffUser.objects.get(pk=user.pk)


def store_bank_list() -> None:
    """The bank list of KES, fresh, as if it had been fetched: no provider is asked."""
    BankList.objects.update_or_create(
        currency_id="KES",
        defaults={
            "banks": [{"id": 1, "name": BANK, "code": "01"}],
            "fetched_at": timezone.now(),
        },
    )


def make_approved_withdrawal(
    wallet: Wallet, amount: str | int | Decimal = 500, **more: Any
) -> Withdrawal:
    """An Approved withdrawal of `wallet`, by an approver of its own."""
    withdrawal = wallet.request(amount, **more)
    return decisions.approve(
        withdrawal_id=withdrawal.id,
        version=withdrawal.version,
        approver=make_staff(),
        override=OVERRIDE,
    )


def status_of(withdrawal: Withdrawal) -> str:
    return str(Withdrawal.objects.values_list("status", flat=True).get(id=withdrawal.id))


def assert_books_hold() -> None:
    """The whole proof of books, with what is off in the message."""
    findings = books.prove(CHECKS).findings
    assert findings == (), findings
