"""The steps of the tour. Expectations are exact; the first failure ends it with one line."""

import os
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import requests

from config.local.demo.tour.client import Api, TourFailed, check, expect
from config.local.demo.tour.income import IncomeTour
from config.local.demo.tour.market import MarketTour
from config.local.demo.tour.money_in import MoneyInTour
from config.local.demo.tour.receiver import Receiver
from config.local.demo.tour.webhooks import Webhooks

CURRENCY = "NGN"
AMOUNT = Decimal(25_000)
BANK_NAME = "Guaranty Trust Bank"
SHORT_BANK_NAME = "Guaranty Trust"
# One of the provider's published test accounts, and its account name.
ACCOUNT_NUMBER = "0690000031"
ACCOUNT_NAME = "Forrest Green"

_PROOF_SECONDS = 60.0
_TOUR_SECONDS = 120.0
_MANAGE = Path(__file__).resolve().parents[4] / "manage.py"


@dataclass
class Tour:
    """One run of the tour. `say` prints a line; `data_dir` is the service's."""

    demo: dict[str, Any]
    data_dir: Path
    say: Callable[[str], None]
    api: Api = field(init=False)
    steps: int = field(default=0, init=False)
    started: float = field(default_factory=time.monotonic, init=False)

    def __post_init__(self) -> None:
        self.api = Api(self.demo["base_url"])
        self.organisation = self.demo["organisations"][0]
        self.member = next(
            member
            for member in self.demo["members"]
            if member["organisation"] == self.organisation["id"]
        )
        self.wallet_path = f"/v1/api/members/{self.member['id']}/wallet"

    def run(self) -> None:
        """Run all steps in order. Raises TourFailed."""
        self.get_token()
        with Receiver() as receiver, self.webhook_at(receiver.url) as secret:
            webhooks = Webhooks(receiver, secret, self.step)
            MoneyInTour(self.api, self.member, webhooks, self.step).run()
            MarketTour(self.api, self.member, self.step).run()
            before = self.see_wallet()
            self.look_up_bank()
            fee = self.look_up_fee()
            self.try_wrong_bank_name()
            withdrawal = self.withdraw()
            self.see_escrow(before)
            self.set_outcome(withdrawal, "approve", "Approved", "Approval")
            self.set_outcome(withdrawal, "complete", "Completed", "Payout")
            self.see_transfer(withdrawal, AMOUNT - fee)
            webhooks.verify(
                "withdrawal.completed",
                lambda event: event["data"]["withdrawal"]["_id"] == withdrawal["_id"],
            )
        self.read_entries(withdrawal, before)
        self.read_statement(withdrawal)
        IncomeTour(self.api, self.member, self.step).run()
        self.prove_books()

    def get_token(self) -> None:
        """Get an access token with client credentials."""
        token = self.api.log_in(self.organisation["client_id"], self.organisation["client_secret"])
        check(
            "sandbox" in token["scope"].split(),
            "the tour needs an installation whose payment provider is the sandbox",
        )
        self.step(
            "Access token", f"issued to {self.organisation['name']} for {token['expires_in']} s"
        )

    def see_wallet(self) -> dict[str, Decimal]:
        """Return the member's balances in the tour's currency before the withdrawal."""
        rows = self.api.get(self.wallet_path)
        held = ", ".join(f"{row['currency']} {row['available']:,}" for row in rows)
        self.step("Wallet", f"{self.member['name']} holds {held}")
        return self._balance(rows)

    def look_up_bank(self) -> None:
        """Check the provider's bank list."""
        banks = self.api.get("/v1/api/banks", currency=CURRENCY)
        check(
            any(bank["name"] == BANK_NAME for bank in banks),
            f"{BANK_NAME} is not among the {CURRENCY} banks",
        )
        self.step("Banks", f"{len(banks)} banks in {CURRENCY}, including {BANK_NAME}")

    def look_up_fee(self) -> Decimal:
        """Return the fee of the withdrawal."""
        fee = self.api.get("/v1/api/withdrawals/fee", currency=CURRENCY, amount=str(AMOUNT))
        check(
            fee["disburse_amount"] == AMOUNT - fee["fee"],
            "fee and net payout do not add up",
        )
        self.step(
            "Fee",
            f"{fee['fee']:,} of {AMOUNT:,} {CURRENCY}; net payout {fee['disburse_amount']:,}",
        )
        return Decimal(fee["fee"])

    @contextmanager
    def webhook_at(self, url: str) -> Iterator[str]:
        """Send events to `url` inside the block; yield the signing secret."""
        former = self._former_webhook()
        now = self.api.put("/v1/api/webhook", {"url": url, "enabled": True})
        self.step("Webhook", f"events are sent to {url} during the tour")
        try:
            yield now.get("secret") or self.organisation["webhook_secret"]
        finally:
            self.api.put("/v1/api/webhook", former or {"url": url, "enabled": False})

    def try_wrong_bank_name(self) -> None:
        """Check that a short bank name is rejected with a suggestion."""
        response = self.api.post(f"{self.wallet_path}/withdraw", self._order(SHORT_BANK_NAME))
        message = expect(response, 404)["message"]
        check(f"did you mean {BANK_NAME}" in message, f"no suggestion in: {message}")
        self.step("Wrong bank name", f"404: {message}")

    def withdraw(self) -> dict[str, Any]:
        """Request the withdrawal twice with one key: it is created once."""
        key = f"tour-{uuid.uuid4()}"
        path = f"{self.wallet_path}/withdraw"
        first = self.api.post(path, self._order(BANK_NAME), Idempotency_Key=key)
        data = expect(first, 201)["data"]
        withdrawal, bank = data["withdrawalRequest"], data["bank"]
        check(withdrawal["status"] == "Pending", f"its first status is {withdrawal['status']}")
        check(bank["account_name"] == ACCOUNT_NAME, f"the account name is {bank['account_name']}")
        self.step(
            "Withdrawal",
            f"{withdrawal['reference']} is Pending,"
            f" to {bank['account_name']} at {bank['name']} ({bank['code']})",
        )
        again = self.api.post(path, self._order(BANK_NAME), Idempotency_Key=key)
        check(
            again.headers.get("Idempotent-Replayed") == "true" and again.content == first.content,
            "the repeated request did not return the first response",
        )
        self.step("Repeated request", "same Idempotency-Key, same response, no second effect")
        return dict(withdrawal)

    def see_escrow(self, before: dict[str, Decimal]) -> None:
        """Check that the amount moved to escrow."""
        now = self._balance(self.api.get(self.wallet_path))
        check(
            now["available"] == before["available"] - AMOUNT
            and now["escrow"] == before["escrow"] + AMOUNT
            and now["total"] == before["total"],
            "the amount did not move from available to escrow",
        )
        self.step("Escrow", f"{AMOUNT:,} {CURRENCY} moved from available to escrow")

    def set_outcome(
        self, withdrawal: dict[str, Any], outcome: str, status: str, title: str
    ) -> None:
        """Set an outcome of the withdrawal at the sandbox, and check its status."""
        path = f"/v1/sandbox/withdrawals/{withdrawal['_id']}/{outcome}"
        found = expect(self.api.post(path, {}), 200)["data"]["status"]
        check(found in {status, "Processing"}, f"the withdrawal is {found}")
        self.step(title, f"set at the sandbox with {outcome!r}: the withdrawal is {found}")

    def see_transfer(self, withdrawal: dict[str, Any], disbursed: Decimal) -> None:
        """Check the transfer at the provider's sandbox."""
        root = self.demo["provider_url"].removesuffix("/v3")
        transfers = requests.get(f"{root}/sandbox/transfers", timeout=10).json()
        ours = [row for row in transfers if row["reference"] == withdrawal["reference"]]
        check(len(ours) == 1, f"the provider has {len(ours)} transfers with the reference")
        (transfer,) = ours
        check(
            Decimal(str(transfer["amount"])) == disbursed and transfer["status"] == "SUCCESSFUL",
            f"the provider paid {transfer['amount']}: {transfer['status']}",
        )
        self.step(
            "Provider",
            f"transfer {transfer['id']}: {disbursed:,} {CURRENCY} to {transfer['account_number']}",
        )

    def read_entries(self, withdrawal: dict[str, Any], before: dict[str, Decimal]) -> None:
        """Check the entries of the withdrawal, and the member's balance."""
        page = self.api.get(f"{self.wallet_path}/transactions", currency=CURRENCY)
        rows = [row for row in page["transactions"] if row["subject"] == withdrawal["_id"]]
        entries = [(row["type"], row["account"], row["amount"]) for row in reversed(rows)]
        check(
            sorted(entries)
            == [
                ("withdrawal_hold", "available", -AMOUNT),
                ("withdrawal_hold", "escrow", AMOUNT),
                ("withdrawal_settle", "escrow", -AMOUNT),
            ],
            f"the entries are {entries}",
        )
        now = self._balance(self.api.get(self.wallet_path))
        check(
            now["total"] == before["total"] - AMOUNT and now["escrow"] == before["escrow"],
            "the balance did not decrease by the amount",
        )
        self.step(
            "Entries",
            ", ".join(f"{account} {amount:+,}" for _, account, amount in entries)
            + f": {now['available']:,} {CURRENCY} left",
        )

    def read_statement(self, withdrawal: dict[str, Any]) -> None:
        """Check that the movements of the member's statement lead to the balance."""
        # A tour around midnight moved money on two days.
        today = datetime.now(UTC).date()
        statement = self.api.get(
            f"/v1/api/members/{self.member['id']}/statement",
            currency=CURRENCY,
            **{"from": str(today - timedelta(days=1)), "to": str(today)},
        )
        now = self._balance(self.api.get(self.wallet_path))
        opening, closing = statement["opening"]["total"], statement["closing"]["total"]
        check(
            opening + sum(each["amount"] for each in statement["movements"]) == closing,
            "the movements of the statement do not lead to its closing balance",
        )
        available = statement["closing"]["available"]
        check(
            available == now["available"],
            f"the statement closes with {available}, the wallet holds {now['available']}",
        )
        paid = [each for each in statement["movements"] if each["subject"] == withdrawal["_id"]]
        check(bool(paid), "the statement lacks the withdrawal")
        self.step(
            "Statement",
            f"opening balance {opening:,}, {len(statement['movements'])} movements, closing balance"
            f" {closing:,} {CURRENCY}, {available:,} available; last {paid[-1]['description']!r}",
        )

    def prove_books(self) -> None:
        """Prove the books with the operator's command."""
        try:
            done = subprocess.run(  # noqa: S603 - our own program
                [sys.executable, str(_MANAGE), "prove_books"],
                env={**os.environ, "DATA_DIR": str(self.data_dir)},
                capture_output=True,
                text=True,
                timeout=_PROOF_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise TourFailed(f"prove_books took longer than {_PROOF_SECONDS:g} seconds") from error
        lines = (done.stdout + done.stderr).strip().splitlines()
        check(done.returncode == 0, "prove_books: " + (lines[-1] if lines else "no output"))
        self.step("Proof of books", lines[-1])

    def step(self, title: str, text: str) -> None:
        """Print a completed step; raise TourFailed when the tour takes too long."""
        check(
            time.monotonic() - self.started < _TOUR_SECONDS,
            f"the tour took longer than {_TOUR_SECONDS:g} seconds",
        )
        self.steps += 1
        self.say(f"{self.steps:>2}. {title:<18} {text}")

    def _order(self, bank_name: str) -> dict[str, Any]:
        return {
            "amount": int(AMOUNT),
            "bank_name": bank_name,
            "account_name": ACCOUNT_NAME,
            "account_number": ACCOUNT_NUMBER,
            "currency": CURRENCY,
        }

    def _former_webhook(self) -> dict[str, Any] | None:
        response = self.api.try_get("/v1/api/webhook")
        if response.status_code == requests.codes.not_found:
            return None
        former = expect(response, 200)["data"]
        return {"url": former["url"], "enabled": former["enabled"]}

    def _balance(self, rows: list[dict[str, Any]]) -> dict[str, Decimal]:
        return next(row for row in rows if row["currency"] == CURRENCY)
