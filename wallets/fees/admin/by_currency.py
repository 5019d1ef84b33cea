"""The page of the settings that each currency has: a row per setting, a column per currency."""

from collections import defaultdict
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html

from exchange.admin.base import SafeAdmin, Section
from exchange.admin.display import record_link
from exchange.core.currencies import currencies
from wallets.fees.definitions import describe_value, setting_definitions
from wallets.fees.selectors import settings_with_values

TITLE = "Settings by currency"
_LEDE = (
    "Effective values, each in its currency, and what awaits approval. Rates are in units per USD."
)


def settings_by_currency_page(page: SafeAdmin, request: HttpRequest) -> HttpResponse:
    """Show the effective and pending values, with links to the settings."""
    facts, codes = setting_definitions(), tuple(currencies())
    # Cells by the name of the setting without its currency, in the order of the definitions.
    cells: dict[str, dict[str, object]] = defaultdict(dict)
    found = {row.key: row for row in settings_with_values()}
    for key in facts.keys() & found.keys():
        name, _, code = facts[key].name.rpartition(", ")
        if code in codes:
            cells[name][code] = _cell(found[key], code)
    order = list(dict.fromkeys(each.name.rpartition(", ")[0] for each in facts.values()))
    rows: list[tuple[object, ...]] = [
        (name, *(cells[name].get(code, "-") for code in codes)) for name in order if name in cells
    ]
    section = Section("By currency", ("Setting", *codes), rows, right=range(1, len(codes) + 1))
    template = "admin/wallets/ledger_report.html"
    return page.page(request, template, TITLE, lede=_LEDE, sections=[section])


def _cell(row: Any, code: str) -> object:
    """Return the effective value, linked to the setting, and the pending one below."""

    def say(value: Any) -> str:
        text = describe_value(row.key, value)
        return text.removesuffix(" per USD").removesuffix(f" {code}")

    link = record_link(row, say(row.effective_value))
    if row.pending_value is None:
        return link
    return format_html("{}<br>{} pending", link, say(row.pending_value))
