"""E-mail to staff: rows own the work, and a worker sends what is due.

A short transaction leases due rows (`SKIP LOCKED`), each is sent without a transaction, and a
second one records the outcome if the lease is still held. When a worker dies in between, its lease
expires and the e-mail is sent again under the same `Message-ID`. A failure is repeated after a
minute, then after twice as long each time, up to an hour, for three days.
"""

import smtplib
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from email.utils import parseaddr

import structlog
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from exchange.staff.models import AccessEvent, MailKind, StaffMail, StaffUser
from exchange.staff.services.access_records import record_access_event
from exchange.staff.services.accounts import get_person

FIRST_RETRY = timedelta(minutes=1)
LONGEST_RETRY = timedelta(hours=1)
GIVE_UP_AFTER = timedelta(days=3)
BATCH = 20
LEASE = timedelta(minutes=5)
# What is left of a lease when a worker stops sending: longer than one e-mail may take.
_MARGIN = timedelta(minutes=2)
_RUN_SECONDS = 20.0
_MAX_DOUBLINGS = 6

logger = structlog.get_logger(__name__)


def queue_mail(
    *, kind: MailKind, key: str, subject: str, body: str, recipients: Iterable[StaffUser]
) -> None:
    """Queue the e-mail of `kind` about `key`; who has it already does not get it again."""
    now = timezone.now()
    StaffMail.objects.bulk_create(
        [
            StaffMail(
                recipient=recipient,
                kind=kind,
                key=key,
                subject=subject,
                body=body,
                created_at=now,
                next_attempt_at=now,
            )
            for recipient in recipients
        ],
        ignore_conflicts=True,
    )


def send_due_mail(
    *, may_receive: Callable[[StaffMail], bool], give_up: Callable[[StaffMail], None]
) -> None:
    """Send what is due.

    `may_receive` decides again at the time of sending. `give_up` is called in the transaction that
    ends the attempts at an e-mail.
    """
    ends_at = time.monotonic() + _RUN_SECONDS
    while time.monotonic() < ends_at:
        leased_until = timezone.now() + LEASE
        claimed = _claim(leased_until)
        if not claimed:
            return
        wanted = []
        for mail in claimed:
            if may_receive(mail):
                wanted.append(mail)
            else:
                _record(mail, next_attempt_at=None, last_error="Not sent: no longer a recipient")
        if wanted and not _send(wanted, leased_until - _MARGIN, give_up):
            return


def choose_mail(*, user: StaffUser, wanted: Collection[str], among: Collection[MailKind]) -> None:
    """Set which of the kinds `among` the user receives; the others stay as they are."""
    with transaction.atomic():
        locked = get_person(user.pk, StaffUser.objects.select_for_update())
        before = locked.unwanted_mail
        unwanted = [
            kind.value
            for kind in MailKind
            if (kind not in wanted if kind in among else kind in before)
        ]
        if unwanted == before:
            return
        StaffUser.objects.filter(pk=user.pk).update(unwanted_mail=unwanted)
        labels = ", ".join(MailKind(kind).label for kind in unwanted)
        record_access_event(
            event=AccessEvent.DETAILS_CHANGED,
            user=user,
            details=f"E-mail not wanted: {labels or 'none'}",
        )


@transaction.atomic
def _claim(leased_until: datetime) -> list[StaffMail]:
    """Lease the oldest due rows until `leased_until`."""
    due = (
        StaffMail.objects.select_for_update(skip_locked=True, of=("self",))
        .select_related("recipient")
        .filter(next_attempt_at__lte=timezone.now())
    )
    claimed = list(due.order_by("next_attempt_at", "pk")[:BATCH])
    StaffMail.objects.filter(pk__in=[mail.pk for mail in claimed]).update(
        attempts=F("attempts") + 1, next_attempt_at=leased_until
    )
    for mail in claimed:
        mail.attempts += 1
    return claimed


def _send(
    mails: Sequence[StaffMail], until: datetime, give_up: Callable[[StaffMail], None]
) -> bool:
    """Send leased e-mails over one connection; return False if the server failed."""
    connection = get_connection()
    failure: Exception | None = None
    try:
        connection.open()
    except (OSError, ValueError) as error:
        failure = error
    for mail in mails:
        if timezone.now() > until:
            break
        refusal: Exception | None = None
        if failure is None:
            try:
                connection.send_messages([_compose(mail)])
            except (smtplib.SMTPResponseException, smtplib.SMTPRecipientsRefused) as error:
                refusal = error  # of this one: the connection stays
            except ValueError as error:
                refusal = error
            except OSError as error:
                failure = error
        if cause := failure or refusal:
            _postpone(mail, cause, give_up)
        else:
            _record(mail, next_attempt_at=None, sent_at=timezone.now(), last_error="")
    with suppress(OSError):
        connection.close()
    return failure is None


def _compose(mail: StaffMail) -> EmailMessage:
    domain = parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2]
    return EmailMessage(
        mail.subject,
        mail.body,
        to=[mail.recipient.email],
        headers={
            # The same for each attempt, so that a repeated e-mail is recognised.
            "Message-ID": f"<{mail.pk}@{domain}>",
            "Auto-Submitted": "auto-generated",
        },
    )


def _postpone(mail: StaffMail, error: Exception, give_up: Callable[[StaffMail], None]) -> None:
    """Record a failed attempt with the time of the next, or give up."""
    delay = min(FIRST_RETRY * 2 ** min(mail.attempts - 1, _MAX_DOUBLINGS), LONGEST_RETRY)
    next_attempt_at = timezone.now() + delay
    over = next_attempt_at > mail.created_at + GIVE_UP_AFTER
    mail.last_error = _describe(error)
    with transaction.atomic():
        held = _record(
            mail, next_attempt_at=None if over else next_attempt_at, last_error=mail.last_error
        )
        if over and held:
            give_up(mail)
    logger.warning("staff_mail.failed", mail_id=str(mail.pk), error=mail.last_error)


def _record(mail: StaffMail, **changes: datetime | str | None) -> bool:
    """Record the outcome of an attempt; return False when the lease was lost."""
    held = StaffMail.objects.filter(
        pk=mail.pk, attempts=mail.attempts, next_attempt_at__isnull=False
    )
    return held.update(**changes) == 1


def _describe(error: Exception) -> str:
    """Return the type of an error, with the server's code; its text may have an address."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        codes = sorted({str(code) for code, _ in error.recipients.values()})
        return f"{type(error).__name__} {', '.join(codes)}"
    code = f" {error.smtp_code}" if isinstance(error, smtplib.SMTPResponseException) else ""
    return f"{type(error).__name__}{code}"
