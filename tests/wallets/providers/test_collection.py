"""Money in, between the client and the sandbox over HTTP: calls, wrong answers and no answers."""

import json
import logging
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from exchange.core.metrics import PROVIDER_CALLS
from tests.wallets.providers.harness import Sandbox, client_of
from wallets.providers.base import (
    CollectionDeclined,
    InsufficientFloat,
    NeverSent,
    OutcomeUnknown,
    ProviderUnavailable,
    UnsupportedCurrency,
)
from wallets.providers.collection import (
    CheckoutRequest,
    IssuedAccount,
    Payer,
    TransactionStatus,
    VirtualAccountRequest,
)
from wallets.providers.flutterwave import FlutterwaveClient

BVN = "22212345678"
ANY = date(2000, 1, 1)
EVER = {"first": date.today() - timedelta(days=1), "last": date.today() + timedelta(days=1)}  # noqa: DTZ011 - a day of margin


def make_account(client: FlutterwaveClient, **changes: Any) -> IssuedAccount:
    values: dict[str, Any] = {
        "tx_ref": "va_a",
        "currency": "NGN",
        "email": "ada@example.com",
        "first_name": "Ada",
        "last_name": "Obi",
        "bvn": BVN,
    }
    return client.create_virtual_account(VirtualAccountRequest(**(values | changes)))


def make_checkout(client: FlutterwaveClient, **changes: Any) -> str:
    values: dict[str, Any] = {
        "tx_ref": "deposit_a",
        "amount": Decimal("1500.50"),
        "currency": "GHS",
        "redirect_url": "https://app.example/back",
        "customer_email": "ada@example.com",
    }
    return client.create_checkout(CheckoutRequest(**(values | changes)))


def pay(sandbox: Sandbox, **body: Any) -> str:
    """Pay as a customer; return the transaction's id."""
    return str(sandbox.control("POST", "pay", **body)["id"])


def answer(sandbox: Sandbox, data: Any, *, status: int = 200, times: int = 1, **more: Any) -> None:
    """The provider's next answers have this data."""
    body = {"status": "success", "message": "", "data": data, **more}
    sandbox.fault("error_5xx", status=status, body=json.dumps(body), times=times)


def test_a_permanent_account_takes_any_number_of_payments_under_one_reference(client, sandbox):
    account = make_account(client)
    assert (account.bank_name, account.account_name) == ("Wema Bank", "Ada Obi")
    assert len(account.account_number) == 10
    payer = {"name": "Chidi Okeke", "bank": "Access Bank", "account_number": "069*****31"}
    number = account.account_number
    first = pay(sandbox, account_number=number, amount="1000.10", payer=payer)
    second = pay(sandbox, account_number=number, amount=5)
    found = client.verify_transaction(first)
    assert found is not None
    assert found.payer == Payer("Chidi Okeke", "Access Bank", "069*****31")
    assert (found.tx_ref, found.status) == ("va_a", TransactionStatus.SUCCESSFUL)
    assert (found.amount, found.charged_amount) == (Decimal("1000.10"), Decimal("1000.10"))
    assert (found.app_fee, found.amount_settled) == (Decimal("14.00"), Decimal("986.10"))
    assert (found.currency, found.payment_type) == ("NGN", "bank_transfer")
    assert found.customer_name == "Ada Obi"
    assert abs(datetime.now(UTC) - found.created_at) < timedelta(minutes=10)
    latest = client.verify_transaction(second)
    assert latest is not None
    assert (latest.tx_ref, latest.amount) == ("va_a", Decimal(5))
    assert latest.flw_ref != found.flw_ref
    balance = {each.currency: each.available for each in client.balances()}["NGN"]
    assert balance == 10**12 + Decimal("986.10") + Decimal("4.93")


def test_a_cedi_account_needs_no_bvn_and_states_less(client):
    account = make_account(client, tx_ref="va_g", currency="GHS", bvn=None)
    assert account.account_name == "Ada Obi"


def test_a_checkout_is_paid_once_with_what_arrives(client, sandbox):
    link = make_checkout(client, title="Top up")
    assert link.startswith(f"{sandbox.server.url}/pay/")
    paid = pay(sandbox, tx_ref="deposit_a", amount="1500.51")
    assert pay(sandbox, tx_ref="deposit_a") == paid
    found = client.verify_transaction(paid)
    assert found is not None
    assert (found.amount, found.app_fee) == (Decimal("1500.51"), Decimal("21.01"))


