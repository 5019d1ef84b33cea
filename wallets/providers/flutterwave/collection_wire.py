"""Wire format of money in: virtual accounts, checkouts, transactions, refunds. Pure functions.

Which fields a response has varies by bank: what identifies a record and its money is read strictly,
the rest where it is present.
"""

from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from wallets.providers.collection import (
    Chargeback,
    CheckoutRequest,
    IssuedAccount,
    Payer,
    RefundRecord,
    TransactionRecord,
    TransactionStatus,
    VirtualAccountRequest,
)
from wallets.providers.flutterwave.fields import (
    MAX_REFERENCE,
    MalformedResponse,
    amount_field,
    check_reference,
    encode,
    integer_field,
    moment_field,
    object_of,
    optional_amount,
    optional_text,
    printable,
    sent_amount,
    short_text_field,
    text_field,
)

ACCOUNT_CURRENCIES = frozenset({"NGN", "GHS"})

_MAX_LINK = 2_000
_MAX_ACCOUNT_NUMBER, _MAX_BANK_NAME = 40, 200
# The account's name is stated only here.
_NOTE_PREFIX = "please make a bank transfer to "


def read_virtual_account(data: Any) -> IssuedAccount:
    """Parse a virtual account."""
    row = object_of(data, "virtual account")
    note = optional_text(row, "note")
    named = note.casefold().startswith(_NOTE_PREFIX)
    return IssuedAccount(
        order_ref=short_text_field(row, "order_ref", MAX_REFERENCE),
        account_number=short_text_field(row, "account_number", _MAX_ACCOUNT_NUMBER),
        bank_name=short_text_field(row, "bank_name", _MAX_BANK_NAME),
        account_name=note[len(_NOTE_PREFIX) :].strip() if named else "",
    )


def read_link(data: Any) -> str:
    """Parse the address of a hosted page."""
    link = text_field(object_of(data, "hosted link"), "link")
    try:
        parts = urlsplit(link)
        usable = parts.scheme in {"http", "https"} and parts.hostname and "@" not in parts.netloc
    except ValueError:
        usable = False
    if not usable or not link.isprintable() or " " in link or len(link) > _MAX_LINK:
        raise MalformedResponse("link is not a web address")
    return link


def read_transaction(data: Any) -> TransactionRecord:
    """Parse a transaction of a status check or a list."""
    row = object_of(data, "transaction")
    try:
        status = TransactionStatus(text_field(row, "status"))
    except ValueError:
        raise MalformedResponse("transaction has an unknown status") from None
    customer = row.get("customer")
    customer = customer if isinstance(customer, dict) else {}
    return TransactionRecord(
        transaction_id=str(integer_field(row, "id")),
        # A longer one is not ours; it is kept as far as a reference goes.
        tx_ref=optional_text(row, "tx_ref")[:MAX_REFERENCE],
        flw_ref=optional_text(row, "flw_ref")[:MAX_REFERENCE],
        status=status,
        amount=amount_field(row, "amount"),
        currency=printable(text_field(row, "currency")),
        charged_amount=optional_amount(row, "charged_amount"),
        app_fee=optional_amount(row, "app_fee") or Decimal(0),
        merchant_fee=optional_amount(row, "merchant_fee") or Decimal(0),
        amount_settled=optional_amount(row, "amount_settled"),
        payment_type=optional_text(row, "payment_type"),
        processor_response=optional_text(row, "processor_response"),
        customer_name=optional_text(customer, "name"),
        payer=_payer(row.get("meta")),
        created_at=moment_field(row, "created_at"),
    )


def read_chargeback(data: Any) -> Chargeback:
    """Parse a chargeback of a list."""
    row = object_of(data, "chargeback")
    return Chargeback(
        chargeback_id=str(integer_field(row, "id")),
        transaction_id=str(integer_field(row, "transaction_id")),
        amount=amount_field(row, "amount"),
        won=text_field(row, "status") == "won",
        created_at=moment_field(row, "created_at"),
    )


def read_refund(data: Any) -> tuple[RefundRecord, str]:
    """Parse a refund; also return the transaction's id, empty where it is not stated."""
    row = object_of(data, "refund")
    refund = RefundRecord(
        refund_id=str(integer_field(row, "id")),
        amount=amount_field(row, "amount_refunded"),
    )
    return refund, "" if row.get("tx_id") is None else str(integer_field(row, "tx_id"))


def write_virtual_account(request: VirtualAccountRequest) -> bytes:
    """Encode the body of `POST /virtual-account-numbers`. Raises ValueError for invalid values."""
    check_reference(request.tx_ref)
    body: dict[str, Any] = {
        "tx_ref": request.tx_ref,
        "email": request.email,
        "currency": request.currency,
        "is_permanent": True,
    }
    if request.currency == "NGN":
        bvn = request.bvn or ""
        if not (len(bvn) == 11 and bvn.isascii() and bvn.isdigit()):
            raise ValueError("an NGN account needs a BVN of 11 digits")
        body["bvn"] = bvn
    optional = {
        "firstname": request.first_name,
        "lastname": request.last_name,
        "narration": request.narration,
    }
    return encode(body | {key: value for key, value in optional.items() if value})


def write_checkout(request: CheckoutRequest) -> bytes:
    """Encode the body of `POST /payments`. Raises ValueError for invalid values."""
    check_reference(request.tx_ref)
    customer = {"email": request.customer_email, "name": request.customer_name}
    body: dict[str, Any] = {
        "tx_ref": request.tx_ref,
        "amount": sent_amount(request.amount),
        "currency": request.currency,
        "redirect_url": request.redirect_url,
        "customer": {key: value for key, value in customer.items() if value},
    }
    if request.title:
        body["customizations"] = {"title": request.title}
    return encode(body)


def _payer(meta: Any) -> Payer | None:
    """Return the sender of a bank transfer, which `meta` has for some banks."""
    if not isinstance(meta, dict):
        return None
    payer = Payer(
        name=optional_text(meta, "originatorname"),
        bank=optional_text(meta, "bankname"),
        account_number=optional_text(meta, "originatoraccountnumber"),
    )
    return payer if payer.name or payer.account_number else None
