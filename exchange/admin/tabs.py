"""The content of a record's page: what the page and its panels say, with its tables in tabs.

A section names its tab; a panel names that of all its sections. The script of the back office makes
the tabs; without it, all parts follow one another.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.http import HttpRequest

if TYPE_CHECKING:
    from exchange.admin.base import SafeAdmin, Section

OVERVIEW = "Overview"
MARKET = "Market"
_ORDER = (OVERVIEW, MARKET, "Money", "Orders", "Loans", "Access", "Activity")
# A page with fewer tables needs no tabs.
_TABBED = 4


@dataclass(frozen=True, slots=True)
class Choice:
    """A link to a section of another period, or the period that is shown."""

    label: str
    url: str
    is_shown: bool


def tab_anchor(tab: str) -> str:
    """Return the end of an address that opens the page with this tab."""
    return f"#tab-{tab.lower()}"


def group_by_tab(sections: Iterable[tuple[str, Section]]) -> list[tuple[str, list[Section]]]:
    """Return the sections by tab, in the order of `_ORDER`.

    The first tab is `OVERVIEW`, which also has the record's fields. It has all of a short page.
    """
    every = list(sections)
    found: dict[str, list[Section]] = {OVERVIEW: []}
    for tab, section in every:
        name = OVERVIEW if len(every) < _TABBED else tab or OVERVIEW
        found.setdefault(name, []).append(section)
    return sorted(found.items(), key=lambda tab: _ORDER.index(tab[0]))


def record_context(page: SafeAdmin, request: HttpRequest, record: Any) -> dict[str, Any]:
    """Return the template context of the page of `record`."""
    named = page.heading(record)
    tools = list(page.tools(request, record))
    sections = [(each.tab, each) for each in page.sections(request, record)]
    warnings = list(page.warnings(record))
    for panel in page.panels:
        sections += [(panel.tab, each) for each in panel.sections(page, request, record)]
        warnings += panel.warnings(page, request, record)
        tools += panel.tools(page, request, record)
    tools = [tool for tool in tools if page.may_follow(request, tool)]
    return {
        "subtitle": named,
        "named": named,
        "tools": page.preserve_in_tools(request, tools),
        "unlinked": page.unlinked_fields(request),
        **page.preserved_context(request),
        "summary": [fact for _, each in sections for fact in getattr(each, "facts", ())],
        "warnings": warnings,
        "decision": page.preserve_in_decision(request, page.decision(request, record)),
        "progress": page.progress_of(record),
        "sections": [each for _, each in sections],
        "tabs": group_by_tab(sections),
        **page.panel_context(request, record),
        # The table of the latest changes links to the full history.
        "history": "",
    }
