"""Long exports by a real worker: killed at named points, and held to little memory."""

from __future__ import annotations

import sys
from datetime import timedelta
from typing import Any

import pytest
from celery import Celery
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config.back_office.roles import FINANCE_APPROVER
from exchange.exports.models import Export, ExportChunk
from tests.environment.database import server_url, worker_database
from tests.environment.memory import peak_memory, reset_peak
from tests.environment.processes import Program, wait_until
from tests.environment.services import ServiceStack
from tests.environment.write_pause import WritePause
from tests.factories.back_office import messages_of, signed_in_client, text_of
from tests.factories.exports import file_bytes, read_csv, read_xlsx, request_export
from tests.factories.ledger_rows import ENTRIES_EACH, fill_withdrawals
from tests.factories.wallets import make_wallet

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

SWEEP = "exchange.tasks.write_exports"
MEGABYTE = 1024 * 1024


@pytest.fixture
def finance(transactional_db: None) -> Client:
    return signed_in_client(FINANCE_APPROVER)


@pytest.fixture
def broker(service_stack: ServiceStack) -> Celery:
    return service_stack.celery()


class Books:
    """An organisation whose members withdraw and withdraw."""

    def __init__(self) -> None:
        self._organisation = make_wallet(1).organisation
        self._filled = 0

    def fill_to(self, withdrawals: int) -> None:
        """So many withdrawals, with ten entries each."""
        url = server_url(worker_database())
        fill_withdrawals(url, self._organisation.pk, self._filled + 1, withdrawals)
        self._filled = withdrawals


@pytest.fixture
def books(transactional_db: None) -> Books:
    return Books()


def asked(client: Client, broker: Celery, form: str) -> Export:
    """The export of all entries, which is too long to come at once."""
    response = request_export(client, "wallets_entry", "counts=NGN", form=form)
    assert response.status_code == 302
    broker.send_task(SWEEP)
    return Export.objects.latest("created_at")


def shown(client: Client, export: Export) -> str:
    return text_of(client.get(reverse("admin:exchange_export_change", args=[export.pk])))


def download(client: Client, export: Export) -> Any:
    return client.get(reverse("admin:exchange_export_download", args=[export.pk]))


def no_file(client: Client, export: Export) -> None:
    """Nothing is offered, nothing is handed over, nothing is left of a file."""
    page = client.get(reverse("admin:exchange_export_change", args=[export.pk]))
    address = reverse("admin:exchange_export_download", args=[export.pk])
    assert address not in page.content.decode()
    assert messages_of(download(client, export)) == ["There is no file to download"]
    assert ExportChunk.objects.count() == 0


def lease_is_over(export: Export) -> None:
    Export.objects.filter(pk=export.pk).update(leased_until=timezone.now() - timedelta(seconds=1))


def until(export: Export, status: str, broker: Celery) -> None:
    """Has the worker look for exports, as beat does each minute, until it has that status."""

    def reached() -> bool:
        export.refresh_from_db()
        return export.status == status

    for _ in range(60):
        broker.send_task(SWEEP)
        try:
            wait_until(reached, status, seconds=5)
        except AssertionError:
            continue
        return
    raise AssertionError(f"it is {export.status}, not {status}")


WHILE_IT_READS = ("UPDATE", "exchange_export", "NEW.rows_done > 0")
WHILE_IT_KEEPS_THE_FILE = ("INSERT", "exchange_exportchunk", "NEW.position = 2")


@pytest.mark.parametrize(
    ("form", "point"),
    [("csv", WHILE_IT_READS), ("xlsx", WHILE_IT_READS), ("csv", WHILE_IT_KEEPS_THE_FILE)],
    ids=["csv read", "xlsx read", "csv kept"],
)
def test_a_worker_killed_half_way_leaves_no_file_and_another_one_begins_anew(
    books: Books,
    finance: Client,
    live_worker: Program,
    broker: Celery,
    form: str,
    point: tuple[str, str, str],
):
    books.fill_to(600)
    with WritePause(*point) as pause:
        export = asked(finance, broker, form)
        pause.wait()
        live_worker.kill()
        pause.disconnect()
    export.refresh_from_db()
    assert (export.status, export.attempts) == ("Running", 1)
    no_file(finance, export)
    assert "of about 6,000 rows" in shown(finance, export)
    live_worker.start()
    # Its lease still holds: nobody takes it up, so that a slow worker is not overtaken.
    broker.send_task(SWEEP)
    lease_is_over(export)
    until(export, "Ready", broker)
    assert export.attempts == 2
    data = file_bytes(download(finance, export))
    rows, last = read_xlsx(data) if form == "xlsx" else read_csv(data)
    assert last.startswith("Complete: 6000 rows, as of ")
    legs = {(row["Transfer"], row["Account"], row["Amount"]) for row in rows}
    assert len(rows) == len(legs) == 6_000


def test_what_kills_every_worker_ends_as_failed_and_says_so(
    books: Books, finance: Client, live_worker: Program, broker: Celery
):
    books.fill_to(600)
    with WritePause("INSERT", "exchange_exportchunk", "true") as pause:
        export = asked(finance, broker, "csv")
        for attempt in (1, 2, 3):
            broker.send_task(SWEEP)
            pause.wait()
            live_worker.kill()
            pause.disconnect()
            export.refresh_from_db()
            assert (export.status, export.attempts) == ("Running", attempt)
            no_file(finance, export)
            lease_is_over(export)
            live_worker.start()
        until(export, "Failed", broker)
    assert "The export was interrupted. Request it again" in shown(finance, export)
    no_file(finance, export)
    # Nothing else waits behind it.
    again = asked(finance, broker, "csv")
    until(again, "Ready", broker)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_four_times_the_rows_take_a_worker_no_more_memory(
    books: Books, finance: Client, live_worker: Program, broker: Celery, form: str
):
    def most(withdrawals: int) -> int:
        books.fill_to(withdrawals)
        reset_peak(live_worker.pid)
        export = asked(finance, broker, form)
        until(export, "Ready", broker)
        assert export.rows_done == withdrawals * ENTRIES_EACH
        return peak_memory(live_worker.pid)

    most(510)  # what is loaded once is loaded now
    few = most(520)
    # Each thread of the worker has memory of its own, and any may write the file: that is some 10
    # megabytes. The 15,600 rows more would be 29 and more.
    assert most(2_080) - few < 20 * MEGABYTE
