"""The public Node verifier reads what we sign: another language, another author.

The package is looked for in `build/node`. With REQUIRE_NODE=1 it is installed there by npm when it
is missing, and nothing is skipped; otherwise the test skips where Node or the package is absent.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from exchange.ids import uuid7
from exchange.webhooks.signing import new_secret, signed_headers

PACKAGE, VERSION = "standardwebhooks", "1.1.1"
FOLDER = Path(__file__).parents[3] / "build" / "node-webhooks"
REQUIRED = os.environ.get("REQUIRE_NODE") == "1"
BODY = '{"type":"withdrawal.created","data":{"name":"Zoë","amount":90.02}}'


def absent(what: str) -> None:
    if REQUIRED:
        pytest.fail(f"{what} is absent, and REQUIRE_NODE=1 asks for it")
    pytest.skip(f"{what} is absent; REQUIRE_NODE=1 installs {PACKAGE}@{VERSION} with npm")


@pytest.fixture
def package() -> Path:
    if shutil.which("node") is None:
        absent("Node.js")
    folder = FOLDER / "node_modules" / PACKAGE
    if not folder.exists():
        npm = shutil.which("npm")
        if not REQUIRED or npm is None:
            absent(PACKAGE)
        FOLDER.mkdir(parents=True, exist_ok=True)
        flags = ["--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"]
        subprocess.run(
            [str(npm), "install", "--prefix", str(FOLDER), *flags, f"{PACKAGE}@{VERSION}"],
            check=True,
            timeout=240,
        )
    return folder


def verify(package: Path, secret: str, body: str, headers: dict[str, str]) -> tuple[int, str]:
    ran = subprocess.run(
        ["node", str(Path(__file__).with_name("verify.js")), str(package), secret],
        input=json.dumps({"body": body, "headers": headers}),
        check=False,
        capture_output=True,
        text=True,
        timeout=30,
    )
    return ran.returncode, ran.stdout.strip()


@pytest.mark.node
def test_the_node_verifier_accepts_what_we_sign_and_refuses_what_was_tampered_with(
    package: Path,
) -> None:
    new, old = new_secret(), new_secret()
    headers = signed_headers(
        event_id=uuid7(), body=BODY, signing_secrets=[new, old], at=datetime.now(UTC)
    )
    for secret in (new, old):
        assert verify(package, secret, BODY, headers) == (0, "withdrawal.created")
    refused = (1, "No matching signature found")
    assert verify(package, new_secret(), BODY, headers) == refused
    assert verify(package, new, BODY.replace("90.02", "9002"), headers) == refused
    assert verify(package, new, BODY, {**headers, "webhook-id": str(uuid7())}) == refused
