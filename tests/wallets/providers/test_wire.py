"""Every field of the wire format: what is read of it, at the edges, and what is malformed."""

import json
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from tests.wallets.providers.harness import request_of
from wallets.providers.base import (
    BankEntry,
    ListedTransfer,
    ProviderBalance,
    RecipientIdentity,
    ResolvedAccount,
    TransferRecord,
    TransferStatus,
    WebhookNotification,
)
from wallets.providers.flutterwave import fields, wire
from wallets.providers.flutterwave.fields import MalformedResponse

# The largest amount, and one above.
LARGEST, ABOVE = Decimal(10) ** 15, Decimal("1000000000000000.01")
TRANSFER: dict[str, Any] = {
    "id": 7,
    "reference": "payout_a",
    "status": "NEW",
    "amount": Decimal("90.02"),
    "fee": Decimal("10.75"),
    "currency": "NGN",
    "account_number": "0690000031",
    "bank_code": "044",
    "complete_message": "Done",
}
RECORD: dict[str, Any] = {
    "provider_id": "7",
    "reference": "payout_a",
    "status": TransferStatus.NEW,
    "amount": Decimal("90.02"),
    "fee": Decimal("10.75"),
    "currency": "NGN",
    "account_number": "0690000031",
    "bank_code": "044",
    "complete_message": "Done",
}


def without(row: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != key}


@pytest.mark.parametrize(
    ("changes", "read"),
    [
        ({}, {}),
        ({"id": 0}, {"provider_id": "0"}),
        ({"id": 10**18 - 1}, {"provider_id": "9" * 18}),
        ({"status": " SUCCESSFUL "}, {"status": TransferStatus.SUCCESSFUL}),
        ({"reference": "  payout_b\n"}, {"reference": "payout_b"}),
        ({"amount": 0}, {"amount": Decimal(0)}),
        ({"amount": LARGEST}, {"amount": LARGEST}),
        ({"fee": None}, {"fee": Decimal(0)}),
        ({"fee": 0}, {"fee": Decimal(0)}),
        ({"fee": 1}, {"fee": Decimal(1)}),
        ({"account_number": 690000031}, {"account_number": "690000031"}),
        ({"account_number": " 12 "}, {"account_number": "12"}),
        ({"bank_code": 44}, {"bank_code": "44"}),
        ({"complete_message": None}, {"complete_message": ""}),
        ({"complete_message": 5}, {"complete_message": ""}),
        ({"complete_message": "a\nb\x00c "}, {"complete_message": "a b c"}),
        ({"complete_message": "x" * 201}, {"complete_message": "x" * 200}),
    ],
)
def test_a_transfer_is_read_field_by_field(changes, read):
    row = TRANSFER | changes
    assert wire.read_transfer(row) == TransferRecord(**(RECORD | read), raw=row)


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("id", -1, "id is not an id or a count"),
        ("id", 10**18, "id is not an id or a count"),
        ("id", True, "id is not an id or a count"),
        ("id", "7", "id is not an id or a count"),
        ("id", None, "id is not an id or a count"),
        ("reference", "", "reference is not a text"),
        ("reference", "  ", "reference is not a text"),
        ("reference", 5, "reference is not a text"),
        ("status", "DONE", "transfer has an unknown status"),
        ("status", None, "status is not a text"),
        ("amount", True, "amount is not a number"),
        ("amount", "90.02", "amount is not a number"),
        ("amount", None, "amount is not a number"),
        ("amount", Decimal("-0.01"), "amount is negative"),
        ("amount", ABOVE, "amount is out of range"),
        ("amount", -ABOVE, "amount is out of range"),
        ("amount", Decimal("1." + "0" * 60), "amount has too many digits"),
        ("amount", Decimal("NaN"), "amount is out of range"),
        ("amount", Decimal("Infinity"), "amount is out of range"),
        ("fee", Decimal("-1"), "fee is negative"),
        ("fee", "", "fee is not a number"),
        ("currency", None, "currency is not a text"),
        ("account_number", True, "account_number is not a text"),
        ("account_number", None, "account_number is not a text"),
        ("bank_code", Decimal("4.4"), "bank_code is not a text"),
    ],
)
def test_a_transfer_with_a_field_that_does_not_fit_is_malformed(key, value, why):
    with pytest.raises(MalformedResponse, match=f"^{why}$"):
        wire.read_transfer(TRANSFER | {key: value})
    if value is None:
        with pytest.raises(MalformedResponse, match=f"^{why}$"):
            wire.read_transfer(without(TRANSFER, key))


