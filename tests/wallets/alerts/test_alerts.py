"""Alerts: open once per kind and subject, counted while they are open, and resolved."""

import pytest
from django.utils import timezone

from wallets.alerts.models import Alert
from wallets.alerts.services import raise_alert, resolve_alert

pytestmark = pytest.mark.django_db


def found() -> list[tuple[str, str, str, int, bool]]:
    """The alerts in the order they were first raised, and whether they are open."""
    rows = Alert.objects.order_by("id")
    return [(a.kind, a.subject, a.message, a.occurrences, a.resolved_at is None) for a in rows]


def test_an_alert_is_open_once_with_the_latest_message_and_raised_again_after_resolution():
    before = timezone.now()
    raise_alert("float", subject="KES", message="first")
    raise_alert("float", subject="NGN", message="another")
    raise_alert("books", subject="KES", message="another")
    raise_alert("float", subject="KES", message="second")
    others = [("float", "NGN", "another", 1, True), ("books", "KES", "another", 1, True)]
    assert found() == [("float", "KES", "second", 2, True), *others]
    assert resolve_alert("float", subject="KES") is True
    resolved = Alert.objects.exclude(resolved_at=None).get()
    assert (resolved.kind, resolved.subject) == ("float", "KES")
    assert resolved.resolved_at is not None
    assert before <= resolved.resolved_at <= timezone.now()
    # Once is enough: the time it was resolved at stays.
    assert resolve_alert("float", subject="KES") is False
    assert Alert.objects.exclude(resolved_at=None).get().resolved_at == resolved.resolved_at
    raise_alert("float", subject="KES", message="third")
    assert found() == [
        ("float", "KES", "second", 2, False), *others, ("float", "KES", "third", 1, True),
    ]  # fmt: skip


def test_an_alert_about_nothing_in_particular_is_resolved_alone():
    raise_alert("books", message="off")
    raise_alert("books", subject="KES", message="off")
    assert resolve_alert("books") is True
    assert found() == [("books", "", "off", 1, False), ("books", "KES", "off", 1, True)]


def test_a_long_subject_and_message_are_cut_and_resolved_by_the_whole_subject():
    subject, message = "s" * 80 + "x", "m" * 500 + "x"
    raise_alert("float", subject=subject, message=message)
    assert found() == [("float", subject[:80], message[:500], 1, True)]
    assert resolve_alert("float", subject=subject) is True
