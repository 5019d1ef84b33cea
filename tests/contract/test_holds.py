"""Frozen owners and debtors over HTTP: exact refusals that move nothing, and what still works."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest

from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.api_clients import ApiCaller, assert_error, make_caller, make_member
from tests.factories.borrower_api import LOAN, BorrowerApi
from tests.factories.conversions import set_rates
from tests.factories.holds import freeze, lift, make_paid_deposit, owe
from tests.factories.lending import Lending, make_lending
from tests.factories.market import ORDERS, body_of
from tests.factories.tokens import give_units, make_token
from tests.factories.wallets import (
    BANK,
    PAID_ACCOUNT,
    Wallet,
    assert_books_hold,
    balance_of,
    store_bank_list,
)

pytestmark = pytest.mark.django_db(transaction=True)

FROZEN = "This account is frozen. Contact support"
DUE = "An amount owed after a chargeback is due. It must be repaid first"
OWN = {"wallet": "organisation"}


@dataclass
class HoldApi:
    """An organisation with a key, and a member whose wallet is about to be blocked."""

    caller: ApiCaller
    wallet: Wallet

    @property
    def user(self) -> str:
        return str(self.wallet.member_id)

    def withdraw(self, amount: Any = 500, currency: str = "KES") -> Any:
        body = {"amount": amount, "bank_name": BANK, "account_name": "Ada Obi",
                "account_number": PAID_ACCOUNT, "currency": currency}  # fmt: skip
        return self.caller.post(f"/v1/api/members/{self.user}/wallet/withdraw", body)

    def transfer(self, source: Any, target: Any, amount: Any = 100) -> Any:
        body = {"from": source, "to": target, "amount": amount, "currency": "KES"}
        return self.caller.post("/v1/api/transfers", body)

    def quote(self, amount: Any = 1000) -> str:
        body = {"from_currency": "KES", "to_currency": "USD", "amount": amount}
        response = self.caller.post("/v1/api/conversions/quote", body)
        assert response.status_code == 200, response.content
        return str(response.json()["data"]["quote_id"])

    def convert(self, quote_id: str) -> Any:
        return self.caller.post("/v1/api/conversions", {"quote_id": quote_id, "user_id": self.user})


@pytest.fixture
def api() -> HoldApi:
    store_bank_list()
    caller = make_caller()
    return HoldApi(caller, Wallet(caller.organisation, make_member(caller.organisation)))


def member_of(wallet: Wallet) -> Any:
    assert wallet.member is not None
    return wallet.member


def test_a_frozen_member_withdraws_transfers_and_converts_nothing(api):
    api.wallet.fund(5_000)
    set_rates()
    quote = api.quote()
    frozen = freeze(member_of(api.wallet))
    him = {"user_id": api.user}
    with assert_nothing_changes():
        for response in (api.withdraw(), api.transfer(him, OWN), api.convert(quote)):
            assert_error(response, 409, "account_frozen", FROZEN)
        # The balance comes first, the minimum after it.
        assert_error(api.withdraw(5_000.01), 400, "insufficient_balance")
        assert_error(api.withdraw(1), 409, "account_frozen", FROZEN)
        assert_error(api.transfer(him, OWN, 5_000.01), 400, "insufficient_balance")
    assert api.wallet.kes == (5_000, 0)
    lift(frozen)
    assert api.withdraw().status_code == 201
    assert api.transfer(him, OWN).status_code == 201
    assert api.convert(quote).status_code == 201
    assert_books_hold()


def test_a_debtor_withdraws_transfers_and_converts_nothing_of_the_currency(api):
    set_rates()
    amount = owe(api.wallet)
    api.wallet.fund(1, "NGN")
    quote = api.quote()
    with assert_nothing_changes():
        for response in (
            api.withdraw(), api.transfer({"user_id": api.user}, OWN), api.convert(quote),
        ):  # fmt: skip
            assert_error(response, 409, "receivable_due", DUE)
        assert_error(api.withdraw(1_000.01), 400, "insufficient_balance")
    assert api.wallet.kes == (amount, 0)
    # Another currency of the owner is not blocked.
    response = api.caller.post(
        "/v1/api/transfers",
        {"from": {"user_id": api.user}, "to": OWN, "amount": 1, "currency": "NGN"},
    )
    assert response.status_code == 201
    # A transfer in repays first.
    Wallet(api.caller.organisation).fund(1_500)
    assert api.transfer(OWN, {"user_id": api.user}, 1_100).status_code == 201
    assert (api.wallet.kes, balance_of(api.wallet.owner_id, "KES", "receivable")) == (
        (1_100, 0), 0,
    )  # fmt: skip
    assert api.withdraw().status_code == 201
    assert_books_hold()


def test_a_frozen_member_is_not_closed(api):
    frozen = freeze(member_of(api.wallet), "KES")
    path = f"/v1/api/members/{api.user}/close"
    with assert_nothing_changes():
        assert_error(api.caller.post(path), 409, "account_frozen", FROZEN)
    lift(frozen)
    assert api.caller.post(path).status_code == 200


def test_money_still_comes_in_to_a_frozen_wallet(api):
    freeze(member_of(api.wallet))
    make_paid_deposit(api.wallet, "1000")
    Wallet(api.caller.organisation).fund(500)
    assert api.transfer(OWN, {"user_id": api.user}, 500).status_code == 201
    assert api.wallet.kes == (1_500, 0)
    assert_books_hold()


def test_the_organisation_and_its_members_are_frozen_apart(api):
    own = Wallet(api.caller.organisation).fund(1_000)
    api.wallet.fund(1_000)
    freeze(api.caller.organisation)
    body = {"amount": 500, "bank_name": BANK, "account_name": "Ada Obi",
            "account_number": PAID_ACCOUNT, "currency": "KES"}  # fmt: skip
    with assert_nothing_changes():
        assert_error(
            api.caller.post("/v1/api/wallet/withdraw", body), 409, "account_frozen", FROZEN
        )
        assert_error(api.transfer(OWN, {"user_id": api.user}), 409, "account_frozen", FROZEN)
    assert api.transfer({"user_id": api.user}, OWN).status_code == 201
    assert [own.balance(), api.wallet.balance()] == [1_100, 900]


def test_a_frozen_owner_places_no_order_and_may_cancel_nothing_more(api):
    api.wallet.fund(5_000)
    token = make_token(currency="KES")
    give_units(token, api.wallet, 10)
    buy = body_of(token, user_id=api.user)
    sell = body_of(token, user_id=api.user, type="Sell", tokens=5)
    placed = api.caller.post(ORDERS, sell).json()["data"]["_id"]
    frozen = freeze(member_of(api.wallet), "KES")
    with assert_nothing_changes():
        for body in (buy, sell):
            assert_error(api.caller.post(ORDERS, body), 409, "account_frozen", FROZEN)
        assert_error(api.caller.post(ORDERS, {**buy, "tokens": 1_000}), 400, "insufficient_balance")
        assert_error(api.caller.call("DELETE", f"{ORDERS}/{placed}"), 409, "state_conflict")
    order = api.caller.get(f"{ORDERS}/{placed}").json()["data"]
    assert order["status"] == "Cancelled"
    lift(frozen)
    assert api.caller.post(ORDERS, buy).status_code == 201
    assert_books_hold()


def test_a_debtor_buys_nothing_and_may_sell(api):
    owe(api.wallet)
    token = make_token(currency="KES")
    give_units(token, api.wallet, 10)
    with assert_nothing_changes():
        response = api.caller.post(ORDERS, body_of(token, user_id=api.user, tokens=1))
        assert_error(response, 409, "receivable_due", DUE)
    sell = body_of(token, user_id=api.user, type="Sell", tokens=5)
    assert api.caller.post(ORDERS, sell).status_code == 201
    assert_books_hold()


@pytest.fixture
def lending() -> Lending:
    return make_lending()


def borrower_of(lending: Lending) -> BorrowerApi:
    return BorrowerApi(lending, make_caller(organisation=lending.borrower.organisation))


def test_a_frozen_borrower_pledges_nothing_and_may_repay(lending):
    api = borrower_of(lending)
    loan = api.create_loan()
    frozen = freeze(member_of(lending.borrower))
    more = {"collaterals": [{"token_id": str(lending.token.id), "quantity": 5}]}
    with assert_nothing_changes():
        assert_error(api.create(), 409, "account_frozen", FROZEN)
        added = api.caller.post(f"{LOAN}/{loan}/collateral", more)
        assert_error(added, 409, "account_frozen", FROZEN)
        quoted = api.caller.post(f"{LOAN}/quote", api.body()).json()["data"]
        assert quoted["refusals"] == [{"code": "account_frozen", "message": FROZEN}]
        assert quoted["acceptable"] is False
    repaid = api.caller.post(f"{LOAN}/{loan}/repay", {"amount": 840_000})
    assert repaid.status_code == 200, repaid.content
    lift(frozen)
    assert api.caller.post(f"{LOAN}/{loan}/collateral", more).status_code == 200
    assert_books_hold()


def test_a_frozen_creditor_lends_nothing_and_only_it_learns_why(lending):
    api = borrower_of(lending)
    freeze(lending.creditor.organisation, "NGN")
    with assert_nothing_changes():
        assert_error(api.create(), 400, "not_funded", "The loan cannot be funded")
        # A quote for others does not tell.
        quoted = api.caller.post(f"{LOAN}/quote", api.body()).json()["data"]
        assert quoted["refusals"] == []


def test_a_creditor_who_lends_to_its_own_member_learns_that_it_is_frozen(lending):
    organisation = lending.creditor.organisation
    own = Wallet(organisation, make_member(organisation))
    give_units(lending.token, own, 200)
    api = BorrowerApi(lending, make_caller(organisation=organisation))
    user = {"user_id": str(own.member_id)}
    frozen = freeze(organisation)
    with assert_nothing_changes():
        assert_error(api.create(**user), 409, "account_frozen", FROZEN)
    lift(frozen)
    assert api.create(**user).status_code == 201
    assert balance_of(own.owner_id, "NGN") == Decimal(840_000)
