"""Calls of money in: virtual accounts, checkouts, and transactions with status checks and refunds.

Reads are retried on transient failures. Accounts and checkouts are created with a single POST and
may be created again; a refund moves money out and is never repeated.
"""

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any, TypeVar

from wallets.providers.base import (
    CollectionDeclined,
    Listed,
    NeverSent,
    OutcomeUnknown,
    ProviderError,
    ProviderUnavailable,
    UnsupportedCurrency,
)
from wallets.providers.collection import (
    Chargeback,
    CheckoutRequest,
    IssuedAccount,
    RefundRecord,
    TransactionRecord,
    TransactionStatus,
    VirtualAccountRequest,
)
from wallets.providers.flutterwave import collection_wire, fields
from wallets.providers.flutterwave.error_texts import is_transaction_not_found, refund_error
from wallets.providers.flutterwave.replies import (
    ListedKind,
    day_query,
    parse,
    read_list,
    response_data,
)
from wallets.providers.flutterwave.transport import Call, Reply, Timeouts, Transport

_TRANSACTIONS = ListedKind(
    noun="transactions",
    read_row=collection_wire.read_transaction,
    id_of=lambda record: record.transaction_id,
    created_at=lambda record: record.created_at,
)
_CHARGEBACKS = ListedKind(
    noun="chargebacks",
    read_row=collection_wire.read_chargeback,
    id_of=lambda found: found.chargeback_id,
    created_at=lambda found: found.created_at,
)
_MAX_ID_DIGITS = 18
_Value = TypeVar("_Value")


class CollectionCalls:
    """The part of `FlutterwaveClient` for money in."""

    _transport: Transport
    _transfer_timeouts: Timeouts
    _lookup_timeouts: Timeouts

    def create_virtual_account(self, request: VirtualAccountRequest) -> IssuedAccount:
        """Create an account number. See `PaymentProvider.create_virtual_account`."""
        if request.currency not in collection_wire.ACCOUNT_CURRENCIES:
            raise UnsupportedCurrency(f"no virtual accounts in {request.currency}")
        body = collection_wire.write_virtual_account(request)
        data = self._create("/virtual-account-numbers", body, secret=request.bvn or "")
        return parse(collection_wire.read_virtual_account, data)

    def create_checkout(self, request: CheckoutRequest) -> str:
        """Return the address of a payment page. See `PaymentProvider.create_checkout`."""
        body = collection_wire.write_checkout(request)
        return parse(collection_wire.read_link, self._create("/payments", body))

    def verify_transaction(self, transaction_id: str) -> TransactionRecord | None:
        """Look a transaction up by its id. See `PaymentProvider.verify_transaction`."""
        reply = self._read(Call("GET", f"/transactions/{_checked_id(transaction_id)}/verify"))
        envelope = reply.envelope
        if not envelope.ok and is_transaction_not_found(reply.status_code, envelope.message):
            return None
        record = parse(collection_wire.read_transaction, response_data(reply))
        if record.transaction_id != str(int(transaction_id)):
            raise ProviderUnavailable("malformed response: another transaction than requested")
        return record

    def list_transactions(
        self, *, first: date, last: date, status: TransactionStatus | None = None
    ) -> Listed[TransactionRecord]:
        """Return the transactions of a range of days. See `PaymentProvider.list_transactions`."""
        query = day_query(first, last)
        if status is not None:
            query["status"] = status
        found = read_list(self._read, "/transactions", query, _TRANSACTIONS)
        # Do not rely on the provider's filter.
        rows = (record for record in found if status in (None, record.status))
        return Listed(rows, found.unreadable)

    def list_chargebacks(
        self, *, first: date, last: date, flw_ref: str | None = None
    ) -> Listed[Chargeback]:
        """Return the chargebacks of a range of days. See `PaymentProvider.list_chargebacks`."""
        query = day_query(first, last)
        if flw_ref is not None:
            query["flw_ref"] = flw_ref
        return read_list(self._read, "/chargebacks", query, _CHARGEBACKS)

    def refund_transaction(
        self, transaction_id: str, amount: Decimal | None = None
    ) -> RefundRecord:
        """Refund a transaction with a single POST. See `PaymentProvider.refund_transaction`."""
        body = fields.encode({} if amount is None else {"amount": fields.sent_amount(amount)})
        call = Call("POST", f"/transactions/{_checked_id(transaction_id)}/refund", body=body)
        refund, refunded_id = self._pay(call, refund_error, collection_wire.read_refund)
        if refunded_id not in {"", str(int(transaction_id))}:
            raise OutcomeUnknown("malformed response: another transaction than sent", outage=True)
        return refund

    def _pay(
        self,
        call: Call,
        build_error: Callable[[int, str], ProviderError],
        read: Callable[[Any], _Value],
    ) -> _Value:
        """Send what moves money out, at most once; return the data of its success.

        Raises `NeverSent`, `OutcomeUnknown`, or for an error envelope what `build_error` returns.
        """
        try:
            reply = self._transport.once(call, self._transfer_timeouts)
        except NeverSent:
            raise
        except ProviderUnavailable as failure:
            raise OutcomeUnknown(
                str(failure), retry_after=failure.retry_after, outage=True
            ) from failure
        if not reply.envelope.ok:
            raise build_error(reply.status_code, reply.envelope.message)
        try:
            return read(reply.envelope.data)
        except fields.MalformedResponse as error:
            raise OutcomeUnknown(f"malformed response: {error}", outage=True) from error

    def _create(self, path: str, body: bytes, *, secret: str = "") -> Any:
        """Create something harmless to create twice. `secret` is removed from errors."""
        reply = self._transport.once(Call("POST", path, body=body), self._lookup_timeouts)
        if reply.envelope.ok:
            return reply.envelope.data
        message = reply.envelope.message
        if secret:
            message = message.replace(secret, "[removed]")
        if reply.status_code == 400:
            raise CollectionDeclined(message)
        raise ProviderUnavailable(f"the provider responded with {reply.status_code}: {message}")

    def _read(self, call: Call) -> Reply:
        return self._transport.read(call, self._lookup_timeouts)


def _checked_id(transaction_id: str) -> str:
    """Return an id for a path. Raises ValueError for anything but digits."""
    digits = transaction_id.isascii() and transaction_id.isdigit()
    if not digits or len(transaction_id) > _MAX_ID_DIGITS:
        raise ValueError("a transaction id has 1 to 18 digits")
    return transaction_id
