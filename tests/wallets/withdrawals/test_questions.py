"""Questions to the customer about withdrawals and deposits: events, the age, guards and pages."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import DatabaseError, transaction
from django.urls import reverse
from django.utils import timezone

from config.back_office.inbox import read_inbox
from exchange.core.errors import DomainError, Forbidden, InvalidRequest, NotFound, StateConflict
from exchange.core.ids import uuid7
from exchange.events.models import Event
from exchange.questions.models import Question
from exchange.questions.services import ask_customer, close_question
from exchange.staff.models import StaffUser
from tests.assertions.unchanged import assert_no_table_changes
from tests.environment.owner import without_guards
from tests.factories.back_office import (
    approve_withdrawal,
    fund,
    make_participants,
    make_withdrawal,
    messages_of,
    page,
    text_of,
    user_of,
)
from tests.factories.wallets import make_staff
from wallets.deposits.models import Deposit
from wallets.deposits.services import manual as deposits
from wallets.withdrawals.models import Withdrawal

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("provider_sandbox")]

ASKED = "Please send us the invoice that this withdrawal pays."
ANSWER = "By e-mail: invoice 4711 of the supplier"
HOUR = timedelta(hours=1)


@pytest.fixture
def withdrawal() -> Withdrawal:
    organisation, member = make_participants()
    fund(organisation, member, "KES", "90000")
    return make_withdrawal(organisation, member, "KES", "1500")


@pytest.fixture
def asker() -> StaffUser:
    return make_staff("add_question")


def ask(subject: Any, user: StaffUser, text: str = ASKED) -> Question:
    return ask_customer(subject=subject, text=text, user=user)


def answer(question: Question, user: StaffUser, text: str = ANSWER) -> Question:
    return close_question(question_id=question.pk, answer=text, user=user)


def refuse(error: type[DomainError], act: Callable[[], object]) -> str:
    with assert_no_table_changes(), pytest.raises(error) as refused:
        act()
    return refused.value.message


def events_of(subject: Any) -> list[tuple[str, Any]]:
    """Return the types and bodies' data of the events of questions, oldest first."""
    rows = Event.objects.filter(subject_id=subject.pk, type__startswith="question.")
    return [(event.type, json.loads(event.body)["data"]) for event in rows.order_by("pk")]


def test_the_customer_is_asked_by_an_event_and_the_answer_stays_with_staff(withdrawal, asker):
    question = ask(withdrawal, asker)
    about = {
        "_id": str(question.pk),
        "text": ASKED,
        "record_type": "withdrawal",
        "record_id": str(withdrawal.pk),
    }
    [(asked, data)] = events_of(withdrawal)
    assert (asked, data["question"]) == ("question.asked", about)
    assert data["user"]["_id"] == str(withdrawal.member_id)
    answer(question, asker)
    [_, (closed, after)] = events_of(withdrawal)
    assert (closed, after["question"]) == ("question.closed", about)
    question.refresh_from_db()
    assert question.answer == ANSWER


def test_a_deposit_to_confirm_is_asked_about(withdrawal, asker):
    deposit = entered(withdrawal)
    ask(deposit, asker)
    [(_, data)] = events_of(deposit)
    assert data["question"]["record_type"] == "deposit"
    assert data["user"] is None


def entered(withdrawal: Withdrawal) -> Deposit:
    payment = deposits.IncomingPayment(
        withdrawal.organisation_id, None, "KES", withdrawal.amount, "FT1", "Seen on the statement"
    )
    made = deposits.enter(payment=payment, user=make_staff("add_deposit"))
    return Deposit.objects.get(pk=made.pk)


def test_questions_that_cannot_be_are_refused(withdrawal, asker):
    assert "Enter a question" in refuse(InvalidRequest, lambda: ask(withdrawal, asker, " "))
    assert "500" in refuse(InvalidRequest, lambda: ask(withdrawal, asker, "x" * 501))
    stranger = make_staff("add_comment")
    refuse(Forbidden, lambda: ask_customer(subject=withdrawal, text=ASKED, user=stranger))
    question = ask(withdrawal, asker)
    assert "asked already" in refuse(StateConflict, lambda: ask(withdrawal, asker))
    assert "Enter the answer" in refuse(InvalidRequest, lambda: answer(question, asker, " "))
    refuse(Forbidden, lambda: close_question(question_id=question.pk, answer="Yes", user=stranger))
    answer(question, asker)
    assert "closed already" in refuse(StateConflict, lambda: answer(question, asker))
    question.pk = uuid7()
    refuse(NotFound, lambda: answer(question, asker))
    again = ask(withdrawal, asker)
    assert again.pk != question.pk


def test_a_decided_record_is_not_asked_about(withdrawal, asker, finance):
    approve_withdrawal(finance, withdrawal)
    assert "decided already" in refuse(StateConflict, lambda: ask(withdrawal, asker))


