"""Requests an export of all entries as a finance approver and waits for the worker.

Run as a program under the benchmark's settings; the argument is the form of the file. Prints JSON.
"""

from __future__ import annotations

import json
import sys
from time import perf_counter, sleep

import django

django.setup()

from django.conf import settings  # noqa: E402 - Django must be set up before its models are
from django.test import Client  # noqa: E402
from django.urls import reverse  # noqa: E402

from config.back_office.roles import FINANCE_APPROVER, create_staff  # noqa: E402
from config.celery import publish  # noqa: E402
from exchange.core import task_notifier  # noqa: E402
from exchange.exports import services as exports  # noqa: E402
from exchange.exports.models import Export  # noqa: E402
from exchange.staff.models import StaffUser  # noqa: E402
from tests.factories.logins import sign_in  # noqa: E402

_NAME = "bench.finance"
_NOTIFY_EVERY_SECONDS = 5


def main(form: str) -> None:
    user = StaffUser.objects.filter(username=_NAME).first() or create_staff(
        _NAME, "correct horse battery", FINANCE_APPROVER
    )
    client = Client(SERVER_NAME="127.0.0.1")
    sign_in(client, user)
    exports.DIRECT_ROWS = 0  # the worker writes short files too
    client.post(reverse("admin:wallets_entry_export"), {"form": form})
    export = Export.objects.latest("created_at")
    started = notified = perf_counter()
    while export.status in {"Waiting", "Running"}:
        sleep(0.02)
        if export.status == "Waiting":
            started = perf_counter()
            if started - notified > _NOTIFY_EVERY_SECONDS:
                notified = started
                publish(task_notifier.WRITE_EXPORTS)
        export.refresh_from_db()
    if export.status != "Ready":
        raise RuntimeError(f"{export.status}: {export.error}")
    print(
        json.dumps(
            {
                "rows": export.rows_done,
                "seconds": perf_counter() - started,
                "address": reverse("admin:exchange_export_download", args=[export.pk]),
                "session": client.cookies[settings.SESSION_COOKIE_NAME].value,
            }
        )
    )


main(sys.argv[1])
