"""Selectors of comments."""

from django.db.models import Model, QuerySet

from exchange.comments.models import Comment


def comments_on(subject: Model) -> QuerySet[Comment]:
    """Return the comments on a record with their authors, newest first."""
    return Comment.objects.filter(
        subject_type=subject._meta.label_lower, subject_id=subject.pk
    ).select_related("author")
