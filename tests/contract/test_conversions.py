"""Quotes and conversions: exact answers, refusals that move nothing, lists and events."""

import json
import re
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from exchange.core.ids import uuid7
from exchange.events.models import Event
from tests.assertions.unchanged import assert_nothing_changes
from tests.environment.database import Connection
from tests.factories.api_clients import ApiCaller, assert_error, make_caller, make_member
from tests.factories.configuration import set_setting
from tests.factories.conversions import set_rates
from tests.factories.wallets import Wallet, assert_books_hold, balance_of
from wallets.conversions.models import Conversion, ConversionQuote
from wallets.conversions.tasks import purge_conversion_quotes
from wallets.ledger.models import ConversionPosition

pytestmark = pytest.mark.django_db(transaction=True)

PATH = "/v1/api/conversions"
ID = r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
CURRENCIES = "Currency must be one of [NGN, KES, GHS, ZAR, UGX, TZS, USD]"


class ConversionApi:
    """An organisation with a key and a member, money in both wallets, and current rates."""

    def __init__(self) -> None:
        set_rates()
        self.caller: ApiCaller = make_caller()
        self.ada = make_member(self.caller.organisation, "Ada Obi")
        self.wallet = Wallet(self.caller.organisation).fund(1_000_000, "NGN")
        self.member_wallet = Wallet(self.caller.organisation, self.ada).fund(1_000_000, "NGN")

    def quote(self, amount: Any = 150_000, source: str = "NGN", target: str = "USD") -> Any:
        return self.caller.post(
            f"{PATH}/quote", {"from_currency": source, "to_currency": target, "amount": amount}
        )

    def quote_id(self, *terms: Any) -> str:
        response = self.quote(*terms)
        assert response.status_code == 200, response.content
        return str(response.json()["data"]["quote_id"])

    def convert(self, quote_id: str, **headers: str) -> Any:
        return self.caller.post(PATH, {"quote_id": quote_id}, **headers)


@pytest.fixture
def api() -> ConversionApi:
    return ConversionApi()


def test_a_quote_and_its_conversion_are_answered_with_exactly_this_text(api):
    quoted = api.quote()
    assert quoted.status_code == 200, quoted.content
    terms = (
        '"from_currency":"NGN","to_currency":"USD","amount":150000,"rate":0.00066,'
        '"converted_amount":99,"fee":1,'
    )
    expected = (
        r'\{"status":"success","message":"Quote created","data":'
        rf'\{{"quote_id":"{ID}",{terms}"createdAt":"{TIME}","expires_at":"{TIME}"\}}\}}'
    )
    assert re.fullmatch(expected, quoted.content.decode()), quoted.content.decode()
    quote = ConversionQuote.objects.get()
    assert quote.expires_at - quote.created_at == timedelta(seconds=60)

    body = {"quote_id": str(quote.id).upper(), "user_id": str(api.ada.id)}
    response = api.caller.post(PATH, body, Idempotency_Key="one")
    assert response.status_code == 201, response.content
    expected = (
        r'\{"status":"success","message":"Conversion completed","data":'
        rf'\{{"_id":"{ID}","owner":"{api.ada.id}","owner_model":"user","quote_id":"{quote.id}",'
        rf'{terms}"status":"Completed","createdAt":"{TIME}"\}}\}}'
    )
    assert re.fullmatch(expected, response.content.decode()), response.content.decode()
    assert "Idempotent-Replayed" not in response
    assert (balance_of(api.ada.id, "NGN"), balance_of(api.ada.id, "USD")) == (850_000, 99)
    assert balance_of(api.wallet.owner_id, "NGN") == 1_000_000
    positions = dict(ConversionPosition.objects.values_list("currency", "amount"))
    assert positions == {"NGN": 150_000, "USD": -100}
    record = response.json()["data"]
    assert api.caller.get(f"{PATH}/{record['_id']}").json()["data"] == record
    [event] = Event.objects.filter(type="conversion.completed")
    assert event.organisation == api.caller.organisation
    assert json.loads(event.body)["data"] == {"conversion": record}
    assert_books_hold()

    again = api.caller.post(PATH, body, Idempotency_Key="one")
    assert (again.status_code, again["Idempotent-Replayed"]) == (201, "true")
    assert again.json()["data"] == record
    with assert_nothing_changes():
        other = api.caller.post(PATH, {"quote_id": str(quote.id)}, Idempotency_Key="one")
        assert_error(other, 422, "idempotency_key_reused")
        assert_error(
            api.caller.post(PATH, body),
            409,
            "quote_used",
            "The quote was used by another conversion. Request a new quote",
        )


