"""Selectors of questions."""

from django.db.models import DateTimeField, F, Func, Model, QuerySet

from exchange.questions.models import Question


def subject_type(subject: Model) -> str:
    """Return `app.model` of a record's table."""
    return (subject._meta.concrete_model or type(subject))._meta.label_lower


def questions_about(subject: Model) -> QuerySet[Question]:
    """Return the questions about a record with their people, newest first."""
    return Question.objects.filter(
        subject_type=subject_type(subject), subject_id=subject.pk
    ).select_related("asked_by", "closed_by")


def waiting_since(column: str) -> Func:
    """Return the expression of the time from which a row waits for staff.

    That is the time in `column`, later by as long as questions about the row were open.
    """
    return Func(F("pk"), F(column), function="waiting_since", output_field=DateTimeField())
