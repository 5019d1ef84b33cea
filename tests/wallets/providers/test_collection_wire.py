"""Every field of money in: what is read of it, at the edges, and what is malformed."""

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from wallets.providers.base import CollectionDeclined, InsufficientFloat, OutcomeUnknown
from wallets.providers.collection import (
    Chargeback,
    ChargeHint,
    CheckoutRequest,
    IssuedAccount,
    Payer,
    RefundRecord,
    TransactionRecord,
    TransactionStatus,
    VirtualAccountRequest,
    charged_back_amount,
)
from wallets.providers.flutterwave import collection_wire, wire
from wallets.providers.flutterwave.error_texts import is_transaction_not_found, refund_error
from wallets.providers.flutterwave.fields import MalformedResponse, decode

TRANSACTION: dict[str, Any] = {
    "id": 7,
    "tx_ref": "deposit_a",
    "flw_ref": "FLW-7",
    "amount": Decimal("90.02"),
    "currency": "NGN",
    "charged_amount": Decimal("91.02"),
    "app_fee": Decimal("1.26"),
    "merchant_fee": 1,
    "processor_response": "success",
    "narration": "Deposit",
    "status": "successful",
    "payment_type": "bank_transfer",
    "created_at": "2026-01-02T03:04:05.000Z",
    "account_id": 1,
    "amount_settled": Decimal("88.76"),
    "meta": {
        "originatorname": "Ada Obi",
        "bankname": "Access Bank",
        "originatoraccountnumber": "069*******31",
    },
    "customer": {"id": 1, "name": "Ada", "phone_number": None, "email": "ada@example.com"},
}
RECORD = TransactionRecord(
    transaction_id="7",
    tx_ref="deposit_a",
    flw_ref="FLW-7",
    status=TransactionStatus.SUCCESSFUL,
    amount=Decimal("90.02"),
    currency="NGN",
    charged_amount=Decimal("91.02"),
    app_fee=Decimal("1.26"),
    merchant_fee=Decimal(1),
    amount_settled=Decimal("88.76"),
    payment_type="bank_transfer",
    processor_response="success",
    customer_name="Ada",
    payer=Payer("Ada Obi", "Access Bank", "069*******31"),
    created_at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
)
REQUIRED = {"id", "amount", "currency", "status", "created_at"}


def changed(**changes: Any) -> TransactionRecord:
    values = {name: getattr(RECORD, name) for name in RECORD.__slots__}
    return TransactionRecord(**(values | changes))


def test_a_transaction_is_read_with_all_its_fields_or_the_required_ones():
    assert collection_wire.read_transaction(TRANSACTION) == RECORD
    least = {key: TRANSACTION[key] for key in REQUIRED}
    assert collection_wire.read_transaction(least) == changed(
        **dict.fromkeys(("tx_ref", "flw_ref", "payment_type", "processor_response"), ""),
        customer_name="",
        **dict.fromkeys(("charged_amount", "amount_settled", "payer")),
        **dict.fromkeys(("app_fee", "merchant_fee"), Decimal(0)),
    )


@pytest.mark.parametrize(
    ("row", "read"),
    [
        ({"status": "pending"}, {"status": TransactionStatus.PENDING}),
        ({"status": "failed"}, {"status": TransactionStatus.FAILED}),
        ({"tx_ref": 5}, {"tx_ref": ""}),
        ({"flw_ref": "a\nb\x00" + "x" * 300}, {"flw_ref": "a b" + " " + "x" * 96}),
        ({"tx_ref": "\x00" + "x" * 100}, {"tx_ref": "x" * 100}),
        ({"tx_ref": "x" * 300}, {"tx_ref": "x" * 100}),
        ({"currency": "N\x00N"}, {"currency": "N N"}),
        ({"amount": 0}, {"amount": Decimal(0)}),
        ({"app_fee": 0}, {"app_fee": Decimal(0)}),
        ({"customer": None}, {"customer_name": ""}),
        ({"customer": []}, {"customer_name": ""}),
        ({"meta": None}, {"payer": None}),
        ({"meta": [{"originatorname": "Ada"}]}, {"payer": None}),
        ({"meta": {"bankname": "Access Bank"}}, {"payer": None}),
        ({"meta": {"originatorname": "Ada"}}, {"payer": Payer("Ada", "", "")}),
        ({"meta": {"originatoraccountnumber": "1"}}, {"payer": Payer("", "", "1")}),
    ],
)
def test_a_transaction_is_read_field_by_field(row, read):
    assert collection_wire.read_transaction(TRANSACTION | row) == changed(**read)


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("id", "7", "id is not an id or a count"),
        ("id", 10**18, "id is not an id or a count"),
        ("status", "Successful", "transaction has an unknown status"),
        ("status", "completed", "transaction has an unknown status"),
        ("status", None, "status is not a text"),
        ("amount", "90.02", "amount is not a number"),
        ("amount", None, "amount is not a number"),
        ("amount", -1, "amount is negative"),
        ("amount", Decimal(10) ** 15 + 1, "amount is out of range"),
        ("charged_amount", "", "charged_amount is not a number"),
        ("app_fee", -1, "app_fee is negative"),
        ("merchant_fee", True, "merchant_fee is not a number"),
        ("amount_settled", Decimal("NaN"), "amount_settled is out of range"),
        ("currency", " ", "currency is not a text"),
        ("created_at", "now", "created_at is not a time"),
    ],
)
def test_a_transaction_with_a_field_that_does_not_fit_is_malformed(key, value, why):
    with pytest.raises(MalformedResponse, match=f"^{why}$"):
        collection_wire.read_transaction(TRANSACTION | {key: value})


