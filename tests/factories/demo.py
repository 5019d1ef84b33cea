"""The demo data as tests load it."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.test import Client, override_settings
from pytest_django import DjangoDbBlocker

from config.local.demo.data import total_deposits
from config.local.sandbox.rules import RETURNED_ACCOUNT
from tests.environment.module_transaction import module_transaction
from tests.environment.owner import as_owner
from tests.environment.services import PROVIDER_SECRET_KEY, PROVIDER_WEBHOOK_HASH, Sandbox
from tests.factories.payouts import call_sandbox
from wallets.banks.services import clear_bank_cache
from wallets.providers.registry import payment_provider

CURRENCIES = ["NGN", "KES", "GHS", "ZAR", "UGX", "TZS", "USD"]


def load_demo_data(data_dir: Path, base_url: str = "http://127.0.0.1:8000") -> dict[str, Any]:
    """Load the demo data with the rights of the owner, in the open transaction."""
    with as_owner():
        call_command(
            "load_demo",
            base_url=base_url,
            provider_url="http://127.0.0.1:8001/v3",
            owner_database="default",
            verbosity=0,
        )
    content: dict[str, Any] = json.loads((data_dir / "demo.json").read_text())
    return content


def read_wallet(access_token: str) -> Any:
    return Client().get("/v1/api/wallet", headers={"Authorization": f"Bearer {access_token}"})


@contextmanager
def demo_data_for_module(
    folder: Path, sandbox: Sandbox, blocker: DjangoDbBlocker
) -> Iterator[dict[str, Any]]:
    """Load the demo data into `folder` and the database; rolled back when the module ends.

    The provider's balance covers the demo's deposits, as in a new installation.
    """
    provider = {
        **settings.PAYMENT_PROVIDER,
        "base_url": sandbox.base_url,
        "secret_key": PROVIDER_SECRET_KEY,
        "webhook_hash": PROVIDER_WEBHOOK_HASH,
    }
    sandbox.reset()
    sandbox.remove("transactions")
    with (
        override_settings(
            DATA_DIR=folder,
            PAYMENT_PROVIDER=provider,
            DEMO_WEBHOOK_URL="",
            DISTRIBUTION_NOTICE_DAYS=0,
        ),
        module_transaction(blocker),
    ):
        payment_provider.cache_clear()
        clear_bank_cache()
        await_returns(sandbox)
        before = call_sandbox(sandbox, "GET", "float")
        for currency, amount in total_deposits().items():
            if currency in before:
                call_sandbox(sandbox, "POST", "float", currency=currency, amount=str(amount))
        yield load_demo_data(folder)
        for currency, amount in before.items():
            call_sandbox(sandbox, "POST", "float", currency=currency, amount=amount)
    payment_provider.cache_clear()


def await_returns(sandbox: Sandbox) -> None:
    """Wait until the sandbox has returned the payouts of other tests."""
    deadline = time.monotonic() + 10
    while any(
        (row["account_number"], row["status"]) == (RETURNED_ACCOUNT, "SUCCESSFUL")
        for row in call_sandbox(sandbox, "GET", "transfers")
    ):
        assert time.monotonic() < deadline
        time.sleep(0.05)
