"""Statements in the back office: a form on the pages of organisations and members."""

from typing import Any
from uuid import UUID

from django import forms
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils import timezone
from django.utils.text import slugify

from exchange.admin.base import SafeAdmin, Tool
from exchange.admin.fields import DatePickerField
from exchange.admin.forms import bind_form
from exchange.admin.panels import Panel
from exchange.core.currencies import WALLET_CURRENCIES
from exchange.participants.models import Member
from wallets.statements.files import make_file
from wallets.statements.period import MAX_DAYS, Period
from wallets.statements.selectors import get_statement_owner, read_statement

VIEW_LEDGER = "wallets.view_entry"


class StatementForm(forms.Form):
    """Currency, days and file of a statement."""

    currency = forms.ChoiceField(choices=[(code, code) for code in WALLET_CURRENCIES])
    first = DatePickerField(label="From day", help_text="UTC")
    last = DatePickerField(label="To day", help_text="UTC, inclusive")
    form = forms.ChoiceField(
        label="File",
        choices=[("pdf", "PDF"), ("csv", "CSV")],
        initial="pdf",
        widget=forms.RadioSelect,
    )

    def clean(self) -> dict[str, Any]:
        """Mark days in the wrong order."""
        data = super().clean() or {}
        if data.get("first") and data.get("last") and data["last"] < data["first"]:
            self.add_error("last", '"To" cannot be before "From"')
        return data


class StatementPanel(Panel):
    """The page that makes the statement of an owner, for those who may read the ledger."""

    def tools(self, page: SafeAdmin, request: HttpRequest, record: Any) -> list[Tool]:
        """Return the link to the page."""
        if not page.may(request, VIEW_LEDGER):
            return []
        return [Tool("Account statement (PDF)", page.address("account_statement", record.pk))]

    def urls(self, page: SafeAdmin) -> list[URLPattern]:
        """Return the URL of the page."""

        def view(request: HttpRequest, object_id: UUID) -> HttpResponse:
            return self._make(page, request, object_id)

        return [
            page.action_url(
                "<uuid:object_id>/account-statement/", "account_statement", view, only_post=False
            )
        ]

    def _make(self, page: SafeAdmin, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Ask for currency and days, then return the file."""
        record = page.record(request, object_id, VIEW_LEDGER)
        is_member = isinstance(record, Member)
        organisation_id = record.organisation_id if is_member else record.pk

        def act(data: dict[str, Any]) -> HttpResponse:
            owner = get_statement_owner(organisation_id, record.pk if is_member else None)
            period = Period.of_days(data["first"], data["last"])

            return make_file(
                data["form"],
                lambda: read_statement(owner, data["currency"], period, timezone.now()),
                f"{slugify(str(record)) or record.pk}-",
            )

        return page.form_page(
            request,
            bind_form(request, StatementForm),
            act,
            title="Account statement",
            submit="Make",
            record=record,
            note=f"The same document as the owner's own. At most {MAX_DAYS} days.",
        )
