"""Who is e-mailed about what, once, and what an e-mail says."""

from datetime import timedelta
from decimal import Decimal
from email.message import EmailMessage
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from config import staff_mail, tasks
from config.celery import SCHEDULE
from exchange.staff.models import MailKind, StaffMail
from tests.config.staff_mail.mailed_staff import approve_once, make_person
from tests.environment.mail_server import MailServer
from tests.environment.owner import without_guards
from tests.factories.deposits import arrive, make_checkout, make_owner, transaction_record
from tests.factories.wallets import make_wallet, store_bank_list
from wallets.alerts.models import Alert
from wallets.alerts.services import raise_alert, resolve_alert
from wallets.deposits.models import Deposit
from wallets.deposits.services.disputes import mark_disputed
from wallets.fees import services as fees
from wallets.payouts.models import PayoutCircuit

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def bank_list() -> None:
    store_bank_list()


def text_of(message: EmailMessage) -> str:
    return f"{message['Subject']}\n{message.get_content()}"


def subjects(server: MailServer) -> dict[str, list[str]]:
    """Return the subjects by recipient."""
    found: dict[str, list[str]] = {}
    for recipient, message in server.taken:
        found.setdefault(recipient.removesuffix("@example.com"), []).append(message["Subject"])
    return found


def make_dispute() -> Deposit:
    """Make a disputed deposit of 1,000 NGN by checkout, marked by `clerk`."""
    checkout = make_checkout(make_owner())
    arrive(transaction_record(checkout.reference))
    mark_disputed(
        deposit_id=checkout.pk,
        amount=None,
        explanation="Chargeback CB-77 of Ada Obi",
        user=make_person("clerk", "reverse_deposit"),
    )
    checkout.refresh_from_db()
    return checkout


def test_a_second_approval_goes_to_everyone_who_can_give_it_and_to_no_one_else(mail_server):
    first = make_person("first", "decide_withdrawal")
    make_person("second", "decide_withdrawal")
    make_person("third", "decide_withdrawal")
    make_person("clerk", "add_deposit", "change_alert", "reverse_deposit")
    make_person("gone", "decide_withdrawal", is_active=False)
    make_person("noaddress", "decide_withdrawal", email="")
    make_person("new", "decide_withdrawal", access_changed_at=timezone.now())
    make_person("quiet", "decide_withdrawal", unwanted_mail=["second_approval"])
    make_wallet(1000).request(500)  # awaits its first approval
    withdrawal = approve_once(first)
    tasks.mail_staff()
    expected = [f"Second approval: 600,000.00 KES, {withdrawal.reference}"]
    assert subjects(mail_server) == {"second": expected, "third": expected}
    (message,) = mail_server.to("second@example.com")
    mail = StaffMail.objects.get(recipient__username="second")
    assert message["Message-ID"] == f"<{mail.pk}@exchange.example>"
    assert message["From"] == "exchange@exchange.example"
    assert message["To"] == "second@example.com"
    assert message.get_content() == (
        f"Withdrawal: {withdrawal.reference}\n"
        "Amount: 600,000.00 KES\n"
        f"Since: {withdrawal.created_at:%Y-%m-%d %H:%M} UTC\n\n"
        f"https://exchange.example/admin/wallets/withdrawal/{withdrawal.pk}/change/\n\n"
        "You receive this because your role decides about it. Choose what you receive:\n"
        "https://exchange.example/admin/email/\n"
    )
    assert mail.sent_at is not None
    assert mail.next_attempt_at is None
    assert mail.attempts == 1
    tasks.mail_staff()
    make_person("later", "decide_withdrawal")
    tasks.mail_staff()
    assert len(mail_server.taken) == StaffMail.objects.count() == 2


def test_who_requested_a_withdrawal_is_not_asked_to_approve_it(mail_server):
    first, requester = (make_person(name, "decide_withdrawal") for name in ("first", "requester"))
    make_person("second", "decide_withdrawal")
    withdrawal = approve_once(first)
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE wallets_withdrawal SET requested_by = %s WHERE id = %s",
            [f"staff:{requester.pk}", withdrawal.pk],
        )
    tasks.mail_staff()
    assert set(subjects(mail_server)) == {"second"}


def test_alerts_go_to_those_who_resolve_them_once_each_time_they_open(mail_server):
    make_person("resolver", "change_alert")
    make_person("approver", "decide_withdrawal", "reverse_deposit")
    raise_alert("float", subject="KES", message="Insufficient float for Ada Obi")
    tasks.mail_staff()
    raise_alert("float", subject="KES", message="Insufficient float again")
    tasks.mail_staff()
    assert subjects(mail_server) == {"resolver": ["Alert: float"]}
    resolve_alert("float", subject="KES")
    tasks.mail_staff()
    raise_alert("float", subject="KES", message="Insufficient float for Ada Obi")
    tasks.mail_staff()
    assert subjects(mail_server) == {"resolver": ["Alert: float", "Alert: float"]}
    alert = Alert.objects.get(resolved_at=None)
    assert f"/admin/wallets/alert/{alert.pk}/change/" in text_of(mail_server.taken[1][1])


def test_an_alert_names_a_reference_of_ours_and_no_other_subject(mail_server):
    make_person("resolver", "change_alert")
    own = make_wallet(1000).request(500).reference
    for subject in (own, "Ada Obi 0690000031", "0690000031", "payout_of Ada", f"{own}0"):
        raise_alert("payout_unknown", subject=subject, message="Ada Obi, 0690000031")
    tasks.mail_staff()
    named = [line for _, message in mail_server.taken for line in text_of(message).splitlines()
             if line.startswith("About")]  # fmt: skip
    assert len(mail_server.taken) == 5
    assert named == [f"About: {own}"]


