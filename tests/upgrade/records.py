"""Rows in every table: staff, money, a market, loans and access, made by the services.

Library tables that the exchange does not use are filled directly, in `_tables_of_libraries`.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any
from uuid import uuid4

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.test import Client
from django.utils import timezone
from oauth2_provider.models import (
    AccessToken,
    get_device_grant_model,
    get_grant_model,
    get_id_token_model,
    get_refresh_token_model,
)

from config.back_office.roles import (
    ADMINISTRATOR,
    BACK_OFFICE,
    CREDIT_OFFICER,
    FINANCE_APPROVER,
    get_role,
)
from config.books import CHECKS
from config.demo.loader import enrol_second_factor
from credit.configurations.models import Access
from credit.loans.models import ClosureAction, Loan
from credit.loans.services import servicing
from credit.loans.services.assessing import LoanRequest, max_repayment
from credit.loans.services.closures import confirm_closure, propose_closure
from credit.loans.services.lending import create_loan
from credit.loans.services.repaying import repay
from credit.loans.services.valuation import Pledge
from exchange.comments.services import add_comment
from exchange.events.services import deliveries
from exchange.events.services.endpoints import set_endpoint
from exchange.exports import services as exports
from exchange.exports.sources import DateRange
from exchange.staff.models import StaffUser
from exchange.staff.services.proposals import propose_invitation
from exchange.tokens.models import DealAccess, Token
from exchange.tokens.services import quotes, tokens
from tests.environment.services import PROVIDER_WEBHOOK_HASH, Sandbox
from tests.factories.api_clients import TESTER, ApiCaller, make_caller, make_member
from tests.factories.breaks import make_break
from tests.factories.loan_configurations import make_configuration
from tests.factories.logins import PASSWORD, current_code, enter_password
from tests.factories.payouts import TRANSFERS, return_at_bank, settle_at_bank
from tests.factories.staff import confirm_latest, create_staff, create_superuser
from tests.factories.tokens import make_token
from tests.factories.traders import Trader
from tests.factories.wallets import (
    BANK,
    RETURNED_ACCOUNT,
    Wallet,
    make_approved_withdrawal,
    make_staff,
    make_wallet,
)
from tests.factories.wallets import DECLINED_ACCOUNT as REFUSED
from tests.upgrade.money_in_records import make_money_in
from wallets.alerts.services import raise_alert
from wallets.deposits.services import manual as deposits
from wallets.fees import services as configuration
from wallets.ledger.proof import prove_and_store
from wallets.payouts.models import ProposalAction
from wallets.payouts.services import execution as payouts
from wallets.payouts.services import resolutions
from wallets.reconciliation import services as reconciliation
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services import decisions

_PRICE = Decimal(10_000)
_RATE = Decimal("0.025")


@dataclass(frozen=True)
class Credentials:
    """The credentials of a dump. They are valid nowhere else."""

    client_id: str
    client_secret: str
    username: str
    password: str
    totp_secret: str
    member_id: str
    token_id: str

    def to_json(self) -> str:
        """Return the credentials as one line of JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Credentials:
        """Read the credentials from JSON."""
        return cls(**json.loads(text))


@dataclass(frozen=True)
class _People:
    owner: StaffUser
    approver: StaffUser
    back_office: StaffUser
    lenders: tuple[StaffUser, StaffUser]
    totp_secret: str


def make_rows_in_every_table(sandbox: Sandbox) -> Credentials:
    """Make at least one row in every table."""
    people = _people()
    caller = make_caller()
    member = make_member(caller.organisation, "Ada Obi", email="ada@example.com")
    wallet = Wallet(caller.organisation, member)
    _money(sandbox, caller, wallet, people)
    token = _market(wallet, people)
    _loans(wallet, token, people)
    _access(caller, people)
    _oversight(sandbox, people)
    _tables_of_libraries(caller, people.owner)
    prove_and_store(CHECKS)
    return Credentials(
        client_id=caller.key.client_id,
        client_secret=caller.secret,
        username=people.approver.username,
        password=PASSWORD,
        totp_secret=people.totp_secret,
        member_id=str(member.id),
        token_id=str(token.id),
    )


def _people() -> _People:
    """Make staff of four roles; one of them has signed in after a wrong password."""
    owner = create_superuser("owner", password=PASSWORD)
    approver = create_staff("amina.finance", PASSWORD, FINANCE_APPROVER)
    secret = enrol_second_factor(approver)
    browser = Client()
    enter_password(browser, approver.username, "not the password")
    enter_password(browser, approver.username, PASSWORD)
    browser.post("/admin/login/code/", {"code": current_code(secret)})
    return _People(
        owner=owner,
        approver=approver,
        back_office=create_staff("lindiwe.office", PASSWORD, BACK_OFFICE),
        lenders=(
            create_staff("imani.credit", PASSWORD, CREDIT_OFFICER),
            create_staff("sefu.credit", PASSWORD, CREDIT_OFFICER),
        ),
        totp_secret=secret,
    )


