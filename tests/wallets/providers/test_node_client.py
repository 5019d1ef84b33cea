"""The provider's own Node client against the sandbox: an independent reader of the wire format.

The package is looked for in `build/node`. With REQUIRE_NODE=1 it is installed there by npm when it
is missing, and nothing is skipped; otherwise the test skips where Node or the package is absent.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.wallets.providers.harness import SECRET_KEY

PACKAGE, VERSION = "flutterwave-node-v3", "1.3.2"
FOLDER = Path(__file__).parents[3] / "build" / "node"
REQUIRED = os.environ.get("REQUIRE_NODE") == "1"


def absent(what: str) -> None:
    if REQUIRED:
        pytest.fail(f"{what} is absent, and REQUIRE_NODE=1 asks for it")
    pytest.skip(f"{what} is absent; REQUIRE_NODE=1 installs {PACKAGE}@{VERSION} with npm")


def install() -> None:
    npm = shutil.which("npm")
    if npm is None:
        absent("npm")
    FOLDER.mkdir(parents=True, exist_ok=True)
    flags = ["--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--save-exact"]
    subprocess.run(
        [str(npm), "install", "--prefix", str(FOLDER), *flags, f"{PACKAGE}@{VERSION}"],
        check=True,
        timeout=240,
    )


@pytest.fixture
def package() -> Path:
    if shutil.which("node") is None:
        absent("Node.js")
    folder = FOLDER / "node_modules" / PACKAGE
    if not folder.exists():
        if not REQUIRED:
            absent(PACKAGE)
        install()
    assert json.loads((folder / "package.json").read_text())["version"] == VERSION
    return folder


@pytest.mark.node
def test_the_providers_own_client_lists_resolves_transfers_and_fetches(package, sandbox):
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
    assert len(got["balances"]["data"]) == 6
    assert sandbox.references() == ["payout_node"]