@pytest.mark.parametrize("data", [None, [], "x", 5])
def test_a_value_other_than_an_object_is_no_record(data):
    for read in (
        collection_wire.read_transaction,
        collection_wire.read_virtual_account,
        collection_wire.read_link,
        collection_wire.read_refund,
        collection_wire.read_chargeback,
    ):
        with pytest.raises(MalformedResponse, match=r"is not an object$"):
            read(data)


def test_a_virtual_account_is_read_as_far_as_its_bank_states_it():
    least = {"order_ref": "URF_1", "account_number": "0067100155", "bank_name": "Wema Bank"}
    account = IssuedAccount("URF_1", "0067100155", "Wema Bank", "")
    assert collection_wire.read_virtual_account(least) == account
    stated = {"flw_ref": "FLW-1", "account_status": "active", "expiry_date": "N/A", "amount": None}
    note = {"note": "Please make a bank transfer to Ada Obi FLW "}
    assert collection_wire.read_virtual_account(least | stated | note) == IssuedAccount(
        "URF_1", "0067100155", "Wema Bank", "Ada Obi FLW"
    )
    assert collection_wire.read_virtual_account(least | {"note": "Pay here"}) == account
    for key in least:
        # A number would have lost its leading zeros.
        for value in (None, "", 67100155):
            with pytest.raises(MalformedResponse, match=f"^{key} is not a text$"):
                collection_wire.read_virtual_account(least | {key: value})
    for key, limit in (("order_ref", 100), ("account_number", 40), ("bank_name", 200)):
        longest = collection_wire.read_virtual_account(least | {key: "x" * limit})
        assert getattr(longest, key) == "x" * limit
        for text in ("x" * (limit + 1), "a\x00b"):
            with pytest.raises(MalformedResponse, match=f"^{key} is not a short text$"):
                collection_wire.read_virtual_account(least | {key: text})


def test_a_link_is_a_web_address():
    long = "https://x.example/"
    long += "x" * (2_000 - len(long))
    for link in ("https://checkout.example/pay/1?a=b", "http://127.0.0.1:8021/pay/1", long):
        assert collection_wire.read_link({"link": link}) == link
    for bad in (
        "javascript:alert(1)",
        "//checkout.example/pay",
        "https://",
        "https://[",
        "https://good.example@evil.example/",
        "https://x.example/a b",
        "https://x.example/\x00",
        f"{long}x",
    ):
        with pytest.raises(MalformedResponse, match=r"^link is not a web address$"):
            collection_wire.read_link({"link": bad})


def test_a_refund_is_read_with_the_transaction_where_it_is_stated():
    row = {"id": 8612, "amount_refunded": 50, "status": "completed", "tx_id": 7}
    assert collection_wire.read_refund(row) == (RefundRecord("8612", Decimal(50)), "7")
    least = {"id": 1, "amount_refunded": 0}
    assert collection_wire.read_refund(least) == (RefundRecord("1", Decimal(0)), "")
    for key in ("id", "amount_refunded"):
        with pytest.raises(MalformedResponse, match=f"^{key} is not"):
            collection_wire.read_refund(row | {key: None})
    with pytest.raises(MalformedResponse, match=r"^tx_id is not"):
        collection_wire.read_refund(row | {"tx_id": "7"})


def test_a_chargeback_stands_unless_it_is_won():
    row = {
        "id": 2221, "amount": Decimal("3000.5"), "status": "lost", "transaction_id": 674630970,
        "created_at": "2024-08-01T16:58:20.000Z", "tx_ref": "dep_1", "stage": "new",
    }  # fmt: skip
    found = collection_wire.read_chargeback(row)
    assert found == Chargeback(
        "2221", "674630970", Decimal("3000.5"), won=False,
        created_at=datetime(2024, 8, 1, 16, 58, 20, tzinfo=UTC),
    )  # fmt: skip
    statuses = ("initiated", "accepted", "declined", "pending", "new word", "won")
    read = [collection_wire.read_chargeback(row | {"status": status}) for status in statuses]
    assert [each.won for each in read] == [False] * 5 + [True]
    for key in ("id", "amount", "status", "transaction_id", "created_at"):
        with pytest.raises(MalformedResponse, match=f"^{key} is not"):
            collection_wire.read_chargeback(row | {key: None})