# Computed by hand: both spreads of 1 %, the cross rate and both amounts rounded down.
@pytest.mark.parametrize(
    ("source", "target", "amount", "rate", "arrives", "fee"),
    [
        ("USD", "NGN", "100.01", "1485", "148514.85", "1500.15"),
        ("NGN", "KES", "1000", "0.0842886", "84.28", "1.72"),
        ("KES", "UGX", "10.5", "28.111395348837", "295", "6"),
        ("UGX", "KES", "37", "0.034171054054", "1.26", "0.03"),
        ("UGX", "TZS", "1", "0.662229729729", None, None),
        ("UGX", "TZS", "3", "0.662229729729", "1.98", "0.04"),
    ],
)
def test_quotes_are_crossed_through_dollars_and_rounded_down(
    api, source, target, amount, rate, arrives, fee
):
    response = api.quote(float(amount) if "." in amount else int(amount), source, target)
    found = json.loads(response.content, parse_float=Decimal)["data"]
    assert str(found["rate"]) == rate
    if arrives:
        assert (str(found["converted_amount"]), str(found["fee"])) == (arrives, fee)


def test_refused_quotes(api):
    terms: tuple[Any, ...]
    with assert_nothing_changes():
        for terms, message in (
            ((0.01, "NGN", "USD"), "The amount converts to less than the smallest amount of USD"),
            ((10**15, "USD", "NGN"), "The amount converts to more than 1000000000000000 NGN"),
        ):
            assert_error(api.quote(*terms), 400, "amount_not_convertible", message)
        for terms, code, message in (
            ((1, "NGN", "NGN"), "invalid_request",
             "to_currency must be another currency than from_currency"),
            ((1.001, "NGN", "USD"), "invalid_request", "amount must not have more than 2 decimals"),
            ((1.5, "UGX", "USD"), "invalid_request", "amount must not have decimals"),
            ((0, "NGN", "USD"), "invalid_request", "amount must be above 0"),
            (("1", "NGN", "USD"), "invalid_request", "amount must be a number"),
            ((1, "EUR", "USD"), "invalid_currency", f"from_currency: {CURRENCIES}"),
            ((1, "NGN", None), "invalid_currency", f"to_currency: {CURRENCIES}"),
        ):  # fmt: skip
            assert_error(api.quote(*terms), 400, code, message)


OUTDATED = (
    "There is no current rate of {}: the exchange must confirm a rate first. "
    "Ask it to, and try again then"
)


def test_only_current_rates_convert(api, settings):
    """An initial rate was approved by no one; others are current for a time."""
    settings.RATE_MAX_AGE_HOURS = 1
    kept = api.quote_id()
    settings.RATE_MAX_AGE_HOURS = 0
    outdated = ("rate_outdated", OUTDATED.format("NGN"))
    with assert_nothing_changes():
        assert_error(api.quote(), 409, *outdated)
        assert_error(api.convert(kept), 409, *outdated)


def test_initial_rates_do_not_convert():
    caller = make_caller()
    body = {"from_currency": "USD", "to_currency": "KES", "amount": 1}
    assert_error(
        caller.post(f"{PATH}/quote", body),
        409,
        "rate_outdated",
        OUTDATED.format("KES"),
    )


def test_quotes_that_cannot_be_used(api, owner_connection: Connection):
    foreign = ConversionApi().quote_id()
    expired = api.quote_id()
    with owner_connection.transaction():
        owner_connection.execute("SET LOCAL session_replication_role = replica")
        owner_connection.execute(
            "UPDATE wallets_conversionquote SET expires_at = now() WHERE id = %s", [expired]
        )
    replaced = api.quote_id()
    set_setting("NGN_USD_RATE", 1500)
    good = api.quote_id()
    stranger = str(make_member(make_caller().organisation).id)
    with assert_nothing_changes():
        for quote_id in (foreign, str(uuid7()), "nonsense"):
            assert_error(api.convert(quote_id), 404, "quote_not_found", "Quote not found")
        assert_error(
            api.convert(expired),
            409,
            "quote_expired",
            "The quote has expired. Request a new quote",
        )
        assert_error(
            api.convert(replaced),
            409,
            "quote_replaced",
            "A rate of the quote was replaced. Request a new quote",
        )
        for user_id in (stranger, "nobody", str(api.wallet.owner_id)):
            response = api.caller.post(PATH, {"quote_id": good, "user_id": user_id})
            assert_error(response, 404, "user_not_found", "User not found")
        for body, message in (
            ({}, "quote_id is required"),
            ({"quote_id": 5}, "quote_id must be a string"),
            ({"quote_id": ""}, "quote_id must not be blank"),
        ):
            assert_error(api.caller.post(PATH, body), 400, "invalid_request", message)
    # Refusals have not used it.
    assert api.convert(good).status_code == 201
    assert_books_hold()


