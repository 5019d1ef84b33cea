"""Labels of the audit: actors, referenced records and order."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from config.back_office.roles import AUDITOR
from exchange.audit import selectors as audit
from exchange.core.ids import first_id_at, uuid7
from exchange.core.models import Change
from exchange.participants.models import Organisation
from exchange.participants.services.api_keys import issue_api_key
from exchange.staff.models import StaffUser
from tests.factories.api_clients import TESTER, make_caller, make_member, make_organisation
from tests.factories.logins import create_login_user
from tests.factories.tokens import make_token

pytestmark = pytest.mark.django_db

TABLE = "exchange_organisation"


def change(**values: Any) -> Change:
    """Return an unsaved change."""
    return Change(**{"table": TABLE, "actor": "", "actor_label": ""} | values)


def test_actors_are_named_by_the_stored_or_current_name():
    ada, key = create_login_user(AUDITOR), make_caller().key
    known, unknown = f"staff:{ada.pk}", uuid7()
    for actor, label, expected in (
        (f"api_key:{key.pk}", "", f"API key {key.name}"),
        (f"api_key:{ada.pk}", "", f"API key {ada.pk}"),
        (known, "", "ada"),
        (known, "Ada of then", "Ada of then"),
        (f"staff:{unknown}", "", str(unknown)),
        (f"api_key:{unknown}", "", f"API key {unknown}"),
        (f"api_key:{unknown}", "Payouts", "API key Payouts"),
        ("system:task", "", "System: task"),
        ("database:owner", "", "Database user owner"),
        ("visitor:web", "", "Visitor (not signed in)"),
        ("robot:7", "", "robot:7"),
        ("robot:7", "Seven", "Seven"),
        ("nothing", "", "nothing"),
    ):
        assert audit.actor_names([change(actor=actor, actor_label=label)]) == [expected]
    assert audit.actor_names([]) == []
    with CaptureQueriesContext(connection) as asked:
        audit.actor_names([change(actor=known)])
    # No other actor is read.
    assert [ada.pk.hex in each["sql"] for each in asked] == [True, True]
    assert audit.actor_names([change(actor="system:a"), change(actor=known)]) == [
        "System: a",
        "ada",
    ]


def test_changed_columns_have_values_before_and_after():
    assert audit.changed_columns(change(before={"a": 1, "b": 2}, after={"b": 3, "c": 4})) == [
        ("a", 1, None), ("b", 2, 3), ("c", None, 4),
    ]  # fmt: skip
    assert audit.changed_columns(change(before=None, after={"a": 1})) == [("a", None, 1)]
    assert audit.changed_columns(change(before={"a": 1}, after=None)) == [("a", 1, None)]


def test_records_that_columns_point_to_are_named():
    owner, other, token = make_organisation(), make_organisation(), make_token()
    ada = create_login_user(AUDITOR)
    found = audit.referenced_names(
        [
            change(table="exchange_token", before={"issuer_id": str(owner.pk)},
                   after={"issuer_id": str(other.pk), "name": str(token.issuer_id)}),
            change(table="exchange_tokenaccess",
                   after={"token_id": str(token.pk), "granted_by_id": str(ada.pk)}),
            change(table="exchange_tokenaccess",
                   after={"token_id": "no id", "granted_by_id": None}),
            change(table="gone", after={"token_id": str(owner.pk)}),
        ]
    )  # fmt: skip
    assert found == {
        str(owner.pk): str(owner), str(other.pk): str(other), str(token.pk): str(token),
        str(ada.pk): str(ada),
    }  # fmt: skip


def test_a_table_is_labelled_by_its_records():
    assert audit.record_label("exchange_staffuser") == "Staff user"
    assert audit.record_label("exchange_organisation") == "Organisation"
    assert audit.record_label("exchange_staffuser_groups") == "Staffuser of group"
    assert audit.record_label("gone") == "gone"
    assert audit.table_model("exchange_staffuser") is StaffUser
    assert audit.table_model("gone") is None
    tables = audit.audited_tables()
    assert tables == sorted(tables, key=lambda pair: pair[1])
    apps = {table.partition("_")[0] for table, _ in tables}
    assert apps == {"exchange", "wallets", "credit", "orders", "auth", "oauth2"}


def test_the_first_id_of_a_moment_is_at_most_that_of_any_change_then():
    moment = datetime(2026, 11, 23, 6, 0, 0, 123_000, tzinfo=UTC)
    first = audit.first_id_at(moment)
    assert first.int == 1_795_413_600_123 << 80
    assert first < first_id_at(moment)


def test_records_are_found_by_reference_or_name():
    ada, owner, token = create_login_user(AUDITOR), make_organisation(), make_token()
    key, _ = (
        issue_api_key(organisation=owner, name=name, scopes=["tokens:read"], actor=TESTER)[0]
        for name in ("Backend", "Reports")
    )
    owner.name, owner.email = "Zebra Farms", "zebra@farms.example"
    owner.save()
    for term, found in (
        ("ada", [str(ada.pk)]),
        ("ad", []),
        ("ZEBRA farms", [str(owner.pk)]),
        ("Zebra@farms.example", [str(owner.pk)]),
        ("Zebra", []),
        ("backEND", [str(key.pk)]),
        (key.client_id, [str(key.pk)]),
        (key.client_id[:-1], []),
        (token.symbol.lower(), [str(token.pk)]),
    ):
        assert audit.find_record_ids(term) == found


def test_at_most_five_hundred_namesakes_are_found():
    Organisation.objects.bulk_create(Organisation(name="Acme") for _ in range(501))
    assert len(set(audit.find_record_ids("acme"))) == 500


def test_the_history_of_records_is_merged_newest_first_and_cut():
    first, second, other = (make_organisation() for _ in range(3))
    for number in range(3):
        for organisation in (first, second, other):
            organisation.name = f"Name {number} of {organisation.pk}"
            organisation.save()
    whole = audit.history(first.pk, second.pk, limit=50)
    assert [c.pk for c in whole] == sorted((c.pk for c in whole), reverse=True)
    assert {c.record_id for c in whole} == {str(first.pk), str(second.pk)}
    assert len(whole) == 8
    assert [c.pk for c in audit.history(first.pk, second.pk, limit=3)] == [c.pk for c in whole[:3]]
    # Changes about a record are included, once even if its own id is requested too.
    member = make_member(first)
    other.name = "Another"
    other.save()
    for ids in ([first.pk], [first.pk, member.pk]):
        history = audit.history(*ids, limit=50)
        assert [c.record_id for c in history] == [str(member.pk), *[str(first.pk)] * 4]
        assert [c.pk for c in history] == sorted((c.pk for c in history), reverse=True)
    first.name = "Last"
    first.save()
    history = audit.history(first.pk, limit=2)
    assert [c.record_id for c in history] == [str(first.pk), str(member.pk)]
    names = audit.column_changes(TABLE, first.pk, ["name"])
    assert {c.record_id for c in names} == {str(first.pk)}
    assert audit.last_change_id(TABLE, first.pk, ["name"]) == names[0].pk
    assert audit.last_change_id(TABLE, first.pk, ["active"]) != names[0].pk
    assert audit.last_change_id("exchange_member", first.pk, ["name"]) is None


def test_all_changes_are_read_in_pieces_and_none_twice(monkeypatch):
    monkeypatch.setattr(audit, "_BATCH", 3)
    for _ in range(5):
        make_organisation()
    rows = Change.objects.filter(table=TABLE)
    pieces = list(audit.iterate_batches(rows))
    assert [len(piece) for piece in pieces] == [3, 2]
    expected = [c.pk for piece in pieces for c in piece]
    assert expected == sorted(rows.values_list("pk", flat=True), reverse=True)
    assert list(audit.iterate_batches(rows.none())) == []
