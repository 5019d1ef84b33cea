"""Funded wallets, withdrawals in any state, and staff with permissions, made by services.

Tests make their own changes by services too, so the books hold at every step.
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
from tests.environment.owner import as_owner, owner_alias
from tests.factories.api_clients import TESTER, make_member, make_organisation
from tests.factories.staff import LONG_AGO
from wallets.banks.models import BankList
from wallets.deposits.services import manual as deposits
from wallets.ledger import proof as books
from wallets.ledger.models import Account
from wallets.ledger.selectors.wallets import wallet_balances
from wallets.withdrawals.commands import RequestWithdrawal
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services import decisions, requests

SYSTEM = TESTER
# The reason for approving a Critical flag: wallets of several organisations pay one account.
OVERRIDE = "The bank confirmed the payee by telephone"
BANK = "KCB Bank Kenya"
# Account numbers by their outcome in the sandbox (config.local.sandbox).
PAID_ACCOUNT, DECLINED_ACCOUNT, FAILING_ACCOUNT, RETURNED_ACCOUNT = (
    "0690000031",
    "0690000036",
    "0690000037",
    "0690000038",
)
# A bank of the sandbox's list for each currency.
BANKS = {
    "NGN": "Access Bank",
    "KES": BANK,
    "UGX": "Stanbic Bank Uganda",
}
# The branch that a payout in UGX needs.
BRANCHES = {"UGX": "UG310147"}
_numbers: Iterator[int] = count(1)


@dataclass(frozen=True)
class Wallet:
    """The wallet of an organisation or a member."""

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
        """Request a withdrawal and return it, Pending."""
        response = self.submit_request(
            amount, currency=currency, account=account, bank=bank, **more
        )
        withdrawal_id = json.loads(response.data)["withdrawalRequest"]["_id"]
        return Withdrawal.objects.get(id=withdrawal_id)

    def submit_request(
        self,
        amount: str | int | Decimal = 500,
        *,
        currency: str = "KES",
        account: str = PAID_ACCOUNT,
        bank: str | None = None,
        client_reference: str | None = None,
        metadata: dict[str, str] | None = None,
        **more: Any,
    ) -> StoredResponse:
        """Request a withdrawal and return the service's response."""
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
                branch_code=BRANCHES.get(currency, ""),
                client_reference=client_reference,
                metadata=metadata,
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
        """The available and the escrow balance in KES."""
        return self.balance(), self.balance("escrow")


def balance_of(owner_id: UUID, asset: Token | UUID | str, kind: str = "available") -> Decimal | int:
    """Return the balance of an account of a currency or token; 0 where there is none."""
    asset_id = str(asset.id if isinstance(asset, Token) else asset)
    found = Account.objects.filter(owner_id=owner_id, asset_id=asset_id, kind=kind)
    return found.values_list("balance", flat=True).first() or 0


def make_wallet(amount: str | int | Decimal = 0, *, currency: str = "KES") -> Wallet:
    """Make the wallet of a new organisation."""
    wallet = Wallet(make_organisation())
    return wallet.fund(amount, currency) if amount else wallet


def make_member_wallet(amount: str | int | Decimal = 0, *, currency: str = "KES") -> Wallet:
    """Make the wallet of a member of a new organisation."""
    owner = make_organisation()
    wallet = Wallet(owner, make_member(owner))
    return wallet.fund(amount, currency) if amount else wallet


def make_staff(*codenames: str) -> StaffUser:
    """Make staff with the named permissions, by default those to decide and resolve."""
    wanted = codenames or ("decide_withdrawal", "resolve_payout", "add_deposit", "decide_deposit")
    alias = owner_alias()
    with as_owner():
        user = StaffUser.objects.db_manager(alias).create_user(
            username=f"staff{next(_numbers)}",
            is_staff=True,
            access_changed_at=timezone.now() - LONG_AGO,
        )
        user.user_permissions.add(*Permission.objects.using(alias).filter(codename__in=wanted))
    # Read again: the instance above caches that it had no permissions.
    return StaffUser.objects.get(pk=user.pk)


def store_bank_list() -> None:
    """Store a fresh bank list of KES and of UGX, so that the provider is not queried."""
    for currency, code in (("KES", "01"), ("UGX", "SBICUGKX")):
        BankList.objects.update_or_create(
            currency_id=currency,
            defaults={
                "banks": [{"id": 1, "name": BANKS[currency], "code": code}],
                "fetched_at": timezone.now(),
            },
        )


def make_approved_withdrawal(
    wallet: Wallet, amount: str | int | Decimal = 500, **more: Any
) -> Withdrawal:
    """Make an Approved withdrawal of `wallet`, with a new approver."""
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
    """Run the whole proof of books; a failure lists the findings."""
    findings = books.prove(CHECKS).findings
    assert findings == (), findings
