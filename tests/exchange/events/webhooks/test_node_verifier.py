"""The public Node verifier accepts our signatures: another language, another author.

How the package gets there: `tests.environment.node`.
"""

import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from exchange.core.ids import uuid7
from exchange.events.webhooks.signing import new_secret, signed_headers
from tests.environment.node import node_modules

PACKAGE, VERSION = "standardwebhooks", "1.1.1"
BODY = '{"type":"withdrawal.created","data":{"name":"Zoë","amount":90.02}}'


@pytest.fixture
def package() -> Path:
    return node_modules("node-webhooks", {PACKAGE: VERSION}) / PACKAGE


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
def test_the_node_verifier_accepts_our_signatures_and_rejects_tampering(
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
