"""The Celery application, and what runs when.

Rows own the work, the broker only wakes workers: the tasks below find what was not woken, so a
lost or duplicated message changes nothing but the delay.
"""

from __future__ import annotations

import os
from datetime import timedelta

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.local")

# Name of the task -> how often it runs.
SCHEDULE: dict[str, timedelta] = {}

app = Celery("exchange")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.conf.beat_schedule = {
    task: {
        "task": task,
        "schedule": every,
        # A sweep that waited longer than its period is overtaken by the next one.
        "options": {"expires": every.total_seconds()},
    }
    for task, every in SCHEDULE.items()
}