# --- money ---


def _money(sandbox: Sandbox, caller: ApiCaller, wallet: Wallet, people: _People) -> None:
    """Deposits, settings changes, and a withdrawal in every state; one was requested with a key."""
    wallet.fund(20_000).fund(12_000_000, "NGN")
    Wallet(caller.organisation).fund(5000)
    payment = deposits.IncomingPayment(
        organisation_id=caller.organisation.id,
        member_id=None,
        currency="KES",
        amount=Decimal(700),
        reference="entered by hand",
    )
    deposits.enter(payment=payment, user=people.owner)
    configuration.propose(
        key="NGN_WITHDRAWAL_FEE",
        value=Decimal("75.5"),
        reason="Costs rose at the bank",
        user=people.owner,
    )
    body = {
        "amount": 500,
        "bank_name": BANK,
        "account_name": "Ada Obi",
        "account_number": "0690000051",
        "currency": "KES",
    }
    response = caller.post("/v1/api/wallet/withdraw", body, Idempotency_Key=str(uuid4()))
    assert response.status_code == 201, response.content
    make_money_in(wallet)
    _withdrawals(sandbox, wallet, people)


def _withdrawals(sandbox: Sandbox, wallet: Wallet, people: _People) -> None:
    wallet.request(500)
    refused = wallet.request(510)
    decisions.reject(
        withdrawal_id=refused.pk,
        version=refused.version,
        approver=people.approver,
        reason="The account is not in the member's own name",
    )
    decisions.cancel(
        withdrawal_id=wallet.request(520).pk,
        organisation_id=wallet.organisation.id,
        actor=TESTER,
    )
    waiting = make_approved_withdrawal(wallet, 530)
    resolutions.propose(
        withdrawal_id=waiting.pk,
        action=ProposalAction.RETURN,
        reason="The provider is out",
        proposer=people.approver,
    )
    _pay(wallet, 540)
    _pay(wallet, 550, account=REFUSED)
    settle_at_bank(sandbox, completed := _pay(wallet, 560))
    payouts.check_status(completed.pk)
    # The provider reports it a second time.
    body = json.dumps({"data": {"id": 1, "reference": completed.reference}})
    Client().post(
        "/hooks/flutterwave",
        body,
        content_type="application/json",
        headers={"verif-hash": PROVIDER_WEBHOOK_HASH},
    )
    settle_at_bank(sandbox, returned := _pay(wallet, 570, account=RETURNED_ACCOUNT))
    payouts.check_status(returned.pk)
    return_at_bank(sandbox, returned)
    payouts.check_status(returned.pk)
    proposed = resolutions.propose(
        withdrawal_id=returned.pk,
        action=ProposalAction.REVERSE,
        reason="The bank's statement has it as returned",
        proposer=people.approver,
    )
    resolutions.confirm(proposal_id=proposed.pk, resolver=make_staff())
    sandbox.fault("error_5xx", match=TRANSFERS)
    _pay(wallet, 580)


def _pay(wallet: Wallet, amount: int, **more: Any) -> Withdrawal:
    withdrawal = make_approved_withdrawal(wallet, amount, **more)
    payouts.send_payout(withdrawal.pk)
    return withdrawal


# --- market and loans ---


def _market(buyer: Wallet, people: _People) -> Token:
    """A token that `buyer` holds 600 units of, with a book of orders and a quote that waits; a
    private one with an open raise.
    """
    issuer = make_wallet()
    token = make_token(
        issuer.organisation,
        name="Savannah Foods",
        symbol="SAVF",
        price_buy=_PRICE,
        price_sell=_PRICE,
        total_supply=_PRICE,
    )
    Trader(issuer).place(token, "Sell", _PRICE, 650)
    Trader(buyer).place(token, "Buy", _PRICE, 600)
    Trader(buyer).place(token, "Buy", _PRICE - 500, 2)
    Trader(buyer).cancel(Trader(buyer).place(token, "Buy", _PRICE - 600, 2))
    raising = make_token(
        issuer.organisation,
        name="Njia Growth",
        symbol="NJIA",
        deal_access=DealAccess.PRIVATE,
        raise_amount=Decimal(50_000),
    )
    tokens.grant_access(token_id=raising.id, organisation_id=buyer.organisation.id)
    Trader(buyer).place(raising, "Buy", 100, 20)
    return token


