"""Flutterwave v3 wire format: parsing of responses and encoding of requests. Pure functions.

Everything read is validated; `MalformedResponse` is mapped by the client. Numbers never pass
through binary floats.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

import msgspec

from wallets.providers.base import (
    BankEntry,
    ListedTransfer,
    ProviderBalance,
    ResolvedAccount,
    TransferRecord,
    TransferRequest,
    TransferStatus,
    WebhookNotification,
)

COUNTRY_OF_CURRENCY = {
    "NGN": "NG",
    "KES": "KE",
    "GHS": "GH",
    "ZAR": "ZA",
    "UGX": "UG",
    "TZS": "TZ",
}
RESOLVING_CURRENCIES = frozenset({"NGN"})

_LARGEST = Decimal(10) ** 15
_TEXT_LIMIT = 200

_decoder = msgspec.json.Decoder(float_hook=Decimal)
_encoder = msgspec.json.Encoder(decimal_format="number")


class MalformedResponse(Exception):
    """A body that violates the wire format. The message names the field, never the data."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """`{"status", "message", "data", "meta"?}`; `ok` only when status equals "success"."""

    ok: bool
    message: str
    data: Any
    meta: Any


@dataclass(frozen=True, slots=True)
class TransferPage:
    """A page of a transfer list, with unparsed rows."""

    rows: list[dict[str, Any]]
    total_pages: int


@dataclass(frozen=True, slots=True)
class CountedPage:
    """A page of a list: page `number` of `pages`, `total` rows in all."""

    rows: list[ListedTransfer]
    number: int
    pages: int
    total: int


def plain_number(amount: Decimal) -> Decimal | int:
    """Return `amount` as the wire has it: plain notation, no trailing zeros."""
    if amount == amount.to_integral_value():
        return int(amount)
    return Decimal(format(amount, "f").rstrip("0"))


def encode(body: Mapping[str, Any]) -> bytes:
    """Encode a request body; `Decimal` values become JSON numbers."""
    return _encoder.encode(body)


def decode(body: bytes) -> Any:
    """Decode JSON; numbers with a fraction or an exponent become `Decimal`."""
    try:
        return _decoder.decode(body)
    except (msgspec.DecodeError, InvalidOperation, ValueError, RecursionError):
        raise MalformedResponse("body is not JSON") from None


def read_envelope(body: bytes) -> Envelope:
    """Parse the envelope of a response."""
    value = _object(decode(body), "body")
    status = value.get("status")
    if not isinstance(status, str):
        raise MalformedResponse("envelope has no status")
    message = value.get("message")
    return Envelope(
        ok=status == "success",
        message=printable(message) if isinstance(message, str) else "",
        data=value.get("data"),
        meta=value.get("meta"),
    )


def printable(text: str) -> str:
    """Return external text as one bounded, printable line."""
    return "".join(c if c.isprintable() else " " for c in text[:_TEXT_LIMIT]).strip()


def read_banks(data: Any) -> list[BankEntry]:
    """Parse the banks of a country.

    Rows without a usable name or code are skipped, so that one bad row does not block a currency; a
    list of only such rows is malformed.
    """
    rows = _list(data, "banks")
    banks = [bank for bank in map(_bank, rows) if bank is not None]
    if rows and not banks:
        raise MalformedResponse("no bank of the list is usable")
    return banks


def read_account(data: Any) -> ResolvedAccount:
    """Parse a resolved account."""
    row = _object(data, "account")
    return ResolvedAccount(
        account_number=_code(row, "account_number"), account_name=_text(row, "account_name")
    )


def read_transfer(data: Any) -> TransferRecord:
    """Parse a transfer of a response or a webhook."""
    row = _object(data, "transfer")
    try:
        status = TransferStatus(_text(row, "status"))
    except ValueError:
        raise MalformedResponse("transfer has an unknown status") from None
    complete_message = row.get("complete_message")
    return TransferRecord(
        provider_id=str(_integer(row, "id")),
        reference=_text(row, "reference"),
        status=status,
        amount=_amount(row, "amount"),
        fee=Decimal(0) if row.get("fee") is None else _amount(row, "fee"),
        currency=_text(row, "currency"),
        account_number=_code(row, "account_number"),
        bank_code=_code(row, "bank_code"),
        complete_message=printable(complete_message) if isinstance(complete_message, str) else "",
        raw=row,
    )


def read_transfer_page(envelope: Envelope) -> TransferPage:
    """Parse a page of `GET /transfers`, without its rows."""
    rows = [_object(row, "transfer") for row in _list(envelope.data, "transfers")]
    page_info = _object(_object(envelope.meta, "meta").get("page_info"), "page_info")
    return TransferPage(rows=rows, total_pages=_integer(page_info, "total_pages"))


def read_counted_page(envelope: Envelope) -> CountedPage:
    """Parse a page of `GET /transfers` with all rows and counts."""
    page_info = _object(_object(envelope.meta, "meta").get("page_info"), "page_info")
    return CountedPage(
        rows=[
            ListedTransfer(record=read_transfer(row), created_at=_moment(row, "created_at"))
            for row in _list(envelope.data, "transfers")
        ],
        number=_integer(page_info, "current_page"),
        pages=_integer(page_info, "total_pages"),
        total=_integer(page_info, "total"),
    )


def read_balances(data: Any) -> list[ProviderBalance]:
    """Parse balances per currency."""
    rows = [_object(row, "balance") for row in _list(data, "balances")]
    return [
        ProviderBalance(
            currency=_text(row, "currency"),
            available=_signed(row, "available_balance"),
            ledger=_signed(row, "ledger_balance"),
        )
        for row in rows
    ]


def read_notification(body: bytes) -> WebhookNotification:
    """Parse the transfer that a webhook names; empty when unreadable."""
    try:
        data = _object(_object(decode(body), "webhook").get("data"), "data")
    except MalformedResponse:
        return WebhookNotification(reference=None, provider_id=None)
    reference = data.get("reference")
    try:
        provider_id = str(_integer(data, "id"))
    except MalformedResponse:
        provider_id = None
    return WebhookNotification(
        reference=reference if isinstance(reference, str) and len(reference) <= 100 else None,
        provider_id=provider_id,
    )


def write_transfer(request: TransferRequest) -> bytes:
    """Encode the body of `POST /transfers`. Raises ValueError for invalid values."""
    if not request.reference or len(request.reference) > 100:
        raise ValueError("a reference has 1 to 100 characters")
    if not (request.amount.is_finite() and 0 < request.amount < _LARGEST):
        raise ValueError("an amount is above 0 and below 10^15")
    body: dict[str, Any] = {
        "account_bank": request.bank_code,
        "account_number": request.account_number,
        "amount": plain_number(request.amount),
        "currency": request.currency,
        "debit_currency": request.currency,
        "reference": request.reference,
        "narration": request.narration,
        "beneficiary_name": request.beneficiary_name,
    }
    if request.branch_code is not None:
        body["destination_branch_code"] = request.branch_code
    if request.callback_url is not None:
        body["callback_url"] = request.callback_url
    if request.recipient is not None:
        body["meta"] = [
            {
                "first_name": request.recipient.first_name,
                "last_name": request.recipient.last_name,
                "email": request.recipient.email,
                "mobile_number": request.recipient.mobile_number,
                "recipient_address": request.recipient.address,
            }
        ]
    return encode(body)


def _bank(row: Any) -> BankEntry | None:
    try:
        bank = _object(row, "bank")
        return BankEntry(
            id=_integer(bank, "id"), name=_text(bank, "name"), code=_code(bank, "code")
        )
    except MalformedResponse:
        return None


def _object(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise MalformedResponse(f"{what} is not an object")
    return value


def _list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise MalformedResponse(f"{what} is not a list")
    return value


def _text(row: dict[str, Any], key: str) -> str:
    value = row.get(key)
    if not isinstance(value, str) or not value.strip():
        raise MalformedResponse(f"{key} is not a text")
    return value.strip()


def _code(row: dict[str, Any], key: str) -> str:
    """Return a code, which some responses render as a number without leading zeros."""
    value = row.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return _text(row, key)


def _integer(row: dict[str, Any], key: str) -> int:
    value = row.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 10**18:
        raise MalformedResponse(f"{key} is not an id or a count")
    return value


def _signed(row: dict[str, Any], key: str) -> Decimal:
    value = row.get(key)
    if not isinstance(value, int | Decimal) or isinstance(value, bool):
        raise MalformedResponse(f"{key} is not a number")
    number = Decimal(value)
    if not (number.is_finite() and abs(number) < _LARGEST):
        raise MalformedResponse(f"{key} is out of range")
    return number


def _moment(row: dict[str, Any], key: str) -> datetime:
    try:
        moment = datetime.fromisoformat(_text(row, key))
    except ValueError:
        raise MalformedResponse(f"{key} is not a time") from None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _amount(row: dict[str, Any], key: str) -> Decimal:
    number = _signed(row, key)
    if number < 0:
        raise MalformedResponse(f"{key} is negative")
    return number
