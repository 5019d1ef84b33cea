"""Wire format of banks, accounts, transfers and webhooks: parsing and encoding. Pure functions.

Everything read is validated by `fields`; `MalformedResponse` is mapped by the client.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from wallets.providers.base import (
    BankEntry,
    Listed,
    ListedTransfer,
    ProviderBalance,
    ResolvedAccount,
    TransferRecord,
    TransferRequest,
    TransferStatus,
    WebhookNotification,
)
from wallets.providers.collection import ChargeHint
from wallets.providers.flutterwave.fields import (
    MAX_REFERENCE,
    MalformedResponse,
    ProviderEnvelope,
    amount_field,
    check_reference,
    code_field,
    decode,
    encode,
    integer_field,
    list_of,
    moment_field,
    number_field,
    object_of,
    optional_text,
    sent_amount,
    text_field,
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


@dataclass(frozen=True, slots=True)
class TransferPage:
    """A page of a transfer list, with unparsed rows, and how many have no reference."""

    rows: list[dict[str, Any]]
    nameless: int
    total_pages: int


def read_banks(data: Any) -> list[BankEntry]:
    """Parse the banks of a country.

    Rows without a usable name or code are skipped, so that one bad row does not block a currency; a
    list of only such rows is malformed.
    """
    rows = list_of(data, "banks")
    banks = [bank for bank in map(_bank, rows) if bank is not None]
    if rows and not banks:
        raise MalformedResponse("no bank of the list is usable")
    return banks


def read_account(data: Any) -> ResolvedAccount:
    """Parse a resolved account."""
    row = object_of(data, "account")
    return ResolvedAccount(
        account_number=code_field(row, "account_number"),
        account_name=text_field(row, "account_name"),
    )


def read_transfer(data: Any) -> TransferRecord:
    """Parse a transfer of a response or a webhook."""
    row = object_of(data, "transfer")
    try:
        status = TransferStatus(text_field(row, "status"))
    except ValueError:
        raise MalformedResponse("transfer has an unknown status") from None
    return TransferRecord(
        provider_id=str(integer_field(row, "id")),
        reference=text_field(row, "reference"),
        status=status,
        amount=amount_field(row, "amount"),
        fee=Decimal(0) if row.get("fee") is None else amount_field(row, "fee"),
        currency=text_field(row, "currency"),
        account_number=code_field(row, "account_number"),
        bank_code=code_field(row, "bank_code"),
        complete_message=optional_text(row, "complete_message"),
        raw=row,
    )


def read_transfer_page(envelope: ProviderEnvelope) -> TransferPage:
    """Parse a page of `GET /transfers`, without its rows."""
    listed = list_of(envelope.data, "transfers")
    rows = [
        row for row in listed if isinstance(row, dict) and isinstance(row.get("reference"), str)
    ]
    page_info = object_of(object_of(envelope.meta, "meta").get("page_info"), "page_info")
    return TransferPage(rows, len(listed) - len(rows), integer_field(page_info, "total_pages"))


def read_listed_transfer(data: Any) -> ListedTransfer:
    """Parse a transfer of a list, with its time."""
    record = read_transfer(data)
    return ListedTransfer(record=record, created_at=moment_field(record.raw, "created_at"))


def read_balances(data: Any) -> Listed[ProviderBalance]:
    """Parse balances per currency; name those that cannot be read."""
    found, unreadable = [], {}
    for row in list_of(data, "balances"):
        currency = text_field(object_of(row, "balance"), "currency")
        try:
            available = number_field(row, "available_balance")
            found.append(ProviderBalance(currency, available, number_field(row, "ledger_balance")))
        except MalformedResponse as error:
            unreadable[currency] = str(error)
    return Listed(found, unreadable)


def read_notification(body: bytes) -> WebhookNotification | ChargeHint:
    """Parse the payment (`charge.…`) or else the transfer that a webhook names.

    Fields are None where unreadable.
    """
    try:
        event = object_of(decode(body), "webhook")
        data = object_of(event.get("data"), "data")
    except MalformedResponse:
        return WebhookNotification(reference=None, provider_id=None)
    try:
        provider_id = str(integer_field(data, "id"))
    except MalformedResponse:
        provider_id = None
    if str(event.get("event")).startswith("charge."):
        return ChargeHint(transaction_id=provider_id, tx_ref=_reference(data, "tx_ref"))
    return WebhookNotification(reference=_reference(data, "reference"), provider_id=provider_id)


def write_transfer(request: TransferRequest) -> bytes:
    """Encode the body of `POST /transfers`. Raises ValueError for invalid values."""
    check_reference(request.reference)
    body: dict[str, Any] = {
        "account_bank": request.bank_code,
        "account_number": request.account_number,
        "amount": sent_amount(request.amount),
        "currency": request.currency,
        "debit_currency": request.currency,
        "reference": request.reference,
        "narration": request.narration,
        "beneficiary_name": request.beneficiary_name,
    }
    if request.branch_code is not None:
        body["destination_branch_code"] = request.branch_code
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
        bank = object_of(row, "bank")
        return BankEntry(
            id=integer_field(bank, "id"),
            name=text_field(bank, "name"),
            code=code_field(bank, "code"),
        )
    except MalformedResponse:
        return None


def _reference(data: dict[str, Any], key: str) -> str | None:
    """Return a reference. Ours are printable; the database cannot store every character."""
    value = data.get(key)
    usable = isinstance(value, str) and len(value) <= MAX_REFERENCE and value.isprintable()
    return value if usable else None
