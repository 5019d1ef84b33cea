"""The filters of a list, kept while a record of it is open: on the way to its pages, and back.

Django's list writes them into the links of its rows, as `_changelist_filters`. Pages of ours carry
them from one to the next: `keep` in templates, and here in what leads on or back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.admin.templatetags.admin_urls import add_preserved_filters
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
else:
    ModelAdmin = object


class PreservedFilters(ModelAdmin):
    """For a ModelAdmin: its pages know which part of its list they were opened from."""

    def preserved_context(self, request: HttpRequest) -> dict[str, str]:
        """What templates need to lead back: `keep` is the query for a page of the same record."""
        filters = self.get_preserved_filters(request)
        return {"preserved_filters": filters, "preserved_query": f"?{filters}" if filters else ""}

    def preserve_in_tools(self, request: HttpRequest, tools: Sequence[Any]) -> list[Any]:
        """`tools`, of which those that lead to pages of the same record carry the filters along."""
        return [replace(tool, url=self.preserve_in_url(request, tool.url)) for tool in tools]

    def preserve_in_decision(self, request: HttpRequest, decision: Any) -> Any:
        """What waits for a decision, its buttons as those of `keep_in_tools`; None stays None."""
        if decision is None:
            return None
        return replace(
            decision,
            approve=decision.approve and self.preserve_in_tools(request, [decision.approve])[0],
            other_tools=self.preserve_in_tools(request, decision.other_tools),
        )

    def preserve_in_redirects(self, view: Callable[..., Any]) -> Callable[..., Any]:
        """`view`, whose redirects to the list or to a record of it keep the filters."""

        @wraps(view)
        def kept(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            answer = view(request, *args, **kwargs)
            if isinstance(answer, HttpResponseRedirect):
                answer["Location"] = self.preserve_in_url(request, answer.url)
            return answer

        return kept

    def preserve_in_url(self, request: HttpRequest, url: str) -> str:
        """`url`, with the filters when it is of the whole list or of a record of it."""
        filters = self.get_preserved_filters(request)
        own = reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist")
        if not filters or not url.startswith(own) or url.startswith(f"{own}?"):
            return url
        return add_preserved_filters({"opts": self.opts, "preserved_filters": filters}, url)
