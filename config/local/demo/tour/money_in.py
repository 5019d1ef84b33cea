"""The steps of money coming in: an account number, a payment into it, a transfer to a member."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from config.local.demo.tour.client import Api, check, expect
from config.local.demo.tour.webhooks import Webhooks

CURRENCY = "NGN"
AMOUNT = Decimal(50_000)
_BVN = "12345678901"
_PAYER = "Chidi Okeke"
_OWN = {"wallet": "organisation"}
_WALLET = "/v1/api/wallet"


@dataclass
class MoneyInTour:
    """Money into the organisation's wallet and on to a member; `step` prints a completed step."""

    api: Api
    member: dict[str, Any]
    webhooks: Webhooks
    step: Callable[[str, str], None]

    def run(self) -> None:
        """Run the steps of money coming in. Raises TourFailed."""
        account = self.open_account()
        before = self.available(_WALLET)
        deposit = self.pay(account)
        check(
            self.available(_WALLET) == before + AMOUNT,
            "the wallet did not increase by the payment",
        )
        self.transfer(deposit)

    def open_account(self) -> dict[str, Any]:
        """Return the organisation's virtual account, opened if needed."""
        body = {"currency": CURRENCY, "bvn": _BVN}
        account = expect(self.api.post(f"{_WALLET}/virtual-accounts", body), 201)["data"]
        self.step(
            "Virtual account",
            f"{account['account_number']} at {account['bank_name']}, {account['account_name']}",
        )
        return dict(account)

    def pay(self, account: dict[str, Any]) -> dict[str, Any]:
        """Pay into the account at the sandbox, and check the deposit and its webhook."""
        payment = {
            "account_number": account["account_number"],
            "amount": AMOUNT,
            "payer_name": _PAYER,
        }
        deposit = expect(self.api.post("/v1/sandbox/deposits", payment), 201)["data"]
        self.step("Payment", f"{_PAYER} pays {AMOUNT:,} {CURRENCY} into the account")
        self.webhooks.verify(
            "deposit.completed", lambda event: event["data"]["deposit"]["_id"] == deposit["_id"]
        )
        check(
            (deposit["status"], deposit["net_amount"], deposit["channel"])
            == ("Completed", AMOUNT, "virtual_account"),
            f"the deposit is {deposit['status']} with {deposit['net_amount']}",
        )
        self.step(
            "Deposit",
            f"{deposit['reference']}: {deposit['net_amount']:,} {CURRENCY} credited, from"
            f" {deposit['payer']['name']}",
        )
        return dict(deposit)

    def transfer(self, deposit: dict[str, Any]) -> None:
        """Transfer the deposit to the member, under the deposit's reference."""
        wallet = f"/v1/api/members/{self.member['id']}/wallet"
        before = self.available(wallet)
        body = {
            "from": _OWN,
            "to": {"user_id": self.member["id"]},
            "amount": AMOUNT,
            "currency": CURRENCY,
            "client_reference": deposit["reference"],
        }
        transfer = expect(self.api.post("/v1/api/transfers", body), 201)["data"]
        check(transfer["status"] == "Completed", f"the transfer is {transfer['status']}")
        check(self.available(wallet) == before + AMOUNT, "the transfer did not arrive")
        self.step(
            "Transfer", f"{AMOUNT:,} {CURRENCY} to {self.member['name']}: {transfer['status']}"
        )

    def available(self, wallet: str) -> Decimal:
        """Return the available balance of a wallet in the currency of the steps."""
        rows = self.api.get(wallet)
        return next(Decimal(row["available"]) for row in rows if row["currency"] == CURRENCY)
