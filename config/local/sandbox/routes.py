"""The documented endpoints of Flutterwave v3, over the store and the bank data.

`server` handles faults, sockets and keys.
"""

import re
from dataclasses import fields, replace
from decimal import Decimal, InvalidOperation
from typing import Any

from config.local.sandbox.banks import BANKS_OF_COUNTRY, Bank, bank_by_code, bank_by_id
from config.local.sandbox.collection_routes import CollectionRoutes
from config.local.sandbox.database import number
from config.local.sandbox.names import account_name
from config.local.sandbox.requests import Handler, Request, list_page, object_body
from config.local.sandbox.responses import Response, error, success
from config.local.sandbox.rules import (
    COUNTRY_OF_CURRENCY,
    RequestRejected,
    TransferOrder,
    fee_for,
    outcome_for,
    read_amount,
    read_order,
)
from config.local.sandbox.store import SandboxStore, rest_record

NOT_RESOLVED = "Sorry, recipient account could not be validated. Please try again"


class Routes:
    """Endpoints by method and path."""

    def __init__(self, store: SandboxStore, collection: CollectionRoutes) -> None:
        self._store = store
        table: tuple[tuple[str, str, Handler], ...] = (
            ("GET", r"/v3/banks/(\d+)/branches", self._branches),
            ("GET", r"/v3/banks/([A-Za-z]{2})", self._banks),
            ("POST", r"/v3/accounts/resolve()", self._resolve),
            ("GET", r"/v3/transfers/fee()", self._fee),
            ("POST", r"/v3/transfers/(\d{1,15})/retries", self._retry),
            ("GET", r"/v3/transfers/(\d{1,15})", self._transfer),
            ("POST", r"/v3/transfers()", self._order),
            ("GET", r"/v3/transfers()", self._transfers),
            ("GET", r"/v3/balances/([A-Za-z]{3})", self._balance),
            ("GET", r"/v3/balances()", self._balances),
            *collection.table,
        )
        self._table = [(method, re.compile(pattern), call) for method, pattern, call in table]

    def respond(self, request: Request) -> Response:
        """Respond to a request."""
        path = request.path.rstrip("/")
        for method, pattern, call in self._table:
            match = pattern.fullmatch(path)
            if match is not None and method == request.method:
                try:
                    return call(request, match.group(1))
                except RequestRejected as rejection:
                    return error(400, str(rejection))
        return error(404, f"Cannot {request.method} {request.path}")

    def _banks(self, _request: Request, country: str) -> Response:
        banks = BANKS_OF_COUNTRY.get(country.upper())
        if banks is None:
            return error(400, "Country is not supported")
        rows = [{"id": bank.id, "code": bank.code, "name": bank.name} for bank in banks]
        return success("Banks fetched successfully", rows)

    def _branches(self, _request: Request, bank_id: str) -> Response:
        bank = bank_by_id(int(bank_id))
        if bank is None or not bank.branches:
            return error(404, "No branches found for specified bank id")
        return success("Bank branches fetched successfully", _branch_rows(bank))

    def _resolve(self, request: Request, _: str) -> Response:
        body = object_body(request)
        account_number, bank_code = body.get("account_number"), body.get("account_bank")
        if not isinstance(account_number, str) or not isinstance(bank_code, str):
            raise RequestRejected("account_number and account_bank are required")
        name = account_name(account_number)
        if name is None or bank_by_code("NG", bank_code) is None:
            raise RequestRejected(NOT_RESOLVED)
        data = {"account_number": account_number, "account_name": name}
        return success("Account details fetched", data)

    def _order(self, request: Request, _: str) -> Response:
        row = self._store.accept(read_order(object_body(request)))
        return success("Transfer Queued Successfully", rest_record(row))

    def _retry(self, _request: Request, transfer_id: str) -> Response:
        """Create a new transfer with its own reference, as a retry does."""
        row = self._store.find("transfers", int(transfer_id))
        if row is None:
            return error(404, "Transfer not found")
        if row["status"] != "FAILED" or row["returned"]:
            raise RequestRejected("Only failed transfers can be retried")
        attempt = self._store.count_retries(row["reference"]) + 1
        order = TransferOrder(**{field.name: row[field.name] for field in fields(TransferOrder)})
        retry = self._store.accept(
            replace(
                order,
                reference=f"{order.reference}_RETRY_{attempt}",
                amount=Decimal(order.amount),
                fee=Decimal(order.fee),
                outcome=outcome_for(order.account_number, order.reference),
            )
        )
        return success("Transfer retry attempt queued.", rest_record(retry))

    def _transfer(self, _request: Request, transfer_id: str) -> Response:
        row = self._store.find("transfers", int(transfer_id))
        if row is None:
            return error(404, "Transfer not found")
        return success("Transfer fetched", rest_record(row))

    def _transfers(self, request: Request, _: str) -> Response:
        status = request.query.get("status", "").upper()
        request = replace(request, query=request.query | {"status": status})
        names = ("reference", "status")
        return list_page(request, self._store, "transfers", names, rest_record)

    def _fee(self, request: Request, _: str) -> Response:
        currency = request.query.get("currency", "NGN")
        if currency not in COUNTRY_OF_CURRENCY:
            raise RequestRejected(f"Transfers in {currency} are not supported")
        try:
            amount = read_amount(Decimal(request.query.get("amount", "")))
        except InvalidOperation:
            raise RequestRejected("amount must be a number") from None
        fee = fee_for(currency, amount)
        row = {"currency": currency, "fee_type": "value", "fee": number(str(fee))}
        return success("Transfer fee fetched", [row])

    def _balances(self, _request: Request, _: str) -> Response:
        return success("Wallet balances fetched", self._balance_rows())

    def _balance(self, _request: Request, currency: str) -> Response:
        for row in self._balance_rows():
            if row["currency"] == currency.upper():
                return success("Wallet balance fetched", row)
        return error(404, "Wallet not found")

    def _balance_rows(self) -> list[dict[str, Any]]:
        return [
            {
                "currency": currency,
                "available_balance": number(str(amount)),
                "ledger_balance": number(str(amount)),
            }
            for currency, amount in self._store.floats().items()
        ]


def _branch_rows(bank: Bank) -> list[dict[str, Any]]:
    return [
        {
            "id": branch.id,
            "branch_code": branch.code,
            "branch_name": branch.name,
            "swift_code": bank.swift_code,
            "bic": bank.swift_code,
            "bank_id": bank.id,
        }
        for branch in bank.branches
    ]
