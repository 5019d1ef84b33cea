"""The schedule of periodic tasks, shared by any number of beat processes.

PostgreSQL decides whether a task is due: a beat that claims its run publishes it. So beats on
several machines run each task once per period, and one of them may stop at any time.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

import structlog
from celery.beat import ScheduleEntry, Scheduler, SchedulingError
from celery.schedules import schedule
from django.db import DatabaseError

from exchange.core.database import fetch_one

logger = structlog.get_logger(__name__)

# How often a beat asks whether a task with a long period is due: the delay if another one stops.
_LONGEST_PAUSE = timedelta(minutes=1)
# A claim may be this share of a pause early, since the pauses of beats are not exact.
_TOLERANCE = 0.2
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)

# A task that never ran waits for its first period, unless that is short.
_CLAIM = """
INSERT INTO exchange_scheduledrun AS r (task, published_at) VALUES (%s, statement_timestamp())
ON CONFLICT (task) DO UPDATE SET published_at = excluded.published_at
    WHERE r.published_at <= excluded.published_at - make_interval(secs => %s)
RETURNING xmax <> 0 OR %s
"""
_RELEASE = """
UPDATE exchange_scheduledrun SET published_at = 'epoch' WHERE task = %s RETURNING true
"""


class SharedScheduler(Scheduler):
    """A scheduler whose periods are kept in `exchange_scheduledrun`."""

    def setup_schedule(self) -> None:
        """Take the application's schedule, with this process's pauses instead of the periods."""
        self.periods: dict[str, timedelta] = {}
        entries = {}
        for name, given in self.app.conf.beat_schedule.items():
            period = self.periods[name] = given["schedule"]
            pause = schedule(min(period, _LONGEST_PAUSE), app=self.app)
            entries[name] = {**given, "schedule": pause, "last_run_at": _LONG_AGO}
        self.update_from_dict(entries)

    def apply_async(
        self, entry: ScheduleEntry, producer: Any = None, advance: bool = True, **options: Any
    ) -> Any:
        """Publish the task if its run is due; a failure leaves the run to the next attempt."""
        name = str(entry.name)
        try:
            if not self._claim(name):
                return None
            try:
                return super().apply_async(entry, producer=producer, advance=advance, **options)
            except SchedulingError as error:
                fetch_one(_RELEASE, [name])
                # The connection may be broken: make a new one.
                self.__dict__.pop("producer", None)
                self.__dict__.pop("connection", None)
                logger.warning("beat.broker_unavailable", task=name, error=str(error))
        except DatabaseError as error:
            logger.warning("beat.database_unavailable", task=name, error=str(error).strip())
        return None

    def _claim(self, name: str) -> bool:
        period = self.periods[name].total_seconds()
        early = _TOLERANCE * min(period, _LONGEST_PAUSE.total_seconds())
        short = period < _LONGEST_PAUSE.total_seconds()
        row = fetch_one(_CLAIM, [name, period - early, short], retryable=True)
        return row == (True,)
