"""Tasks that span all apps, and the readiness probe of workers."""

from __future__ import annotations

from pathlib import Path

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from config.books import CHECKS
from wallets.ledger.proof import prove_and_store
from wallets.ledger.selectors.proof import full_proof_due


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
