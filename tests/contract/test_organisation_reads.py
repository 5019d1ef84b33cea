"""What an organisation reads once a day: itself, all balances, virtual accounts, holders."""

from decimal import Decimal
from typing import Any

import pytest

from exchange.core.currencies import WALLET_CURRENCIES
from exchange.core.ids import uuid7
from tests.factories.api_clients import ApiCaller, assert_error, make_caller, make_member
from tests.factories.configuration import set_setting
from tests.factories.deposits import Owner, make_virtual_account
from tests.factories.lending import make_lending
from tests.factories.market import ApiTrader, Market
from tests.factories.tokens import give_units, make_token
from tests.factories.treasury import make_debt
from tests.factories.wallets import Wallet
from tests.factories.withdrawals import WithdrawalApi, exact_json

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("bank_lists")]

ORGANISATION = "/v1/api/organisation"
BALANCES = "/v1/api/balances"
VIRTUAL_ACCOUNTS = "/v1/api/virtual-accounts"


def read(caller: ApiCaller, path: str, plural: str, **query: Any) -> list[dict[str, Any]]:
    """Return all records, by cursor, two at a time."""
    query = {"use_cursor": "true", "limit": 2, **query}
    found: list[dict[str, Any]] = []
    while query.get("cursor", "") is not None:
        response = caller.get(path, query)
        assert response.status_code == 200, response.content
        data = exact_json(response)["data"]
        found += data[plural]
        query["cursor"] = data["next_cursor"]
    return found


def test_the_balances_of_all_owners_are_those_of_each_wallet():
    lending = make_lending()
    caller = make_caller(organisation=lending.borrower.organisation)
    lending.lend()
    market = Market(currency="KES")
    trader = ApiTrader(caller).fund(10_000, "KES").fund(5_000, "KES", member=True)
    trader.fund(70, "NGN", member=True).fund(3, "USD")
    market.sell(tokens=3)
    trader.place(market.token, tokens=5)
    trader.place(market.token, tokens=1, price=99, user_id=str(trader.member.id))
    WithdrawalApi(caller).create_withdrawal()
    make_member(caller.organisation)

    balances = read(caller, BALANCES, "balances")

    listed = {(row["owner"], row["currency"]): row for row in balances}
    assert len(listed) == len(balances) >= 4
    owners = {str(caller.organisation.id): ("organisation", "/v1/api/wallet")} | {
        str(member.id): ("user", f"/v1/api/members/{member.id}/wallet")
        for member in caller.organisation.members.all()
    }
    compared = 0
    for owner, (model, path) in owners.items():
        for row in exact_json(caller.get(path))["data"]:
            found = listed.pop((owner, row["currency"]), None)
            if found is None:
                assert {value for name, value in row.items() if name != "currency"} == {0}
            else:
                assert found == {"owner": owner, "owner_model": model, **row}
                compared += 1
    assert (listed, compared) == ({}, len(balances))


def test_balances_show_what_is_owed_as_a_positive_amount_of_its_own():
    debt = make_debt(30)
    caller = make_caller(organisation=debt.organisation)
    [row] = read(caller, BALANCES, "balances", owner=str(debt.owner_id))
    response = caller.get(f"/v1/api/members/{debt.owner_id}/wallet")
    [wallet] = [each for each in exact_json(response)["data"] if each["total"]]
    assert {**row, **wallet} == row
    assert (row["receivable"], row["total"], row["frozen"]) == (30, -30, False)


def test_balances_are_filtered_and_show_nothing_of_others():
    trader = ApiTrader().fund(10, "KES").fund(20, "KES", member=True).fund(30, "NGN")
    caller, member = trader.caller, str(trader.member.id)
    assert [row["available"] for row in read(caller, BALANCES, "balances", owner=member)] == [20]
    assert [row["available"] for row in read(caller, BALANCES, "balances", currency="ngn")] == [30]
    owners = [row["owner"] for row in read(caller, BALANCES, "balances", sort="-owner")]
    assert owners == sorted(owners, reverse=True)
    assert read(caller, BALANCES, "balances", owner=str(uuid7())) == []
    assert read(make_caller(), BALANCES, "balances") == []
    assert_error(caller.get(BALANCES, {"currency": "X"}), 400, "invalid_currency")
    refused = make_caller(["members:read"]).get(BALANCES)
    assert_error(refused, 403, "insufficient_scope", "This needs the scope wallets:read")


def test_virtual_accounts_of_all_wallets_are_those_of_each():
    caller = make_caller()
    members = [make_member(caller.organisation) for _ in range(2)]
    for member in (None, *members):
        make_virtual_account(Owner(caller.organisation, member))
    make_virtual_account(Owner(caller.organisation, members[0]), "KES")
    make_virtual_account(Owner(make_caller().organisation, None))
    found = read(caller, VIRTUAL_ACCOUNTS, "virtual_accounts")
    paths = ["/v1/api/wallet", *(f"/v1/api/members/{member.id}" for member in members)]
    each = [
        account
        for path in paths
        for account in caller.get(f"{path}/virtual-accounts").json()["data"]
    ]
    assert sorted(found, key=lambda one: str(one["_id"])) == sorted(each, key=lambda o: o["_id"])
    assert len(found) == 4
    [kes] = read(caller, VIRTUAL_ACCOUNTS, "virtual_accounts", currency="KES")
    assert kes["owner"] == str(members[0].id)
    of_member = read(caller, VIRTUAL_ACCOUNTS, "virtual_accounts", owner=str(members[0].id))
    assert len(of_member) == 2
    assert read(caller, VIRTUAL_ACCOUNTS, "virtual_accounts", created_to="2020-01-01") == []
    assert read(make_caller(), VIRTUAL_ACCOUNTS, "virtual_accounts") == []


