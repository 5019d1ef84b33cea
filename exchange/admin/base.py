"""Base class of all back-office pages; only it and `forms` depend on the theme.

A page parses a form, calls a service with the user as actor, and reports the result. It never
writes to a table itself. Errors of services become messages. GET requests change nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.utils import unquote
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import BadRequest, PermissionDenied, ValidationError
from django.db.models import Model, QuerySet
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseRedirect,
)
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, resolve, reverse
from django.views.decorators.http import require_POST
from unfold.mixins import BaseModelAdminMixin

from exchange.admin.bars import Bars
from exchange.admin.chart import Chart
from exchange.admin.forms import add_form_error, fieldsets_of
from exchange.admin.labels import FieldLabels
from exchange.admin.list_filters import DjangoFilteredList, FilteredList
from exchange.admin.listing import RowListing
from exchange.admin.lookups import DeclaredLookups
from exchange.admin.paging import BoundedPaginator
from exchange.admin.panels import Panel, panels_of
from exchange.admin.preserved_filters import PreservedFilters
from exchange.admin.progress import Progress
from exchange.admin.queue_pages import queue_context, queue_urls
from exchange.admin.reasons import refuse_repeated_reason, remember_reason
from exchange.admin.replica_reads import ReplicaReads
from exchange.admin.report_pages import report_urls
from exchange.admin.tabs import Choice, record_context
from exchange.core.actors import Actor
from exchange.core.errors import DomainError

if TYPE_CHECKING:
    from exchange.staff.models import StaffUser

    ModelAdmin = admin.ModelAdmin[Model]
else:
    # Not `unfold.admin.ModelAdmin`: it stores the request on an object shared by all requests, and
    # its actions change data on GET.
    class ModelAdmin(BaseModelAdminMixin, admin.ModelAdmin):
        pass


@dataclass(frozen=True, slots=True)
class Tool:
    """A link or, with `post`, a button at the top of a record's page.

    `opens_record` marks a link to another record.
    """

    label: str
    url: str
    post: bool = False
    opens_record: bool = False

    @property
    def is_navigation(self) -> bool:
        """Whether the tool only navigates, to another record or a filtered list."""
        return self.opens_record or (not self.post and "?" in self.url)


@dataclass(frozen=True, slots=True)
class Section:
    """A table below a record's fields; `right` lists the right-aligned columns (from 0).

    `tab` is the part of the page that shows it (`exchange.admin.tabs`). A `chart` of the same
    numbers stands above the table, which is then folded. `facts` stand under the page's title,
    `choices` under that of the section.
    """

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[object]]
    right: Sequence[int] = ()
    empty: str = "None"
    more: Tool | None = None
    note: str = ""
    tab: str = ""
    chart: Bars | Chart | None = None
    facts: Sequence[tuple[str, object]] = ()
    choices: Sequence[Choice] = ()


@dataclass(frozen=True, slots=True)
class PendingDecision:
    """The panel of a pending approval above a record's fields.

    `proposal` says in one sentence what is proposed, `facts` what the record's fields lack.
    `summary` names the proposer, `eligible` the approvers. `blocker` says why the current user
    cannot approve; `approve` is then None.
    """

    proposal: str
    facts: Sequence[tuple[str, object]]
    summary: str
    eligible: str
    approve: Tool | None
    other_tools: Sequence[Tool]
    blocker: str = ""


def staff_of(request: HttpRequest) -> StaffUser:
    """Return the signed-in user. Raises `PermissionDenied`."""
    user = request.user
    if not user.is_authenticated:
        raise PermissionDenied
    return user


def actor_of(request: HttpRequest) -> Actor:
    """Return the signed-in user as the actor of a service."""
    user = staff_of(request)
    return Actor.staff(user.pk, str(user))


class SafeAdmin(
    PreservedFilters, DeclaredLookups, RowListing, FieldLabels, ReplicaReads, ModelAdmin
):
    """A read-only admin; subclasses add forms and actions explicitly."""

    in_back_office = True
    actions: Any = None
    list_per_page = 50
    show_full_result_count = False
    paginator = BoundedPaginator
    change_form_template = "admin/record.html"
    # Foreign keys whose records belong to this record's history.
    linked_columns: Sequence[str] = ()
    # Whether a record's page is open to its owner only.
    owners_only = False
    # Label of the button that adds a record; empty: "Add" and the model's name.
    add_label = ""
    # A note above the list.
    list_note = ""
    # Methods that are pages below a record's, and those that only take a POST.
    record_pages: Sequence[str] = ()
    record_posts: Sequence[str] = ()
    # Reports about the list, by their path below it, for all who may view the records.
    reports: Mapping[str, Callable[[Any, HttpRequest], HttpResponse]] = MappingProxyType({})

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    @property
    def panels(self) -> Sequence[Panel]:
        """Panels that other subjects add to the pages of these records."""
        return panels_of(self.model)

    def get_urls(self) -> list[URLPattern]:
        """Return the URLs of the record's pages, the queue, the panels and Django's own."""
        pages = [
            self.action_url(
                f"<uuid:object_id>/{name.replace('_', '-')}/",
                name,
                getattr(self, name),
                only_post=name in self.record_posts,
            )
            for name in (*self.record_pages, *self.record_posts)
        ]
        panels = (url for panel in self.panels for url in panel.urls(self))
        return [*report_urls(self), *pages, *queue_urls(self), *panels, *super().get_urls()]

    def heading(self, obj: Any) -> str:
        """Return the page title of `obj`."""
        return str(obj)

    def may(self, request: HttpRequest, permission: str) -> bool:
        """Return whether the user has the permission `app.codename`."""
        return staff_of(request).has_perm(permission)

    def choice_label(self, obj: Model) -> str:
        """Return the label of `obj` in autocomplete suggestions."""
        return str(obj)

    # --- list ---

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return DjangoFilteredList if self.list_filter else FilteredList

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return self.rows(staff_of(request)).order_by(*self.get_ordering(request))

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> Model | None:
        """Return the record; None also for a key that no record can have."""
        if not from_field and not self._is_key(object_id):
            return None
        return super().get_object(request, object_id, from_field or None)

    def response_action(
        self, request: HttpRequest, queryset: QuerySet[Any], *args: Any
    ) -> HttpResponse | None:
        """Carry out an action on the selected records. Raises `BadRequest` for other keys."""
        if not all(map(self._is_key, request.POST.getlist(ACTION_CHECKBOX_NAME))):
            raise BadRequest("a selected key is malformed")
        return super().response_action(request, queryset, *args)

    def _is_key(self, value: str) -> bool:
        """Return whether `value` may be the primary key of a record."""
        key = self.opts.pk
        try:
            key.run_validators(key.to_python(value))
        except ValidationError:
            return False
        return "\x00" not in value

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        return self.default_order(request.GET)

    def get_action_choices(
        self, request: HttpRequest, default_choices: Any = (("", "Choose an action"),)
    ) -> list[tuple[str, str]]:
        return super().get_action_choices(request, list(default_choices))

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        term = search_term.strip()
        return (self.search(queryset, term) if term else queryset), False

    # --- record page ---

    def tools(self, request: HttpRequest, obj: Any) -> list[Tool]:
        """Return the links and buttons of the page of `obj`."""
        return []

    def warnings(self, obj: Any) -> Sequence[str]:
        """Return the warnings shown in red above the fields of `obj`."""
        return ()

    def progress_of(self, obj: Any) -> Progress | None:
        """Return the progress of work on `obj` that has not finished, if any."""
        return None

    def decision(self, request: HttpRequest, obj: Any) -> PendingDecision | None:
        """Return the pending approval of `obj`, if any."""
        return None

    def sections(self, request: HttpRequest, obj: Any) -> list[Section]:
        """Return the tables below the fields of `obj`."""
        return []

    def unlinked_fields(self, request: HttpRequest) -> set[str]:
        """Return foreign keys to records the user may not open; Django would link every one."""
        related = {f.name: f.related_model._meta for f in self.opts.fields if f.related_model}
        return {
            name
            for name, meta in related.items()
            if not self.may(request, f"{meta.app_label}.view_{meta.model_name}")
        }

    def may_follow(self, request: HttpRequest, tool: Tool) -> bool:
        """Return whether `tool` is no link to records, or to records that the user may view."""
        if not tool.is_navigation:
            return True
        app, _, page = (resolve(tool.url.partition("?")[0]).url_name or "").partition("_")
        return self.may(request, f"{app}.view_{page.partition('_')[0]}")

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Render the record's page with its tools and sections."""
        if (obj := context.get("original")) is not None:
            context |= record_context(self, request, obj)
        return super().render_change_form(request, context, *args, **kwargs)

    # --- URLs and records ---

    def url_name(self, page: str) -> str:
        """Return the name of this model's URL for `page`."""
        return f"{self.opts.app_label}_{self.opts.model_name}_{page}"

    def address(self, page: str, *args: object) -> str:
        """Return this model's URL for `page`."""
        return reverse(f"admin:{self.url_name(page)}", args=args)

    def action_url(
        self,
        route: str,
        name: str,
        view: Callable[..., HttpResponseBase],
        *,
        only_post: bool = True,
    ) -> URLPattern:
        """Return a custom URL below the model's; POST only by default."""
        guarded = self.preserve_in_redirects(require_POST(view) if only_post else view)
        return path(route, self.admin_site.admin_view(guarded), name=self.url_name(name))

    def require(self, request: HttpRequest, *permissions: str) -> None:
        """Raise `PermissionDenied` unless the user has one of `permissions`."""
        if not any(self.may(request, permission) for permission in permissions):
            raise PermissionDenied

    def record(self, request: HttpRequest, object_id: UUID | str, *permissions: str) -> Any:
        """Return the record if the user may view it and has one of `permissions`, if any are given.

        Raises `Http404`, `PermissionDenied`.
        """
        if permissions:
            self.require(request, *permissions)
        if not self.has_view_permission(request):
            raise PermissionDenied
        found = self.get_object(request, unquote(str(object_id)))
        if found is None:
            raise Http404
        return found

    # --- page helpers ---

    def attempt(self, request: HttpRequest, act: Callable[[], Any], done: str) -> bool:
        """Call a service and report the result as a message; return whether it succeeded."""
        try:
            act()
        except DomainError as error:
            messages.error(request, error.message)
            return False
        messages.success(request, done)
        return True

    def redirect_to_record(self, record_id: object) -> HttpResponseRedirect:
        """Redirect to the record's page."""
        return HttpResponseRedirect(self.address("change", record_id))

    def page(
        self,
        request: HttpRequest,
        template: str,
        title: str,
        *,
        record: Model | None = None,
        **context: Any,
    ) -> TemplateResponse:
        """Render a custom page in the admin's layout."""
        media = self.media
        if "form" in context:
            media += context["form"].media
        if "tools" in context:
            context["tools"] = self.preserve_in_tools(request, context["tools"])
        return TemplateResponse(
            request,
            template,
            {
                **self.admin_site.each_context(request),
                "opts": self.opts,
                "original": record,
                "named": self.heading(record) if record else "",
                "title": title,
                "media": media,
                **self.panel_context(request, record),
                **self.preserved_context(request),
                "has_view_permission": self.has_view_permission(request, record),
                **context,
            },
        )

    def panel_context(self, request: HttpRequest, record: Model | None) -> dict[str, Any]:
        """Return the template context that queue and panels add to the pages of `record`."""
        context: dict[str, Any] = {}
        if record is not None:
            context |= queue_context(self, request, record)
            for panel in self.panels:
                context |= panel.context(self, request, record)
        return context

    def form_page(
        self,
        request: HttpRequest,
        form: forms.Form,
        act: Callable[[dict[str, Any]], Any],
        *,
        title: str,
        submit: str,
        done: str | Callable[[Any], str] = "",
        record: Model | None = None,
        note: str = "",
        final: bool = False,
        find_notices: Callable[[dict[str, Any]], Sequence[str]] | None = None,
        sections: Sequence[Section] = (),
    ) -> HttpResponse:
        """Render `form`, or on a valid POST return the response of `act`.

        With `done`, `act` is a service: its success is reported by this message, which may be built
        from the result, on the page of `record`, or else of the record that it returned.

        Errors of the service appear in the form, which keeps the input. `final` renders the button
        as destructive. `find_notices` says what is not usual about the input: it is shown in red,
        and the form is accepted only from a page that displayed it. `sections` stand above it.
        """
        notices: Sequence[str] = ()
        if request.method == "POST" and form.is_valid():
            try:
                notices = find_notices(form.cleaned_data) if find_notices else ()
                displayed = not notices or request.POST.get("warned") == json.dumps(list(notices))
                if displayed and not refuse_repeated_reason(request, form):
                    result = act(form.cleaned_data)
                    remember_reason(request, form)
                    if done:
                        messages.success(request, done if isinstance(done, str) else done(result))
                        return self.redirect_to_record((record or result).pk)
                    response: HttpResponse = result
                    return response
            except DomainError as error:
                add_form_error(form, error)
        named = self.heading(record) if record else ""
        return self.page(
            request,
            "admin/form_page.html",
            title,
            subtitle="" if named in title else named,
            record=record,
            form=form,
            fieldsets=fieldsets_of(form),
            submit=submit,
            note=note,
            sections=sections,
            final=final,
            warnings=notices,
            warned=json.dumps(list(notices)),
        )
