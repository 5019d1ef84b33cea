"""Pages of the audit: access, filters, history of a record, CSV export."""

import csv
import io
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from config.back_office.roles import (
    ADMINISTRATOR,
    AUDITOR,
    ROLES,
)
from exchange.core.actors import Actor
from exchange.core.audit_context import audit_context
from exchange.core.models import Change
from exchange.participants.models import Organisation
from exchange.participants.services.api_keys import issue_api_key
from tests.factories.api_clients import make_caller, make_organisation
from tests.factories.back_office import page, signed_in_client, text_of
from tests.factories.tokens import make_token
from tests.factories.wallets import SYSTEM, Wallet, make_staff, make_wallet, store_bank_list
from wallets.deposits.services import manual as deposits
from wallets.withdrawals.services import decisions

pytestmark = pytest.mark.django_db

LIST = reverse("admin:exchange_change_changelist")
EXPORT = reverse("admin:exchange_change_export")


def listed(client: Client, **query: str) -> list[Change]:
    response = client.get(LIST, query)
    assert response.status_code == 200
    found: list[Change] = response.context["cl"].result_list
    return found


def exported(client: Client, **query: str) -> list[dict[str, str]]:
    response: Any = client.get(EXPORT, query)
    assert response.status_code == 200
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    text = b"".join(response.streaming_content).decode()
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def renamed() -> Organisation:
    """Made by the tests, renamed by a person called Ada, and again by plain SQL."""
    organisation = make_organisation("First")
    with audit_context(Actor(kind=Actor.system("x").kind, id="job", label="job"), "task:job:1"):
        Organisation.objects.filter(pk=organisation.pk).update(name="Second")
    return organisation


def test_a_record_links_to_its_history_for_auditors_and_administrators():
    organisation = make_organisation()
    for role in ROLES:
        shown = text_of(signed_in_client(role).get(page(organisation)))
        assert ("View full history" in shown) == (role in {AUDITOR, ADMINISTRATOR}), role


def test_a_record_page_and_its_history_show_each_change(renamed, auditor):
    for address in (page(renamed), page(renamed, "history")):
        section = auditor.get(address).context["sections"][-1]
        first, second = ([str(cell) for cell in row] for row in section["rows"])
        assert first[1:5] == ["System: job", "Organisation: name", "First", "Second"]
        assert "task:job:1" in first[5]
        assert second[2] == "Organisation created"
        assert "name: First" in second[4]


def test_changes_of_its_parts_are_in_the_history_of_a_record():
    caller = make_caller()
    text = text_of(signed_in_client(AUDITOR).get(page(caller.organisation, "history")))
    assert "API key created" in text
    assert "client secret: (hidden)" in text


def test_a_withdrawals_page_leads_to_its_history_with_payout_and_bank_record(auditor):
    store_bank_list()
    withdrawal = make_wallet(1000).request(500)
    type(withdrawal.bank).objects.filter(pk=withdrawal.bank_id).update(branch_code="X1")
    address = page(withdrawal, "history")
    assert address in auditor.get(page(withdrawal)).content.decode()
    assert "Bank record: branch code - X1" in text_of(auditor.get(address))


def test_the_list_is_narrowed(renamed, auditor):
    other = make_organisation("Other")
    mine = {str(renamed.pk), str(other.pk)}
    of_table = listed(auditor, table="exchange_organisation")
    assert {change.record_id for change in of_table} == mine
    assert [c.operation for c in listed(auditor, q=str(renamed.pk))] == ["UPDATE", "INSERT"]
    found = listed(auditor, q="task:job:1", table="exchange_organisation")
    assert {c.via for c in found} == {"task:job:1"}
    found = listed(auditor, who="system", table="exchange_organisation")
    assert {c.actor for c in found} == {"system:job"}
    updates = listed(auditor, operation="UPDATE", table="exchange_organisation")
    assert [c.record_id for c in updates] == [str(renamed.pk)]
    today = timezone.now().date()
    days = {"from": str(today), "to": str(today), "table": "exchange_organisation"}
    assert len(listed(auditor, **days)) == 3
    yesterday = str(today - timedelta(days=1))
    assert listed(auditor, **{**days, "from": yesterday, "to": yesterday}) == []
    assert listed(auditor, **{"from": "rubbish", "table": "exchange_organisation"}) == []


