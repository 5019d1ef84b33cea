"""The steps of money coming in: an account number, a payment into it, a transfer to a member."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import requests

from config.local.demo.tour.client import Api, TourFailed, check, expect
from config.local.demo.tour.webhooks import Webhooks

CURRENCY = "NGN"
AMOUNT = Decimal(50_000)
_BVN = "12345678901"
_PAYER = {"name": "Chidi Okeke", "bank": "Access Bank"}
_OWN = {"wallet": "organisation"}
_TIMEOUT_SECONDS = 10
_WALLET = "/v1/api/wallet"


@dataclass
class MoneyInTour:
    """Money into the organisation's wallet and on to a member; `step` prints a completed step.

    Only the sandbox has a control to pay into an account: with a real provider the steps after the
    account number are left out.
    """

    api: Api
    member: dict[str, Any]
    provider_url: str
    webhooks: Webhooks
    step: Callable[[str, str], None]

    def run(self) -> None:
        """Run the steps of money coming in. Raises TourFailed."""
        account = self.open_account()
        before = self.available(_WALLET)
        transaction = self.pay(account)
        if transaction is None:
            self.step("Payment", "not the sandbox: no payment into the account")
            return
        deposit = self.await_deposit(transaction)
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

    def pay(self, account: dict[str, Any]) -> dict[str, Any] | None:
        """Pay into the account by the sandbox's control; return None for a real provider."""
        root = self.provider_url.removesuffix("/v3")
        payment = {
            "account_number": account["account_number"],
            "amount": str(AMOUNT),
            "payer": _PAYER,
        }
        try:
            response = requests.post(f"{root}/sandbox/pay", json=payment, timeout=_TIMEOUT_SECONDS)
        except requests.RequestException:
            return None
        if response.status_code == requests.codes.not_found:
            return None
        if not response.ok:
            raise TourFailed(f"The sandbox took no payment: {response.status_code}")
        transaction: dict[str, Any] = response.json()
        self.step(
            "Payment",
            f"{_PAYER['name']} pays {AMOUNT:,} {CURRENCY}, transaction {transaction['id']}",
        )
        return transaction

    def await_deposit(self, transaction: dict[str, Any]) -> dict[str, Any]:
        """Wait for the webhook of the deposit, and check the record."""

        def is_ours(event: dict[str, Any]) -> bool:
            return bool(event["data"]["deposit"]["provider_reference"] == transaction["flw_ref"])

        event = self.webhooks.verify("deposit.completed", is_ours)
        deposit = self.api.get(f"/v1/api/deposits/{event['data']['deposit']['_id']}")
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