def holders_path(token_id: object) -> str:
    return f"/v1/api/token/{token_id}/holders"


def test_holders_add_up_to_what_is_issued_and_only_own_ones_are_named():
    issuer, other = ApiTrader(), ApiTrader()
    token = make_token(issuer.organisation)
    give_units(token, issuer.wallet(member=True), 25)
    give_units(token, other.wallet(), 40)
    give_units(token, other.wallet(member=True), Decimal("12.5"))
    other.place(token, type="Sell", tokens=15, price=120)
    make_token(issuer.organisation)
    holders = read(issuer.caller, holders_path(token.id), "holders")
    assert sum(row["balance"] + row["lien"] for row in holders) == 1_000
    named = {row["owner"]: row for row in holders if row["owner"]}
    assert {owner: row["balance"] for owner, row in named.items()} == {
        str(issuer.organisation.id): Decimal("922.5"),
        str(issuer.member.id): 25,
    }
    [of_organisation] = [
        row for row in holders if not row["owner"] and row["owner_model"] == "organisation"
    ]
    units = [of_organisation[name] for name in ("balance", "available", "reserved", "lien")]
    assert units == [40, 25, 15, 0]
    assert str(other.organisation.id) not in str(holders)
    assert len({row["_id"] for row in holders}) == 4
    # Who sells everything is no holder any more.
    give_units(token, Wallet(make_caller().organisation), 1)
    assert len(read(issuer.caller, holders_path(token.id), "holders")) == 5


def test_unsold_units_of_a_raise_have_no_holder():
    issuer = make_caller()
    market = Market(issuer=issuer.organisation, raise_amount=Decimal(50_000))
    assert read(issuer, holders_path(market.token.id), "holders") == []
    market.buy(tokens=3)
    [holder] = read(issuer, holders_path(market.token.id), "holders")
    assert (holder["owner"], holder["balance"]) == (None, 3)


def test_holders_of_the_tokens_of_others_are_not_found():
    market = Market()
    for token in (market.token.id, uuid7(), "x"):
        response = market.seller.caller.get(holders_path(token))
        assert_error(response, 404, "token_not_found", "Token not found")


def test_the_organisation_shows_itself_its_key_and_what_applies(settings):
    settings.RATE_LIMITS_ENABLED = True
    caller = make_caller(["wallets:read", "orders:read"])
    organisation = caller.organisation
    organisation.redirect_origins = ["https://example.com"]
    organisation.verification_required_for_withdrawals = True
    organisation.save()
    set_setting("NGN_WITHDRAWAL_FEE", 75)
    set_setting("MINIMUM_WITHDRAWAL_NGN", 0)
    set_setting("NGN_USD_RATE", "1520.5")
    set_setting("CONVERSION_SPREAD_NGN", 150)
    set_setting("DEPOSIT_CLEARING_DAYS", 2)
    set_setting("PAYOUTS_ON_HOLD", 1)
    data = exact_json(caller.get(ORGANISATION))["data"]
    currencies = {row.pop("currency"): row for row in data.pop("currencies")}
    assert list(currencies) == list(WALLET_CURRENCIES)
    unpaid = ("minimum_withdrawal", "withdrawal_fee", "internal_fee", "usd_rate")
    assert [currencies["USD"][name] for name in unpaid] == [None] * 4
    assert currencies["NGN"] == {
        "minimum_withdrawal": 1,
        "withdrawal_fee": 75,
        "internal_fee": 0,
        "usd_rate": Decimal("1520.5"),
        "conversion_spread": Decimal("1.5"),
    }
    assert data == {
        "_id": str(organisation.id),
        "name": organisation.name,
        "redirect_origins": ["https://example.com"],
        "verification_required_for_deposits": False,
        "verification_required_for_withdrawals": True,
        "key": {
            "_id": str(caller.key.id),
            "name": caller.key.name,
            "scopes": ["orders:read", "wallets:read"],
        },
        "limits": {"requests": 600, "money": 120},
        "payouts_paused": True,
        "deposit_fee_borne_by_owner": False,
        "deposit_clearing_days": 2,
    }
    settings.RATE_LIMITS_ENABLED = False
    limits = exact_json(caller.get(ORGANISATION))["data"]["limits"]
    assert limits == {"requests": None, "money": None}
    refused = make_caller(["members:read"]).get(ORGANISATION)
    assert_error(refused, 403, "insufficient_scope", "This needs the scope wallets:read")
