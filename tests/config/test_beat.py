"""The shared schedule: any number of beats publish each periodic task once per period."""

from datetime import timedelta

import pytest
from celery import Celery
from django.utils import timezone

from config.beat import SharedScheduler
from exchange.core.models import ScheduledRun

pytestmark = pytest.mark.django_db

SWEEP, DAILY = "exchange.tasks.deliver_events", "config.tasks.prove_books"
PERIODS = {SWEEP: timedelta(seconds=5), DAILY: timedelta(days=1)}
NO_BROKER = "amqp://guest:guest@127.0.0.1:1//"


def make_beat() -> SharedScheduler:
    app = Celery("test_beat", set_as_current=False)
    app.conf.task_publish_retry = False
    app.conf.beat_schedule = {
        task: {"task": task, "schedule": period} for task, period in PERIODS.items()
    }
    return SharedScheduler(app=app)


def publish(beat: SharedScheduler, task: str, broker: str = "memory://") -> bool:
    """Let the beat reach the task's turn; return whether it published it."""
    # Unlike `beat.producer`, this one does not wait for a broker, nor use that of the environment.
    connection = beat.app.connection_for_write(broker)
    producer = beat.app.amqp.Producer(connection, auto_declare=False)
    return beat.apply_async(beat.schedule[task], producer=producer) is not None


def backdate(task: str, ago: timedelta) -> None:
    ScheduledRun.objects.filter(task=task).update(published_at=timezone.now() - ago)


def test_one_of_two_beats_publishes_a_due_task():
    one, other = make_beat(), make_beat()
    assert publish(one, SWEEP)
    assert not publish(other, SWEEP)
    assert not publish(one, SWEEP)

    backdate(SWEEP, timedelta(seconds=5))
    assert publish(other, SWEEP)
    assert not publish(one, SWEEP)


def test_a_task_with_a_long_period_waits_for_it():
    beat = make_beat()
    assert not publish(beat, DAILY), "its first period is not over"
    backdate(DAILY, timedelta(hours=23, minutes=59))
    assert not publish(beat, DAILY)
    backdate(DAILY, timedelta(hours=24))
    assert publish(beat, DAILY)
    assert not publish(make_beat(), DAILY), "a beat that starts keeps the period"


def test_each_beat_asks_at_least_once_a_minute():
    entry = make_beat().schedule[DAILY]
    assert entry.schedule is not None
    due = entry.schedule.is_due(timezone.now())
    assert not due.is_due
    assert 0 < due.next <= 60


@pytest.mark.slow
def test_a_task_that_could_not_be_published_stays_due():
    assert not publish(make_beat(), SWEEP, NO_BROKER)
    assert publish(make_beat(), SWEEP)