@pytest.mark.parametrize("data", [None, [], "transfer", 5])
def test_a_value_other_than_an_object_is_no_transfer(data):
    with pytest.raises(MalformedResponse, match=r"^transfer is not an object$"):
        wire.read_transfer(data)


def test_a_fee_that_is_left_out_is_nothing():
    assert wire.read_transfer(without(TRANSFER, "fee")).fee == 0


@pytest.mark.parametrize(
    ("body", "ok", "message"),
    [
        ({"status": "success", "message": "Hm"}, True, "Hm"),
        ({"status": "Success"}, False, ""),
        ({"status": "error", "message": None}, False, ""),
        ({"status": "", "message": " two\nlines "}, False, "two lines"),
    ],
)
def test_an_envelope_is_ok_only_where_its_status_is_success(body, ok, message):
    found = fields.read_envelope(json.dumps(body | {"data": [1], "meta": {"a": 2}}).encode())
    assert found == fields.ProviderEnvelope(ok=ok, message=message, data=[1], meta={"a": 2})


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "body is not JSON"),
        (b"{", "body is not JSON"),
        (b'{"status": 1e999999999999999999999}', "body is not JSON"),
        (b"[" * 100_000, "body is not JSON"),
        (b"[]", "body is not an object"),
        (b"null", "body is not an object"),
        (b"{}", "envelope has no status"),
        (b'{"status": true}', "envelope has no status"),
    ],
)
def test_a_body_that_is_no_envelope_is_malformed(body, why):
    with pytest.raises(MalformedResponse, match=f"^{why}$"):
        fields.read_envelope(body)


@pytest.mark.parametrize(
    ("number", "written"),
    [
        ("90.00", b"90"),
        ("90.10", b"90.1"),
        ("0.5", b"0.5"),
        ("0.01", b"0.01"),
        ("1E+3", b"1000"),
        ("1E-5", b"0.00001"),
        ("123456789012.34", b"123456789012.34"),
    ],
)
def test_a_number_is_written_plainly_and_exactly(number, written):
    assert fields.encode({"a": fields.plain_number(Decimal(number))}) == b'{"a":%s}' % written
    assert fields.decode(b'{"a":%s}' % written)["a"] == Decimal(number)


def test_a_bank_that_cannot_be_paid_is_left_out_of_a_list():
    usable = {"id": 1, "name": " GT ", "code": 58}
    odd = [
        None,
        {"id": "1", "name": "A", "code": "1"},
        {"id": 1, "name": " ", "code": "1"},
        {"id": 1, "name": "A", "code": ""},
    ]
    assert wire.read_banks([*odd, usable]) == [BankEntry(id=1, name="GT", code="58")]
    assert wire.read_banks([]) == []
    with pytest.raises(MalformedResponse, match=r"^no bank of the list is usable$"):
        wire.read_banks(odd)
    with pytest.raises(MalformedResponse, match=r"^banks is not a list$"):
        wire.read_banks({})


def test_accounts_and_balances_are_read_or_malformed():
    account = {"account_number": "0690000031", "account_name": "Ada Obi"}
    assert wire.read_account(account) == ResolvedAccount("0690000031", "Ada Obi")
    for key in account:
        with pytest.raises(MalformedResponse, match=f"^{key} is not a text$"):
            wire.read_account(without(account, key))
    balance = {"currency": "KES", "available_balance": -LARGEST, "ledger_balance": 5}
    assert wire.read_balances([balance]) == [ProviderBalance("KES", -LARGEST, Decimal(5))]
    with pytest.raises(MalformedResponse, match=r"^currency is not a text$"):
        wire.read_balances([without(balance, "currency")])
    for key in ("available_balance", "ledger_balance"):
        odd = without(balance, key) | {"currency": "NGN"}
        found = wire.read_balances([odd, balance])
        assert found == [ProviderBalance("KES", -LARGEST, Decimal(5))]
        assert found.unreadable == {"NGN": f"{key} is not a number"}


def envelope(data: Any, meta: Any) -> fields.ProviderEnvelope:
    return fields.ProviderEnvelope(ok=True, message="", data=data, meta=meta)


