"""Delivery of e-mail: a server that is away delays and loses nothing, and each is sent once."""

from datetime import timedelta
from threading import Event
from typing import Any

import pytest
from django.db import Error, connection, transaction
from django.utils import timezone

from config import staff_mail, tasks
from exchange.core.ids import uuid7
from exchange.staff.models import MailKind, StaffMail, StaffUser
from exchange.staff.services import mail as service
from tests.assertions.statement_results import ACCEPTED, violated_rule
from tests.config.staff_mail.mailed_staff import (
    backdate_mail,
    make_all_due,
    make_person,
    minutes_until,
)
from tests.environment.concurrency import Callers, start_call
from tests.environment.owner import as_owner
from tests.environment.ports import claim_ports
from wallets.alerts.models import Alert
from wallets.alerts.services import raise_alert

pytestmark = pytest.mark.django_db


@pytest.fixture
def resolver() -> StaffUser:
    return make_person("resolver", "change_alert")


def raise_alerts(number: int) -> None:
    for each in range(number):
        raise_alert("float", subject=f"{each}", message="Insufficient float")


def test_a_server_that_is_away_delays_and_loses_nothing(mail_server, settings, resolver):
    raise_alerts(3)
    settings.EMAIL_PORT = claim_ports()
    delays = []
    for _ in range(9):
        make_all_due()
        tasks.mail_staff()
        waiting = StaffMail.objects.filter(sent_at=None, last_error="ConnectionRefusedError")
        assert waiting.count() == 3
        delays.append({minutes_until(mail.next_attempt_at) for mail in waiting})
    assert delays == [{1}, {2}, {4}, {8}, {16}, {32}, {60}, {60}, {60}]
    settings.EMAIL_PORT = mail_server.port
    tasks.mail_staff()
    assert mail_server.taken == []
    make_all_due()
    tasks.mail_staff()
    assert len(mail_server.taken) == 3
    make_all_due()
    tasks.mail_staff()
    assert len(mail_server.taken) == 3
    sent = StaffMail.objects.filter(sent_at__isnull=False, last_error="", attempts=10)
    assert sent.count() == 3
    assert not Alert.objects.filter(kind=staff_mail.ALERT_UNDELIVERED).exists()


def test_after_three_days_it_is_given_up_with_an_alert_that_is_not_mailed(
    mail_server, settings, resolver
):
    raise_alerts(2)
    settings.EMAIL_PORT = claim_ports()
    tasks.mail_staff()
    backdate_mail(timedelta(days=3) - timedelta(minutes=5))
    make_all_due()
    tasks.mail_staff()
    assert {minutes_until(mail.next_attempt_at) for mail in StaffMail.objects.all()} == {2}
    make_all_due()
    tasks.mail_staff()
    assert {minutes_until(mail.next_attempt_at) for mail in StaffMail.objects.all()} == {4}
    make_all_due()
    tasks.mail_staff()
    assert list(StaffMail.objects.values_list("next_attempt_at", "sent_at", "attempts")) == [
        (None, None, 4), (None, None, 4),
    ]  # fmt: skip
    alert = Alert.objects.get(kind=staff_mail.ALERT_UNDELIVERED)
    assert (alert.subject, alert.occurrences) == ("resolver", 2)
    assert "ConnectionRefusedError" in alert.message
    settings.EMAIL_PORT = mail_server.port
    tasks.mail_staff()
    assert mail_server.taken == []
    assert StaffMail.objects.count() == 2


def test_an_address_that_is_refused_holds_up_no_one_else(mail_server, resolver):
    make_person("other", "change_alert")
    mail_server.refused = {"resolver@example.com"}
    raise_alerts(2)
    tasks.mail_staff()
    assert [address for address, _ in mail_server.taken] == ["other@example.com"] * 2
    errors = StaffMail.objects.filter(sent_at=None).values_list("recipient__username", "last_error")
    assert list(errors) == [("resolver", "SMTPRecipientsRefused 550")] * 2
    mail_server.refused = set()
    StaffUser.objects.filter(pk=resolver.pk).update(email="corrected@example.com")
    make_all_due()
    tasks.mail_staff()
    assert len(mail_server.to("corrected@example.com")) == 2


def test_a_server_that_hangs_up_gets_the_rest_later(mail_server, resolver):
    raise_alerts(3)
    mail_server.hang_up_after = 1
    tasks.mail_staff()
    assert len(mail_server.taken) == 1
    assert StaffMail.objects.filter(sent_at=None, last_error="SMTPServerDisconnected").count() == 2
    mail_server.hang_up_after = None
    make_all_due()
    tasks.mail_staff()
    assert len({message["Message-ID"] for _, message in mail_server.taken}) == 3
    assert len(mail_server.taken) == 3


def test_what_cannot_be_written_as_e_mail_holds_up_no_other(mail_server, resolver):
    now = timezone.now()
    for key, subject in (("1", "two\nlines"), ("2", "one line")):
        StaffMail.objects.create(
            recipient=resolver, kind="alert", key=key, subject=subject, body="-", created_at=now,
            next_attempt_at=now,
        )  # fmt: skip
    tasks.mail_staff()
    assert [message["Subject"] for _, message in mail_server.taken] == ["one line"]
    assert StaffMail.objects.get(key="1").last_error == "BadHeaderError"


