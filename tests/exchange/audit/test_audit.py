"""Every change of a record is audited with its actor, on every path."""

import re
from datetime import timedelta

import psycopg
import pytest
from django.db import connection, transaction
from django.urls import reverse
from django.utils import timezone
from oauth2_provider.models import AccessToken

from config.celery import app
from config.local import commandline
from exchange.core.actors import Actor
from exchange.core.audit_context import audit_context
from exchange.core.ids import uuid7
from exchange.participants.models import ApiKey, Member, Organisation
from tests.assertions.audit import changes, whole_audit
from tests.environment.database import server_url, worker_database
from tests.factories.api_clients import make_caller, make_organisation
from tests.factories.back_office import user_of

pytestmark = pytest.mark.django_db


def test_back_office_changes_name_the_user(office):
    office.post(
        reverse("admin:exchange_organisation_add"),
        {"name": "Baobab", "email": "a@baobab.example"},
        headers={"X-Request-ID": "here-1"},
    )
    made = Organisation.objects.get(name="Baobab")
    deactivate = reverse("admin:exchange_organisation_deactivate", args=[made.pk])
    office.post(
        deactivate,
        {"seen": office.get(deactivate).context["seen"]},
        headers={"X-Request-ID": "here-2"},
    )
    first, second = changes("exchange_organisation", made.pk)
    person = user_of(office)
    assert {(c.actor, c.actor_label) for c in (first, second)} == {
        (f"staff:{person.pk}", str(person))
    }
    assert (first.operation, first.via, first.before) == ("INSERT", "request:here-1", None)
    assert first.after is not None
    assert (first.after["name"], first.after["email"]) == ("Baobab", "a@baobab.example")
    assert (second.operation, second.via) == ("UPDATE", "request:here-2")
    assert (second.before, second.after) == ({"active": True}, {"active": False})
    assert timezone.now() - second.at < timedelta(minutes=5)


def test_api_changes_name_the_key():
    caller = make_caller()
    response = caller.post("/v1/api/members", {"name": "Ada", "email": "ada@example.com"})
    assert response.status_code == 201
    row = changes("exchange_member", Member.objects.get(name="Ada").pk)[0]
    assert (row.actor, row.actor_label) == (f"api_key:{caller.key.pk}", "tests")
    assert row.via == f"request:{response['X-Request-ID']}"


def test_issuing_an_access_token_names_the_key():
    caller = make_caller()
    AccessToken.objects.all().delete()
    response = caller.client.post(
        "/v1/oauth/token",
        {
            "grant_type": "client_credentials",
            "client_id": caller.key.client_id,
            "client_secret": caller.secret,
        },
    )
    assert response.status_code == 200
    row = changes("oauth2_provider_accesstoken", AccessToken.objects.get().pk)[0]
    assert (row.actor, row.about_id) == (f"api_key:{caller.key.pk}", str(caller.key.pk))
    assert row.via == f"request:{response['X-Request-ID']}"


@app.task(name="tests.rename")
def rename(organisation: str) -> None:
    Organisation.objects.filter(pk=organisation).update(name="Renamed")


def test_task_changes_name_the_task():
    owner = make_organisation("Old")
    rename.apply(args=(str(owner.pk),), task_id="run-7")
    row = changes("exchange_organisation", owner.pk)[-1]
    assert (row.actor, row.via) == ("system:tests.rename", "task:tests.rename:run-7")
    assert (row.before, row.after) == ({"name": "Old"}, {"name": "Renamed"})


@pytest.mark.django_db(transaction=True)
def test_command_changes_name_the_command(capsys):
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


def test_direct_sql_names_the_database_user():
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
    with audit_context(Actor.system("bulk"), "task:bulk"):
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


def test_one_statement_for_many_says_who_acts_though_it_is_the_first_of_its_transaction():
    made = [make_organisation(), make_organisation()]
    with audit_context(Actor.system("bulk"), "task:bulk"), connection.cursor() as cursor:
        cursor.executemany(
            "UPDATE exchange_organisation SET email = %s WHERE id = %s",
            [[f"{n}@owner.example", o.pk] for n, o in enumerate(made)],
        )
    for organisation in made:
        row = changes("exchange_organisation", organisation.pk)[-1]
        assert (row.operation, row.actor, row.via) == ("UPDATE", "system:bulk", "task:bulk")


@pytest.mark.django_db(transaction=True)
def test_who_acted_lasts_no_longer_than_the_transaction():
    owner = make_organisation()
    with audit_context(Actor.staff(uuid7(), "O'Neill \\ 100%"), "request:1"):
        Organisation.objects.filter(pk=owner.pk).update(name="A")
        with transaction.atomic():
            Organisation.objects.filter(pk=owner.pk).update(name="B")
    Organisation.objects.filter(pk=owner.pk).update(name="C")
    rows = changes("exchange_organisation", owner.pk)[1:]
    assert [row.actor_label for row in rows] == ["O'Neill \\ 100%"] * 2 + [""]
    assert rows[2].actor.startswith("database:")
    assert rows[2].via == ""
