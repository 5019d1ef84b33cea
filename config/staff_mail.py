"""What staff receive e-mail about, derived from the records themselves.

Second approvals, alerts, holds on payouts, failed proofs and disputes: to those who may decide now,
have an address and want the kind. A record is mailed once, to whom it concerns at that time. An
e-mail has our references and amounts, and no name, account number or text of people or providers.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import CharField, Exists, OuterRef, QuerySet
from django.db.models.functions import Cast
from django.urls import reverse

from exchange.core.currencies import format_money
from exchange.staff.models import MailKind, StaffMail, StaffUser
from exchange.staff.services.mail import queue_mail, send_due_mail
from exchange.staff.services.privileged_access import eligible_approvers
from wallets.alerts.models import Alert
from wallets.alerts.services import raise_alert
from wallets.deposits.selectors import open_disputes
from wallets.deposits.services.reversals import ALERT_DISPUTED, REVERSE
from wallets.payouts.selectors import get_payout_hold
from wallets.payouts.services.circuit import ALERT as ALERT_OUTAGE
from wallets.withdrawals.admin.saved_views import awaiting_second_approval
from wallets.withdrawals.models import Withdrawal, WithdrawalStatus
from wallets.withdrawals.services.decisions import DECIDE

NO_MAIL = "django.core.mail.backends.dummy.EmailBackend"
ALERT_UNDELIVERED = "mail_undelivered"
# Of a kind in one run, the newest ones; the next run takes the others.
RECORDS = 100
_RESOLVE_ALERTS = "wallets.change_alert"
_BOOKS = "books"
# References that we made. Those of banks, and other subjects of alerts, are text of people.
_OWN_REFERENCE = re.compile("(payout|deposit)_[a-z0-9]{26}")
PERMISSIONS = {
    MailKind.SECOND_APPROVAL: DECIDE,
    MailKind.ALERT: _RESOLVE_ALERTS,
    MailKind.PAYOUTS_ON_HOLD: DECIDE,
    MailKind.LEDGER: _RESOLVE_ALERTS,
    MailKind.DISPUTE: REVERSE,
}
# Alerts about what has a kind of its own, or about e-mail itself.
_MAILED_OTHERWISE = (_BOOKS, ALERT_DISPUTED, ALERT_OUTAGE, ALERT_UNDELIVERED)


@dataclass(frozen=True, slots=True)
class Notice:
    """What an e-mail says, and who is not to receive it because they decided or proposed."""

    kind: MailKind
    key: str
    subject: str
    facts: Sequence[tuple[str, str]]
    path: str
    since: datetime
    without: Sequence[UUID | str | None] = ()


def mail_staff() -> None:
    """Queue e-mail about what is new, and send what is due."""
    if settings.EMAIL_BACKEND == NO_MAIL:
        return
    readers = cache(_readers)
    for notice in _notices():
        without = {str(person).removeprefix("staff:") for person in notice.without}
        queue_mail(
            kind=notice.kind,
            key=notice.key,
            subject=notice.subject,
            body=_body(notice),
            recipients=[user for user in readers(notice.kind) if str(user.pk) not in without],
        )
    send_due_mail(may_receive=_may_receive, give_up=_raise_undelivered)


def _readers(kind: MailKind) -> list[StaffUser]:
    """Return those who may decide now, have an address and want e-mail of `kind`."""
    people = eligible_approvers(PERMISSIONS[kind]).exclude(email="")
    return list(people.exclude(unwanted_mail__contains=[kind]))


def _may_receive(mail: StaffMail) -> bool:
    user, kind = mail.recipient, MailKind(mail.kind)
    return bool(user.email) and kind not in user.unwanted_mail and user.may(PERMISSIONS[kind])


def _raise_undelivered(mail: StaffMail) -> None:
    raise_alert(
        ALERT_UNDELIVERED,
        subject=mail.recipient.username,
        message=f"E-mail to {mail.recipient.username} was not delivered within three days"
        f" ({mail.last_error}). Check the address, or with others of the kind the mail server.",
    )


def _notices() -> Iterator[Notice]:
    withdrawals = Withdrawal.objects.filter(awaiting_second_approval())
    yield from map(_second_approval, _unmailed(MailKind.SECOND_APPROVAL, withdrawals))
    alerts = Alert.objects.filter(resolved_at=None)
    yield from map(_alert, _unmailed(MailKind.ALERT, alerts.exclude(kind__in=_MAILED_OTHERWISE)))
    yield from map(_failed_proof, _unmailed(MailKind.LEDGER, alerts.filter(kind=_BOOKS)))
    disputes = open_disputes().select_related("deposit")
    yield from map(_dispute, _unmailed(MailKind.DISPUTE, disputes))
    yield from _hold()


def _unmailed(kind: MailKind, rows: QuerySet[Any]) -> Iterable[Any]:
    """Return the newest of `rows` about which no e-mail exists."""
    mailed = StaffMail.objects.filter(kind=kind, key=Cast(OuterRef("pk"), CharField()))
    return rows.exclude(Exists(mailed)).order_by("-pk")[:RECORDS]


def _second_approval(withdrawal: Withdrawal) -> Notice:
    amount = format_money(withdrawal.amount, withdrawal.currency_id)
    return Notice(
        MailKind.SECOND_APPROVAL,
        str(withdrawal.pk),
        f"Second approval: {amount}, {withdrawal.reference}",
        (("Withdrawal", withdrawal.reference), ("Amount", amount)),
        reverse("admin:wallets_withdrawal_change", args=[withdrawal.pk]),
        withdrawal.created_at,
        (withdrawal.first_approver_id, withdrawal.requested_by),
    )


def _alert(alert: Alert) -> Notice:
    label = alert.kind.replace("_", " ")
    return Notice(
        MailKind.ALERT,
        str(alert.pk),
        f"Alert: {label}",
        (("Alert", label.capitalize()), *_reference("About", alert.subject)),
        reverse("admin:wallets_alert_change", args=[alert.pk]),
        alert.raised_at,
    )


def _failed_proof(alert: Alert) -> Notice:
    return Notice(
        MailKind.LEDGER,
        str(alert.pk),
        "Ledger integrity: failed",
        (("Ledger integrity", "Failed"),),
        f"{reverse('admin:wallets_booksproof_changelist')}?passed__exact=0",
        alert.raised_at,
    )


def _dispute(reversal: Any) -> Notice:
    deposit = reversal.deposit
    amount = format_money(reversal.amount, deposit.currency_id)
    return Notice(
        MailKind.DISPUTE,
        str(reversal.pk),
        f"Dispute: {amount}",
        (*_reference("Deposit", deposit.reference), ("Disputed amount", amount)),
        reverse("admin:wallets_depositreversal_change", args=[reversal.pk]),
        reversal.created_at,
        (reversal.proposed_by_id,),
    )


def _hold() -> Iterator[Notice]:
    hold = get_payout_hold(at_most=1)
    if hold is None:
        return
    key = hold.since.isoformat()
    if StaffMail.objects.filter(kind=MailKind.PAYOUTS_ON_HOLD, key=key).exists():
        return
    cause = "By two people" if hold.until_released else "Payment provider unavailable"
    approved = WithdrawalStatus.APPROVED.value
    yield Notice(
        MailKind.PAYOUTS_ON_HOLD,
        key,
        "Payouts on hold",
        (("Cause", cause), ("Payouts resume", hold.ends)),
        f"{reverse('admin:wallets_withdrawal_changelist')}?status={approved}",
        hold.since,
    )


def _reference(label: str, reference: str) -> Iterator[tuple[str, str]]:
    """Yield the fact with a reference of ours; nothing for another text."""
    if _OWN_REFERENCE.fullmatch(reference):
        yield label, reference


def _body(notice: Notice) -> str:
    since = f"{notice.since.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    facts = "\n".join(f"{label}: {value}" for label, value in (*notice.facts, ("Since", since)))
    return (
        f"{facts}\n\n{settings.BACK_OFFICE_URL}{notice.path}\n\n"
        "You receive this because your role decides about it. Choose what you receive:\n"
        f"{settings.BACK_OFFICE_URL}{reverse('admin:email')}\n"
    )