def test_changes_are_found_by_the_name_of_the_record(auditor):
    store_bank_list()
    organisation = make_organisation("Kericho Estates")
    wallet = Wallet(organisation).fund(1000)
    withdrawal = wallet.request(500)
    decisions.reject(
        withdrawal_id=withdrawal.pk, version=1, approver=make_staff(), reason="Not theirs"
    )
    payment = deposits.IncomingPayment(organisation.pk, None, "KES", Decimal(5), "WIRE 77")
    clerk = make_staff()
    entered = deposits.enter(payment=payment, user=clerk)
    with audit_context(Actor.staff(clerk.pk, clerk.username), "request:cancel-1"):
        deposits.cancel(deposit_id=entered.pk, user=clerk)
    key, _ = issue_api_key(
        organisation=organisation, name="Payouts", scopes=["wallets:read"], actor=SYSTEM
    )

    def records(term: str) -> set[str]:
        return {change.record_id for change in listed(auditor, q=term)}

    rejection = listed(auditor, q=withdrawal.reference)
    assert [c.table for c in rejection if "status" in (c.after or {})] == ["wallets_withdrawal"]
    assert withdrawal.reference not in str([(c.before, c.after) for c in rejection])
    for term in (withdrawal.bank.account_number, withdrawal.bank.account_name.upper()):
        assert str(withdrawal.pk) in records(term), term
    assert records("WIRE 77") == {str(entered.pk)}
    assert len(listed(auditor, q="WIRE 77")) == 2
    assert str(key.pk) in records(key.client_id)
    assert {str(organisation.pk), str(key.pk)} <= records("kericho estates")
    assert str(entered.pk) in {c.record_id for c in listed(auditor, q=clerk.username)}
    token = make_token(symbol="KAHAWA")
    assert records("kahawa") == records("KAHAWA") == {str(token.pk)}
    assert records("payout_nothing") == set()


def test_a_search_of_the_audit_reads_indexes(django_assert_max_num_queries, auditor):
    """Whatever is called so, the changes themselves are found by their indexes."""
    Organisation.objects.bulk_create(Organisation(name=f"O{n}") for n in range(3000))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE exchange_change")
    with CaptureQueriesContext(connection) as queries, django_assert_max_num_queries(30):
        listed(auditor, q="payout_nothing")
    (found,) = [q["sql"] for q in queries if "ORDER BY" in q["sql"] and "about_id" in q["sql"]]
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {found}")
        plan = "\n".join(row[0] for row in cursor.fetchall())
    # The partition of the rows; empty ones have no pages to read.
    assert "Seq Scan on exchange_change " not in plan
    assert "exchange_change_record_id_id_idx" in plan  # of `change_of_record`


def test_the_file_holds_what_the_list_shows_and_no_formulae(renamed, auditor):
    with audit_context(Actor.system("=cmd"), "=HYPERLINK(1)"):
        make_organisation("@SUM(A1)")
    rows = exported(auditor, table="exchange_organisation")
    assert [row["operation"] for row in rows] == ["Created", "Changed", "Created"]
    assert rows[0]["through"] == "'=HYPERLINK(1)"
    assert (rows[1]["before"], rows[1]["after"]) == ('{"name":"First"}', '{"name":"Second"}')
    assert (rows[1]["who"], rows[1]["record_id"]) == ("System: job", str(renamed.pk))
    assert not [c for row in rows for c in row.values() if c.startswith(("=", "+", "-", "@"))]
    assert len(exported(auditor, table="exchange_organisation", operation="UPDATE")) == 1


@pytest.mark.slow
def test_the_file_spans_chunks_and_the_list_takes_the_same_queries_for_more_rows(auditor):
    asked = []
    for number in (60, 2000):
        Organisation.objects.bulk_create(Organisation(name=f"O{n}") for n in range(number))
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert len(listed(auditor, table="exchange_organisation")) == 50
        asked.append(len(queries))
    assert asked[0] == asked[1]
    assert len(exported(auditor, table="exchange_organisation")) == 2060
