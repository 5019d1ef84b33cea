"""Whatever changes a record leaves a row that names who did it, and nobody writes the audit."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal

import psycopg
import pytest
from django.db import connection, transaction
from django.urls import reverse
from django.utils import timezone
from oauth2_provider.models import AccessToken
from psycopg import errors

from config import commandline
from config.celery import app
from config.roles import BACK_OFFICE
from exchange.acting import acting
from exchange.actors import Actor
from exchange.ids import uuid7
from exchange.models import ApiKey, Change, Member, Organisation, Token, WebhookEndpoint
from exchange.services.access import issue_access_token, revoke_api_key
from exchange.services.housekeeping import purge_access_tokens
from orders.services import endings
from tests.support.access import TESTER, make_caller, make_member, make_organisation
from tests.support.back_office import signed_in, user_of
from tests.support.database import server_url, worker_database
from tests.support.market import Trader, make_trader
from tests.support.tokens import make_token
from tests.support.world import approved, know_banks, make_staff, make_wallet
from wallets.models import BankAccount, Withdrawal

pytestmark = pytest.mark.django_db


def changes(table: str, record: object) -> list[Change]:
    """Oldest first."""
    return list(Change.objects.filter(table=table, record_id=str(record)).order_by("id"))


def whole_audit() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT string_agg(c::text, ' ') FROM exchange_change c")
        return str((cursor.fetchone() or ("",))[0])


# --- Every path, with who and through what ---


def test_what_a_person_does_in_the_back_office_is_theirs():
    client = signed_in(BACK_OFFICE)
    client.post(
        reverse("admin:exchange_organisation_add"),
        {"name": "Baobab", "email": "a@baobab.example"},
        headers={"X-Request-ID": "here-1"},
    )
    made = Organisation.objects.get(name="Baobab")
    client.post(
        reverse("admin:exchange_organisation_deactivate", args=[made.pk]),
        headers={"X-Request-ID": "here-2"},
    )
    first, second = changes("exchange_organisation", made.pk)
    person = user_of(client)
    assert {(c.actor, c.actor_label) for c in (first, second)} == {
        (f"staff:{person.pk}", str(person))
    }
    assert (first.operation, first.via, first.before) == ("INSERT", "request:here-1", None)
    assert first.after is not None
    assert (first.after["name"], first.after["email"]) == ("Baobab", "a@baobab.example")
    assert (second.operation, second.via) == ("UPDATE", "request:here-2")
    assert (second.before, second.after) == ({"active": True}, {"active": False})
    assert timezone.now() - second.at < timedelta(minutes=5)


def test_what_an_api_key_does_is_that_keys():
    caller = make_caller()
    answer = caller.post("/v1/api/members", {"name": "Ada", "email": "ada@example.com"})
    assert answer.status_code == 201
    row = changes("exchange_member", Member.objects.get(name="Ada").pk)[0]
    assert (row.actor, row.actor_label) == (f"api_key:{caller.key.pk}", "tests")
    assert row.via == f"request:{answer['X-Request-ID']}"


def test_an_access_token_that_a_key_gets_is_that_keys():
    caller = make_caller()
    AccessToken.objects.all().delete()
    answer = caller.client.post(
        "/v1/oauth/token",
        {
            "grant_type": "client_credentials",
            "client_id": caller.key.client_id,
            "client_secret": caller.secret,
        },
    )
    assert answer.status_code == 200
    row = changes("oauth2_provider_accesstoken", AccessToken.objects.get().pk)[0]
    assert (row.actor, row.about_id) == (f"api_key:{caller.key.pk}", str(caller.key.pk))
    assert row.via == f"request:{answer['X-Request-ID']}"


@app.task(name="tests.rename")
def rename(organisation: str) -> None:
    Organisation.objects.filter(pk=organisation).update(name="Renamed")


def test_what_a_task_does_is_the_systems_in_the_name_of_the_task():
    owner = make_organisation("Old")
    rename.apply(args=(str(owner.pk),), task_id="run-7")
    row = changes("exchange_organisation", owner.pk)[-1]
    assert (row.actor, row.via) == ("system:tests.rename", "task:tests.rename:run-7")
    assert (row.before, row.after) == ({"name": "Old"}, {"name": "Renamed"})


@pytest.mark.django_db(transaction=True)
def test_what_a_command_does_is_the_systems_in_the_name_of_the_command(capsys):
    owner = make_organisation("Acme")
    commandline.run(
        ["manage.py", "issue_api_key", str(owner.pk), "--name=server", "--scopes", "tokens:read"]
    )
    row = changes("exchange_apikey", ApiKey.objects.get(organisation=owner).pk)[0]
    assert (row.actor, row.via) == ("system:issue_api_key", "command:issue_api_key")
    assert (row.about_id, row.operation) == (str(owner.pk), "INSERT")
    found = re.search(r"client_secret: (\S+)", capsys.readouterr().out)
    assert found is not None
    assert found[1] not in whole_audit()


def test_plain_sql_is_the_database_users():
    """By the owner and by the runtime role, in one transaction that is then rolled back."""
    with psycopg.connect(server_url(worker_database()), application_name="a terminal") as session:
        user = session.info.user
        one, many = uuid7(), uuid7()
        session.execute(
            "INSERT INTO exchange_organisation (id, name, email, active, created_at, updated_at)"
            " VALUES (%s, 'One', '', true, now(), now()), (%s, 'Two', '', true, now(), now())",
            [one, many],
        )
        session.execute("SET LOCAL ROLE exchange_runtime")
        session.execute("UPDATE exchange_organisation SET name = name || '!'")
        session.execute("RESET ROLE")
        rows = session.execute(
            "SELECT operation, actor, via, database_user, application, before, after"
            " FROM exchange_change WHERE record_id = %s ORDER BY id",
            [str(many)],
        ).fetchall()
        session.rollback()
    assert [row[:5] for row in rows] == [
        ("INSERT", f"database:{user}", "", user, "a terminal"),
        ("UPDATE", f"database:{user}", "", f"{user} as exchange_runtime", "a terminal"),
    ]
    assert rows[1][5:] == ({"name": "Two"}, {"name": "Two!"})


def test_writing_many_at_once_leaves_a_row_for_each():
    with acting(Actor.system("bulk"), "task:bulk"):
        made = Organisation.objects.bulk_create(
            [Organisation(name=f"100% of {n}") for n in range(3)]
        )
        Organisation.objects.filter(pk__in=[o.pk for o in made]).update(active=False)
        with connection.cursor() as cursor:
            cursor.executemany(
                "UPDATE exchange_organisation SET email = 'x%%y' WHERE id = %s",
                [[o.pk] for o in made],
            )
        assert Organisation.objects.filter(email="x%y", active=False).count() == 3
    for organisation in made:
        rows = changes("exchange_organisation", organisation.pk)
        assert [row.operation for row in rows] == ["INSERT", "UPDATE", "UPDATE"]
        assert {row.actor for row in rows} == {"system:bulk"}


@pytest.mark.django_db(transaction=True)
def test_who_acted_lasts_no_longer_than_the_transaction():
    owner = make_organisation()
    with acting(Actor.staff(uuid7(), "O'Neill \\ 100%"), "request:1"):
        Organisation.objects.filter(pk=owner.pk).update(name="A")
        with transaction.atomic():
            Organisation.objects.filter(pk=owner.pk).update(name="B")
    Organisation.objects.filter(pk=owner.pk).update(name="C")
    rows = changes("exchange_organisation", owner.pk)[1:]
    assert [row.actor_label for row in rows] == ["O'Neill \\ 100%"] * 2 + [""]
    assert rows[2].actor.startswith("database:")
    assert rows[2].via == ""


# --- What is on record of what ---


def test_a_staff_members_roles_and_permissions_are_on_record():
    user = make_staff("decide_withdrawal")
    about = Change.objects.filter(about_id=str(user.pk))
    assert [row.table for row in about] == ["exchange_staffuser_user_permissions"]
    user.user_permissions.clear()
    assert [row.operation for row in about.order_by("id")] == ["INSERT", "DELETE"]


def test_a_withdrawal_is_its_own_record_until_somebody_decides():
    know_banks()
    wallet = make_wallet(1000)
    before = Change.objects.count()
    withdrawal = wallet.request(500)
    assert Change.objects.count() == before
    caller = make_caller(organisation=wallet.organisation)
    answer = caller.post(f"/v1/api/withdrawals/{withdrawal.id}/cancel")
    assert answer.status_code == 200
    (row,) = changes("wallets_withdrawal", withdrawal.id)
    assert (row.actor, row.via) == (
        f"api_key:{caller.key.pk}",
        f"request:{answer['X-Request-ID']}",
    )
    assert row.before is not None
    assert row.after is not None
    assert (row.before["status"], row.after["status"]) == ("Pending", "Cancelled")
    assert row.after["actioned_by"] == "tests"


def test_an_approval_and_its_payout_are_on_record():
    know_banks()
    withdrawal = approved(make_wallet(1000))
    (row,) = changes("wallets_withdrawal", withdrawal.id)
    assert row.after is not None
    assert row.after["status"] == "Approved"
    assert [c.operation for c in changes("wallets_payout", withdrawal.id)] == ["INSERT"]


def test_bank_details_that_staff_fill_in_are_on_record():
    know_banks()
    bank = make_wallet(1000).request(500).bank
    BankAccount.objects.filter(pk=bank.pk).update(branch_code="GH-1")
    (row,) = changes("wallets_bankaccount", bank.pk)
    assert (row.before, row.after) == ({"branch_code": ""}, {"branch_code": "GH-1"})


def test_a_withdrawal_that_comes_without_the_function_is_on_record():
    """The owner can write anything; that it did is seen."""
    know_banks()
    withdrawal = make_wallet(1000).request(500)
    columns = [str(f.column) for f in Withdrawal._meta.local_concrete_fields if not f.generated]
    with connection.cursor() as cursor:
        cursor.execute("SET ROLE NONE")
        new_bank, new = uuid7(), uuid7()
        cursor.execute(
            "INSERT INTO wallets_bankaccount SELECT (jsonb_populate_record(b, %s)).*"
            " FROM wallets_bankaccount b WHERE id = %s",
            [f'{{"id": "{new_bank}"}}', withdrawal.bank_id],
        )
        chosen = ", ".join(f"r.{name}" for name in columns)
        changed = f'{{"id": "{new}", "bank_id": "{new_bank}", "reference": "{new}"}}'
        cursor.execute(
            f"INSERT INTO wallets_withdrawal ({', '.join(columns)}) SELECT {chosen}"
            " FROM wallets_withdrawal w, jsonb_populate_record(w, %s) r WHERE w.id = %s",
            [changed, withdrawal.id],
        )
        cursor.execute("SET ROLE exchange_runtime")
    assert [row.operation for row in changes("wallets_withdrawal", new)] == ["INSERT"]
    assert [row.operation for row in changes("wallets_bankaccount", new_bank)] == ["INSERT"]


@pytest.fixture
def seller() -> Trader:
    return make_trader()


def test_placing_and_filling_orders_leaves_no_rows_and_cancelling_leaves_one(seller):
    token = make_token(seller.wallet.organisation)
    buyer = make_trader(10_000, currency=token.currency_id)
    price = token.price_sell
    before = Change.objects.count()
    resting = seller.place(token, "Sell", price, 2)
    buyer.place(token, "Buy", price, 1)
    assert Change.objects.count() == before
    caller = make_caller(organisation=seller.wallet.organisation)
    answer = caller.call("DELETE", f"/v1/orders/{resting}")
    assert answer.status_code == 200
    (row,) = changes("orders_order", resting)
    assert (row.actor, row.actor_label, row.via) == (
        f"api_key:{caller.key.pk}",
        "tests",
        f"request:{answer['X-Request-ID']}",
    )
    assert row.before is not None
    assert row.after is not None
    assert (row.before["status"], row.after["status"]) == ("Active", "Cancelled")
    assert row.before["reserved"] == Decimal(1)


def test_ending_a_token_names_the_person_on_the_token_and_on_every_order(seller):
    token = make_token(seller.wallet.organisation)
    resting = seller.place(token, "Sell", token.price_sell, 2)
    officer = make_staff("end_token")
    person = Actor.staff(officer.pk, str(officer))
    with acting(person, "request:end"):
        endings.exit_token(token_id=token.pk, user=officer)
    of_token = changes("exchange_token", token.pk)[-1]
    of_order = changes("orders_order", resting)[-1]
    assert {(c.actor, c.actor_label, c.via) for c in (of_token, of_order)} == {
        (str(person), person.label, "request:end")
    }
    assert (of_token.before, of_token.after) == ({"exited": False}, {"exited": True})


def test_the_last_use_of_a_key_is_no_change_and_its_revocation_is():
    caller = make_caller()
    caller.get("/v1/api/members")
    revoke_api_key(key_id=caller.key.pk, actor=TESTER)
    first, last = changes("exchange_apikey", caller.key.pk)
    assert (first.operation, last.operation) == ("INSERT", "UPDATE")
    assert last.after is not None
    assert set(last.after) == {"revoked_at"}
    tokens = Change.objects.filter(
        table="oauth2_provider_accesstoken", about_id=str(caller.key.pk)
    ).order_by("id")
    assert [row.operation for row in tokens] == ["INSERT", "DELETE"]


def test_tokens_that_had_ended_go_without_a_trace():
    caller = make_caller()
    AccessToken.objects.update(expires=timezone.now() - timedelta(days=90))
    before = Change.objects.filter(operation="DELETE").count()
    purge_access_tokens()
    assert not AccessToken.objects.filter(application=caller.key).exists()
    assert Change.objects.filter(operation="DELETE").count() == before


def test_numbers_keep_every_digit():
    token = make_token()
    was, value = token.valuation, Decimal("1234567890123456789012.12345678")
    Token.objects.filter(pk=token.pk).update(valuation=value)
    row = changes("exchange_token", token.pk)[-1]
    assert row.before is not None
    assert row.after is not None
    assert (row.before["valuation"], row.after["valuation"]) == (was, value)


# --- Secrets ---


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


# --- Nobody writes it ---

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


def test_what_is_rolled_back_was_not_done():
    owner = make_organisation()
    with transaction.atomic():
        make_member(owner)
        transaction.set_rollback(True)
    assert not Change.objects.filter(table="exchange_member").exists()


def test_columns_that_are_left_out_alone_leave_no_row_and_cost_no_trigger():
    token = make_token()
    before = Change.objects.count()
    type(token).objects.filter(pk=token.pk).update(vol_buy=5, supply=1)
    Member.objects.update(updated_at=timezone.now())
    assert Change.objects.count() == before