def test_a_failed_proof_and_a_dispute_are_mailed_as_what_they_are_and_not_as_alerts(mail_server):
    make_person("resolver", "change_alert")
    make_person("reverser", "reverse_deposit")
    make_person("approver", "decide_withdrawal")
    raise_alert("books", message="Ledger integrity failed: 1 findings, first: Ada Obi")
    deposit = make_dispute()
    raise_alert("deposit_disputed", subject=deposit.reference, message="Deposit of Ada Obi")
    tasks.mail_staff()
    tasks.mail_staff()
    assert subjects(mail_server) == {
        "resolver": ["Ledger integrity: failed"],
        "reverser": ["Dispute: 1,000.00 NGN"],
    }
    (dispute,) = mail_server.to("reverser@example.com")
    reversal = deposit.reversals.get()
    assert f"Deposit: {deposit.reference}\nDisputed amount: 1,000.00 NGN\n" in text_of(dispute)
    assert f"/admin/wallets/depositreversal/{reversal.pk}/change/" in text_of(dispute)


def test_the_bank_s_reference_of_a_manual_deposit_is_left_out(mail_server):
    make_person("reverser", "reverse_deposit")
    deposit = make_dispute()
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE wallets_deposit SET reference = 'Ada Obi 0690000031' WHERE id = %s",
            [deposit.pk],
        )
    tasks.mail_staff()
    (message,) = mail_server.to("reverser@example.com")
    assert text_of(message).startswith("Dispute: 1,000.00 NGN\nDisputed amount: 1,000.00 NGN\n")


def test_a_hold_by_the_provider_s_failure_is_mailed_once_however_long_it_lasts(mail_server):
    make_person("approver", "decide_withdrawal")
    make_person("resolver", "change_alert")
    opened: dict[str, Any] = {"state": "Open", "next_probe_at": timezone.now()}
    PayoutCircuit.objects.update(**opened, opened_at=timezone.now(), reason="503 of Ada Obi")
    raise_alert("provider_outage", message="Payouts are on hold")
    tasks.mail_staff()
    PayoutCircuit.objects.update(state="Half-open", reason="other")
    tasks.mail_staff()
    assert subjects(mail_server) == {"approver": ["Payouts on hold"]}
    PayoutCircuit.objects.update(**opened, opened_at=timezone.now())
    tasks.mail_staff()
    assert subjects(mail_server) == {"approver": ["Payouts on hold", "Payouts on hold"]}
    first = text_of(mail_server.taken[0][1])
    assert "Cause: Payment provider unavailable\n" in first
    assert "/admin/wallets/withdrawal/?status=Approved" in first


def test_a_hold_by_two_people_is_mailed_without_their_reason(mail_server):
    make_person("approver", "decide_withdrawal")
    change = fees.propose(
        key="PAYOUTS_ON_HOLD",
        value=Decimal(1),
        reason="Fraud by Ada Obi, account 0690000031",
        user=make_person("clerk", "propose_configuration"),
    )
    fees.approve(
        change_id=change.pk,
        expected_value=Decimal(0),
        user=make_person("settler", "decide_configuration"),
    )
    tasks.mail_staff()
    tasks.mail_staff()
    assert subjects(mail_server) == {"approver": ["Payouts on hold"]}
    text = text_of(mail_server.taken[0][1])
    assert "Cause: By two people\nPayouts resume: once two people release the hold\n" in text


def test_no_e_mail_has_a_name_an_account_number_or_a_text_of_people(mail_server):
    everything = ("decide_withdrawal", "change_alert", "reverse_deposit")
    make_person("all", *everything)
    withdrawal = approve_once(make_person("first", "decide_withdrawal"))
    make_dispute()
    raise_alert("payout_unknown", subject="Ada Obi", message="Ada Obi, 0690000031")
    raise_alert("books", message="Ada Obi, 0690000031")
    PayoutCircuit.objects.update(
        state="Open", opened_at=timezone.now(), next_probe_at=timezone.now(), reason="Ada Obi"
    )
    tasks.mail_staff()
    messages = mail_server.to("all@example.com")
    assert len(messages) == len(MailKind)
    text = "\n".join(text_of(message) for message in messages)
    for secret in ("Ada", "Obi", "0690000031", withdrawal.organisation.name, "CB-77", "first"):
        assert secret not in text, secret


def test_without_a_mail_server_nothing_is_queued(settings: Settings):
    make_person("resolver", "change_alert")
    raise_alert("float", subject="KES", message="Insufficient float")
    settings.EMAIL_BACKEND = staff_mail.NO_MAIL
    tasks.mail_staff()
    assert not StaffMail.objects.exists()


def test_the_newest_come_first_and_the_next_run_takes_the_others(mail_server, monkeypatch):
    make_person("resolver", "change_alert")
    monkeypatch.setattr(staff_mail, "RECORDS", 2)
    for number in range(3):
        raise_alert(f"kind_{number}", message="Something")
    tasks.mail_staff()
    assert sorted(subjects(mail_server)["resolver"]) == ["Alert: kind 1", "Alert: kind 2"]
    tasks.mail_staff()
    assert subjects(mail_server)["resolver"][2:] == ["Alert: kind 0"]


def test_a_run_without_news_costs_the_same_for_many_open_records(mail_server):
    make_person("resolver", "change_alert")
    counts = []
    for number in range(4):
        raise_alert(f"kind_{number}", message="Something")
        tasks.mail_staff()
        with CaptureQueriesContext(connection) as queries:
            tasks.mail_staff()
        counts.append(len(queries))
    assert len(set(counts)) == 1, counts


def test_it_runs_every_few_seconds():
    assert SCHEDULE["config.tasks.mail_staff"] == timedelta(seconds=5)
