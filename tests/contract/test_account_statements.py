"""Account statements over HTTP: exact record, files, words, errors, strangers."""

import csv
import io
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone
from pypdf import PdfReader

from exchange.core.ids import uuid7
from exchange.participants.models import Member
from tests.factories.api_clients import TESTER, assert_error, make_caller, make_member
from tests.factories.market import Market
from tests.factories.wallets import Wallet
from tests.factories.withdrawals import OPERATIONS, WithdrawalApi, exact_json
from wallets.deposits.services import manual as deposits

pytestmark = pytest.mark.usefixtures("bank_lists")

BALANCE = ["available", "escrow", "reserved", "lien", "uncleared", "receivable", "total"]


def today() -> str:
    return f"{timezone.now():%Y-%m-%d}"


def path_of(api: WithdrawalApi, operation: str) -> str:
    owner = f"members/{api.member.id}" if operation == "member" else "wallet"
    return f"/v1/api/{owner}/statement"


def ask(api: WithdrawalApi, operation: str = "member", **query: Any) -> Any:
    query = {"currency": "KES", "from": today(), "to": today(), **query}
    return api.caller.get(path_of(api, operation), query)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_statement_has_the_balances_and_every_movement_in_words(
    withdrawal_api: WithdrawalApi, operation
):
    withdrawal_api.fund(operation, "KES", "1000.5")
    withdrawal_api.fund(operation, "NGN", "7")
    made = withdrawal_api.create_withdrawal(operation)
    assert (
        withdrawal_api.caller.post(f"/v1/api/withdrawals/{made['_id']}/cancel").status_code == 200
    )
    response = ask(withdrawal_api, operation)
    assert response.status_code == 200, response.content
    found = exact_json(response)
    assert found["message"] == "Statement retrieved"
    data = found["data"]
    organisation = withdrawal_api.caller.organisation
    name = "Ada Obi" if operation == "member" else organisation.name
    assert (data["owner"], data["owner_name"]) == (
        str(withdrawal_api.owner_id(operation)),
        name,
    )
    assert data["owner_model"] == ("user" if operation == "member" else "organisation")
    assert (data["from"], data["to"]) == (
        f"{today()}T00:00:00.000Z",
        f"{today()}T23:59:59.999Z",
    )
    assert list(data["opening"]) == list(data["closing"]) == BALANCE
    assert data["opening"]["total"] == 0
    assert data["closing"]["total"] == data["closing"]["available"] == Decimal("1000.5")
    assert (data["money_in"], data["money_out"]) == (Decimal("1000.5"), 0)
    assert [
        (m["type"], m["description"], m["amount"], m["available_change"], m["available"])
        for m in data["movements"]
    ] == [
        ("deposit", "Deposit received", Decimal("1000.5"), Decimal("1000.5"), Decimal("1000.5")),
        (
            "withdrawal_hold",
            "Withdrawal requested: 500.00 KES set aside",
            0,
            -500,
            Decimal("500.5"),
        ),
        (
            "withdrawal_release",
            "Withdrawal not paid: 500.00 KES available again",
            0,
            500,
            Decimal("1000.5"),
        ),
    ]
    assert [m["balance"] for m in data["movements"]] == [Decimal("1000.5")] * 3
    assert [m["reference"] for m in data["movements"][1:]] == [made["reference"]] * 2


def test_a_period_may_end_with_the_present_day_or_moment(withdrawal_api: WithdrawalApi):
    now = f"{timezone.now():%Y-%m-%dT%H:%M:%S.000Z}"
    for first, last in ((today(), today()), (today(), now), (now, now)):
        response = ask(withdrawal_api, **{"from": first, "to": last})
        assert response.status_code == 200, response.content
        data = exact_json(response)["data"]
        ends = last if last == now else f"{last}T23:59:59.999Z"
        begins = first if first == now else f"{first}T00:00:00.000Z"
        assert (data["from"], data["to"], data["movements"]) == (begins, ends, [])


@pytest.mark.django_db
def test_trading_is_told_in_units_and_orders_show_what_is_set_aside():
    market = Market(buy_fee=Decimal(1))
    market.sell(price=99, tokens=3)
    market.buy(price=100, tokens=10)
    query = {"currency": "NGN", "from": today(), "to": today()}
    data = exact_json(market.buyer.caller.get("/v1/api/wallet/statement", query))["data"]
    symbol = market.token.symbol
    assert [(m["description"], m["amount"]) for m in data["movements"]] == [
        ("Deposit received", 100_000),
        (f"Bought 3 units of {symbol}", Decimal("-299.97")),
        (f"Order for {symbol}: 707.00 NGN set aside", 0),
    ]
    assert data["closing"]["reserved"] == 707
    assert data["closing"]["total"] == 100_000 - Decimal("299.97")
    sold = exact_json(market.seller.caller.get("/v1/api/wallet/statement", query))["data"]
    assert [m["description"] for m in sold["movements"]] == [f"Sold 3 units of {symbol}"]


