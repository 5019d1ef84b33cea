"""Flutterwave v3 client: the documented calls, and the interpretation of their responses.

Reads (every GET, and account resolution) are retried on transient failures. `POST /transfers` is
sent once: services decide on repeating it, after a status check.
"""

import hmac
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import Any, TypeVar

from wallets.providers.base import (
    AccountNotResolved,
    BankEntry,
    ListedTransfer,
    NeverSent,
    OutcomeUnknown,
    ProviderBalance,
    ProviderUnavailable,
    ResolutionUnsupported,
    ResolvedAccount,
    TransferRecord,
    TransferRequest,
    TransferStatus,
    UnsupportedCurrency,
    WebhookNotification,
)
from wallets.providers.flutterwave import wire
from wallets.providers.flutterwave.error_texts import is_account_not_resolved, transfer_error
from wallets.providers.flutterwave.transport import Call, Reply, Retries, Timeouts, Transport

_Value = TypeVar("_Value")

_MAX_SEARCH_PAGES = 20
_MAX_LIST_PAGES = 5_000
# A list that changes while it is read is read again.
_LIST_ATTEMPTS = 3
# If a reference appears twice, the record in which money moved counts.
_STATUS_PRECEDENCE = (
    TransferStatus.FAILED,
    TransferStatus.NEW,
    TransferStatus.PENDING,
    TransferStatus.SUCCESSFUL,
)