def test_the_largest_chargeback_that_was_not_won_counts():
    made = datetime(2024, 8, 1, tzinfo=UTC)

    def demand(amount: int, *, won: bool = False) -> Chargeback:
        return Chargeback("1", "7", Decimal(amount), won=won, created_at=made)

    assert charged_back_amount(None, []) == 0
    assert charged_back_amount(None, [demand(300), demand(500), demand(900, won=True)]) == 500


def account_request(**changes: Any) -> VirtualAccountRequest:
    values: dict[str, Any] = {"tx_ref": "va_a", "currency": "NGN", "email": "a@example.com"}
    return VirtualAccountRequest(**(values | {"bvn": "12345678901"} | changes))


def test_an_account_request_is_written_with_what_it_has_and_no_more():
    sent = {"tx_ref": "va_a", "email": "a@example.com"}
    written = decode(collection_wire.write_virtual_account(account_request()))
    permanent = {"is_permanent": True, "bvn": "12345678901"}
    assert written == sent | permanent | {"currency": "NGN"}
    full = account_request(currency="GHS", first_name="Ada", last_name="Obi", narration="Ada Obi")
    assert decode(collection_wire.write_virtual_account(full)) == sent | {
        "currency": "GHS",
        "is_permanent": True,
        "firstname": "Ada",
        "lastname": "Obi",
        "narration": "Ada Obi",
    }
    assert "12345678901" not in repr(account_request())


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"tx_ref": ""}, "a reference has 1 to 100 characters"),
        ({"tx_ref": "x" * 101}, "a reference has 1 to 100 characters"),
        ({"bvn": None}, "needs a BVN of 11 digits"),
        ({"bvn": "1234567890"}, "needs a BVN of 11 digits"),
        ({"bvn": "1234567890a"}, "needs a BVN of 11 digits"),
        ({"bvn": "１２３４５６７８９０１"}, "needs a BVN of 11 digits"),  # noqa: RUF001 - digits of another script
    ],
)
def test_an_account_request_that_makes_no_sense_is_not_written(changes, why):
    with pytest.raises(ValueError, match=why):
        collection_wire.write_virtual_account(account_request(**changes))


def test_a_checkout_is_written_with_what_it_has_and_no_more():
    address = "https://app.example/back"
    least = CheckoutRequest("dep_a", Decimal("10.00"), "USD", address, "a@example.com")
    sent = {"tx_ref": "dep_a", "amount": 10, "currency": "USD", "redirect_url": address}
    customer = {"email": "a@example.com"}
    assert decode(collection_wire.write_checkout(least)) == sent | {"customer": customer}
    full = CheckoutRequest("dep_a", Decimal(10), "USD", address, "a@example.com", "Ada", "Top up")
    assert decode(collection_wire.write_checkout(full)) == sent | {
        "customer": customer | {"name": "Ada"},
        "customizations": {"title": "Top up"},
    }
    for amount in ("0", "-1", "NaN", "1.1E15"):
        bad = CheckoutRequest("a", Decimal(amount), "NGN", address, "a@example.com")
        with pytest.raises(ValueError, match="an amount is above 0"):
            collection_wire.write_checkout(bad)


@pytest.mark.parametrize(
    ("data", "hint"),
    [
        ({"tx_ref": "deposit_a", "id": 7}, ("7", "deposit_a")),
        ({"tx_ref": "x" * 100, "id": 0}, ("0", "x" * 100)),
        ({"tx_ref": "x" * 101, "id": "7"}, (None, None)),
        ({"tx_ref": "a\x00b", "id": 7}, ("7", None)),
        ({"tx_ref": 5, "id": True}, (None, None)),
        ({"reference": "payout_a", "id": 7}, ("7", None)),
    ],
)
def test_a_webhook_of_a_payment_is_read_as_far_as_possible(data, hint):
    body = json.dumps({"event": "charge.completed", "data": data}).encode()
    assert wire.read_notification(body) == ChargeHint(*hint)


@pytest.mark.parametrize(
    ("status", "message", "error"),
    [
        (400, "No transaction was found for this id", CollectionDeclined),
        (404, "No transaction was found for this id", OutcomeUnknown),
        (400, "Insufficient funds in customer wallet", InsufficientFloat),
        (400, "Payout was made to a blacklisted account number", OutcomeUnknown),
        (400, "Duplicate reference", OutcomeUnknown),
        (400, "Please try again", OutcomeUnknown),
    ],
)
def test_only_certain_sentences_say_that_a_refund_did_not_happen(status, message, error):
    assert type(refund_error(status, message)) is error
    assert is_transaction_not_found(status, message) is (error is CollectionDeclined)
