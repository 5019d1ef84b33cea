"""The documented endpoints of money in, over the store. `routes` adds them to its table."""

from collections.abc import Callable

from config.local.sandbox.collection_records import (
    account_record,
    chargeback_record,
    transaction_record,
)
from config.local.sandbox.collection_rules import (
    NO_TRANSACTION,
    read_account_order,
    read_checkout_order,
)
from config.local.sandbox.collection_store import CollectionStore
from config.local.sandbox.database import Row
from config.local.sandbox.requests import Handler, Request, list_page, object_body
from config.local.sandbox.responses import Response, success
from config.local.sandbox.rules import RequestRejected, read_amount


class CollectionRoutes:
    """Endpoints of virtual accounts, checkouts and transactions. `page_url` is that of a token."""

    def __init__(self, store: CollectionStore, page_url: Callable[[str], str]) -> None:
        self._store = store
        self._page_url = page_url
        self.table: tuple[tuple[str, str, Handler], ...] = (
            ("POST", r"/v3/virtual-account-numbers()", self._create_account),
            ("GET", r"/v3/virtual-account-numbers/([A-Za-z0-9_-]{1,64})", self._account),
            ("POST", r"/v3/payments()", self._checkout),
            ("GET", r"/v3/transactions/(\d{1,18})/verify", self._verify),
            ("GET", r"/v3/transactions/verify_by_reference()", self._verify_by_reference),
            ("GET", r"/v3/transactions()", self._transactions),
            ("POST", r"/v3/transactions/(\d{1,18})/refund", self._refund),
            ("GET", r"/v3/chargebacks()", self._chargebacks),
        )

    def _create_account(self, request: Request, _: str) -> Response:
        row = self._store.create_account(read_account_order(object_body(request)))
        return success("Virtual account created", account_record(row))

    def _account(self, _request: Request, order_ref: str) -> Response:
        row = self._store.account(order_ref=order_ref)
        if row is None:
            raise RequestRejected("No virtual account was found for this order_ref")
        return success("Virtual account fetched", account_record(row))

    def _checkout(self, request: Request, _: str) -> Response:
        row = self._store.create_checkout(read_checkout_order(object_body(request)))
        return success("Hosted Link", {"link": self._page_url(row["token"])})

    def _verify(self, _request: Request, transaction_id: str) -> Response:
        return _verified(self._store.database.find("transactions", int(transaction_id)))

    def _verify_by_reference(self, request: Request, _: str) -> Response:
        return _verified(self._store.latest(request.query.get("tx_ref", "")))

    def _transactions(self, request: Request, _: str) -> Response:
        names = ("tx_ref", "status", "currency")
        return list_page(request, self._store.database, "transactions", names, transaction_record)

    def _chargebacks(self, request: Request, _: str) -> Response:
        names = ("flw_ref", "status")
        return list_page(request, self._store.database, "chargebacks", names, chargeback_record)

    def _refund(self, request: Request, transaction_id: str) -> Response:
        body = {} if request.body is None else object_body(request)
        amount = None if body.get("amount") is None else read_amount(body["amount"])
        record = self._store.refund(int(transaction_id), amount)
        return success("Transaction refund initiated", record)


def _verified(row: Row | None) -> Response:
    if row is None:
        raise RequestRejected(NO_TRANSACTION)
    return success("Transaction fetched successfully", transaction_record(row))
