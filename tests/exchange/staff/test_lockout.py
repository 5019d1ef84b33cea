"""Counting attempts, lock-out and clearing, for one account only."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from config.back_office.roles import AUDITOR
from exchange.core.ids import uuid7
from exchange.staff.models import SignInAttempts
from exchange.staff.services import lockout
from exchange.staff.services.lockout import CODE, PASSWORD, Device, LockedOut, LoginAttempt
from tests.factories.logins import create_login_user

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)


@pytest.fixture(autouse=True)
def limits(settings) -> None:
    settings.SIGN_IN_ATTEMPTS = {"account": 3, "address": 6}
    settings.SIGN_IN_LOCKED_MINUTES = 15


def begin(
    account: str = "ada", address: str = "here", device: Device | None = None
) -> LoginAttempt:
    return lockout.begin_attempt(PASSWORD, account=account, address=address, device=device)


def attempts() -> list[int]:
    return sorted(SignInAttempts.objects.values_list("attempts", flat=True))


def move(**back: float) -> None:
    """Backdate all attempts so far."""
    for row in SignInAttempts.objects.all():
        row.ends_at -= timedelta(**back)
        if row.locked_until:
            row.locked_until -= timedelta(**back)
        row.save()


def test_the_last_failed_attempt_locks_out():
    for count in (1, 2):
        begin().mark_failed()
        assert attempts() == [count, count]
    with pytest.raises(LockedOut) as expected:
        begin().mark_failed()
    [end] = SignInAttempts.objects.exclude(locked_until=None).values_list("locked_until", flat=True)
    assert end is not None
    assert timedelta() <= timezone.now() + 15 * MINUTE - end < MINUTE
    assert expected.value.message == (
        f"Too many failed attempts. Try again after {end.astimezone(UTC):%H:%M:%S} UTC."
    )
    with pytest.raises(LockedOut) as again:
        begin()
    assert again.value.message == expected.value.message
    assert attempts() == [3, 3]
    begin("bob").mark_failed()


def test_attempts_in_progress_count_too():
    """Concurrent attempts are limited like sequential ones."""
    for _ in range(3):
        begin()
    with pytest.raises(LockedOut):
        begin()
    for _ in range(2):
        begin("bob")
    # The address has had its six attempts.
    with pytest.raises(LockedOut):
        begin("eve")
    begin("eve", "there")


def test_a_success_clears_the_account_and_uncounts_the_address():
    for account in ("ada", "ada", "bob"):
        begin(account).mark_failed()
    begin("eve", "there").mark_failed()
    assert attempts() == [1, 1, 1, 2, 3]
    begin().mark_succeeded()
    assert attempts() == [1, 1, 1, 3]
    device = Device(uuid7(), "one")
    begin(device=device)
    begin(device=device)
    begin(device=Device(device.user_id, "two"))
    assert attempts() == [1, 1, 1, 1, 2, 3]
    begin(device=device).mark_succeeded()
    assert attempts() == [1, 1, 1, 1, 3]


def test_the_end_of_a_lock_out_is_stated_in_utc():
    end = datetime.fromisoformat("2026-11-23T12:30:05+03:00")
    expected = "Too many failed attempts. Try again after 09:30:05 UTC."
    assert LockedOut(end).message == expected


def test_only_the_account_and_its_devices_are_cleared():
    ada, bob = create_login_user(AUDITOR), create_login_user(AUDITOR, "bob")
    assert lockout.clear_attempts(ada) is False
    for user in (ada, bob):
        for _ in range(3):
            begin(user.username, "")
            lockout.begin_attempt(CODE, account=str(user.pk), address="")
            begin(device=Device(user.pk, "one"))
    assert {len(key) for key in SignInAttempts.objects.values_list("key", flat=True)} == {64}
    # Who has had all attempts is not locked out before the next one.
    assert (lockout.locked_until(ada), lockout.locked_until(bob)) == (None, None)
    assert SignInAttempts.objects.count() == 8
    with pytest.raises(LockedOut):
        begin(device=Device(ada.pk, "one"))
    with pytest.raises(LockedOut):
        begin("bob", "there")
    assert lockout.locked_until(ada) is not None
    move(minutes=16)
    assert lockout.locked_until(ada) is None
    move(minutes=-16)
    assert lockout.clear_attempts(ada) is True
    assert lockout.locked_until(ada) is None
    assert SignInAttempts.objects.count() == 6
    assert lockout.locked_until(bob) is not None
    assert lockout.clear_attempts(ada) is False
    assert lockout.clear_attempts(bob) is True
    # What is left is of addresses.
    assert SignInAttempts.objects.count() == 3


@pytest.mark.parametrize("batch", [1, 2, 3, 4, 1000])
def test_expired_counters_are_deleted_and_counted(monkeypatch, batch):
    monkeypatch.setattr(lockout, "_BATCH", batch)
    assert lockout.purge_expired() == 0
    for name in ("ada", "bob", "eve"):
        begin(name)
    move(minutes=16)
    begin("kim", "there")
    assert lockout.purge_expired() == 4
    assert attempts() == [1, 1]
