"""List filters preserved while a record is open, so that every way back restores the list.

Django adds them to the links of rows as `_changelist_filters`. Custom pages pass them on:
`preserved_query` in templates, the methods below in links and redirects.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any

from django.contrib import admin
from django.contrib.admin.templatetags.admin_urls import add_preserved_filters
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse


class PreservedFilters(admin.ModelAdmin):  # type: ignore[type-arg] # not generic when it runs
    """ModelAdmin mixin: preserve the list's filters across a record's pages."""

    def preserved_context(self, request: HttpRequest) -> dict[str, str]:
        """Return the template context; `preserved_query` is for pages of the same record."""
        filters = self.get_preserved_filters(request)
        return {"preserved_filters": filters, "preserved_query": f"?{filters}" if filters else ""}

    def preserve_in_tools(self, request: HttpRequest, tools: Sequence[Any]) -> list[Any]:
        """Return `tools` with the filters added to links to pages of the same record."""
        return [replace(tool, url=self.preserve_in_url(request, tool.url)) for tool in tools]

    def preserve_in_decision(self, request: HttpRequest, decision: Any) -> Any:
        """Return the pending decision with the filters added to its buttons."""
        if decision is None:
            return None
        return replace(
            decision,
            approve=decision.approve and self.preserve_in_tools(request, [decision.approve])[0],
            other_tools=self.preserve_in_tools(request, decision.other_tools),
        )

    def preserve_in_redirects(self, view: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap `view` so that redirects to the list or its records preserve the filters."""

        @wraps(view)
        def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            response = view(request, *args, **kwargs)
            if isinstance(response, HttpResponseRedirect):
                response["Location"] = self.preserve_in_url(request, response.url)
            return response

        return wrapped

    def preserve_in_url(self, request: HttpRequest, url: str) -> str:
        """Return `url` with the filters added if it is the bare list or one of its records."""
        filters = self.get_preserved_filters(request)
        own = reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist")
        if not filters or not url.startswith(own) or url.startswith(f"{own}?"):
            return url
        return add_preserved_filters({"opts": self.opts, "preserved_filters": filters}, url)
