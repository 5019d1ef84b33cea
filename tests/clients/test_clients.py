"""Clients generated from `/v1/schema` by common generators are typed and work over HTTP.

openapi-typescript with openapi-fetch, read by tsc; openapi-python-client, read by mypy; and the
linters Spectral and Redocly. What is installed stays in `build/`, what is generated does not.
"""

import json
import os
import shutil
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import requests

from credit.configurations.models import Access
from credit.loans.models import Loan
from exchange.tokens.models import Token
from orders.book.models import Order
from tests.environment.node import BUILD, REQUIRED, node_modules, skip_or_fail
from tests.environment.services import Service
from tests.factories.api_clients import ApiCaller, make_caller
from tests.factories.loan_configurations import make_configuration
from tests.factories.tokens import give_units, make_token
from tests.factories.wallets import Wallet, make_member_wallet, make_wallet
from tests.factories.withdrawals import store_bank_lists
from wallets.withdrawals.models import Withdrawal

pytestmark = [pytest.mark.node, pytest.mark.slow]

HERE = Path(__file__).parent
NODE = {
    "@redocly/cli": "2.77.0",
    "@stoplight/spectral-cli": "6.16.3",
    "openapi-fetch": "0.17.0",
    "openapi-typescript": "7.13.0",
    "typescript": "5.9.3",
}
PYTHON = ("openapi-python-client==0.29.1", "mypy==2.4.1")


def run(*command: object, folder: Path, **environment: str) -> str:
    """What `command` prints. Fails with all that it said when it ends with anything but 0."""
    ended = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 0, f"{command[0]}\n{ended.stdout}\n{ended.stderr}"
    return ended.stdout


@pytest.fixture(scope="module")
def modules() -> Path:
    """The Node.js packages."""
    return node_modules("node-clients", NODE)


@pytest.fixture(scope="module")
def generator() -> Path:
    """The programs of a separate environment with openapi-python-client and mypy."""
    home = BUILD / "python-clients"
    stamp = home / "installed"
    if not stamp.exists() or stamp.read_text() != " ".join(PYTHON):
        if not REQUIRED:
            skip_or_fail(PYTHON[0])
        run(sys.executable, "-m", "venv", "--clear", home, folder=HERE)
        run(home / "bin" / "pip", "install", "--quiet", *PYTHON, folder=HERE)
        stamp.write_text(" ".join(PYTHON))
    return home / "bin"


@pytest.fixture
def workplace(live_service: Service, tmp_path: Path) -> Path:
    """A folder with the document of the running service."""
    served = requests.get(f"{live_service.base_url}/v1/schema", timeout=30)
    assert served.status_code == 200
    (tmp_path / "openapi.json").write_bytes(served.content)
    return tmp_path


class ClientRecords:
    """An organisation with money, a token for sale, a member with units, and a lender."""

    def __init__(self, base_url: str) -> None:
        store_bank_lists()
        self.member = make_member_wallet(1000, currency="NGN")
        self.caller: ApiCaller = make_caller(organisation=self.member.organisation)
        Wallet(self.caller.organisation).fund("10000", "KES")
        self.token: Token = make_token(total_supply=Decimal(1000))
        give_units(self.token, self.member, 200)
        lender = make_wallet(5_000_000, currency="NGN")
        offer = make_configuration(lender.organisation, access=Access.PUBLIC)
        self.reported_text = json.dumps(
            {
                "base_url": base_url,
                "token": self.caller.token,
                "member_id": str(self.member.member_id),
                "token_id": str(self.token.id),
                "loan_configuration_id": str(offer.id),
            }
        )

    def verify(self, learned: dict[str, Any]) -> None:
        """Assert that the client's reported results match the service's records."""
        assert self.token.symbol in learned["symbols"]
        withdrawal = Withdrawal.objects.get()
        assert (learned["reference"], learned["withdrawal_status"]) == (
            withdrawal.reference,
            "Pending",
        )
        assert (withdrawal.amount, withdrawal.currency_id) == (Decimal("500.5"), "KES")
        order = Order.objects.get()
        assert (learned["order_id"], learned["total"]) == (str(order.id), 1)
        assert order.price == 100
        assert order.tokens == 2
        assert order.member_id == self.member.member_id
        loan = Loan.objects.get()
        assert (learned["loan_status"], learned["loan_collateral"]) == ("ACTIVE", 105)
        assert loan.amount == 8400
        assert loan.repayment_amount == 15960
        assert learned["missing"] == [404, "failed", "Order not found"]


def test_spectral_reports_no_problem(modules: Path, workplace: Path) -> None:
    rules = HERE / "typescript" / "spectral.yaml"
    run(
        modules / ".bin" / "spectral", "lint", "openapi.json", "-r", rules,
        "--fail-severity", "warn", folder=workplace,
    )  # fmt: skip


def test_redocly_reports_no_problem(modules: Path, workplace: Path) -> None:
    said = run(
        modules / ".bin" / "redocly", "lint", "openapi.json", "--format", "json",
        "--config", HERE / "typescript" / "redocly.yaml",
        folder=workplace, REDOCLY_TELEMETRY="off", REDOCLY_SUPPRESS_UPDATE_NOTICE="true",
    )  # fmt: skip
    assert json.loads(said)["totals"] == {"errors": 0, "warnings": 0, "ignored": 0}


def test_a_typescript_client_is_strictly_typed_and_works(
    modules: Path, workplace: Path, live_service: Service
) -> None:
    for name in ("program.ts", "tsconfig.json"):
        shutil.copy(HERE / "typescript" / name, workplace)
    (workplace / "package.json").write_text('{"type": "module"}')
    (workplace / "node_modules").symlink_to(modules)
    binaries = modules / ".bin"
    run(binaries / "openapi-typescript", "openapi.json", "-o", "schema.d.ts", folder=workplace)
    run(binaries / "tsc", "--strict", "--noEmit", folder=workplace)
    run(binaries / "tsc", folder=workplace)
    records = ClientRecords(live_service.base_url)
    records.verify(
        json.loads(run("node", "out/program.js", records.reported_text, folder=workplace))
    )


def test_a_python_client_is_strictly_typed_and_works(
    generator: Path, workplace: Path, live_service: Service
) -> None:
    for name in ("program.py", "mypy.ini", "generator.yaml"):
        shutil.copy(HERE / "python" / name, workplace)
    run(
        generator / "openapi-python-client", "generate", "--path", "openapi.json",
        "--meta", "none", "--output-path", "exchange_client", "--config", "generator.yaml",
        "--fail-on-warning",
        folder=workplace, PATH=f"{generator}{os.pathsep}{os.environ['PATH']}",
    )  # fmt: skip
    cache = BUILD / "python-clients" / "mypy"
    run(
        generator / "mypy", "--strict", "--config-file", "mypy.ini", "--cache-dir", cache,
        "exchange_client", "program.py", folder=workplace,
    )  # fmt: skip
    records = ClientRecords(live_service.base_url)
    records.verify(
        json.loads(run(generator / "python", "program.py", records.reported_text, folder=workplace))
    )