@pytest.mark.parametrize(
    ("currency", "payment_type", "amount", "fee"),
    [
        ("NGN", "bank_transfer", "1000", "14"),
        ("NGN", "bank_transfer", "142857.14", "2000"),
        ("NGN", "bank_transfer", "900000", "2000"),
        ("ZAR", "bank_transfer", "900000", "12600"),
        ("KES", "mobilemoneykenya", "99.90", "2.50"),
        ("USD", "card", "10.25", "0.39"),
    ],
)
@pytest.mark.one_in(3)
def test_fees_follow_the_stated_rule(client, sandbox, currency, payment_type, amount, fee):
    make_checkout(client, currency=currency, amount=Decimal(amount))
    found = client.verify_transaction(pay(sandbox, tx_ref="deposit_a", payment_type=payment_type))
    assert found is not None
    assert (found.app_fee, found.payment_type) == (Decimal(fee), payment_type)
    assert found.amount_settled == Decimal(amount) - Decimal(fee)


def test_a_pending_payment_ends_on_demand_or_in_time(client, sandbox):
    make_checkout(client)
    waiting = pay(sandbox, tx_ref="deposit_a", status="pending")
    found = client.verify_transaction(waiting)
    assert found is not None
    assert found.status is TransactionStatus.PENDING
    before = sandbox.control("GET", "float")["GHS"]
    sandbox.control("POST", "settle-payment", id=int(waiting), status="failed")
    assert sandbox.control("GET", "float")["GHS"] == before
    ended = client.verify_transaction(waiting)
    assert ended is not None
    assert ended.status is TransactionStatus.FAILED
    # The customer tries again.
    again = pay(sandbox, tx_ref="deposit_a", settle_after=0)
    assert again != waiting
    with pytest.raises(AssertionError, match="no pending transaction"):
        sandbox.control("POST", "settle-payment", id=int(waiting))


def test_a_chargeback_of_a_payment_is_listed_until_it_is_won(client, sandbox):
    make_checkout(client, currency="NGN")
    before = sandbox.control("GET", "float")["NGN"]
    paid = pay(sandbox, tx_ref="deposit_a", payment_type="card")
    settled = sandbox.control("GET", "float")["NGN"]
    sandbox.control("POST", "charge-back", id=int(paid), amount="20.25")
    found = client.verify_transaction(paid)
    assert found is not None
    assert found.status is TransactionStatus.SUCCESSFUL
    today = found.created_at.date()
    one_day = timedelta(days=1)
    days = {"first": today - one_day, "last": today + one_day}
    [chargeback] = client.list_chargebacks(**days)
    assert (chargeback.transaction_id, chargeback.amount, chargeback.won) == (
        paid, Decimal("20.25"), False,
    )  # fmt: skip
    assert client.list_chargebacks(**days, flw_ref=found.flw_ref) == [chargeback]
    assert client.list_chargebacks(**days, flw_ref="FLW-other") == []
    assert client.list_chargebacks(first=today - 9 * one_day, last=today - 8 * one_day) == []
    assert sandbox.control("GET", "float")["NGN"] == settled - Decimal("20.25")
    ended = sandbox.control("POST", "end-chargeback", id=1, status="won")
    assert (ended["status"], sandbox.control("GET", "chargebacks")) == ("won", [ended])
    [won] = client.list_chargebacks(**days)
    assert won.won
    assert sandbox.control("GET", "float")["NGN"] == settled
    assert settled > before
    with pytest.raises(AssertionError, match="no open chargeback"):
        sandbox.control("POST", "end-chargeback", id=1)
    with pytest.raises(AssertionError, match="less left"):
        sandbox.control("POST", "charge-back", id=int(paid), amount="1000000")


def test_a_charge_back_makes_a_payment_failed_and_takes_its_amount(client, sandbox):
    make_checkout(client, currency="NGN")
    before = sandbox.control("GET", "float")["NGN"]
    paid = pay(sandbox, tx_ref="deposit_a", payment_type="card")
    sandbox.control("POST", "charge-back", id=int(paid))
    found = client.verify_transaction(paid)
    assert found is not None
    assert found.status is TransactionStatus.FAILED
    assert found.processor_response == "Charged back by the cardholder's bank"
    assert sandbox.control("GET", "float")["NGN"] == before - Decimal("57.02")
    with pytest.raises(AssertionError, match="no successful transaction"):
        sandbox.control("POST", "charge-back", id=int(paid))


def test_a_refund_takes_a_part_then_the_rest_and_no_more(client, sandbox):
    make_checkout(client, currency="NGN", amount=Decimal(100))
    paid = pay(sandbox, tx_ref="deposit_a")
    before = sandbox.control("GET", "float")["NGN"]
    part = client.refund_transaction(paid, Decimal("30.50"))
    assert part.amount == Decimal("30.50")
    rest = client.refund_transaction(paid)
    assert (rest.amount, rest.refund_id) == (Decimal("69.50"), "2")
    with pytest.raises(OutcomeUnknown, match="cannot be refunded"):
        client.refund_transaction(paid, Decimal("0.01"))
    assert sandbox.control("GET", "float")["NGN"] == before - 100
    with pytest.raises(CollectionDeclined, match="No transaction was found"):
        client.refund_transaction("999")