def test_after_a_worker_died_the_repeat_is_the_same_message(mail_server, resolver, monkeypatch):
    raise_alerts(1)

    def die(*_args: object, **_changes: object) -> bool:
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(service, "_record", die)
        with pytest.raises(SystemExit):
            tasks.mail_staff()
    assert len(mail_server.taken) == 1
    tasks.mail_staff()
    assert len(mail_server.taken) == 1, "the lease holds"
    mail = StaffMail.objects.get()
    assert minutes_until(mail.next_attempt_at) == 5
    make_all_due()
    tasks.mail_staff()
    first, second = mail_server.taken
    assert first[1]["Message-ID"] == second[1]["Message-ID"]
    mail.refresh_from_db()
    assert mail.attempts == 2


@pytest.mark.parametrize("away", [False, True], ids=["sent", "failed"])
def test_a_worker_that_lost_its_lease_records_nothing(mail_server, settings, resolver, away):
    raise_alerts(1)
    settings.EMAIL_PORT = claim_ports()
    tasks.mail_staff()
    backdate_mail(timedelta(days=4))
    make_all_due()
    until = timezone.now() + timedelta(minutes=7)
    if not away:
        settings.EMAIL_PORT = mail_server.port

    def lose_the_lease(_mail: StaffMail) -> bool:
        make_all_due()
        assert len(service._claim(until)) == 1
        return True

    given_up: list[StaffMail] = []
    service.send_due_mail(may_receive=lose_the_lease, give_up=given_up.append)
    mail = StaffMail.objects.get()
    assert (mail.sent_at, mail.next_attempt_at, mail.attempts) == (None, until, 3)
    assert mail.last_error == "ConnectionRefusedError"
    assert given_up == []
    assert len(mail_server.taken) == (not away)


@pytest.mark.parametrize(
    "changes",
    [{"is_active": False}, {"is_staff": False}, {"email": ""}, {"unwanted_mail": ["alert"]}],
    ids=lambda changes: next(iter(changes)),
)
def test_who_may_not_receive_it_any_more_does_not(mail_server, settings, resolver, changes):
    raise_alerts(1)
    settings.EMAIL_PORT = claim_ports()
    tasks.mail_staff()
    with as_owner():
        StaffUser.objects.filter(pk=resolver.pk).update(**changes)
    settings.EMAIL_PORT = mail_server.port
    make_all_due()
    tasks.mail_staff()
    mail = StaffMail.objects.get()
    assert (mail.sent_at, mail.next_attempt_at) == (None, None)
    assert mail.last_error == "Not sent: no longer a recipient"
    assert mail_server.taken == []


def test_who_lost_the_permission_does_not_receive_it(mail_server, settings, resolver):
    raise_alerts(1)
    settings.EMAIL_PORT = claim_ports()
    tasks.mail_staff()
    with as_owner():
        resolver.user_permissions.clear()
    settings.EMAIL_PORT = mail_server.port
    make_all_due()
    tasks.mail_staff()
    assert mail_server.taken == []


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_send_each_e_mail_once(mail_server, resolver):
    make_person("other", "change_alert")
    raise_alerts(2 * service.BATCH)
    with Callers(2) as workers:
        assert workers.at_once([staff_mail.mail_staff] * 2) == [None, None]
    staff_mail.mail_staff()
    sent = [(address, message["Message-ID"]) for address, message in mail_server.taken]
    assert len(sent) == len(set(sent)) == 4 * service.BATCH
    assert StaffMail.objects.filter(sent_at__isnull=False).count() == 4 * service.BATCH


@pytest.mark.django_db(transaction=True)
def test_a_worker_does_not_wait_for_what_another_one_claims(mail_server, settings, resolver):
    raise_alerts(2)
    settings.EMAIL_PORT = claim_ports()
    staff_mail.mail_staff()
    make_all_due()
    settings.EMAIL_PORT = mail_server.port
    locked, sent = Event(), Event()

    def claim_one() -> bool:
        with transaction.atomic():
            StaffMail.objects.select_for_update().get(pk=StaffMail.objects.earliest("pk").pk)
            locked.set()
            return sent.wait(10)

    other = start_call(claim_one)
    assert locked.wait(10)
    staff_mail.mail_staff()
    assert len(mail_server.taken) == 1
    sent.set()
    assert other.result()


def attempt(statement: str, *values: Any) -> str:
    """Run a statement as the service; undo it, and return ACCEPTED or the violated rule."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement, values)
            transaction.set_rollback(True)
    except Error as error:
        return violated_rule(error)
    return ACCEPTED


INSERT = (
    "INSERT INTO exchange_staffmail (id, recipient_id, kind, key, subject, body, created_at,"
    " next_attempt_at, attempts, sent_at, last_error) VALUES"
    " (%s, %s, 'alert', 'k', 's', 'b', now(), now(), %s, %s, %s)"
)


def test_e_mail_starts_unsent_and_its_content_never_changes(mail_server, resolver):
    assert attempt(INSERT, uuid7(), resolver.pk, 0, None, "") == ACCEPTED
    for start in ((1, None, ""), (0, timezone.now(), ""), (0, None, "x")):
        assert attempt(INSERT, uuid7(), resolver.pk, *start) == "exchange_staffmail_start"
    raise_alerts(1)
    update = "UPDATE exchange_staffmail SET"
    tasks.mail_staff()
    assert attempt(f"{update} attempts = 9") != ACCEPTED, "it is sent"
    for change in ("subject = 'x'", "recipient_id = recipient_id", "key = 'x'", "body = 'x'"):
        assert attempt(f"{update} {change}") != ACCEPTED
    assert attempt("DELETE FROM exchange_staffmail") != ACCEPTED
    service.queue_mail(
        kind=MailKind.ALERT, key="unsent", subject="-", body="-", recipients=[resolver]
    )
    with as_owner(), pytest.raises(Error, match="never changes"), transaction.atomic():
        StaffMail.objects.filter(key="unsent").update(body="x")
