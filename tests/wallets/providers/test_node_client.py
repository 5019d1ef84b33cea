"""The provider's own Node client against the sandbox: an independent reader of the wire format.

How the package gets there: `tests.environment.node`.
"""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.environment.node import node_modules
from tests.wallets.providers.harness import SECRET_KEY

PACKAGE, VERSION = "flutterwave-node-v3", "1.3.2"


@pytest.fixture
def package() -> Path:
    return node_modules("node", {PACKAGE: VERSION}) / PACKAGE


@pytest.mark.node
def test_the_providers_own_client_pays_out_and_takes_money_in(package, sandbox):
    ran = subprocess.run(
        [
            *("node", str(Path(__file__).with_name("node_client.js"))),
            *(str(package), f"{sandbox.server.url}/", SECRET_KEY),
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    got = json.loads(ran.stdout)
    assert {"id": 101, "code": "044", "name": "Access Bank"} in got["banks"]["data"]
    assert len(got["branches"]["data"]) == 4
    assert got["account"]["data"] == {
        "account_number": "0690000032",
        "account_name": "Pastor Bright",
    }
    assert got["unknown"]["status"] == "error"
    assert got["transfer"]["message"] == "Transfer Queued Successfully"
    assert got["transfer"]["data"]["amount"] == 90.02
    assert got["transfer"]["data"]["status"] == "NEW"
    assert got["again"] == {
        "status": "error",
        "message": "Transfer with this reference already exists",
        "data": None,
    }
    assert got["refused"]["message"] == "Payout was made to a blacklisted account number"
    assert got["one"]["data"] == got["transfer"]["data"]
    assert got["list"]["data"] == [got["transfer"]["data"]]
    assert got["every"]["meta"]["page_info"] == {
        "total": 1,
        "current_page": 1,
        "total_pages": 1,
    }
    assert got["fee"]["data"] == [{"currency": "NGN", "fee_type": "value", "fee": 26.875}]
    assert len(got["balances"]["data"]) == 7
    assert sandbox.references() == ["payout_node"]
    assert_money_in(got)


def assert_money_in(got: dict[str, Any]) -> None:
    """Virtual accounts, two payments into one, their status checks, list and a refund."""
    assert got["virtual"]["message"] == "Virtual account created"
    assert got["virtual"]["data"]["note"] == "Please make a bank transfer to Ada Obi"
    assert got["virtual"]["data"]["amount"] is None
    assert (got["dynamic"]["data"]["amount"], got["dynamic"]["data"]["frequency"]) == (700, 1)
    first, second = got["paid"]
    assert got["verified"]["message"] == "Transaction fetched successfully"
    assert got["verified"]["data"] == first
    assert (first["amount"], first["app_fee"], first["amount_settled"]) == (1000.1, 14, 986.1)
    assert (first["tx_ref"], first["status"]) == ("va_node", "successful")
    assert got["verifiedByReference"]["data"] == second
    assert got["noTransaction"] == {
        "status": "error",
        "message": "No transaction was found for this id",
        "data": None,
    }
    assert got["transactions"]["data"] == [second, first]
    assert got["transactions"]["meta"]["page_info"]["total"] == 2
    assert got["refund"]["data"]["amount_refunded"] == 2