def test_movements_carry_the_clients_own_reference(withdrawal_api: WithdrawalApi):
    """Of withdrawals, deposits and transfers; null where none was sent."""
    api = withdrawal_api
    api.fund("member", "KES", "1000")
    api.create_withdrawal("member", client_reference="INV-1", amount=500)
    body = {
        "from": {"user_id": str(api.member.id)},
        "to": {"wallet": "organisation"},
        "amount": 100,
        "currency": "KES",
        "client_reference": "split-7",
    }
    assert api.caller.post("/v1/api/transfers", body).status_code == 201
    movements = ask(api).json()["data"]["movements"]
    assert [(m["type"], m["client_reference"]) for m in movements] == [
        ("deposit", None),
        ("withdrawal_hold", "INV-1"),
        ("wallet_transfer", "split-7"),
    ]
    rows = list(csv.DictReader(io.StringIO(ask(api, format="csv").content.decode("utf-8-sig"))))
    assert [row["Client reference"] for row in rows[1:4]] == ["", "INV-1", "split-7"]


def test_a_file_has_a_name_and_a_type(withdrawal_api: WithdrawalApi):
    withdrawal_api.fund("member", "KES", "12.5")
    name = f"statement-KES-{today()}-{today()}"
    table = ask(withdrawal_api, format="csv")
    assert table["Content-Type"] == "text/csv; charset=utf-8"
    assert table["Content-Disposition"] == f'attachment; filename="{name}.csv"'
    rows = list(csv.reader(io.StringIO(table.content.decode("utf-8-sig"))))
    assert [(row[1], row[5], row[7]) for row in rows[1:4]] == [
        ("Opening balance", "", "0"),
        ("Deposit received", "12.5", "12.5"),
        ("Closing balance", "", "12.5"),
    ]
    printed = ask(withdrawal_api, format="PDF")
    assert printed["Content-Type"] == "application/pdf"
    assert printed["Content-Disposition"] == f'attachment; filename="{name}.pdf"'
    for response in (table, printed):
        assert response["Cache-Control"] == "no-store"
        assert response["X-Content-Type-Options"] == "nosniff"
    text = PdfReader(io.BytesIO(printed.content)).pages[0].extract_text()
    assert "Account statement" in text
    assert "Ada Obi" in text
    assert withdrawal_api.caller.organisation.name in text
    assert "Page 1 of 1" in text


def test_csv_neutralises_formulas_in_references(withdrawal_api: WithdrawalApi):
    deposits.book_deposit(
        payment=deposits.IncomingPayment(
            organisation_id=withdrawal_api.caller.organisation.id,
            member_id=withdrawal_api.member.id,
            currency="KES",
            amount=Decimal(5),
            reference="=HYPERLINK(1)",
        ),
        actor=TESTER,
    )
    assert "'=HYPERLINK(1)" in ask(withdrawal_api, format="csv").content.decode()
    assert "=HYPERLINK(1)" in ask(withdrawal_api).content.decode()


@pytest.mark.parametrize(
    ("query", "code", "message"),
    [
        ({"currency": ""}, "invalid_request", "currency must not be empty"),
        (
            {"currency": "EUR"},
            "invalid_currency",
            "Currency must be one of [NGN, KES, GHS, ZAR, UGX, TZS, USD]",
        ),
        (
            {"from": "yesterday"},
            "invalid_request",
            "from must be an ISO 8601 date, or a time with its offset",
        ),
        ({"from": "2999-01-01"}, "invalid_request", "from must not be in the future"),
        ({"to": "2999-01-01"}, "invalid_request", "to must not be in the future"),
        ({"to": "2020-01-01"}, "invalid_request", "to must not be before from"),
        (
            {"from": "2015-01-01"},
            "invalid_request",
            "to must be at most 366 days after from",
        ),
        ({"format": "xlsx"}, "invalid_request", "format must be one of [json, csv, pdf]"),
        (
            {"until": "x"},
            "invalid_request",
            "Unknown parameter: until (known are currency, from, to, format)",
        ),
    ],
)
def test_a_bad_parameter_is_named(withdrawal_api: WithdrawalApi, query, code, message):
    assert_error(ask(withdrawal_api, **query), 400, code, message)


def test_missing_parameters_are_all_named(withdrawal_api: WithdrawalApi):
    response = withdrawal_api.caller.get(path_of(withdrawal_api, "member"), {})
    assert_error(
        response,
        400,
        "invalid_request",
        "currency is required; from is required; to is required",
    )


@pytest.mark.parametrize("form", ["json", "csv", "pdf"])
@pytest.mark.parametrize("member", ["unknown", "foreign", "me"])
def test_the_statement_of_a_stranger_does_not_exist(withdrawal_api: WithdrawalApi, member, form):
    found = {"unknown": uuid7(), "foreign": make_member(make_caller().organisation).id}
    response = withdrawal_api.caller.get(
        f"/v1/api/members/{found.get(member, member)}/statement",
        {"currency": "KES", "from": today(), "to": today(), "format": form},
    )
    assert_error(response, 404, "user_not_found", "User not found")


def test_names_in_other_scripts_are_printed(withdrawal_api: WithdrawalApi):
    name = "Ọláyínká Ṣódiípọ̀ አበበ"
    Member.objects.filter(id=withdrawal_api.member.id).update(name=name)
    Wallet(withdrawal_api.caller.organisation, withdrawal_api.member).fund(5)
    printed = ask(withdrawal_api, format="pdf")
    assert name in PdfReader(io.BytesIO(printed.content)).pages[0].extract_text()
