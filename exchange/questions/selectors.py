"""Selectors of questions."""

from datetime import timedelta

from django.db.models import (
    DateTimeField,
    Expression,
    ExpressionWrapper,
    F,
    Model,
    OuterRef,
    QuerySet,
    Subquery,
    Sum,
)
from django.db.models.functions import Coalesce, Now

from exchange.questions.models import Question


def subject_type(subject: Model) -> str:
    """Return `app.model` of a record's table."""
    return (subject._meta.concrete_model or type(subject))._meta.label_lower


def questions_about(subject: Model) -> QuerySet[Question]:
    """Return the questions about a record with their people, newest first."""
    return Question.objects.filter(
        subject_type=subject_type(subject), subject_id=subject.pk
    ).select_related("asked_by", "closed_by")


def waiting_since(column: str) -> Expression:
    """Return the expression of the time from which a row waits for staff.

    That is the time in `column`, later by as long as questions about the row were open.
    """
    about = Question.objects.filter(subject_id=OuterRef("pk")).order_by().values("subject_id")
    paused = about.annotate(paused=Sum(Coalesce("closed_at", Now()) - F("created_at")))
    return ExpressionWrapper(
        F(column) + Coalesce(Subquery(paused.values("paused")), timedelta()), DateTimeField()
    )
