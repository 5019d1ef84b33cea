"""Bodies of the Flutterwave v3 wire format: bytes to records and requests to bytes, exactly.

Pure functions. Everything read is checked; what does not fit raises `MalformedResponse`, which the
client turns into the error that the call calls for. Numbers never pass through a binary float.
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
    """A body that is not what the wire format promises. The text names the place, not the data."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """`{"status", "message", "data", "meta"?}`; `ok` only when status equals "success"."""

    ok: bool
    message: str
    data: Any
    meta: Any


@dataclass(frozen=True, slots=True)
class TransferPage:
    """One page of a transfer list, its records still unread."""

    rows: list[dict[str, Any]]
    total_pages: int


@dataclass(frozen=True, slots=True)
class CountedPage:
    """One page of a list that says how long it is: `number` of `pages`, `total` rows in all."""

    rows: list[ListedTransfer]
    number: int
    pages: int
    total: int


def plain_number(amount: Decimal) -> Decimal | int:
    """`amount` as it is written on the wire: plain notation, no trailing zeros."""
    if amount == amount.to_integral_value():
        return int(amount)
    return Decimal(format(amount, "f").rstrip("0"))


def encode(body: Mapping[str, Any]) -> bytes:
    """A request body; `Decimal` values become JSON numbers."""
    return _encoder.encode(body)


def decode(body: bytes) -> Any:
    """Any JSON value; numbers with a fraction or an exponent are `Decimal`."""
    try:
        return _decoder.decode(body)
    except (msgspec.DecodeError, InvalidOperation, ValueError, RecursionError):
        raise MalformedResponse("body is not JSON") from None


def read_envelope(body: bytes) -> Envelope:
    """The envelope around every answer."""
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
    """Foreign text made fit for a log line or a page: one line, bounded."""
    return "".join(c if c.isprintable() else " " for c in text[:_TEXT_LIMIT]).strip()


def read_banks(data: Any) -> list[BankEntry]:
    """The banks of a country.

    A row without a usable name or code cannot be paid and is left out, so that one odd row does
    not close a whole currency; a list of nothing but such rows is malformed.
    """
    rows = _list(data, "banks")
    banks = [bank for bank in map(_bank, rows) if bank is not None]
    if rows and not banks:
        raise MalformedResponse("no bank of the list is usable")
    return banks


def read_account(data: Any) -> ResolvedAccount:
    """A resolved account."""
    row = _object(data, "account")
    return ResolvedAccount(
        account_number=_code(row, "account_number"), account_name=_text(row, "account_name")
    )


def read_transfer(data: Any) -> TransferRecord:
    """One transfer, as REST and webhooks render it."""
    row = _object(data, "transfer")
    try:
        status = TransferStatus(_text(row, "status"))
    except ValueError:
        raise MalformedResponse("transfer has a status we do not know") from None
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
    """One page of `GET /transfers`."""
    rows = [_object(row, "transfer") for row in _list(envelope.data, "transfers")]
    page_info = _object(_object(envelope.meta, "meta").get("page_info"), "page_info")
    return TransferPage(rows=rows, total_pages=_integer(page_info, "total_pages"))


def read_counted_page(envelope: Envelope) -> CountedPage:
    """One page of `GET /transfers`, every row and count of it."""
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
    """Balances per currency."""
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
    """What a webhook's body points at; empty when it cannot be read."""
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
    """The body of `POST /transfers`. Raises ValueError for what the wire cannot carry."""
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
    """A code that some answers render as a number (their leading zeros are gone for good)."""
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
