"""The steps of a dividend: the issuer proposes it, staff announce it, a member receives it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from http import HTTPStatus
from typing import Any

from config.local.demo.tour.backoffice import StaffSession
from config.local.demo.tour.client import Api, check, expect, read_json, wait_for
from config.local.demo.tour.market import MarketTour

# A token of the organisation of the tour.
_SYMBOL = "LION"
_AMOUNT = Decimal("0.25")
# Until the record: time for the approval.
_SOON = timedelta(seconds=5)
_WAIT_SECONDS = 90.0


@dataclass
class IncomeTour:
    """The steps of a dividend; `office` is the session of a finance approver."""

    api: Api
    member: dict[str, Any]
    office: StaffSession
    admin_url: str
    step: Callable[[str, str], None]

    def run(self) -> None:
        """Run the steps. Raises TourFailed."""
        token = self.buy()
        distribution = self.propose(token)
        if distribution is None:
            self.step("Dividend", f"{_SYMBOL} has paid today's already")
            return
        self.approve(distribution)
        path = f"/v1/api/distributions/{distribution['_id']}"
        self.await_status(path, "Recorded")
        funded = expect(self.api.post(f"{path}/fund", {}), 200)["data"]
        self.step(
            "Record", f"{funded['holders']} holders; {funded['gross']:,} {token['currency']} funded"
        )
        self.await_status(path, "Paid")
        self.see_income(distribution)

    def buy(self) -> dict[str, Any]:
        """Buy the smallest quantity of the token for the member; return the token."""
        token = self.api.get("/v1/api/token/search", symbol=_SYMBOL, exited="false")["tokens"][0]
        book = self.api.get(f"/v1/orders/token/{token['_id']}/book")
        MarketTour(self.api, self.member, self.step).buy(token, book["asks"])
        return dict(token)

    def propose(self, token: dict[str, Any]) -> dict[str, Any] | None:
        """Propose the dividend as the issuer; None where another tour had it today."""
        record_at = datetime.now(UTC) + _SOON
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
        return dict(expect(response, 201)["data"])

    def approve(self, distribution: dict[str, Any]) -> None:
        """Announce the dividend on its page."""
        address = f"{self.admin_url}credit/distribution/{distribution['_id']}/change/"
        page = self.office.open(address)
        confirmation = self.office.open(page.link_with("/approve/"))
        form, button = confirmation.form_with_button("Announce")
        self.office.send(confirmation, form, button)
        self.step("Dividend", f"{_AMOUNT} for a unit of {_SYMBOL} proposed and announced")

    def await_status(self, path: str, status: str) -> None:
        """Wait until the distribution has the status."""
        wait_for(
            f"the dividend to be {status}",
            _WAIT_SECONDS,
            lambda: self.api.get(path)["status"] == status or None,
        )

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
