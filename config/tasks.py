"""Tasks of the composition root: what spans all apps, and the sign that a worker is there."""

from __future__ import annotations

from pathlib import Path

from celery import shared_task
from django.conf import settings

from config.books import CHECKS
from wallets.ledger.proof import prove_and_store


@shared_task(name="config.answer")
def answer(token: str) -> None:
    """Write `token` where `manage.py up` looks for it: broker and worker both work."""
    Path(settings.DATA_DIR, "run", "worker").write_text(token)


@shared_task(name="config.tasks.prove_books")
def prove_books() -> None:
    """The daily proof of all apps' books; what is off is kept and raises an alert."""
    prove_and_store(CHECKS)
