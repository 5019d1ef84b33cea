"""Stored secrets are encrypted again with the first key; the others are then not needed."""

import pytest
from cryptography.fernet import Fernet
from django.core.management import call_command
from django.db import connection

from config.back_office.roles import AUDITOR
from config.local.demo.loader import enrol_second_factor
from exchange.core.crypto import key_position, reencrypt
from exchange.core.reencryption import EncryptedColumn, encrypted_columns, reencrypt_column
from exchange.events.models import WebhookEndpoint
from exchange.staff.models import SecondFactor
from tests.factories.api_clients import make_organisation
from tests.factories.staff import create_staff

pytestmark = pytest.mark.django_db

OLD, NEW = Fernet.generate_key().decode(), Fernet.generate_key().decode()
SECRETS = EncryptedColumn("exchange_webhookendpoint", "id", "secret")


@pytest.fixture
def stored(settings) -> list[str]:
    """Three webhook secrets and a second factor under the old key."""
    settings.FIELD_ENCRYPTION_KEYS = [OLD]
    secrets = [f"whsec_{number}" for number in range(3)]
    for secret in secrets:
        WebhookEndpoint.objects.create(
            organisation=make_organisation(), url="https://example.com/", secret=secret
        )
    enrol_second_factor(create_staff("amina", "correct horse battery", AUDITOR))
    return secrets


def positions() -> set[int | None]:
    return {
        key_position(value)
        for column in encrypted_columns()
        for batch in column.batches()
        for _, value in batch
    }


def test_every_encrypted_column_is_known() -> None:
    assert {str(column) for column in encrypted_columns()} == {
        "exchange_webhookendpoint.secret",
        "exchange_webhookendpoint.previous_secret",
        "exchange_secondfactor.secret_encrypted",
    }


def test_after_reencryption_the_old_key_is_not_needed(stored, settings, capsys) -> None:
    factor = SecondFactor.objects.get().secret
    settings.FIELD_ENCRYPTION_KEYS = [NEW, OLD]
    with pytest.raises(SystemExit, match="1"):
        call_command("reencrypt", "--check")
    shown = capsys.readouterr()
    assert "exchange_webhookendpoint.secret: 3 with key 2" in shown.out
    assert "a key other than the first is still needed" in shown.err
    call_command("reencrypt")
    assert "exchange_webhookendpoint.secret: re-encrypted 3" in capsys.readouterr().out
    settings.FIELD_ENCRYPTION_KEYS = [NEW]
    call_command("reencrypt", "--check")
    assert sorted(each.secret for each in WebhookEndpoint.objects.all()) == stored
    assert SecondFactor.objects.get().secret == factor


def test_an_old_key_that_is_still_needed_is_reported_and_nothing_is_lost(
    stored, settings, capsys
) -> None:
    settings.FIELD_ENCRYPTION_KEYS = [NEW]
    with pytest.raises(SystemExit, match="1"):
        call_command("reencrypt")
    assert "3 decrypt with none of FIELD_ENCRYPTION_KEYS" in capsys.readouterr().err
    settings.FIELD_ENCRYPTION_KEYS = [OLD]
    assert sorted(each.secret for each in WebhookEndpoint.objects.all()) == stored


def test_an_interrupted_run_continues(stored, settings, monkeypatch) -> None:
    settings.FIELD_ENCRYPTION_KEYS = [NEW, OLD]
    monkeypatch.setattr("exchange.core.reencryption._BATCH", 2)
    first, *_ = next(SECRETS.batches())
    key, old = first

    assert SECRETS.replace(key, old, reencrypt(old))
    assert positions() == {0, 1}
    assert reencrypt_column(SECRETS) == 2
    assert reencrypt_column(SECRETS) == 0


def test_a_secret_that_changed_meanwhile_keeps_its_new_value(stored, settings) -> None:
    settings.FIELD_ENCRYPTION_KEYS = [NEW, OLD]
    (key, old), *_ = next(SECRETS.batches())
    WebhookEndpoint.objects.filter(pk=key).update(secret="whsec_rotated")
    assert not SECRETS.replace(key, old, "anything")
    assert WebhookEndpoint.objects.get(pk=key).secret == "whsec_rotated"


def test_the_audit_log_shows_that_a_secret_changed_but_not_the_secret(stored, settings) -> None:
    settings.FIELD_ENCRYPTION_KEYS = [NEW, OLD]
    call_command("reencrypt")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT string_agg(t::text, '') FROM exchange_change t WHERE operation = 'UPDATE'"
        )
        (text,) = cursor.fetchone()
    assert "(hidden)" in text
    assert "gAAAA" not in text
