"""Questions to organisations: asked about a pending record, and closed with the answer."""

from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Model
from django.utils import timezone

from exchange.core.database import violated_constraint
from exchange.core.errors import NotFound, StateConflict
from exchange.core.text import clean_text
from exchange.events.services.outbox import emit, event_data
from exchange.questions.models import MAX_QUESTION_LENGTH, Question
from exchange.questions.selectors import subject_type
from exchange.staff.approvals import authorize_staff
from exchange.staff.models import StaffUser

ASK, VIEW = "exchange.add_question", "exchange.view_question"
_NOT_ALLOWED = "You may not ask customers"
_REFUSED = {
    "question_open_once": "The customer was asked already; note the answer first",
    "question_about_pending_record": "The record is decided already",
}


def ask_customer(*, subject: Model, text: str, user: StaffUser) -> Question:
    """Ask the organisation of a pending record, with an event; until the answer its age stands.

    Raises `Forbidden`, `InvalidRequest` for an empty or too long text, and `StateConflict` for a
    record that is decided or has an open question.
    """
    authorize_staff(user, ASK, _NOT_ALLOWED)
    record: Any = subject
    facts: dict[str, Any] = {
        "subject_type": subject_type(subject),
        "subject_id": subject.pk,
        "organisation_id": record.organisation_id,
        "member_id": record.member_id,
        "text": clean_text(text, missing="Enter a question", max_length=MAX_QUESTION_LENGTH),
    }
    try:
        with transaction.atomic():
            question = Question.objects.create(**facts, asked_by=user, created_at=timezone.now())
            _emit(question, "question.asked")
    except IntegrityError as error:
        reason = _REFUSED.get(violated_constraint(error) or "")
        if reason is None:
            raise
        raise StateConflict(reason) from error
    return question


def close_question(*, question_id: UUID, answer: str, user: StaffUser) -> Question:
    """Note the answer to an open question; the age of its record goes on, from where it stood.

    Raises `Forbidden`, `NotFound`, `InvalidRequest` as `ask_customer`, and `StateConflict` for a
    question that is closed.
    """
    authorize_staff(user, ASK, _NOT_ALLOWED)
    said = clean_text(answer, missing="Enter the answer", max_length=MAX_QUESTION_LENGTH)
    with transaction.atomic():
        question = Question.objects.select_for_update().filter(pk=question_id).first()
        if question is None:
            raise NotFound("Question not found")
        if question.closed_at is not None:
            raise StateConflict("The question is closed already")
        question.answer, question.closed_by = said, user
        question.closed_at = max(timezone.now(), question.created_at)
        question.save(update_fields=["answer", "closed_by", "closed_at"])
        _emit(question, "question.closed")
    return question


def _emit(question: Question, event_type: str) -> None:
    fields = {
        "_id": str(question.pk),
        "text": question.text,
        "record_type": question.subject_type.partition(".")[2],
        "record_id": str(question.subject_id),
    }
    emit(
        organisation_id=question.organisation_id,
        event_type=event_type,
        subject_id=question.subject_id,
        data=event_data({"question": fields}, question.member_id, question.organisation_id),
    )
