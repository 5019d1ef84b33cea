"""Export pages: filtered rows, permissions, records, and long exports."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.utils import ProgrammingError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config.back_office.roles import (
    ADMINISTRATOR,
    AUDITOR,
    BACK_OFFICE,
    CREDIT_OFFICER,
    FINANCE_APPROVER,
)
from credit.loans.services.repaying import repay
from exchange.core.errors import Conflict
from exchange.exports import services as exports
from exchange.exports import services as housekeeping
from exchange.exports.models import Export, ExportChunk
from exchange.exports.sources import DateRange, Source, get_source
from exchange.staff.models import StaffUser
from tests.assertions.unchanged import assert_no_table_changes, table_fingerprints
from tests.environment.owner import without_guards
from tests.factories.api_clients import TESTER
from tests.factories.back_office import messages_of, signed_in_client, text_of, user_of
from tests.factories.exports import file_bytes, read_csv, read_xlsx, request_export
from tests.factories.lending import make_lending
from tests.factories.wallets import Wallet, make_member_wallet, make_wallet, store_bank_list
from wallets.ledger.models import Account, AccountKind, Transfer

pytestmark = pytest.mark.django_db

WITHDRAWALS, ENTRIES, LOANS = "wallets_withdrawal", "wallets_entry", "credit_loan"


def today() -> date:
    return timezone.now().date()


@pytest.fixture
def wallet() -> Wallet:
    store_bank_list()
    return make_member_wallet(5000)


def test_withdrawals_are_exported_as_listed(wallet, finance, owner):
    wallet.member.name = "=cmd|' /C calc'!A0"
    wallet.member.save()
    first, second = wallet.request("500.5"), wallet.request(700)
    wallet.request(900)
    owner(
        "UPDATE wallets_withdrawal SET created_at = now() - interval '3 days' WHERE id = %s",
        [second.pk],
    )
    yesterday = today() - timedelta(days=1)
    query = "status=all&o=-2&p=7"
    response = request_export(finance, WITHDRAWALS, query, first=str(yesterday))
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    # The date may change during the test.
    assert response["Content-Disposition"] in {
        f'attachment; filename="withdrawals_{yesterday}_to_{last}.csv"'
        for last in (yesterday + timedelta(days=1), today())
    }
    rows, last = read_csv(file_bytes(response))
    assert [row["Amount"] for row in rows] == ["900", "500.5"]
    row = rows[1]
    assert row["Reference"] == first.reference
    assert row["Owner"] == "'=cmd|' /C calc'!A0"
    assert row["Account number"] == "0690000031"
    assert row["Fee"] == f"{first.fee:f}".rstrip("0").rstrip(".")
    assert row["Created (UTC)"].endswith("Z")
    assert row["Withdrawal ID"] == str(first.pk)
    assert last.startswith("Complete: 2 rows, as of ")


def test_xlsx_of_withdrawals_has_numbers_that_add_up(wallet, finance):
    wallet.request("500.5")
    wallet.request(700)
    rows, last = read_xlsx(file_bytes(request_export(finance, WITHDRAWALS, form="xlsx")))
    assert sum(row["Amount"] for row in rows) == 1200.5
    assert {row["Status"] for row in rows} == {"Pending"}
    assert last.startswith("Complete: 2 rows")


def test_the_export_uses_the_lists_filter_and_search(wallet, finance):
    mine = wallet.request(500)
    other = make_wallet(3000).request(600)
    rows, _ = read_csv(file_bytes(request_export(finance, WITHDRAWALS, f"q={other.reference}")))
    assert [row["Reference"] for row in rows] == [other.reference]
    rows, _ = read_csv(file_bytes(request_export(finance, WITHDRAWALS, "owner_model=user")))
    assert [row["Reference"] for row in rows] == [mine.reference]
    rows, last = read_csv(file_bytes(request_export(finance, WITHDRAWALS, "status=Completed")))
    assert (rows, last[:16]) == ([], "Complete: 0 rows")
    kept = Export.objects.order_by("created_at")
    assert [export.filter_words for export in kept] == [
        f'search: "{other.reference}"',
        "status: Pending; owner_model: user",
        "status: Completed",
    ]
    assert {export.requested_by for export in kept} == {user_of(finance)}
    assert [export.query for export in kept][1] == "owner_model=user"
    assert [export.rows_done for export in kept] == [1, 1, 0]


@pytest.mark.parametrize("query", ["status=all&created_at__gte=nonsense", "secret__x=1", "o=abc"])
def test_an_invalid_filter_is_rejected_and_nothing_is_exported(wallet, finance, query):
    wallet.request(500)
    before = table_fingerprints()
    response = request_export(finance, WITHDRAWALS, query)
    if query == "o=abc":  # an order that is none is no filter
        assert read_csv(file_bytes(response))[1].startswith("Complete: 1 row,")
        return
    assert messages_of(response)[-1] == "The filter of the list is not valid"
    assert table_fingerprints() == before


def test_the_days_must_be_in_order_and_the_format_known(wallet, finance):
    with assert_no_table_changes():
        page = request_export(finance, WITHDRAWALS, first="2026-02-01", last="2026-01-01")
        assert "The first day must not be after the last one" in text_of(page)
        assert "Select a valid choice" in text_of(request_export(finance, WITHDRAWALS, form="pdf"))


def test_the_form_shows_the_number_of_rows_and_changes_nothing(wallet, finance):
    wallet.request(500)
    with assert_no_table_changes():
        listed = finance.get(reverse("admin:wallets_withdrawal_changelist") + "?status=Pending&p=1")
        address = reverse("admin:wallets_withdrawal_export")
        assert f'href="{address}?status=Pending"' in listed.content.decode()
        page = text_of(finance.get(f"{address}?status=Pending"))
    assert "1 withdrawal. Filter: status: Pending." in page


@pytest.mark.parametrize(
    ("role", "may"),
    [
        (FINANCE_APPROVER, True),
        (BACK_OFFICE, True),
        (CREDIT_OFFICER, True),
        (AUDITOR, True),
        (ADMINISTRATOR, False),
    ],
)
@pytest.mark.one_in(3)
def test_who_may_export(wallet, role, may):
    wallet.request(500)
    client = signed_in_client(role)
    listed = client.get(reverse("admin:wallets_withdrawal_changelist")).content.decode()
    assert (reverse("admin:wallets_withdrawal_export") in listed) == may
    if may:
        response = request_export(client, WITHDRAWALS)
        assert len(read_csv(file_bytes(response))[0]) == 1
        assert Export.objects.get().requested_by == user_of(client)


def test_a_statement_has_a_running_balance(wallet, finance):
    held = wallet.request(500)
    wallet.request(700)
    account = Account.objects.get(owner_id=wallet.owner_id, kind=AccountKind.AVAILABLE)
    rows, _ = read_csv(
        file_bytes(request_export(finance, ENTRIES, f"account__id__exact={account.pk}"))
    )
    assert [(row["Amount"], row["Balance after"]) for row in rows] == [
        ("5000", "5000"),
        ("-500", "4500"),
        ("-700", "3800"),
    ]
    assert [row["Subject ID"] for row in rows][1] == str(held.pk)
    whole, _ = read_csv(
        file_bytes(request_export(finance, ENTRIES, f"account__owner_id={wallet.owner_id}"))
    )
    assert sorted(row["Account"] for row in whole) == [
        "available",
        "available",
        "available",
        "escrow",
        "escrow",
    ]
    page = finance.get(reverse("admin:exchange_member_change", args=[wallet.member_id]))
    assert f"account__owner_id={wallet.owner_id}" in page.content.decode()


def test_a_statement_of_a_system_account_starts_from_its_earlier_balance(wallet, finance, owner):
    make_wallet(250)
    old = Transfer.objects.filter(kind="deposit").earliest("created_at")
    owner(
        "UPDATE wallets_transfer SET created_at = created_at - interval '9 days' WHERE id = %s",
        [old.pk],
    )
    clearing = "counts=KES&account_kind=clearing"
    rows, _ = read_csv(file_bytes(request_export(finance, ENTRIES, clearing)))
    assert [(row["Amount"], row["Balance after"]) for row in rows] == [
        ("5000", "5000"),
        ("250", "5250"),
    ]
    rows, _ = read_csv(
        file_bytes(
            request_export(finance, ENTRIES, clearing, first=str(today() - timedelta(days=1)))
        )
    )
    assert [(row["Amount"], row["Balance after"]) for row in rows] == [("250", "5250")]
    # Entries picked by a search have no running balance.
    rows, _ = read_csv(file_bytes(request_export(finance, ENTRIES, f"q={old.reference}")))
    assert {row["Balance after"] for row in rows} == {"5000", ""}


@pytest.fixture
def owner() -> Any:
    def run(sql: str, values: list[Any]) -> None:
        with without_guards() as cursor:
            cursor.execute(sql, values)

    return run


def test_loans_are_exported_with_their_debt():
    lending = make_lending()
    loan = lending.lend()
    repay(
        loan_id=loan.pk, organisation_id=loan.organisation_id, amount=Decimal(100_000), actor=TESTER
    )
    client = signed_in_client(CREDIT_OFFICER)
    rows, _ = read_xlsx(
        file_bytes(request_export(client, LOANS, "status__exact=ACTIVE", form="xlsx"))
    )
    [row] = rows
    assert row["Loan ID"] == str(loan.pk)
    assert row["Principal"] == float(loan.amount)
    assert row["Outstanding"] == float(loan.repayment_amount - 100_000)
    assert row["Term (months)"] == loan.duration
    assert read_csv(file_bytes(request_export(client, LOANS, "status__exact=OVERDUE")))[0] == []


def test_the_record_of_an_export_is_immutable(wallet, finance):
    file_bytes(request_export(finance, WITHDRAWALS))
    for sql in (
        "DELETE FROM exchange_export",
        "UPDATE exchange_export SET query = ''",
        "UPDATE exchange_export SET requested_by_id = NULL",
    ):
        with (
            pytest.raises(ProgrammingError, match="permission denied"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(sql)


# --- Long ones ------------------------------------------------------------------------------------


def start_long_export(client: Client, monkeypatch: Any, query: str = "", **data: str) -> Export:
    monkeypatch.setattr(exports, "DIRECT_ROWS", 0)
    response = request_export(client, WITHDRAWALS, query, **data)
    export = Export.objects.latest("created_at")
    page = reverse("admin:exchange_export_change", args=[export.pk])
    assert (response.status_code, response["Location"]) == (302, page)
    return export


def download(client: Client, export: Export) -> Any:
    return client.get(reverse("admin:exchange_export_download", args=[export.pk]))


def page(client: Client, export: Export) -> Any:
    return client.get(reverse("admin:exchange_export_change", args=[export.pk]))


@pytest.mark.django_db(transaction=True)
def test_a_long_export_is_written_by_a_worker_and_kept_a_week(
    wallet, finance, monkeypatch, auditor
):
    monkeypatch.setattr(exports, "_CHUNK_BYTES", 100)
    wallet.request(500)
    export = start_long_export(finance, monkeypatch, "status=Pending", form="xlsx")
    assert "Queued" in text_of(page(finance, export))
    assert exports.write_next_export()
    assert not exports.write_next_export()
    assert ExportChunk.objects.filter(export=export).count() > 5
    rows, last = read_xlsx(file_bytes(download(finance, export)))
    assert [row["Amount"] for row in rows] == [500]
    assert last.startswith("Complete: 1 row,")
    # Only the requester and auditors.
    assert download(signed_in_client(BACK_OFFICE), export).status_code == 404
    assert page(signed_in_client(FINANCE_APPROVER, "other"), export).status_code == 404
    assert read_xlsx(file_bytes(download(auditor, export)))[0] == rows
    assert "Ready" in text_of(auditor.get(reverse("admin:exchange_export_changelist")))
    assert housekeeping.purge_exports() == 0
    Export.objects.filter(pk=export.pk).update(finished_at=timezone.now() - timedelta(days=8))
    assert housekeeping.purge_exports() == 1
    assert ExportChunk.objects.count() == 0
    assert download(finance, export).status_code == 302
    assert "deleted after 7 days" in text_of(page(finance, export))


class Killed(BaseException):
    """Stands for a killed process: no handler of ours catches it."""


@pytest.mark.django_db(transaction=True)
def test_a_killed_worker_leaves_no_partial_file_and_another_writes_it(wallet, finance, monkeypatch):
    for _ in range(3):
        wallet.request(500)
    export = start_long_export(finance, monkeypatch)
    origin = get_source("wallets.withdrawal")

    def cut_off(rows: Any, query: str, span: DateRange) -> Any:
        for number, row in enumerate(origin.records(rows, query, span)):
            if number == 2:
                raise Killed
            yield row

    broken = Source(**{**{n: getattr(origin, n) for n in origin.__slots__}, "records": cut_off})
    with monkeypatch.context() as patch:
        patch.setattr(exports, "get_source", lambda name: broken)
        with pytest.raises(Killed):
            exports.write_next_export()
    export.refresh_from_db()
    assert (export.status, ExportChunk.objects.count()) == ("Running", 0)
    # The lease still blocks others. Later rows are in the new file.
    assert not exports.write_next_export()
    wallet.request(600)
    Export.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    assert exports.write_next_export()
    rows, last = read_csv(file_bytes(download(finance, export)))
    assert sorted(row["Amount"] for row in rows) == ["500", "500", "500", "600"]
    assert last.startswith("Complete: 4 rows")


@pytest.mark.django_db(transaction=True)
def test_the_file_shows_one_snapshot_despite_concurrent_changes(wallet, finance, monkeypatch):
    monkeypatch.setattr("exchange.exports.lists._CHUNK_ROWS", 1)
    monkeypatch.setattr(exports, "_HEARTBEAT_ROWS", 1)
    monkeypatch.setattr(exports, "_HEARTBEAT_SECONDS", 0)
    for _ in range(3):
        wallet.request(500)
    export = start_long_export(finance, monkeypatch)
    rows_done = []
    beat = exports._Heartbeat.beat

    def change(heartbeat: Any, rows: int) -> None:
        beat(heartbeat, rows)
        with heartbeat._connection.cursor() as cursor:
            # Through another connection, like another process.
            cursor.execute("UPDATE wallets_withdrawal SET reason = 'meanwhile'")
            cursor.execute("SELECT rows_done FROM exchange_export WHERE id = %s", [export.pk])
            rows_done.append(cursor.fetchone()[0])

    monkeypatch.setattr(exports._Heartbeat, "beat", change)
    assert exports.write_next_export()
    rows, _ = read_csv(file_bytes(download(finance, export)))
    assert [row["Reason"] for row in rows] == ["", "", ""]
    assert rows_done == [0, 1, 2, 3, 3]  # before it is packed and after


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_loses_its_claim_writes_nothing(wallet, finance, monkeypatch):
    wallet.request(500)
    export = start_long_export(finance, monkeypatch)
    keep = exports._store_file

    def too_late(*args: Any) -> None:
        Export.objects.filter(pk=export.pk).update(claimed_by="somebody-else")
        keep(*args)

    with monkeypatch.context() as patch:
        patch.setattr(exports, "_store_file", too_late)
        assert exports.write_next_export()
    export.refresh_from_db()
    assert (export.status, ExportChunk.objects.count()) == ("Running", 0)


@pytest.mark.django_db(transaction=True)
def test_an_export_that_fails_three_workers_is_given_up(wallet, finance, monkeypatch):
    wallet.request(500)
    export = start_long_export(finance, monkeypatch)
    gone = timezone.now() - timedelta(seconds=1)
    Export.objects.update(status="Running", attempts=3, leased_until=gone)
    assert not exports.write_next_export()
    assert "The export was interrupted" in text_of(page(finance, export))


@pytest.mark.django_db(transaction=True)
def test_a_person_who_loses_permission_gets_no_file(wallet, finance, monkeypatch):
    wallet.request(500)
    export = start_long_export(finance, monkeypatch)
    StaffUser.objects.filter(pk=user_of(finance).pk).update(is_active=False)
    assert exports.write_next_export()
    export.refresh_from_db()
    assert (export.status, export.error) == ("Failed", "You may not export this list")
    assert ExportChunk.objects.count() == 0


def test_one_person_cannot_fill_the_queue(wallet, finance, monkeypatch):
    wallet.request(500)
    for _ in range(5):
        start_long_export(finance, monkeypatch)
    refused = request_export(finance, WITHDRAWALS)
    assert "5 of your exports are in progress" in text_of(refused)
    assert Export.objects.count() == 5
    with pytest.raises(Conflict):
        exports.start_export(
            source="wallets.withdrawal",
            query="",
            span=DateRange(),
            form="csv",
            user=user_of(finance),
        )


def test_progress_is_shown_to_the_requester(wallet, finance, monkeypatch):
    wallet.request(500)
    export = start_long_export(finance, monkeypatch)
    Export.objects.update(status="Running", rows_done=1200)
    address = reverse("admin:exchange_export_progress", args=[export.pk])
    assert finance.get(address).json() == {
        "finished": False,
        "text": "1,200 of about 1,200 rows",
        "done": 1200,
        "total": 1200,
    }
    shown = page(finance, export).content.decode()
    assert 'max="1200" value="1200"' in shown
    assert "exchange/progress" in shown
    assert signed_in_client(CREDIT_OFFICER).get(address).status_code == 404
