"""The one task of the composition root: a worker shows that it is there."""

from __future__ import annotations

from pathlib import Path

from celery import shared_task
from django.conf import settings


@shared_task(name="config.answer")
def answer(token: str) -> None:
    """Write `token` where `manage.py up` looks for it: broker and worker both work."""
    Path(settings.DATA_DIR, "run", "worker").write_text(token)
