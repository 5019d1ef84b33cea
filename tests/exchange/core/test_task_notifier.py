"""Notifications to workers: after commit, rate-limited, and never blocking."""

import os
import threading
import time
from collections.abc import Iterator
from queue import SimpleQueue
from types import SimpleNamespace

import pytest
from django.db import transaction

from exchange.core import task_notifier
from exchange.core.ids import uuid7
from exchange.core.task_notifier import DELIVER_EVENTS, TaskNotifier
from exchange.events.services.outbox import emit
from exchange.participants.models import Organisation


class Publisher:
    """Replaces Celery and records the published tasks."""

    def __init__(self) -> None:
        self.published: list[str] = []
        self._changed = threading.Condition()

    def __call__(self, task: str) -> None:
        with self._changed:
            self.published.append(task)
            self._changed.notify_all()

    def wait_for(self, count: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.published) >= count, timeout=5)


@pytest.fixture
def publisher() -> Iterator[Publisher]:
    made = Publisher()
    task_notifier.set_publisher(made)
    yield made
    task_notifier.set_publisher(Publisher())


def test_the_first_notification_is_immediate_and_a_burst_is_merged_into_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The thread sleeps until the test lets it go on.
    pauses: SimpleQueue[None] = SimpleQueue()
    clock = SimpleNamespace(sleep=lambda _seconds: pauses.get(timeout=5))
    monkeypatch.setattr(task_notifier, "time", clock)
    publisher = Publisher()
    notifier = TaskNotifier(publisher)
    notifier.notify("a")
    publisher.wait_for(1)
    for _ in range(1000):
        notifier.notify("a")
    pauses.put(None)
    publisher.wait_for(2)
    # Whatever the burst had left would be published with the next one.
    notifier.notify("b")
    pauses.put(None)
    publisher.wait_for(3)
    pauses.put(None)
    assert publisher.published == ["a", "a", "b"]


def test_a_daemon_thread_publishes_every_quarter_of_a_second(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slept: SimpleQueue[float] = SimpleQueue()
    monkeypatch.setattr(task_notifier, "time", SimpleNamespace(sleep=slept.put))
    publisher = Publisher()
    notifier = TaskNotifier(publisher)
    for count in (1, 2):
        notifier.notify("a")
        assert slept.get(timeout=5) == 0.25
        assert publisher.published == ["a"] * count
    assert all(thread.daemon for thread in threading.enumerate() if thread.name == "task-notifier")


def test_each_task_is_notified() -> None:
    publisher = Publisher()
    notifier = TaskNotifier(publisher, interval_seconds=0.05)
    notifier.notify("a")
    notifier.notify("b")
    publisher.wait_for(2)
    assert sorted(publisher.published) == ["a", "b"]


def test_a_broker_that_is_down_neither_raises_nor_blocks() -> None:
    tried = Publisher()
    release = threading.Event()

    def down(task: str) -> None:
        tried(task)
        release.wait(5)
        raise ConnectionError("no broker")

    notifier = TaskNotifier(down, interval_seconds=0.01)
    started = time.monotonic()
    for _ in range(100):
        notifier.notify("a")
    assert time.monotonic() - started < 4
    tried.wait_for(1)
    release.set()
    # Later notifications are still published.
    notifier.notify("a")
    tried.wait_for(2)


def test_notifications_work_in_a_forked_process() -> None:
    publisher = Publisher()
    notifier = TaskNotifier(publisher, interval_seconds=0.01)
    notifier.notify("before")
    publisher.wait_for(1)
    child = os.fork()
    if child == 0:
        try:
            notifier.notify("after")
            publisher.wait_for(2)
            os._exit(0)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


@pytest.mark.django_db(transaction=True)
def test_a_notification_is_sent_after_the_commit(publisher: Publisher) -> None:
    with transaction.atomic():
        task_notifier.notify_after_commit("a")
        # Without a transaction one is published at once; the other would be with it or before it.
        task_notifier._notifier.notify("b")
        publisher.wait_for(1)
        assert publisher.published == ["b"]
    publisher.wait_for(2)
    assert publisher.published == ["b", "a"]


@pytest.mark.django_db(transaction=True)
def test_a_rollback_sends_no_notification(publisher: Publisher) -> None:
    with transaction.atomic():
        task_notifier.notify_after_commit("a")
        transaction.set_rollback(True)
    task_notifier._notifier.notify("b")
    publisher.wait_for(1)
    assert publisher.published == ["b"]


@pytest.mark.django_db(transaction=True)
def test_a_process_that_cannot_start_the_thread_still_commits(
    monkeypatch: pytest.MonkeyPatch, publisher: Publisher
) -> None:
    def full() -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", lambda _: full())
    with transaction.atomic():
        Organisation.objects.create(name="Acme")
        task_notifier.notify_after_commit("a")
    assert Organisation.objects.get().name == "Acme"
    assert publisher.published == []


@pytest.mark.django_db(transaction=True)
def test_an_event_notifies_the_delivery_task(publisher: Publisher) -> None:
    owner = Organisation.objects.create(name="Acme")
    emit(organisation_id=owner.id, event_type="webhook.test", subject_id=uuid7(), data="{}")
    publisher.wait_for(1)
    assert publisher.published == [DELIVER_EVENTS]
