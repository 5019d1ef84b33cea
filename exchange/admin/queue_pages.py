"""Working through a queue: from a record to the next one that awaits the user's decision.

The pages of records with a queue (`Listing.queue`) have links to the next and the previous one, and
the confirmation pages of decisions a second button, "… and next". They lead through the list that
the user came from, with its filters and in its order, and from its end to the records left out
before. When none is left, they lead back to the list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import Model, Q
from django.http import HttpRequest, HttpResponseRedirect, QueryDict
from django.urls import URLPattern, path
from django.utils.html import format_html
from django.views.decorators.http import require_safe

from exchange.admin.paging import bounded_count, format_count

if TYPE_CHECKING:
    from exchange.admin.base import SafeAdmin
    from exchange.staff.models import StaffUser

_FILTERS = "_changelist_filters"


def queue_urls(page: SafeAdmin) -> list[URLPattern]:
    """Return the URLs that lead to the next and the previous record, if the list has a queue."""
    if page.queue is None:
        return []

    def skip(request: HttpRequest, object_id: object, *, back: bool) -> HttpResponseRedirect:
        record = page.record(request, str(object_id))
        if not decides(page, request):
            raise PermissionDenied
        step = queue_step(page, request)
        return step.redirect(request, step.find_next(record, _user(request), back=back))

    view = page.admin_site.admin_view(require_safe(skip))
    return [
        path(f"<uuid:object_id>/{name}/", view, {"back": back}, name=page.url_name(name))
        for name, back in (("next", False), ("previous", True))
    ]


def queue_context(page: SafeAdmin, request: HttpRequest, record: Model) -> dict[str, Any]:
    """Return the template context of a record's pages; runs no query."""
    if not decides(page, request):
        return {}
    query = page.preserved_context(request)["preserved_query"]
    return {
        "next_in_queue": f"{page.address('next', record.pk)}{query}",
        "previous_in_queue": f"{page.address('previous', record.pk)}{query}",
    }


def decides(page: SafeAdmin, request: HttpRequest) -> bool:
    """Return whether the list has a queue and the user may decide about its records."""
    return page.queue is not None and page.may(request, page.queue.permission)


def wants_next(request: HttpRequest) -> bool:
    """Return whether the button "… and next" was pressed."""
    return request.POST.get("then") == "next"


def queue_step(page: SafeAdmin, request: HttpRequest, record: Model | None = None) -> QueueStep:
    """Return the step to the next record, in the list that the user came from.

    A `record` of another list is followed by all records of its own queue.
    """
    if record is not None and not isinstance(record, page.model):
        other: Any = page.admin_site._registry[type(record)]
        return QueueStep(other, QueryDict(urlencode(other.queue_query)))
    query = QueryDict(request.GET.get(_FILTERS, ""), mutable=True)
    query.pop("p", None)
    if not query:
        query.update(page.queue_query)
    return QueueStep(page, query)


@dataclass(frozen=True, slots=True)
class QueueStep:
    """The step from a record to the next one, in the list of `page` with the filters of `query`."""

    page: Any
    query: QueryDict

    def offers_next(self, request: HttpRequest, record: Model) -> bool:
        """Return whether the record awaits the user's decision now."""
        if not decides(self.page, request):
            return False
        found = self.page.model._default_manager.filter(pk=record.pk)
        awaiting = self.page.queue.awaiting_approval_by(found, _user(request))
        return bool(awaiting.exists())

    def find_next(self, record: Model, user: StaffUser, *, back: bool = False) -> Any:
        """Return the id of the record after `record` that `user` may decide; None if it is alone.

        With `back`, of the record before it. Call it before a decision, which may change what the
        list is sorted by. Runs three queries at most.
        """
        rows = self.page.queue.awaiting_approval_by(self.page.listed(user, self.query).qs, user)
        columns = self.page.order_by(self.query)
        if back:
            columns = [_reversed(column) for column in columns]
            rows = rows.order_by(*columns)
        ids = rows.exclude(pk=record.pk).prefetch_related(None).values_list("pk", flat=True)
        own = self.page.rows(user).filter(pk=record.pk).prefetch_related(None)
        place = own.values_list(*(column.lstrip("-") for column in columns)).first()
        later = ids.filter(following(columns, place)).first() if place else None
        return later or ids.first()

    def redirect(self, request: HttpRequest, found: Any, message: str = "") -> HttpResponseRedirect:
        """Redirect to the page of the record `found`; to the list if it is None.

        `message` reports the decision; the number of records left is added.
        """
        if message:
            user = _user(request)
            rows = self.page.listed(user, self.query).qs
            left = bounded_count(self.page.queue.awaiting_approval_by(rows, user))
            words = format_html("{} {} left.", message, format_count(left)) if left else message
            messages.success(request, words)
        if found is None:
            messages.info(request, "Queue empty.")
            return HttpResponseRedirect(
                f"{self.page.address('changelist')}?{self.query.urlencode()}"
            )
        preserved = urlencode({_FILTERS: self.query.urlencode()})
        return HttpResponseRedirect(f"{self.page.address('change', found)}?{preserved}")


def following(columns: Sequence[str], place: Sequence[Any]) -> Q:
    """Return the condition for rows after `place`, the values of `columns` that sort the rows.

    As PostgreSQL sorts, null is the last value, and the first of a descending column.
    """
    found, equal = Q(pk__in=()), Q()
    for column, value in zip(columns, place, strict=True):
        name = column.lstrip("-")
        if column.startswith("-"):
            after = Q(**{f"{name}__isnull": False})
            after = after if value is None else Q(**{f"{name}__lt": value})
        elif value is None:
            after = Q(pk__in=())
        else:
            after = Q(**{f"{name}__gt": value}) | Q(**{f"{name}__isnull": True})
        found |= equal & after
        equal &= Q(**{f"{name}__isnull": True}) if value is None else Q(**{name: value})
    return found


def _reversed(column: str) -> str:
    return column[1:] if column.startswith("-") else f"-{column}"


def _user(request: HttpRequest) -> Any:
    """Return the signed-in user; `decides` has checked that there is one."""
    return request.user
