"""Long exports by a real worker: kills at named points, and limited memory."""

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
    """The ledger of an organisation with many withdrawals."""

    def __init__(self) -> None:
        self._organisation = make_wallet(1).organisation
        self._filled = 0

    def fill_to(self, withdrawals: int) -> None:
        """Add withdrawals up to this number, with ten entries each."""
        url = server_url(worker_database())
        fill_withdrawals(url, self._organisation.pk, self._filled + 1, withdrawals)
        self._filled = withdrawals


@pytest.fixture
def books(transactional_db: None) -> Books:
    return Books()


def start_export(client: Client, broker: Celery, form: str) -> Export:
    """Start an export of all entries, which is too long to download directly."""
    response = request_export(client, "wallets_entry", "counts=NGN", form=form)
    assert response.status_code == 302
    broker.send_task(SWEEP)
    return Export.objects.latest("created_at")


def page_text(client: Client, export: Export) -> str:
    return text_of(client.get(reverse("admin:exchange_export_change", args=[export.pk])))


def download(client: Client, export: Export) -> Any:
    return client.get(reverse("admin:exchange_export_download", args=[export.pk]))


def assert_no_file(client: Client, export: Export) -> None:
    """Assert that no file is offered, downloaded or stored."""
    page = client.get(reverse("admin:exchange_export_change", args=[export.pk]))
    address = reverse("admin:exchange_export_download", args=[export.pk])
    assert address not in page.content.decode()
    assert messages_of(download(client, export)) == ["There is no file to download"]
    assert ExportChunk.objects.count() == 0


def expire_lease(export: Export) -> None:
    Export.objects.filter(pk=export.pk).update(leased_until=timezone.now() - timedelta(seconds=1))


def sweep_until(export: Export, status: str, broker: Celery) -> None:
    """Run the export task repeatedly, as beat does each minute, until it has the status."""

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
    raise AssertionError(f"the export is {export.status}, not {status}")


DURING_THE_READ = ("UPDATE", "exchange_export", "NEW.rows_done > 0")
DURING_THE_STORAGE = ("INSERT", "exchange_exportchunk", "NEW.position = 2")


@pytest.mark.parametrize(
    ("form", "point"),
    [("csv", DURING_THE_READ), ("xlsx", DURING_THE_READ), ("csv", DURING_THE_STORAGE)],
    ids=["csv read", "xlsx read", "csv stored"],
)
def test_an_export_of_a_killed_worker_leaves_no_file_and_restarts(
    books: Books,
    finance: Client,
    live_worker: Program,
    broker: Celery,
    form: str,
    point: tuple[str, str, str],
):
    books.fill_to(600)
    with WritePause(*point) as pause:
        export = start_export(finance, broker, form)
        pause.wait()
        live_worker.kill()
        pause.disconnect()
    export.refresh_from_db()
    assert (export.status, export.attempts) == ("Running", 1)
    assert_no_file(finance, export)
    assert "of about 6,000 rows" in page_text(finance, export)
    live_worker.start()
    # No worker claims the export during its lease, so that a slow worker is not overtaken.
    broker.send_task(SWEEP)
    expire_lease(export)
    sweep_until(export, "Ready", broker)
    assert export.attempts == 2
    data = file_bytes(download(finance, export))
    rows, last = read_xlsx(data) if form == "xlsx" else read_csv(data)
    assert last.startswith("Complete: 6000 rows, as of ")
    legs = {(row["Transfer"], row["Account"], row["Amount"]) for row in rows}
    assert len(rows) == len(legs) == 6_000


def test_an_export_that_kills_three_workers_fails(
    books: Books, finance: Client, live_worker: Program, broker: Celery
):
    books.fill_to(600)
    with WritePause("INSERT", "exchange_exportchunk", "true") as pause:
        export = start_export(finance, broker, "csv")
        for attempt in (1, 2, 3):
            broker.send_task(SWEEP)
            pause.wait()
            live_worker.kill()
            pause.disconnect()
            export.refresh_from_db()
            assert (export.status, export.attempts) == ("Running", attempt)
            assert_no_file(finance, export)
            expire_lease(export)
            live_worker.start()
        sweep_until(export, "Failed", broker)
    assert "The export was interrupted. Request it again" in page_text(finance, export)
    assert_no_file(finance, export)
    # Later exports are not blocked.
    again = start_export(finance, broker, "csv")
    sweep_until(again, "Ready", broker)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_a_workers_memory_does_not_grow_with_the_rows(
    books: Books, finance: Client, live_worker: Program, broker: Celery, form: str
):
    def peak_for(withdrawals: int) -> int:
        books.fill_to(withdrawals)
        reset_peak(live_worker.pid)
        export = start_export(finance, broker, form)
        sweep_until(export, "Ready", broker)
        assert export.rows_done == withdrawals * ENTRIES_EACH
        return peak_memory(live_worker.pid)

    peak_for(510)  # loads modules and caches
    few = peak_for(520)
    # Any thread of the worker may write the file and allocates up to 10 megabytes. Another 15,600
    # rows in memory would be at least 29.
    assert peak_for(2_080) - few < 20 * MEGABYTE
