"""A thin client of the exchange, and what the tests set up with it."""

import os
import uuid
from decimal import Decimal
from typing import Any

import requests

TIMEOUT_SECONDS = 30


class Refused(Exception):
    """The exchange refused a request; `code` is its stable name."""

    def __init__(self, response: requests.Response) -> None:
        self.status = response.status_code
        self.code = response.headers.get("X-Error-Code", "")
        super().__init__(f"{response.request.method} {response.url}: {response.text}")


class Exchange:
    """The API with the credentials of one organisation. Numbers are exact."""

    def __init__(self, base_url: str, client_id: str, client_secret: str) -> None:
        self.base_url = base_url
        self.session = requests.Session()
        token = self.session.post(
            f"{base_url}/v1/oauth/token",
            auth=(client_id, client_secret),
            data={"grant_type": "client_credentials"},
            timeout=TIMEOUT_SECONDS,
        )
        token.raise_for_status()
        self.session.headers["Authorization"] = f"Bearer {token.json()['access_token']}"

    def get(self, path: str, **query: Any) -> Any:
        """Return the data of a GET."""
        return self._data(self.call("GET", path, params=query))

    def post(self, path: str, body: Any = None, *, key: str | None = None) -> Any:
        """Return the data of a POST with an Idempotency-Key."""
        headers = {"Idempotency-Key": key or str(uuid.uuid4())}
        return self._data(self.call("POST", path, json=body or {}, headers=headers))

    def call(self, method: str, path: str, **options: Any) -> requests.Response:
        """Return the response of a request."""
        return self.session.request(
            method, f"{self.base_url}{path}", timeout=TIMEOUT_SECONDS, **options
        )

    def _data(self, response: requests.Response) -> Any:
        if not response.ok:
            raise Refused(response)
        return response.json(parse_float=Decimal, parse_int=Decimal)["data"]

    def events(self, record: str) -> list[str]:
        """Return the types of the events about a record, oldest first."""
        page = self.get("/v1/api/events", subject_id=record, sort="created_at")
        return [event["type"] for event in page["events"]]


class Member:
    """A new member of the organisation, with a wallet and a virtual account in NGN."""

    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange
        name = uuid.uuid4().hex[:12]
        body = {"name": f"Test {name}", "email": f"{name}@example.com"}
        self.id = exchange.post("/v1/api/members", body)["_id"]
        self.path = f"/v1/api/members/{self.id}"
        account = {"currency": "NGN", "bvn": "22222222222"}
        made = exchange.post(f"{self.path}/virtual-accounts", account)
        self.account_number = made["account_number"]

    def pay_in(self, amount: int) -> dict[str, Any]:
        """Pay into the virtual account; return the deposit."""
        body = {"account_number": self.account_number, "amount": amount, "payer_name": "Ada Obi"}
        deposit: dict[str, Any] = self.exchange.post("/v1/sandbox/deposits", body)
        return deposit

    def balance(self, currency: str = "NGN") -> dict[str, Any]:
        """Return the balances of the wallet in one currency."""
        rows = self.exchange.get(f"{self.path}/wallet")
        return next(row for row in rows if row["currency"] == currency)

    def check_out(self, amount: int = 900) -> str:
        """Open a checkout; return the id of its deposit."""
        body = {"amount": amount, "currency": "NGN", "redirect_url": os.environ["REDIRECT_URL"]}
        made = self.exchange.post(f"{self.path}/deposits/checkout", body)
        return str(made["deposit"]["_id"])

    def withdraw(self, amount: int = 5000, bank_name: str = "Guaranty Trust Bank") -> str:
        """Request a withdrawal; return its id."""
        body = {
            "amount": amount,
            "currency": "NGN",
            "bank_name": bank_name,
            "account_name": "Forrest Green",
            "account_number": "0690000031",
        }
        made = self.exchange.post(f"{self.path}/wallet/withdraw", body)
        return str(made["withdrawalRequest"]["_id"])

    def buy(self, token: dict[str, Any], units: int) -> None:
        """Buy units of a token at the best offer."""
        book = self.exchange.get(f"/v1/orders/token/{token['_id']}/book")
        price = book["asks"][0]["price"]
        body = {
            "token_id": token["_id"],
            "type": "Buy",
            "price": float(price),
            "tokens": units,
            "user_id": self.id,
        }
        assert self.exchange.post("/v1/orders", body)["status"] == "Fulfilled"

    def borrow(self, token: dict[str, Any], units: int) -> dict[str, Any]:
        """Borrow against units of a token, half of what they cover; return the loan."""
        offers = self.exchange.get("/v1/api/credit/loan-configuration")
        offer = next(each for each in offers if "NGN" in each["max_amount"])
        value = units * token["price"]["sell"] * offer["collateral_ratio"]
        amount = int(value / 2)
        rate = offer["interest_rate"]
        body = {
            "loan_configuration_id": offer["id"],
            "user_id": self.id,
            "currency": "NGN",
            "amount": str(amount),
            "interest_rate": float(rate),
            "duration": 2,
            "repayment_amount": str(amount + 2 * amount * rate),
            "collaterals": [{"token_id": token["_id"], "quantity": units}],
        }
        loan: dict[str, Any] = self.exchange.post("/v1/api/credit/loan", body)
        return loan