def _loans(borrower: Wallet, token: Token, people: _People) -> None:
    """A loan in every state that the passing of time and two people bring about, and a shortfall;
    an offer to named organisations that waits for its approval.
    """
    creditor = make_wallet(5_000_000, currency="NGN")
    offer = make_configuration(
        creditor.organisation,
        access=Access.PUBLIC,
        interest_rate=_RATE,
        max_outstanding={"NGN": Decimal(4_000_000)},
    )
    make_configuration(
        creditor.organisation,
        approved=False,
        access=Access.ORGANISATIONS,
        organisation_ids=[borrower.organisation.id],
    )
    plain = LoanRequest(
        user_id=borrower.member_id,
        configuration_id=offer.id,
        currency="NGN",
        amount=Decimal(400_000),
        repayment_amount=max_repayment(Decimal(400_000), _RATE, Decimal(3), "NGN"),
        interest_rate=_RATE,
        duration=Decimal(3),
        collaterals=(Pledge(token.id, Decimal(50)),),
    )

    def lend(reason: str, days_ago: int = 0) -> Loan:
        return create_loan(
            organisation_id=borrower.organisation.id,
            request=replace(plain, reason=reason),
            actor=TESTER,
            made_at=timezone.now() - timedelta(days=days_ago),
        )

    def pay(loan: Loan, amount: Decimal) -> None:
        repay(
            loan_id=loan.id,
            organisation_id=borrower.organisation.id,
            amount=amount,
            actor=TESTER,
        )

    pay(lend("Stock for the shop"), Decimal(50_000))
    pay(lend("School fees"), plain.repayment_amount)
    servicing.age_loan(lend("Farm inputs", days_ago=95).id)
    for reason, action in (
        ("Bakery oven", ClosureAction.LIQUIDATE),
        ("Market stall", ClosureAction.WRITE_OFF),
        ("Delivery van", None),
    ):
        loan = lend(reason, days_ago=150)
        servicing.age_loan(loan.id)
        proposed = propose_closure(
            loan_id=loan.id,
            action=action or ClosureAction.WRITE_OFF,
            note="The borrower has not responded",
            user=people.lenders[0],
        )
        if action is not None:
            confirm_closure(proposal_id=proposed.pk, user=people.lenders[1])
    lent = lend("Roof repair")
    _quote(token, Decimal(9_000), people, approve=True)
    servicing.revalue_loan(lent.id)
    _quote(token, Decimal(9_100), people, approve=False)


def _quote(token: Token, price: Decimal, people: _People, *, approve: bool) -> None:
    quote = quotes.propose(
        token_id=token.pk,
        prices=quotes.Prices(price, price),
        user=people.back_office,
        note="Monthly valuation",
    )
    if approve:
        quotes.approve(quote_id=quote.pk, user=people.approver)


# --- access and oversight ---


def _access(caller: ApiCaller, people: _People) -> None:
    """Create a pending and a confirmed invitation, a webhook, and an undelivered event."""
    for name in ("invited", "waiting"):
        propose_invitation(username=name, role=get_role(ADMINISTRATOR), by=people.owner)
        if name == "invited":
            confirm_latest()
    set_endpoint(
        organisation_id=caller.organisation.id, url="http://127.0.0.1:9/hook", actor=TESTER
    )
    make_caller({"wallets:read"}, caller.organisation)
    make_member(caller.organisation, "Jo Bloggs", email="jo@example.com")
    assert caller.post("/v1/api/webhook/test").status_code == 201
    deliveries.deliver_due()


def _oversight(sandbox: Sandbox, people: _People) -> None:
    """Files, a comparison with the provider, a break with its explanation, and an alert."""
    begin = partial(
        exports.start_export,
        source="wallets.withdrawal",
        query="",
        span=DateRange(),
        form="csv",
        user=people.owner,
    )
    _, file = begin()
    assert file is not None
    file.close()
    most, exports.DIRECT_ROWS = exports.DIRECT_ROWS, 0
    begin()
    exports.DIRECT_ROWS = most
    assert exports.write_next_export()
    reconciliation.request_report_as_staff(day=timezone.now().date(), user=people.approver)
    reconciliation.run_next_report()
    reconciliation.explain_break(
        break_id=make_break().pk,
        explanation="A collection of the bank's, booked late",
        user=people.owner,
    )
    add_comment(subject=people.owner, text="Calls on Mondays only", user=people.owner)
    raise_alert("float", subject="NGN", message="Too little NGN at the provider")


def _tables_of_libraries(caller: ApiCaller, user: StaffUser) -> None:
    """Insert a row in each library table that the exchange leaves empty."""
    LogEntry.objects.create(
        user=user,
        content_type=ContentType.objects.get_for_model(StaffUser),
        object_id=str(user.pk),
        object_repr=str(user),
        action_flag=CHANGE,
    )
    about = {"application": caller.key, "user": user, "expires": timezone.now()}
    get_grant_model().objects.create(
        **about, code="unused", redirect_uri="https://localhost/", scope=""
    )
    get_refresh_token_model().objects.create(
        application=caller.key,
        user=user,
        token="unused",
        access_token=AccessToken.objects.first(),
    )
    get_id_token_model().objects.create(**about)
    get_device_grant_model().objects.create(
        client_id=caller.key.client_id,
        device_code="unused",
        user_code="unused",
        scope="",
        expires=timezone.now(),
    )