def test_the_balance_must_cover_the_quote(api):
    quoted, dollars = api.quote_id(1_000_000.01), api.quote_id(5, "USD", "NGN")
    with assert_nothing_changes():
        assert_error(
            api.convert(quoted),
            400,
            "insufficient_balance",
            "Insufficient NGN balance. Available: 1000000, requested: 1000000.01",
        )
        assert_error(
            api.convert(dollars),
            400,
            "insufficient_balance",
            "Insufficient USD balance. Available: 0, requested: 5",
        )


def test_limits_stop_conversions_beyond_them_and_let_the_way_back(api):
    set_setting("CONVERSION_POSITION_LIMIT_USD", 100)
    assert api.convert(api.quote_id(150_000)).status_code == 201
    quoted = api.quote_id(15_000)
    with assert_nothing_changes():
        assert_error(
            api.convert(quoted),
            409,
            "position_limit_reached",
            "The limit of conversions of USD is reached. "
            "Convert a smaller amount or try again later",
        )
    set_setting("CONVERSION_POSITION_LIMIT_USD", 0)
    set_setting("CONVERSION_POSITION_LIMIT_NGN", 0)
    back = api.convert(api.quote_id(10, "USD", "NGN"))
    assert back.status_code == 201, back.content
    positions = dict(ConversionPosition.objects.values_list("currency", "amount"))
    assert positions == {"NGN": 135_000, "USD": -90}
    assert_books_hold()


def test_scopes_lists_and_other_organisations(api):
    records = [
        api.convert(api.quote_id(15_000)).json()["data"],
        api.caller.post(PATH, {"quote_id": api.quote_id(3_000, "NGN", "KES"),
                               "user_id": str(api.ada.id)}).json()["data"],
    ]  # fmt: skip

    def found(**query: Any) -> list[int]:
        page = api.caller.get(PATH, query).json()["data"]
        return [records.index(record) for record in page["conversions"]]

    assert found() == [1, 0]
    assert found(sort="amount") == found(sort="converted_amount")[::-1] == [1, 0]
    assert found(user_id=api.ada.id) == found(owner_model="user") == [1]
    assert found(owner=api.wallet.owner_id) == found(to_currency="USD") == [0]
    assert found(from_currency="NGN", amount_to=3000, status="Completed") == [1]
    assert found(quote_id=records[0]["quote_id"], amount_from=15_000) == [0]
    for record in records:
        assert api.caller.get(f"{PATH}/{record['_id']}").json()["data"] == record
    stranger = make_caller()
    for path in (records[0]["_id"], "nonsense"):
        assert_error(
            stranger.get(f"{PATH}/{path}"), 404, "conversion_not_found", "Conversion not found"
        )
    reader = make_caller({"wallets:read"}, api.caller.organisation)
    with assert_nothing_changes():
        assert_error(reader.post(f"{PATH}/quote", {}), 403, "insufficient_scope")
        assert_error(reader.post(PATH, {}), 403, "insufficient_scope")
    assert reader.get(PATH).json()["data"]["total"] == 2
    assert Conversion.objects.count() == 2


def test_old_quotes_are_removed(api, owner_connection: Connection):
    kept, old = api.quote_id(), api.quote_id()
    with owner_connection.transaction():
        owner_connection.execute("SET LOCAL session_replication_role = replica")
        for quote_id, hours in ((kept, 7 * 24 - 1), (old, 7 * 24 + 1)):
            moment = timezone.now() - timedelta(hours=hours)
            owner_connection.execute(
                "UPDATE wallets_conversionquote SET created_at = %s, expires_at = %s WHERE id = %s",
                [moment, moment, quote_id],
            )
    purge_conversion_quotes()
    assert [str(pk) for pk in ConversionQuote.objects.values_list("pk", flat=True)] == [kept]
