"""Tasks that span all apps, and the readiness probe of workers."""

from __future__ import annotations

from pathlib import Path

from celery import shared_task
from django.conf import settings

from config.books import CHECKS
from wallets.ledger.proof import prove_and_store


@shared_task(name="config.answer")
def report_ready(token: str) -> None:
    """Write `token` where `manage.py up` reads it: proof that broker and worker work."""
    Path(settings.DATA_DIR, "run", "worker").write_text(token)


@shared_task(name="config.tasks.prove_books")
def prove_books() -> None:
    """Prove the books of all apps and store the result; a discrepancy raises an alert."""
    prove_and_store(CHECKS)