class FlutterwaveClient:
    """A `PaymentProvider` over Flutterwave v3. Safe to share between threads and forks.

    `base_url` ends in `/v3`. Time-outs are seconds: `connect_timeout` to make a connection,
    `read_timeout` of silence and `total_timeout` altogether for a transfer; the provider's own
    time-out is about 28 s, so transfers wait longer. Reads have shorter time-outs. A response above
    `max_response_bytes` is malformed.
    """

    def __init__(
        self,
        *,
        base_url: str,
        secret_key: str,
        connect_timeout: float,
        read_timeout: float,
        total_timeout: float,
        webhook_hash: str = "",
        lookup_read_timeout: float = 10.0,
        lookup_total_timeout: float = 25.0,
        read_attempts: int = 3,
        read_backoff: float = 0.3,
        max_response_bytes: int = 2 * 1024 * 1024,
    ) -> None:
        # Two during a change of the secret.
        self._webhook_hashes = [each.strip() for each in webhook_hash.split(",") if each.strip()]
        self._transfer_timeouts = Timeouts(connect_timeout, read_timeout, total_timeout)
        self._lookup_timeouts = Timeouts(
            connect_timeout,
            min(lookup_read_timeout, read_timeout),
            min(lookup_total_timeout, total_timeout),
        )
        self._transport = Transport(
            base_url=base_url,
            secret_key=secret_key,
            max_bytes=max_response_bytes,
            retries=Retries(read_attempts, read_backoff),
        )

    def __repr__(self) -> str:
        return f"<FlutterwaveClient {self._transport!r}>"

    def list_banks(self, currency: str) -> list[BankEntry]:
        """Return every bank of the country of `currency`. See `PaymentProvider.list_banks`."""
        country = wire.COUNTRY_OF_CURRENCY.get(currency)
        if country is None:
            raise UnsupportedCurrency(f"no bank list for {currency}")
        reply = self._read(Call("GET", f"/banks/{country}"))
        return _parse(wire.read_banks, _response_data(reply))

    def resolve_account(
        self, *, account_number: str, bank_code: str, currency: str
    ) -> ResolvedAccount:
        """Return the account's name. See `PaymentProvider.resolve_account`."""
        if currency not in wire.RESOLVING_CURRENCIES:
            raise ResolutionUnsupported(f"account names in {currency} cannot be resolved")
        body = wire.encode({"account_number": account_number, "account_bank": bank_code})
        reply = self._read(Call("POST", "/accounts/resolve", body=body))
        if not reply.envelope.ok and is_account_not_resolved(
            reply.status_code, reply.envelope.message
        ):
            raise AccountNotResolved(reply.envelope.message)
        account = _parse(wire.read_account, _response_data(reply))
        if account.account_number != account_number:
            raise ProviderUnavailable("malformed response: another account than requested")
        return account

    def transfer(self, request: TransferRequest) -> TransferRecord:
        """Order a transfer with a single POST. See `PaymentProvider.transfer`."""
        call = Call("POST", "/transfers", body=wire.write_transfer(request))
        try:
            reply = self._transport.once(call, self._transfer_timeouts)
        except NeverSent:
            raise
        except ProviderUnavailable as failure:
            raise OutcomeUnknown(
                str(failure), retry_after=failure.retry_after, outage=True
            ) from failure
        if not reply.envelope.ok:
            raise transfer_error(reply.status_code, reply.envelope.message)
        try:
            record = wire.read_transfer(reply.envelope.data)
        except wire.MalformedResponse as error:
            raise OutcomeUnknown(f"malformed response: {error}", outage=True) from error
        if record.reference != request.reference:
            raise OutcomeUnknown("malformed response: another reference than sent", outage=True)
        return record

    def find_transfer(self, reference: str) -> TransferRecord | None:
        """Return the transfer with exactly this reference. See `PaymentProvider.find_transfer`."""
        found: list[TransferRecord] = []
        for page in range(1, _MAX_SEARCH_PAGES + 1):
            query = {"reference": reference} | ({"page": str(page)} if page > 1 else {})
            reply = self._read(Call("GET", "/transfers", query=query))
            _response_data(reply)
            listed = _parse(wire.read_transfer_page, reply.envelope)
            # Do not rely on the provider's filter.
            found += [
                _parse(wire.read_transfer, row)
                for row in listed.rows
                if row.get("reference") == reference
            ]
            if page >= listed.total_pages:
                break
        else:
            if not found:
                raise ProviderUnavailable("the list of transfers does not end: it is not filtered")
        return max(found, key=lambda record: _STATUS_PRECEDENCE.index(record.status), default=None)

    def list_transfers(self, *, first: date, last: date) -> list[ListedTransfer]:
        """Return every transfer of a range of days. See `PaymentProvider.list_transfers`."""
        query = {"from": first.isoformat(), "to": last.isoformat()}
        for _ in range(_LIST_ATTEMPTS):
            found = self._list(query)
            if found is not None:
                break
        else:
            raise ProviderUnavailable("the list of transfers changed during every read")
        margin = timedelta(days=1)
        for listed in found:
            if not first - margin <= listed.created_at.date() <= last + margin:
                raise ProviderUnavailable("the list has transfers of other days than requested")
        return found

    def _list(self, query: dict[str, str]) -> list[ListedTransfer] | None:
        """Return all pages, or None when the list changed meanwhile."""
        found: dict[str, ListedTransfer] = {}
        rows, number, stated = 0, 1, None
        while stated is None or number <= stated[0]:
            reply = self._read(Call("GET", "/transfers", query=query | {"page": str(number)}))
            _response_data(reply)
            page = _parse(wire.read_counted_page, reply.envelope)
            if stated is not None and stated != (page.pages, page.total):
                return None
            if page.number != number and page.total:
                raise ProviderUnavailable(f"the list returned page {page.number} for page {number}")
            stated = (page.pages, page.total)
            if page.pages > _MAX_LIST_PAGES:
                raise ProviderUnavailable("the list of transfers does not end")
            rows += len(page.rows)
            found |= {listed.record.provider_id: listed for listed in page.rows}
            number += 1
        if len(found) != rows:
            raise ProviderUnavailable(f"the list repeats {rows - len(found)} of its transfers")
        if stated is not None and rows != stated[1]:
            raise ProviderUnavailable(f"the list states {stated[1]} transfers and has {rows}")
        return list(found.values())

    def balances(self) -> list[ProviderBalance]:
        """Return our balance in each currency. See `PaymentProvider.balances`."""
        return _parse(wire.read_balances, _response_data(self._read(Call("GET", "/balances"))))

    def probe(self) -> None:
        """Read our balances, one attempt. See `PaymentProvider.probe`."""
        _response_data(self._transport.once(Call("GET", "/balances"), self._lookup_timeouts))

    def verify_webhook(self, headers: Mapping[str, str], body: bytes) -> WebhookNotification | None:
        """Return the transfer that a webhook names. See `PaymentProvider.verify_webhook`.

        The `verif-hash` header is the shared secret itself: one of those configured. Without a
        configured secret no webhook is authentic.
        """
        sent = next((value for name, value in headers.items() if name.lower() == "verif-hash"), "")
        received = sent.encode("utf-8", "replace")
        # Every secret is compared, so that the time does not depend on which one matches.
        matches = [hmac.compare_digest(received, each.encode()) for each in self._webhook_hashes]
        if not any(matches):
            return None
        return wire.read_notification(body)

    def _read(self, call: Call) -> Reply:
        return self._transport.read(call, self._lookup_timeouts)


def _response_data(reply: Reply) -> Any:
    """Return the data of a successful reply. Raises `ProviderUnavailable` for an error envelope."""
    if not reply.envelope.ok:
        message = reply.envelope.message
        raise ProviderUnavailable(f"the provider responded with {reply.status_code}: {message}")
    return reply.envelope.data


def _parse(read: Callable[[Any], _Value], data: Any) -> _Value:
    """Parse `data` with `read`. Raises `ProviderUnavailable` when it is malformed."""
    try:
        return read(data)
    except wire.MalformedResponse as error:
        raise ProviderUnavailable(f"malformed response: {error}") from error
