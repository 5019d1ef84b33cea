"""The steps of a dividend: the issuer proposes it, it is recorded, a member receives it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from http import HTTPStatus
from typing import Any

from config.local.demo.tour.client import Api, check, expect, read_json
from config.local.demo.tour.market import MarketTour

# A token of the organisation of the tour.
_SYMBOL = "LION"
_AMOUNT = Decimal("0.25")
# The record that is proposed; the sandbox makes it at once.
_LATER = timedelta(days=7)


@dataclass
class IncomeTour:
    """The steps of a dividend."""

    api: Api
    member: dict[str, Any]
    step: Callable[[str, str], None]

    def run(self) -> None:
        """Run the steps. Raises TourFailed."""
        token = self.buy()
        distribution = self.propose(token)
        if distribution is None:
            self.step("Dividend", f"{_SYMBOL} has paid today's already")
            return
        path = f"/v1/sandbox/distributions/{distribution['_id']}"
        recorded = expect(self.api.post(f"{path}/record", {}), 200)["data"]
        self.step(
            "Record",
            f"{recorded['holders']} holders receive {recorded['gross']:,} {token['currency']}",
        )
        paid = expect(self.api.post(f"{path}/pay", {}), 200)["data"]
        check(paid["status"] == "Paid", f"the dividend is {paid['status']}")
        self.see_income(distribution)

    def buy(self) -> dict[str, Any]:
        """Buy the smallest quantity of the token for the member; return the token."""
        token = self.api.get("/v1/api/token/search", symbol=_SYMBOL, exited="false")["tokens"][0]
        book = self.api.get(f"/v1/orders/token/{token['_id']}/book")
        MarketTour(self.api, self.member, self.step).buy(token, book["asks"])
        return dict(token)

    def propose(self, token: dict[str, Any]) -> dict[str, Any] | None:
        """Propose the dividend as the issuer; None where another tour had it today."""
        record_at = datetime.now(UTC) + _LATER
        response = self.api.post(
            f"/v1/api/token/{token['_id']}/distributions",
            {
                "type": "Dividend",
                "currency": token["currency"],
                "amount_per_unit": _AMOUNT,
                "record_at": record_at.isoformat(timespec="milliseconds"),
                "payment_date": str(record_at.date()),
            },
        )
        if response.status_code == HTTPStatus.CONFLICT:
            check(
                response.headers["X-Error-Code"] == "period_taken", read_json(response)["message"]
            )
            return None
        self.step("Dividend", f"{_AMOUNT} for a unit of {_SYMBOL} proposed")
        return dict(expect(response, 201)["data"])

    def see_income(self, distribution: dict[str, Any]) -> None:
        """Check that the member's wallet has the income."""
        query = {"distribution": distribution["_id"], "user_id": self.member["id"]}
        (income,) = self.api.get("/v1/api/income", **query)["income"]
        wallet = f"/v1/api/members/{self.member['id']}/wallet/transactions"
        rows = self.api.get(wallet, currency=distribution["currency"])["transactions"]
        paid = next(row for row in rows if row["subject"] == income["_id"])
        check(
            paid["amount"] == income["net"] == income["units"] * _AMOUNT - income["tax"],
            f"the wallet received {paid['amount']} of {income['net']}",
        )
        self.step(
            "Income",
            f"{self.member['name']} received {income['net']:,} {distribution['currency']}:"
            f" {paid['description']}",
        )
