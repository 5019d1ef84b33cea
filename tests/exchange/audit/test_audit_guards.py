"""The audit contains no secrets and cannot be written directly."""

from datetime import timedelta

import pytest
from django.db import connection
from psycopg import errors

from exchange.events.models import WebhookEndpoint
from exchange.participants.services.api_keys import issue_access_token
from tests.assertions.audit import changes, whole_audit
from tests.factories.api_clients import TESTER, make_caller
from tests.factories.wallets import make_staff

pytestmark = pytest.mark.django_db


def test_no_secret_is_in_it():
    caller = make_caller()
    raw = issue_access_token(key=caller.key, lifetime=timedelta(hours=1), actor=TESTER)
    secrets = [caller.secret, caller.token, raw]
    endpoint = WebhookEndpoint.objects.create(
        organisation=caller.organisation, url="https://example.com/hook", secret="whsec_first"
    )
    rotated = caller.post("/v1/api/webhook/rotate-secret")
    secrets += ["whsec_first", rotated.json()["data"]["secret"]]
    user = make_staff()
    user.set_password("correct horse battery")
    user.save()
    with connection.cursor() as cursor:
        for column, table in (
            ("client_secret", "exchange_apikey"),
            ("token_checksum", "oauth2_provider_accesstoken"),
            ("password", "exchange_staffuser"),
            ("secret", "exchange_webhookendpoint"),
            ("previous_secret", "exchange_webhookendpoint"),
        ):
            cursor.execute(f"SELECT {column} FROM {table} WHERE {column} <> ''")
            stored = [row[0] for row in cursor.fetchall()]
            assert stored, column
            secrets += stored
    audit = whole_audit()
    assert [secret for secret in secrets if secret in audit] == []
    row = changes("exchange_webhookendpoint", endpoint.pk)[-1]
    assert row.before is not None
    assert row.after is not None
    assert (row.before["secret"], row.after["secret"]) == ("(hidden)", "(hidden)")
    assert (row.before["previous_secret"], row.after["previous_secret"]) == ("", "(hidden)")
    assert changes("exchange_staffuser", user.pk)[-1].after == {"password": "(hidden)"}


RUNTIME: list[tuple[str, type[Exception]]] = [
    ("INSERT INTO exchange_change SELECT * FROM exchange_change", errors.InsufficientPrivilege),
    ("UPDATE exchange_change SET actor = 'x'", errors.InsufficientPrivilege),
    ("DELETE FROM exchange_change", errors.InsufficientPrivilege),
    ("TRUNCATE exchange_change", errors.InsufficientPrivilege),
    ("SELECT write_change('x', 'UPDATE', '', '', NULL, NULL)", errors.InsufficientPrivilege),
    ("SELECT audit_table('exchange_member')", errors.InsufficientPrivilege),
    ("DROP TRIGGER audit_update ON exchange_member", errors.InsufficientPrivilege),
    ("ALTER TABLE exchange_member DISABLE TRIGGER audit_update", errors.InsufficientPrivilege),
]
OWNER: list[tuple[str, type[Exception]]] = [
    ("UPDATE exchange_change SET actor = 'x'", errors.RestrictViolation),
    ("DELETE FROM exchange_change", errors.RestrictViolation),
    ("TRUNCATE exchange_change", errors.RestrictViolation),
]


@pytest.mark.parametrize("role", ["exchange_runtime", "none"])
def test_rows_are_neither_made_nor_changed_nor_removed_by_hand(owner_connection, role):
    attacks = RUNTIME if role == "exchange_runtime" else OWNER
    with owner_connection.transaction(force_rollback=True):
        owner_connection.execute(
            "INSERT INTO exchange_currency (code, name, decimals, country, position)"
            " VALUES ('EUR', 'Euro', 2, '', 99)"
        )
        found = "SELECT count(*), md5(string_agg(c::text, '')) FROM exchange_change c"
        before = owner_connection.execute(found).fetchone()
        owner_connection.execute(f"SET LOCAL ROLE {role}")
        for attack, refusal in attacks:
            with pytest.raises(refusal), owner_connection.transaction():
                owner_connection.execute(attack)
        assert owner_connection.execute(found).fetchone() == before
        assert before is not None
        assert before[0] >= 1


def test_emptying_a_table_is_on_record(owner_connection):
    with owner_connection.transaction(force_rollback=True):
        owner_connection.execute("TRUNCATE wallets_alert")
        row = owner_connection.execute(
            "SELECT table_name, operation FROM exchange_change ORDER BY id DESC LIMIT 1"
        ).fetchone()
    assert row == ("wallets_alert", "TRUNCATE")