def test_the_age_stands_still_while_a_question_is_open(withdrawal, asker, finance):
    other = make_withdrawal(withdrawal.organisation, withdrawal.member, "KES", "700")
    now = timezone.now()
    with without_guards() as cursor:
        for record, hours in ((withdrawal, 10), (other, 7)):
            cursor.execute(
                "UPDATE wallets_withdrawal SET created_at = %s WHERE id = %s",
                [now - hours * HOUR, record.pk],
            )
    assert ages(finance) == [("1,500.00 KES", 10), ("700.00 KES", 7)]
    place(withdrawal, asker, asked=now - 9 * HOUR, closed=now - 8 * HOUR)
    assert ages(finance) == [("1,500.00 KES", 9), ("700.00 KES", 7)]
    place(withdrawal, asker, asked=now - 5 * HOUR)
    assert ages(finance) == [("700.00 KES", 7), ("1,500.00 KES", 4)]
    shown = text_of(finance.get("/admin/wallets/withdrawal/?view=awaiting_my_approval"))
    assert "4 h" in shown
    assert "10 h" not in shown


def place(
    withdrawal: Withdrawal, asker: StaffUser, asked: datetime, closed: datetime | None = None
) -> None:
    """Make a question that was open from `asked` to `closed`."""
    question = ask(withdrawal, asker)
    if closed:
        answer(question, asker)
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE exchange_question SET created_at = %s, closed_at = %s WHERE id = %s",
            [asked, closed, question.pk],
        )


def ages(client: Any) -> list[tuple[str, int]]:
    """Return amount and age in hours of the withdrawals that await the user, oldest first."""
    [kind] = [kind for kind in read_inbox(user_of(client)) if kind.label == "Withdrawal"]
    now = timezone.now()
    return [(record.amount, round((now - record.since) / HOUR)) for record in kind.records]


def test_the_database_keeps_a_question_as_it_was_asked(withdrawal, asker):
    question = ask(withdrawal, asker)
    rows = Question.objects.filter(pk=question.pk)
    facts = {
        "subject_type": "wallets.withdrawal", "subject_id": withdrawal.pk, "text": "Why?",
        "organisation_id": withdrawal.organisation_id, "member_id": withdrawal.member_id,
        "asked_by": question.asked_by, "created_at": timezone.now(),
    }  # fmt: skip
    answered = {"answer": "x", "closed_by": question.asked_by, "closed_at": timezone.now()}
    attempts: list[Callable[[], object]] = [
        rows.delete,
        lambda: rows.update(text="Other"),
        lambda: rows.update(organisation_id=uuid7()),
        lambda: rows.update(answer="Without a person"),
        lambda: rows.update(**answered | {"answer": ""}),
        lambda: Question.objects.create(**facts | {"member_id": None}),
        lambda: Question.objects.create(**facts | {"subject_type": "wallets.nothing"}),
        lambda: Question.objects.create(**facts | {"subject_type": "exchange.token"}),
        lambda: Question.objects.create(**facts | {"subject_id": uuid7()}),
        lambda: Question.objects.create(**facts | answered),
        lambda: Question.objects.create(**facts),
    ]
    for attempt in attempts:
        with pytest.raises(DatabaseError), transaction.atomic():
            attempt()
    answer(question, asker)
    with pytest.raises(DatabaseError), transaction.atomic():
        rows.update(answer="Another")


def test_staff_ask_and_note_the_answer_on_the_page(withdrawal, maker, checker, auditor):
    assert "Ask the customer" in text_of(maker.get(page(withdrawal)))
    assert maker.post(page(withdrawal, "ask"), {"question": ""}).status_code == 200
    led_back = maker.get(page(withdrawal, "answer"), follow=True)
    assert "No question is open." in text_of(led_back)
    done = maker.post(page(withdrawal, "ask"), {"question": ASKED})
    assert messages_of(done) == ["Asked. The age stands still until the answer is noted."]
    shown = text_of(checker.get(page(withdrawal)))
    assert "Waiting for the answer" in shown
    assert ASKED in shown
    assert "Note the answer" in shown
    checker.post(page(withdrawal, "answer"), {"answer": ANSWER})
    read = text_of(auditor.get(page(withdrawal)))
    assert f"Answer, noted by {user_of(checker)}" in read
    assert ANSWER in read
    assert "Ask the customer" not in read
    for name in ("ask", "answer"):
        assert auditor.post(page(withdrawal, name), {"question": "x"}).status_code == 403


def test_the_events_of_questions_are_listed_with_a_link_to_the_record(withdrawal, asker, auditor):
    answer(ask(withdrawal, asker), asker)
    listed = auditor.get(reverse("admin:exchange_event_changelist")).content.decode()
    assert listed.count(f'href="{page(withdrawal)}"') == 3
    event = Event.objects.get(type="question.asked")
    assert f'href="{page(withdrawal)}"' in auditor.get(page(event)).content.decode()


def test_the_page_of_a_deposit_has_its_questions(withdrawal, maker, finance):
    deposit = entered(withdrawal)
    maker.post(page(deposit, "ask"), {"question": ASKED})
    shown = text_of(finance.get(page(deposit)))
    assert ASKED in shown
    assert "Note the answer" in shown
