"""Signatures, checked by the public verifier library."""

import base64
import hashlib
import hmac
from datetime import UTC, datetime, timedelta, timezone

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from exchange.core.ids import uuid7
from exchange.events.webhooks.signing import new_secret, signed_headers

BODY = '{"id":"1","type":"withdrawal.created","data":{"name":"Zoë","amount":90.02}}'


def test_the_public_verifier_accepts_a_signed_body() -> None:
    secret, event_id = new_secret(), uuid7()
    headers = signed_headers(
        event_id=event_id, body=BODY, signing_secrets=[secret], at=datetime.now(UTC)
    )
    assert set(headers) == {"webhook-id", "webhook-timestamp", "webhook-signature"}
    assert headers["webhook-id"] == str(event_id)
    assert Webhook(secret).verify(BODY.encode(), headers)["data"]["name"] == "Zoë"


def test_a_secret_is_whsec_and_32_random_bytes() -> None:
    one, other = new_secret(), new_secret()
    assert one != other
    assert one.startswith("whsec_")
    assert len(base64.b64decode(one.removeprefix("whsec_"), validate=True)) == 32


def test_the_signature_is_the_hmac_of_id_timestamp_and_body() -> None:
    secret, event_id = new_secret(), uuid7()
    at = datetime(2026, 1, 2, 4, 4, 5, 999_000, tzinfo=timezone(timedelta(hours=1)))
    headers = signed_headers(event_id=event_id, body=BODY, signing_secrets=[secret], at=at)
    assert headers["webhook-timestamp"] == "1767323045"
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"{event_id}.1767323045.{BODY}".encode(), hashlib.sha256).digest()
    assert headers["webhook-signature"] == "v1," + base64.b64encode(digest).decode()


@pytest.mark.parametrize("tampered", ["body", "webhook-id", "webhook-timestamp", "secret"])
def test_the_public_verifier_rejects_tampering(tampered: str) -> None:
    secret = new_secret()
    at = datetime.now(UTC)
    headers = signed_headers(event_id=uuid7(), body=BODY, signing_secrets=[secret], at=at)
    body = BODY
    if tampered == "body":
        body = BODY.replace("90.02", "90.03")
    elif tampered == "webhook-id":
        headers["webhook-id"] = str(uuid7())
    elif tampered == "webhook-timestamp":
        headers["webhook-timestamp"] = str(int(at.timestamp()) + 1)
    else:
        secret = new_secret()
    with pytest.raises(WebhookVerificationError, match="No matching signature"):
        Webhook(secret).verify(body, headers)


def test_during_rotation_both_secrets_verify_and_no_other() -> None:
    new, old = new_secret(), new_secret()
    headers = signed_headers(
        event_id=uuid7(), body=BODY, signing_secrets=[new, old], at=datetime.now(UTC)
    )
    assert [part[:3] for part in headers["webhook-signature"].split(" ")] == ["v1,", "v1,"]
    Webhook(new).verify(BODY, headers)
    Webhook(old).verify(BODY, headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(new_secret()).verify(BODY, headers)
