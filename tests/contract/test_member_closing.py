"""Closing a member: refused while anything is left; then it is only read, until it is reopened."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from exchange.core.errors import Conflict, DomainError
from exchange.core.ids import uuid7
from exchange.core.numbers import format_plain
from exchange.events.models import Event
from exchange.participants.models import Member, Organisation
from orders.freezing.services import confirm_reversal
from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.api_clients import TESTER, ApiCaller, assert_error, make_caller, make_member
from tests.factories.borrower_api import LOAN, BorrowerApi
from tests.factories.conversions import quote, set_rates
from tests.factories.deposits import (
    Owner,
    arrive,
    make_checkout,
    make_virtual_account,
    transaction_record,
)
from tests.factories.holds import freeze
from tests.factories.lending import make_lending
from tests.factories.market import body_of
from tests.factories.payouts import propose_action, return_at_bank, settle_at_bank
from tests.factories.tokens import give_units, make_token
from tests.factories.wallets import (
    BANK,
    PAID_ACCOUNT,
    Wallet,
    assert_books_hold,
    balance_of,
    make_approved_withdrawal,
    make_staff,
    store_bank_list,
)
from wallets.closing import services as closing
from wallets.deposits.models import Deposit, PaymentAction, VirtualAccount
from wallets.deposits.services import manual, reversals, unmatched
from wallets.payouts.models import ProposalAction
from wallets.payouts.services import execution, resolutions

pytestmark = pytest.mark.django_db(transaction=True)

MEMBERS = "/v1/api/members"
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
CLOSED = "This member is closed"


class ClosingApi:
    """An organisation with a key and a member without anything."""

    def __init__(self, organisation: Organisation | None = None) -> None:
        self.caller: ApiCaller = make_caller(organisation=organisation)
        self.member: Member = make_member(self.caller.organisation, "Ada Obi")
        self.wallet = Wallet(self.caller.organisation, self.member)
        self.path = f"{MEMBERS}/{self.member.id}"
        self.owner = Owner(self.caller.organisation, self.member)

    def close(self, **headers: str) -> Any:
        return self.caller.post(f"{self.path}/close", **headers)

    def close_at_once(self) -> ClosingApi:
        assert self.close().status_code == 200
        self.member.refresh_from_db()
        return self

    def transfer(self, amount: Any, currency: str, *, to: str | None = None) -> Any:
        """Transfer from the member to the organisation, or to the member `to`."""
        own = {"wallet": "organisation"}
        sent = {"user_id": str(self.member.id)}
        body = {"from": own if to else sent, "to": {"user_id": to} if to else own}
        return self.caller.post(
            "/v1/api/transfers", {**body, "amount": amount, "currency": currency}
        )


@pytest.fixture
def api() -> ClosingApi:
    return ClosingApi()


def test_a_member_without_anything_is_closed_and_can_be_read(api):
    api.wallet.fund(100)
    assert api.transfer(100, "KES").status_code == 201
    response = api.close(Idempotency_Key="once")
    assert response.status_code == 200, response.content
    expected = (
        r'\{"status":"success","message":"Member closed","data":'
        rf'\{{"_id":"{api.member.id}","name":"Ada Obi","email":"{api.member.email}",'
        r'"external_id":null,"status":"closed","verification":"unverified",'
        r'"holder_kind":"person","tax_residence":null,"tax_id":null,'
        rf'"createdAt":"{TIME}","updatedAt":"{TIME}","freezes":\[\],"debts":\[\]\}}\}}'
    )
    assert re.fullmatch(expected, response.content.decode()), response.content.decode()
    record = response.json()["data"]
    assert api.caller.get(api.path).json()["data"] == record
    for status, found in (("closed", [record]), ("active", [])):
        listed = api.caller.get(MEMBERS, {"status": status}).json()["data"]["members"]
        assert listed == found
    for part in ("wallet", "wallet/transactions", "tokens", "virtual-accounts"):
        assert api.caller.get(f"{api.path}/{part}").status_code == 200
    again = api.close(Idempotency_Key="once")
    assert (again.status_code, again.json()["data"]) == (200, record)
    with assert_nothing_changes():
        assert_error(api.close(), 409, "member_closed", CLOSED)
    assert Event.objects.get(type__startswith="member.").type == "member.closed"
    assert_books_hold()


def test_closing_is_for_members_of_the_caller_and_keys_that_may_write_members(api):
    reader = make_caller(["members:read"], api.caller.organisation)
    stranger = ClosingApi()
    with assert_nothing_changes():
        response = reader.post(f"{api.path}/close")
        assert_error(response, 403, "insufficient_scope", "This needs the scope members:write")
        for member in (stranger.member.id, uuid7(), "1"):
            response = api.caller.post(f"{MEMBERS}/{member}/close")
            assert_error(response, 404, "user_not_found", "User not found")


def test_everything_that_is_left_is_named(api):
    """Money of each kind, units, orders, deposits: refused until it is gone."""
    store_bank_list()
    token = make_token(symbol="BAO")
    give_units(token, api.wallet, "12.5")
    api.wallet.fund("1500.25").fund(700, "NGN")
    api.wallet.request(1000)
    order = api.caller.post(
        "/v1/orders",
        body_of(token, type="Sell", tokens=2, price=150, user_id=str(api.member.id)),
    )
    assert order.status_code == 201, order.content
    uncleared = transaction_record(make_virtual_account(api.owner).reference, payment_type="card")
    arrive(uncleared)
    for _ in range(2):
        make_checkout(api.owner)
    message = (
        "This member still has 700 NGN, 1000 NGN not yet cleared, 500.25 KES, "
        "1000 KES in withdrawals, 10.5 BAO units, 2 BAO units reserved for open orders, "
        "2 pending deposits"
    )
    with assert_nothing_changes():
        assert_error(api.close(), 409, "member_not_empty", message)
    # Nothing was closed on the way.
    assert api.transfer(700, "NGN").status_code == 201
    assert api.transfer(1, "NGN", to=str(api.member.id)).status_code == 201


def test_a_debt_is_left(api):
    account = make_virtual_account(api.owner)
    arrive(transaction_record(account.reference))
    assert api.transfer(1000, "NGN").status_code == 201
    reverse(Deposit.objects.get())
    with assert_nothing_changes():
        assert_error(
            api.close(), 409, "member_not_empty", "This member still has 1000 NGN to repay"
        )


def test_a_long_list_is_cut_short(api):
    for number in range(12):
        give_units(make_token(symbol=f"T{number:02}"), api.wallet, 1)
    with assert_nothing_changes():
        message = assert_error(api.close(), 409, "member_not_empty")
    assert (
        message
        == ("This member still has " + "".join(f"1 T{number:02} units, " for number in range(10)))
        + "2 more"
    )


def test_a_loan_is_left_until_it_is_repaid_and_its_units_are_gone():
    lending = make_lending()
    borrower = BorrowerApi(lending, make_caller(organisation=lending.borrower.organisation))
    borrower.create_loan()
    path = f"{MEMBERS}/{lending.borrower.owner_id}/close"
    symbol = lending.token.symbol
    money = format_plain(Decimal(balance_of(lending.borrower.owner_id, "NGN")))
    with assert_nothing_changes():
        assert_error(
            borrower.caller.post(path),
            409,
            "member_not_empty",
            f"This member still has {money} NGN, 895 {symbol} units, "
            f"105 {symbol} units pledged for loans",
        )


def test_an_abandoned_checkout_fails_and_a_later_payment_of_it_is_unmatched(api):
    checkout = make_checkout(api.owner, hours_ago=25)
    assert api.close().status_code == 200
    checkout.refresh_from_db()
    assert (checkout.status, checkout.reason) == ("Failed", "The member was closed")
    [event] = Event.objects.filter(type="deposit.failed")
    assert event.subject_id == checkout.pk
    payment = arrive(transaction_record(checkout.reference))
    assert (payment.status, payment.last_error) == (
        "Unmatched",
        "The member it is for is closed",
    )
    assert balance_of(api.member.id, "NGN") == 0
    assert_books_hold()


def test_only_an_abandoned_checkout_of_the_member_fails(api, monkeypatch):
    """A payment entered by hand waits for a second person, however old it is."""
    other = ClosingApi(api.caller.organisation)
    theirs = make_checkout(other.owner, hours_ago=25)
    payment = manual.IncomingPayment(
        api.caller.organisation.id, api.member.id, "NGN", Decimal(10), "bank-1"
    )
    entered = manual.enter(payment=payment, user=make_staff("add_deposit"))
    monkeypatch.setattr(closing, "CHECKOUT_ABANDONED", timedelta(0))
    with assert_nothing_changes():
        assert_error(
            api.close(), 409, "member_not_empty", "This member still has 1 pending deposit"
        )
    manual.reject(deposit_id=entered.pk, user=make_staff("decide_deposit"), reason="Twice")
    assert api.close().status_code == 200
    theirs.refresh_from_db()
    assert theirs.status == "Pending"


def test_a_frozen_member_is_not_closed_and_others_are(api):
    frozen = ClosingApi(api.caller.organisation)
    freeze(frozen.member)
    with assert_nothing_changes():
        assert_error(frozen.close(), 409, "account_frozen")
    assert api.close().status_code == 200


def test_a_younger_checkout_may_still_be_paid(api):
    make_checkout(api.owner, hours_ago=23)
    with assert_nothing_changes():
        assert_error(
            api.close(), 409, "member_not_empty", "This member still has 1 pending deposit"
        )


def test_a_payment_into_the_account_of_a_closed_member_waits_for_two_people(api):
    account = make_virtual_account(api.owner)
    api.close_at_once()
    payment = arrive(transaction_record(account.reference, "2500.5"))
    assert (payment.status, payment.last_error) == (
        "Unmatched",
        "The member it is for is closed",
    )
    assert not Deposit.objects.exists()
    assert balance_of(api.member.id, "NGN") == 0
    assert_books_hold()

    maker, checker = (make_staff("resolve_payment") for _ in range(2))
    propose = partial(
        unmatched.propose_resolution,
        payment_id=payment.pk,
        action=PaymentAction.ASSIGN,
        explanation="Paid by Ada",
        user=maker,
    )
    with assert_nothing_changes(), pytest.raises(DomainError, match=CLOSED):
        propose(owner=api.member)
    other = ClosingApi(api.caller.organisation)
    proposal = propose(owner=other.member)
    other.close_at_once()
    with assert_nothing_changes(), pytest.raises(DomainError, match=CLOSED):
        unmatched.confirm_resolution(resolution_id=proposal.pk, user=checker)
    unmatched.reject_resolution(resolution_id=proposal.pk, reason="Closed", user=checker)
    proposal = propose(owner=api.caller.organisation)
    unmatched.confirm_resolution(resolution_id=proposal.pk, user=checker)
    assert balance_of(api.caller.organisation.id, "NGN") == Decimal("2500.5")
    assert_books_hold()


def test_nothing_moves_to_or_from_a_closed_member(api):
    """Each way of money and units is refused by the same error, whatever the balance."""
    store_bank_list()
    set_rates()
    organisation = api.caller.organisation
    organisation.email, organisation.redirect_origins = "a@example.com", ["https://example.com"]
    organisation.save()
    Wallet(organisation).fund(10_000).fund(10_000, "NGN")
    make_virtual_account(api.owner)
    quoted = quote(Wallet(organisation), 100)["quote_id"]
    token = make_token()
    api.wallet.fund(10)
    api.transfer(10, "KES")
    api.close_at_once()
    member = str(api.member.id)
    withdrawal = {
        "amount": 2000, "bank_name": BANK, "account_name": "Ada Obi",
        "account_number": PAID_ACCOUNT, "currency": "KES",
    }  # fmt: skip
    checkout = {"amount": 10, "currency": "NGN", "redirect_url": "https://example.com/paid"}
    calls: list[tuple[str, dict[str, Any]]] = [
        (f"{api.path}/wallet/withdraw", withdrawal),
        (f"{api.path}/virtual-accounts", {"currency": "NGN", "bvn": "12345678901"}),
        (f"{api.path}/deposits/checkout", checkout),
        ("/v1/api/conversions", {"quote_id": quoted, "user_id": member}),
        ("/v1/orders", body_of(token, user_id=member)),
        ("/v1/orders", body_of(token, type="Sell", user_id=member)),
    ]
    with assert_nothing_changes():
        for path, body in calls:
            assert_error(api.caller.post(path, body), 409, "member_closed", CLOSED)
        # After the form of the body, before the balance and the minimum.
        withdraw = f"{api.path}/wallet/withdraw"
        response = api.caller.post(withdraw, withdrawal | {"amount": 1})
        assert_error(response, 409, "member_closed", CLOSED)
        response = api.caller.post(withdraw, withdrawal | {"currency": "EUR"})
        assert_error(response, 400, "invalid_currency")
        for currency in ("KES", "NGN"):
            assert_error(api.transfer(1, currency, to=member), 409, "member_closed", CLOSED)
            assert_error(api.transfer(1, currency), 409, "member_closed", CLOSED)
    assert_books_hold()


def test_a_closed_member_gets_no_loan():
    lending = make_lending(units=105)
    borrower = BorrowerApi(lending, make_caller(organisation=lending.borrower.organisation))
    member = make_member(lending.borrower.organisation)
    assert borrower.caller.post(f"{MEMBERS}/{member.id}/close").status_code == 200
    with assert_nothing_changes():
        response = borrower.create(user_id=str(member.id))
        assert_error(response, 409, "member_closed", CLOSED)
        quoted = borrower.caller.post(f"{LOAN}/quote", borrower.body(user_id=str(member.id)))
        assert quoted.status_code == 200
        assert CLOSED in quoted.content.decode()


def test_staff_enter_and_confirm_no_deposit_of_a_closed_member(api):
    maker, checker = make_staff("add_deposit"), make_staff("decide_deposit")
    payment = manual.IncomingPayment(
        api.caller.organisation.id, api.member.id, "NGN", Decimal(10), "bank-1"
    )
    entered = manual.enter(payment=payment, user=maker)
    with assert_nothing_changes():
        assert_error(
            api.close(), 409, "member_not_empty", "This member still has 1 pending deposit"
        )
    manual.reject(deposit_id=entered.pk, user=checker, reason="Twice")
    api.close_at_once()
    with assert_nothing_changes():
        for enter in (
            lambda: manual.enter(payment=payment, user=maker),
            lambda: manual.book_deposit(payment=payment, actor=TESTER),
        ):
            with pytest.raises(DomainError, match=CLOSED):
                enter()


def test_a_deposit_of_a_closed_member_that_is_taken_back_is_owed(api):
    """A chargeback comes months later: the debt is all that a closed member can have."""
    account = make_virtual_account(api.owner)
    arrive(transaction_record(account.reference))
    api.transfer(1000, "NGN")
    api.close_at_once()
    reverse(Deposit.objects.get())
    assert balance_of(api.member.id, "NGN", "receivable") == -1000
    assert_books_hold()


def test_details_of_a_closed_member_can_be_changed(api):
    """So that its email and external ID can name a new member."""
    api.close_at_once()
    response = api.caller.patch(api.path, {"email": "old@example.com"})
    assert response.json()["data"]["email"] == "old@example.com"
    assert response.json()["data"]["status"] == "closed"
    make_member(api.caller.organisation, email=api.member.email)


def test_a_closed_member_is_reopened_and_money_moves_again(api):
    api.wallet.fund(100)
    api.transfer(100, "KES")
    api.close_at_once()
    with assert_nothing_changes():
        assert_error(api.transfer(50, "KES", to=str(api.member.id)), 409, "member_closed", CLOSED)
    response = api.caller.post(f"{api.path}/reopen", Idempotency_Key="once")
    assert response.status_code == 200, response.content
    body = response.json()
    assert (body["message"], body["data"]["status"]) == ("Member reopened", "active")
    assert api.caller.get(api.path).json()["data"] == body["data"]
    # In a wallet that was closed, and in a new one.
    make_virtual_account(api.owner)
    assert api.transfer(50, "KES", to=str(api.member.id)).status_code == 201
    arrive(transaction_record(VirtualAccount.objects.get().reference, "20"))
    assert (balance_of(api.member.id, "KES"), balance_of(api.member.id, "NGN")) == (50, 20)
    message = "Only a closed member can be reopened: it is active"
    again = api.caller.post(f"{api.path}/reopen", Idempotency_Key="once")
    assert (again.status_code, again.json()) == (200, body)
    with assert_nothing_changes():
        assert_error(api.caller.post(f"{api.path}/reopen"), 409, "state_conflict", message)
    left = "This member still has 20 NGN, 50 KES"
    assert_error(api.close(), 409, "member_not_empty", left)
    assert_books_hold()


def test_reopening_is_for_members_of_the_caller_and_keys_that_may_write_members(api):
    reader = make_caller(["members:read"], api.caller.organisation)
    stranger = ClosingApi().close_at_once()
    api.close_at_once()
    with assert_nothing_changes():
        response = reader.post(f"{api.path}/reopen")
        assert_error(response, 403, "insufficient_scope", "This needs the scope members:write")
        for member in (stranger.member.id, uuid7(), "1"):
            response = api.caller.post(f"{MEMBERS}/{member}/reopen")
            assert_error(response, 404, "user_not_found", "User not found")


def test_a_returned_payout_of_a_closed_member_waits_for_its_reopening(api, provider_sandbox):
    """The account is empty when the member is closed; weeks later the bank sends the money back."""
    store_bank_list()
    withdrawal = make_approved_withdrawal(api.wallet.fund(1000), 1000)
    execution.send_payout(withdrawal.id)
    settle_at_bank(provider_sandbox, withdrawal)
    execution.check_status(withdrawal.id)
    api.close_at_once()
    return_at_bank(provider_sandbox, withdrawal)
    execution.check_status(withdrawal.id)
    proposal = propose_action(withdrawal, ProposalAction.REVERSE)
    resolver = make_staff()
    message = "The member is closed. Its organisation must reopen it before money is credited"
    with assert_nothing_changes(), pytest.raises(Conflict, match=message):
        resolutions.confirm(proposal_id=proposal.id, resolver=resolver)
    assert api.caller.post(f"{api.path}/reopen").status_code == 200
    resolutions.confirm(proposal_id=proposal.id, resolver=resolver)
    withdrawal.refresh_from_db()
    assert withdrawal.status == "Reversed"
    assert balance_of(api.member.id, "KES") == withdrawal.disburse_amount
    assert_books_hold()


def reverse(deposit: Deposit) -> None:
    """Take a deposit back, by two people."""
    maker, checker = (make_staff("reverse_deposit") for _ in range(2))
    proposal = reversals.propose_reversal(
        deposit_id=deposit.pk, explanation="Chargeback", user=maker
    )
    confirm_reversal(reversal_id=proposal.pk, user=checker)