def test_a_refund_beyond_our_balance_is_known_not_to_have_happened(client, sandbox):
    make_checkout(client, currency="NGN", amount=Decimal(100))
    paid = pay(sandbox, tx_ref="deposit_a")
    sandbox.control("POST", "float", currency="NGN", amount=99)
    with pytest.raises(InsufficientFloat):
        client.refund_transaction(paid)
    assert sandbox.control("GET", "transactions")[0]["refunded"] == 0


@pytest.mark.parametrize("kind", ["timeout_after", "malformed", "error_5xx", "unauthorized"])
@pytest.mark.one_in(3)
def test_a_refund_without_a_usable_answer_is_unknown_and_sent_once(client, sandbox, kind):
    make_checkout(client)
    paid = pay(sandbox, tx_ref="deposit_a")
    sandbox.fault(kind, {"path_prefix": "/v3/transactions"})
    with pytest.raises(OutcomeUnknown) as unknown:
        client.refund_transaction(paid)
    assert unknown.value.outage is True
    assert sandbox.asked("POST", f"/v3/transactions/{paid}/refund") == 1


def test_a_refund_of_another_transaction_is_unknown(client, sandbox):
    refund = {"id": 1, "amount_refunded": 5}
    for data, why in (
        (refund | {"tx_id": 8}, "another transaction than sent"),
        (refund | {"id": None}, "malformed response: id is not"),
    ):
        answer(sandbox, data)
        with pytest.raises(OutcomeUnknown, match=why) as unknown:
            client.refund_transaction("7")
        assert unknown.value.outage is True
    for data in (refund, refund | {"tx_id": 7}):
        answer(sandbox, data)
        assert client.refund_transaction("07").amount == 5


def test_a_provider_that_is_not_there_has_seen_no_refund(client, sandbox):
    sandbox.server.stop()
    with pytest.raises(NeverSent):
        client.refund_transaction("7")
    with pytest.raises(NeverSent):
        make_checkout(client)


def test_an_unknown_transaction_is_none_and_an_outage_is_not(client, sandbox):
    assert client.verify_transaction("999") is None
    for status in (403, 404, 500):
        answer(sandbox, None, status=status, times=3)
        with pytest.raises(ProviderUnavailable):
            client.verify_transaction("999")
        sandbox.control("DELETE", "faults")
    sandbox.fault("unauthorized")
    with pytest.raises(ProviderUnavailable, match="401"):
        client.verify_transaction("999")


@pytest.mark.parametrize("bad", ["", "x", "-1", "1/refund", "1?x=1", "１", "9" * 19])  # noqa: RUF001 - a digit of another script
def test_only_a_number_is_requested_as_an_id(client, sandbox, bad):
    for call in (client.verify_transaction, client.refund_transaction):
        with pytest.raises(ValueError, match="1 to 18 digits"):
            call(bad)
    assert sandbox.control("GET", "requests") == []


def test_the_longest_number_is_requested_and_zeros_before_it_do_not_count(client, sandbox):
    assert client.verify_transaction("9" * 18) is None
    make_checkout(client)
    paid = pay(sandbox, tx_ref="deposit_a")
    found = client.verify_transaction(f"0{paid}")
    assert found is not None
    assert found.transaction_id == paid


def test_an_answer_about_something_else_is_not_believed(client, sandbox):
    account = make_account(client)
    paid = pay(sandbox, account_number=account.account_number, amount=5)
    other = pay(sandbox, account_number=account.account_number, amount=6)
    row = sandbox.control("GET", "transactions")[0]
    assert str(row["id"]) == other
    answer(sandbox, json.loads(json.dumps(row, default=float)))
    with pytest.raises(ProviderUnavailable, match="another transaction than requested"):
        client.verify_transaction(paid)


@pytest.mark.parametrize(
    "kind", ["timeout_before", "malformed", "oversized", "reset", "error_5xx", "rate_limit"]
)
@pytest.mark.one_in(3)
def test_a_status_check_is_tried_again_and_an_account_is_not(sandbox, kind):
    client = client_of(sandbox, read_timeout=1 if kind == "oversized" else 0.3, total_timeout=8)
    sandbox.fault(kind, {"method": "GET"}, retry_after=0)
    assert client.verify_transaction("1") is None
    assert sandbox.asked("GET", "/v3/transactions/1/verify") == 2
    sandbox.fault(kind, {"method": "POST"})
    with pytest.raises(ProviderUnavailable):
        make_account(client)
    assert sandbox.asked("POST", "/v3/virtual-account-numbers") == 1


