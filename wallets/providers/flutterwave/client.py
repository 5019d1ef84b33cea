"""Flutterwave v3 client: the documented calls, and the interpretation of their responses.

Those of money in are in `collection_calls`.

Reads (every GET, and account resolution) are retried on transient failures. `POST /transfers` is
sent once: services decide on repeating it, after a status check.
"""

import hmac
from collections.abc import Mapping
from datetime import date

from wallets.providers.base import (
    AccountNotResolved,
    BankEntry,
    Listed,
    ListedTransfer,
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
from wallets.providers.collection import ChargeHint
from wallets.providers.flutterwave import fields, wire
from wallets.providers.flutterwave.collection_calls import CollectionCalls
from wallets.providers.flutterwave.error_texts import is_account_not_resolved, transfer_error
from wallets.providers.flutterwave.replies import (
    ListedKind,
    day_query,
    parse,
    read_list,
    response_data,
)
from wallets.providers.flutterwave.transport import Call, Retries, Timeouts, Transport

_MAX_SEARCH_PAGES = 20
# If a reference appears twice, the record in which money moved counts.
_STATUS_PRECEDENCE = (
    TransferStatus.FAILED,
    TransferStatus.NEW,
    TransferStatus.PENDING,
    TransferStatus.SUCCESSFUL,
)
_TRANSFERS = ListedKind(
    noun="transfers",
    read_row=wire.read_listed_transfer,
    id_of=lambda listed: listed.record.provider_id,
    created_at=lambda listed: listed.created_at,
)


class FlutterwaveClient(CollectionCalls):
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
        return parse(wire.read_banks, response_data(reply))

    def resolve_account(
        self, *, account_number: str, bank_code: str, currency: str
    ) -> ResolvedAccount:
        """Return the account's name. See `PaymentProvider.resolve_account`."""
        if currency not in wire.RESOLVING_CURRENCIES:
            raise ResolutionUnsupported(f"account names in {currency} cannot be resolved")
        body = fields.encode({"account_number": account_number, "account_bank": bank_code})
        reply = self._read(Call("POST", "/accounts/resolve", body=body))
        if not reply.envelope.ok and is_account_not_resolved(
            reply.status_code, reply.envelope.message
        ):
            raise AccountNotResolved(reply.envelope.message)
        account = parse(wire.read_account, response_data(reply))
        if account.account_number != account_number:
            raise ProviderUnavailable("malformed response: another account than requested")
        return account

    def transfer(self, request: TransferRequest) -> TransferRecord:
        """Order a transfer with a single POST. See `PaymentProvider.transfer`."""
        call = Call("POST", "/transfers", body=wire.write_transfer(request))
        record = self._pay(call, transfer_error, wire.read_transfer)
        if record.reference != request.reference:
            raise OutcomeUnknown("malformed response: another reference than sent", outage=True)
        return record

    def find_transfer(self, reference: str) -> TransferRecord | None:
        """Return the transfer with exactly this reference. See `PaymentProvider.find_transfer`."""
        found: list[TransferRecord] = []
        nameless = 0
        for page in range(1, _MAX_SEARCH_PAGES + 1):
            query = {"reference": reference} | ({"page": str(page)} if page > 1 else {})
            reply = self._read(Call("GET", "/transfers", query=query))
            response_data(reply)
            listed = parse(wire.read_transfer_page, reply.envelope)
            # Do not rely on the provider's filter.
            found += [
                parse(wire.read_transfer, row)
                for row in listed.rows
                if row.get("reference") == reference
            ]
            nameless += listed.nameless
            if page >= listed.total_pages:
                break
        else:
            if not found:
                raise ProviderUnavailable("the list of transfers does not end: it is not filtered")
        if nameless and not found:
            raise ProviderUnavailable("malformed response: a transfer has no reference")
        return max(found, key=lambda record: _STATUS_PRECEDENCE.index(record.status), default=None)

    def list_transfers(self, *, first: date, last: date) -> Listed[ListedTransfer]:
        """Return every transfer of a range of days. See `PaymentProvider.list_transfers`."""
        return read_list(
            self._read,
            "/transfers",
            day_query(first, last),
            _TRANSFERS,
        )

    def balances(self) -> Listed[ProviderBalance]:
        """Return our balance in each currency. See `PaymentProvider.balances`."""
        return parse(wire.read_balances, response_data(self._read(Call("GET", "/balances"))))

    def probe(self) -> None:
        """Read our balances, one attempt. See `PaymentProvider.probe`."""
        response_data(self._transport.once(Call("GET", "/balances"), self._lookup_timeouts))

    def verify_webhook(
        self, headers: Mapping[str, str], body: bytes
    ) -> WebhookNotification | ChargeHint | None:
        """Return what a webhook names. See `PaymentProvider.verify_webhook`.

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