def test_a_page_of_transfers_has_their_total_number():
    info = {"current_page": 2, "total_pages": 3, "total": 41}
    listed = TRANSFER | {"created_at": "2026-01-02T03:04:05.000Z"}
    found = wire.read_transfer_page(envelope([TRANSFER], {"page_info": info}))
    assert (found.rows, found.total_pages) == ([TRANSFER], 3)
    with pytest.raises(MalformedResponse, match=r"^total_pages is not an id or a count$"):
        wire.read_transfer_page(envelope([TRANSFER], {"page_info": without(info, "total_pages")}))
    for meta in (None, {}, {"page_info": None}):
        with pytest.raises(MalformedResponse, match=r"^(meta|page_info) is not an object$"):
            wire.read_transfer_page(envelope([], meta))
    with pytest.raises(MalformedResponse, match=r"^transfers is not a list$"):
        wire.read_transfer_page(envelope(None, {"page_info": info}))
    record = TransferRecord(**RECORD, raw=listed)
    created_at = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert wire.read_listed_transfer(listed) == ListedTransfer(record, created_at)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("2026-01-02T03:04:05", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        (
            "2026-01-02T03:04:05+01:00",
            datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone(timedelta(hours=1))),
        ),
    ],
)
def test_a_time_without_a_zone_is_of_utc(text, read):
    found = wire.read_listed_transfer(TRANSFER | {"created_at": text}).created_at
    assert (found, found.utcoffset()) == (read, read.utcoffset())
    with pytest.raises(MalformedResponse, match=r"^created_at is not a time$"):
        wire.read_listed_transfer(TRANSFER | {"created_at": "yesterday"})


@pytest.mark.parametrize(
    ("data", "notification"),
    [
        ({"reference": "payout_a", "id": 7}, ("payout_a", "7")),
        ({"reference": "x" * 100, "id": 0}, ("x" * 100, "0")),
        ({"reference": "x" * 101, "id": "7"}, (None, None)),
        ({"reference": "a\x00b", "id": 7}, (None, "7")),
        ({"reference": 5}, (None, None)),
        ({"reference": "payout_a"}, ("payout_a", None)),
        ([], (None, None)),
    ],
)
def test_a_webhook_is_read_as_far_as_possible(data, notification):
    body = json.dumps({"event": "transfer.completed", "data": data}).encode()
    assert wire.read_notification(body) == WebhookNotification(
        reference=notification[0], provider_id=notification[1]
    )
    for odd in (b"", b"[]", b"{}"):
        assert wire.read_notification(odd) == WebhookNotification(reference=None, provider_id=None)


def test_an_order_is_written_with_what_it_has_and_no_more():
    plain = {
        "account_bank": "044",
        "account_number": "0690000031",
        "amount": Decimal("90.02"),
        "currency": "NGN",
        "debit_currency": "NGN",
        "reference": "payout_a",
        "narration": "Withdrawal",
        "beneficiary_name": "Forrest Green",
    }
    assert fields.decode(wire.write_transfer(request_of())) == plain
    identity = RecipientIdentity("Thandi", "Nkosi", "t@example.com", "+27820000000", "1 Long St")
    full = request_of(branch_code="GH01", recipient=identity)
    assert fields.decode(wire.write_transfer(full)) == plain | {
        "destination_branch_code": "GH01",
        "meta": [
            {
                "first_name": "Thandi",
                "last_name": "Nkosi",
                "email": "t@example.com",
                "mobile_number": "+27820000000",
                "recipient_address": "1 Long St",
            }
        ],
    }


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"reference": ""}, "a reference has 1 to 100 characters"),
        ({"reference": "x" * 101}, "a reference has 1 to 100 characters"),
        ({"amount": Decimal(0)}, "an amount is above 0 and not above 10^15"),
        ({"amount": Decimal("-0.01")}, "an amount is above 0 and not above 10^15"),
        ({"amount": ABOVE}, "an amount is above 0 and not above 10^15"),
        ({"amount": Decimal("Infinity")}, "an amount is above 0 and not above 10^15"),
        ({"amount": Decimal("NaN")}, "an amount is above 0 and not above 10^15"),
    ],
)
def test_an_order_that_the_wire_cannot_carry_is_refused(changes, why):
    with pytest.raises(ValueError, match=r"^" + why.replace("^", r"\^") + "$"):
        wire.write_transfer(request_of(**changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"reference": "x"},
        {"reference": "x" * 100},
        {"amount": LARGEST},
        {"amount": Decimal("0.01")},
    ],
)
def test_an_order_at_the_limits_of_the_wire_format_is_written(changes):
    sent = fields.decode(wire.write_transfer(request_of(**changes)))
    assert {name: sent[name] for name in changes} == changes
