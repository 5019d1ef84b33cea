"""An organisation that sets outcomes by `/v1/sandbox`."""

from decimal import Decimal
from typing import Any

from exchange.events.models import Event
from tests.factories.api_clients import make_caller
from tests.factories.wallets import Wallet, balance_of, make_wallet
from wallets.banks.services import bank_directory


class Client:
    """An organisation with 100,000 of a currency and a key for everything."""

    def __init__(self, currency: str = "KES", wallet: Wallet | None = None) -> None:
        self.wallet = wallet or make_wallet(100_000, currency=currency)
        self.caller = make_caller(organisation=self.wallet.organisation)
        self.currency = currency

    def set(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.caller.post(f"/v1/sandbox/{path}", body, **headers)

    def withdraw(self, amount: int = 5000, **more: Any) -> str:
        body = {
            "amount": amount,
            "currency": self.currency,
            "bank_name": bank_directory(self.currency).banks[0].name,
            "account_name": "Ada",
            "account_number": "0690000031",
            **more,
        }
        made = self.caller.post("/v1/api/wallet/withdraw", body)
        assert made.status_code == 201, made.content
        return str(made.json()["data"]["withdrawalRequest"]["_id"])

    def decide(self, withdrawal: str, *outcomes: str) -> Any:
        for outcome in outcomes:
            answer = self.set(f"withdrawals/{withdrawal}/{outcome}")
        return answer

    @property
    def available(self) -> Decimal | int:
        return balance_of(self.wallet.owner_id, self.currency)


def status_of(answer: Any) -> str:
    assert answer.status_code in {200, 201}, answer.content
    return str(answer.json()["data"]["status"])


def events_about(record: str) -> list[str]:
    found = Event.objects.filter(subject_id=record).order_by("id")
    return list(found.values_list("type", flat=True))
