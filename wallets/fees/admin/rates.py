"""The rates of the day: all currencies on one page, proposed and approved at once."""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any
from uuid import UUID

import msgspec
from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from exchange.admin.base import SafeAdmin, Section, Tool, staff_of
from exchange.admin.display import age, difference, record_link
from exchange.admin.fields import AmountInput, ApprovalReasonForm, ReasonField
from exchange.admin.forms import bind_form
from exchange.core.currencies import payout_currencies
from exchange.core.errors import DomainError
from exchange.core.numbers import format_grouped
from exchange.staff.models import StaffUser
from exchange.staff.plausibility import band_of
from wallets.fees import services
from wallets.fees.admin.confirmations import (
    current_value,
    describe_start,
    find_change_notices,
    is_upcoming,
)
from wallets.fees.definitions import describe_value, setting_definitions
from wallets.fees.models import SettingChange
from wallets.fees.rates import (
    approve_rates,
    find_rate_notices,
    key_of,
    parse_rates,
    pending_rates,
    propose_rates,
)
from wallets.fees.selectors import effective_settings

TITLE = "Rates of the day"
_LEDE = "Units per USD. Those proposed together are approved together, or none of them."


class RatesForm(forms.Form):
    """The new rates: typed, or from a file."""

    file = forms.FileField(
        required=False,
        label="From a file",
        help_text="CSV with the columns currency and rate, instead of the fields above",
    )
    reason = ReasonField(max_length=300)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        effective, facts = effective_settings(), setting_definitions()
        for currency in payout_currencies():
            key = key_of(currency)
            now = describe_value(key, effective.get(key))
            self.fields[currency] = AmountInput(
                label=currency,
                required=False,
                help_text=f"Now {now}. Empty: unchanged",
                decimals=facts[key].decimals,
                unit=facts[key].unit,
                minimum=facts[key].minimum,
                maximum=facts[key].maximum,
            )
        self.order_fields([*payout_currencies(), "file", "reason"])

    def clean(self) -> dict[str, Any]:
        """Collect the rates as `rates`, with an error of the file at its field."""
        data = super().clean() or {}
        data["rates"] = {
            currency: data[currency]
            for currency in payout_currencies()
            if data.get(currency) is not None
        }
        if data.get("file") and data["rates"]:
            self.add_error("file", "Enter rates, or choose a file, not both")
        elif data.get("file"):
            try:
                data["rates"] = parse_rates(data["file"].read())
            except DomainError as error:
                self.add_error("file", error.message)
            else:
                self._show(data["rates"])
        return data

    def _show(self, rates: Mapping[str, Decimal]) -> None:
        """Fill the fields with the rates of a file, which a page shown again cannot keep."""
        given: Any = self.data
        shown = given.copy()
        shown.update({currency: format_grouped(rate) for currency, rate in rates.items()})
        self.data = shown


class SeenForm(forms.Form):
    """The rates that the page showed, by the id of the change."""

    seen = forms.CharField(widget=forms.HiddenInput, max_length=2_000)

    def clean_seen(self) -> dict[UUID, Decimal]:
        """Return the effective rate that was shown for each change."""
        try:
            seen = msgspec.json.decode(self.cleaned_data["seen"], type=dict[UUID, Decimal])
        except msgspec.DecodeError:
            raise forms.ValidationError("Open the page again") from None
        if not all(rate.is_finite() for rate in seen.values()):
            raise forms.ValidationError("Open the page again")
        return seen


class SeenWithReasonForm(SeenForm, ApprovalReasonForm):
    """The same, with why rates beyond their band are approved."""


def rates_page(page: SafeAdmin, request: HttpRequest) -> HttpResponse:
    """Show the effective and the pending rates, with what the user may do."""
    pending, user = pending_rates(), staff_of(request)
    tools = []
    if user.has_perm(services.PROPOSE):
        tools.append(Tool("Propose rates", page.address("propose_rates")))
    blocker = _describe_blocker(pending, user)
    if pending and user.has_perm(services.DECIDE) and not blocker:
        tools.append(Tool(f"Approve {len(pending)}", page.address("approve_rates")))
    return page.page(
        request,
        "admin/wallets/ledger_report.html",
        TITLE,
        lede=f"{_LEDE} {blocker}.".removesuffix(" .") if blocker else _LEDE,
        tools=tools,
        sections=[_section(pending)],
    )


def propose_page(page: SafeAdmin, request: HttpRequest) -> HttpResponse:
    """Propose the rates of several currencies."""
    page.require(request, services.PROPOSE)
    posted = request.method == "POST"
    form = RatesForm(request.POST, request.FILES) if posted else RatesForm()

    def act(data: dict[str, Any]) -> HttpResponse:
        made = propose_rates(rates=data["rates"], reason=data["reason"], user=staff_of(request))
        messages.success(request, f"{len(made)} proposed. They require a second person's approval.")
        return HttpResponseRedirect(page.address("rates"))

    return page.form_page(
        request,
        form,
        act,
        title="Propose the rates of the day",
        submit="Propose",
        note=_LEDE,
        find_notices=lambda data: find_rate_notices(data["rates"]),
    )


def approve_page(page: SafeAdmin, request: HttpRequest) -> HttpResponse:
    """Approve all rates that are proposed."""
    page.require(request, services.DECIDE)
    pending = pending_rates()
    blocker = _describe_blocker(pending, staff_of(request)) if pending else "No rates are pending"
    if blocker:
        messages.error(request, f"{blocker}. No changes were made.")
        return HttpResponseRedirect(page.address("rates"))
    notices = [notice for change in pending for notice in find_change_notices(change)]
    seen = json.dumps({str(change.pk): str(current_value(change)) for change in pending})
    form = bind_form(request, SeenWithReasonForm if notices else SeenForm, seen=seen)

    def act(data: dict[str, Any]) -> HttpResponse:
        done = approve_rates(user=staff_of(request), **data)
        later = sum(map(is_upcoming, done))
        when = (
            f"Effective now: {len(done) - later}, later: {later}" if later else "They are effective"
        )
        messages.success(request, f"{len(done)} rates approved. {when}.")
        return HttpResponseRedirect(page.address("rates"))

    return page.form_page(
        request,
        form,
        act,
        title=f"Approve {len(pending)} rates?",
        submit=f"Approve {len(pending)} rates",
        find_notices=lambda _: notices,
        sections=[_section(pending)],
    )


def _describe_blocker(pending: list[SettingChange], user: StaffUser) -> str:
    """Return why `user` cannot approve what is pending, or ""."""
    return next(
        filter(None, (services.SETTING_CHANGES.describe_blocker(each, user) for each in pending)),
        "",
    )


def _section(pending: list[SettingChange]) -> Section:
    waiting = {change.configuration_id: change for change in pending}
    effective = effective_settings()
    rows = []
    for currency in payout_currencies():
        key = key_of(currency)
        now, change = effective[key], waiting.get(key)
        rows.append(
            (
                currency,
                describe_value(key, now),
                record_link(change, describe_value(key, change.value)) if change else "-",
                difference(now, change.value, places=2) if change else "-",
                f"{band_of('rate')} %",
                describe_start(change) if change else "-",
                str(change.proposed_by) if change else "-",
                age(change.created_at) if change else "-",
            )
        )
    headings = (
        "Currency", "Effective", "Proposed", "Change", "Band", "Effective from", "Proposed by",
        "Age",
    )  # fmt: skip
    return Section("Rates", headings, rows, right=(1, 2, 3, 4))