def test_lists_are_read_page_by_page_and_filtered_here_too(client, sandbox):
    account = make_account(client)
    ids = [pay(sandbox, account_number=account.account_number, amount=1) for _ in range(41)]
    make_checkout(client)
    other = pay(sandbox, tx_ref="deposit_a", status="failed")
    found = client.list_transactions(**EVER)
    assert {record.transaction_id for record in found} == {*ids, other}
    assert sandbox.asked("GET", "/v3/transactions") == 3
    [failed] = client.list_transactions(**EVER, status=TransactionStatus.FAILED)
    assert failed.transaction_id == other
    sandbox.fault("unfiltered", {"path_prefix": "/v3/transactions"}, times=3)
    assert client.list_transactions(**EVER, status=TransactionStatus.FAILED) == [failed]
    assert client.list_transactions(first=ANY, last=ANY) == []


@pytest.mark.parametrize("kind", ["short_page", "repeated_row"])
def test_a_list_of_transactions_that_contradicts_itself_is_not_believed(client, sandbox, kind):
    account = make_account(client)
    for _ in range(2):
        pay(sandbox, account_number=account.account_number, amount=1)
    sandbox.fault(kind, {"path_prefix": "/v3/transactions"})
    with pytest.raises(ProviderUnavailable, match=r"transactions|malformed"):
        client.list_transactions(**EVER)


def test_a_transaction_that_cannot_be_read_hides_no_other(client, sandbox):
    account = make_account(client)
    paid = [pay(sandbox, account_number=account.account_number, amount=1) for _ in range(2)]
    sandbox.fault("broken_row", {"path_prefix": "/v3/transactions"})
    found = client.list_transactions(**EVER)
    known = {record.transaction_id for record in found}
    assert (len(known), len(found.unreadable)) == (1, 1)
    assert len(paid) == 2


def test_what_cannot_be_is_not_requested(client, sandbox):
    for currency in ("KES", "USD", "ngn"):
        with pytest.raises(UnsupportedCurrency):
            make_account(client, currency=currency)
    with pytest.raises(ValueError, match="BVN of 11 digits"):
        make_account(client, bvn="123")
    assert sandbox.control("GET", "requests") == []


def test_a_declined_account_or_checkout_says_why(client):
    with pytest.raises(CollectionDeclined, match="email must be a valid email"):
        make_account(client, email="ada")
    with pytest.raises(CollectionDeclined, match="redirect_url must be a valid URL"):
        make_checkout(client, redirect_url="javascript:alert(1)")


def test_a_link_elsewhere_than_the_web_is_malformed(client, sandbox):
    answer(sandbox, {"link": "javascript:alert(1)"})
    with pytest.raises(ProviderUnavailable, match="link is not a web address"):
        make_checkout(client)


def test_a_bvn_is_in_no_error_log_request_or_store(client, sandbox, caplog, tmp_path):
    caplog.set_level(logging.DEBUG)
    request = VirtualAccountRequest("va_a", "NGN", "ada@example.com", bvn=BVN)
    said = json.dumps({"status": "error", "message": f"BVN {BVN} is invalid", "data": None})
    for status, error in ((400, CollectionDeclined), (403, ProviderUnavailable)):
        sandbox.fault("error_5xx", status=status, body=said)
        with pytest.raises(error, match=r"BVN \[removed\] is invalid") as raised:
            client.create_virtual_account(request)
        assert raised.value.__context__ is None
    sandbox.fault("reset")
    with pytest.raises(ProviderUnavailable):
        client.create_virtual_account(request)
    account = client.create_virtual_account(request)
    kept = [caplog.text, repr(request), repr(account), repr(sandbox.control("GET", "requests"))]
    assert all(BVN not in text for text in kept)
    files = list((tmp_path / "sandbox").iterdir())
    assert len(files) == 3
    assert all(BVN.encode() not in file.read_bytes() for file in files)


def test_calls_are_counted_by_resource(client):
    def counted(operation: str, outcome: str) -> float:
        return float(PROVIDER_CALLS.labels(operation, outcome)._value.get())

    names = [
        ("POST virtual-account-numbers", "accepted"),
        ("POST payments", "accepted"),
        ("GET transactions", "rejected"),
        ("POST transactions", "rejected"),
    ]
    before = [counted(*name) for name in names]
    make_account(client)
    make_checkout(client)
    client.verify_transaction("999")
    with pytest.raises(CollectionDeclined):
        client.refund_transaction("999")
    assert [counted(*name) for name in names] == [value + 1 for value in before]
