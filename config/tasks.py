"""Tasks that span all apps, and the readiness probe of workers."""

import logging
import threading
from pathlib import Path

from celery import shared_task
from django.conf import settings
from django.db import OperationalError
from django.utils import timezone

from config import staff_mail
from config.books import CHECKS
from exchange.partitions.selectors import count_months_ahead
from exchange.partitions.services import add_partitions
from wallets.alerts.services import raise_alert, resolve_alert
from wallets.ledger.proof import prove_and_store
from wallets.ledger.selectors.proof import full_proof_due

logger = logging.getLogger(__name__)

# Fewer months with a partition ahead raise an alert; the task adds three.
MIN_MONTHS_AHEAD = 2
# A slow mail server occupies one thread of a worker only.
_mail_slot = threading.BoundedSemaphore(1)


@shared_task(name="config.answer")
def report_ready(token: str) -> None:
    """Write `token` where `manage.py up` reads it: proof that broker and worker work."""
    Path(settings.DATA_DIR, "run", "worker").write_text(token)


@shared_task(name="config.tasks.prove_books")
def prove_books() -> None:
    """Prove the books of all apps and store the result; a discrepancy raises an alert.

    Once a day in full, from the hour that `BOOKS_PROOF_HOUR` names; else from the checkpoint.
    """
    due = full_proof_due(timezone.now(), settings.BOOKS_PROOF_HOUR)
    prove_and_store(CHECKS, incremental=not due)


@shared_task(name="config.tasks.mail_staff")
def mail_staff() -> None:
    """E-mail staff about what is new, and send what is due."""
    if not _mail_slot.acquire(blocking=False):
        return
    try:
        staff_mail.mail_staff()
    finally:
        _mail_slot.release()


@shared_task(name="config.tasks.add_partitions")
def add_monthly_partitions() -> None:
    """Add the partitions of coming months; raise an alert for each table that lacks them."""
    try:
        add_partitions()
    except OperationalError as error:
        # A table was in use. Months are added ahead, so a later run is early enough.
        logger.warning("partitions were not added: %s", str(error).strip())
    for table, months in count_months_ahead().items():
        if months >= MIN_MONTHS_AHEAD:
            resolve_alert("partitions", subject=table)
            continue
        raise_alert(
            "partitions",
            subject=table,
            message=f"{table} has partitions for {max(months, 0)} coming months, of 3. Rows after"
            " them are kept together in one partition. Run manage.py migrate, which adds months or"
            " names the cause.",
        )
