"""Tax rates in the admin: one person proposes, another approves; and what they withheld."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse

from credit.distributions.admin.withheld_tax import withheld_tax_page
from credit.tax_rates import services as tax_rates
from credit.tax_rates.models import TaxedIncome, TaxRate
from exchange.admin.base import staff_of
from exchange.admin.columns import column
from exchange.admin.confirmation import Confirmation
from exchange.admin.custom_pages import AddFormAdmin
from exchange.admin.display import percent, record_link
from exchange.admin.fields import AmountInput, DatePickerField, ReasonField, ReasonForm
from exchange.admin.forms import bind_form
from exchange.admin.list_filters import ChoiceFilter, ListFilters, day_range
from exchange.core.countries import COUNTRIES
from exchange.participants.admin.participants import OrganisationChoiceField
from exchange.participants.models import HolderKind
from exchange.staff.admin.pending import approval_filters
from exchange.staff.admin.proposals import ProposalAdmin, Step, ask_to_close
from wallets.deposits.admin.owner_choice import MemberChoice

_CODES = sorted((code, code) for code in COUNTRIES)


class RateForm(forms.Form):
    """A tax rate, for owners of a kind and residence, or for one."""

    type = forms.ChoiceField(choices=TaxedIncome.choices)
    issuer_country = forms.ChoiceField(
        choices=_CODES, help_text="Tax residence of the issuer, by its ISO code"
    )
    percent = AmountInput(
        decimals=tax_rates.PERCENT_DECIMALS, unit="%", maximum=tax_rates.MAX_PERCENT
    )
    holder_kind = forms.ChoiceField(choices=[("", "Any"), *HolderKind.choices], required=False)
    residence = forms.ChoiceField(
        choices=[("", "Any"), *_CODES], required=False, help_text="Tax residence of the owner"
    )
    organisation = OrganisationChoiceField(required=False, help_text="A rate of its own")
    member = MemberChoice(required=False, help_text="A rate of its own")
    valid_from = DatePickerField(help_text="From the start of this day (UTC)")
    valid_until = DatePickerField(
        required=False, help_text="Of one owner: the last day (UTC). Other rates have none"
    )
    note = ReasonField(max_length=300, help_text="The law or certificate that it follows")

    groups = [
        (None, ["type", "issuer_country", "percent"]),
        ("Owners", ["holder_kind", "residence"]),
        ("One owner", ["organisation", "member"]),
        ("Validity", ["valid_from", "valid_until"]),
        ("Evidence", ["note"]),
    ]

    def clean(self) -> dict[str, Any]:
        """Return the data. Raises `ValidationError` for two owners."""
        data: dict[str, Any] = super().clean() or {}
        if data.get("organisation") and data.get("member"):
            raise forms.ValidationError("Choose an organisation or a member, not both")
        return data


class RateFilters(ListFilters):
    decision, status__exact = approval_filters("Tax rates to approve", tax_rates.TAX_RATES)
    type__exact = ChoiceFilter("type", TaxedIncome.choices, title="type")
    day_from, day_to = day_range()


@admin.register(TaxRate)
class TaxRateAdmin(AddFormAdmin, ProposalAdmin):
    reports = {"withheld": withheld_tax_page}
    approval = tax_rates.TAX_RATES
    approve_step = Step(
        "approve",
        "rate_id",
        tax_rates.approve_rate,
        lambda rate: f"Approved. The rate holds from {rate.valid_from} on.",
    )
    reject_step = Step(
        "reject",
        "rate_id",
        tax_rates.reject_rate,
        "Proposal closed. Rates stay as they are.",
        ReasonForm,
    )
    add_permission = tax_rates.PROPOSE
    filters = RateFilters
    list_display = (
        "type", "issuer_country", "scope_display", "rate_display", "valid_from", "valid_until",
        "state_display", "proposed_by", "decided_by", "proposed_age",
    )  # fmt: skip
    list_select_related = ("proposed_by", "decided_by", "organisation", "member")
    search_fields = ("issuer_country", "residence", "organisation__name", "member__name", "note")
    search_help_text = "Country, owner, note or ID"
    id_fields = ("pk", "owner_id")
    fields = (
        ("type", "issuer_country"), ("scope_display", "rate_display"),
        ("valid_from", "valid_until"), "state_display", "note", ("proposed_by", "created_at"),
        ("decided_by", "decided_at"), "reason",
    )  # fmt: skip
    fact_fields = (
        "type", "issuer_country", "scope_display", "rate_display", "valid_from", "valid_until",
        "note", "proposed_by",
    )  # fmt: skip

    def heading(self, obj: TaxRate) -> str:
        return f"{obj}: {percent(obj.percent)}"

    scope_display = column(
        "owners",
        lambda rate: (
            record_link(rate.member or rate.organisation) if rate.organisation_id else rate.scope
        ),
    )
    rate_display = column("rate", lambda rate: percent(rate.percent), ordering="percent")

    def describe(self, proposal: TaxRate) -> str:
        return f"{percent(proposal.percent)} {proposal}"

    def label_approval(self, proposal: TaxRate) -> str:
        return f"Approve {percent(proposal.percent)}"

    def ask_approval(self, proposal: TaxRate) -> Confirmation:
        return Confirmation(
            title=f"Approve {percent(proposal.percent)} {proposal}, {proposal.scope}?",
            text="Payments of distributions that start from its first day on withhold it. What is"
            " paid, or being paid, stays. Another rate replaces it.",
            submit=self.label_approval(proposal),
        )

    def ask_rejection(self, proposal: TaxRate, *, own: bool) -> Confirmation:
        return ask_to_close("the tax rate", "Rates stay as they are.", own=own, final=True)

    def add_page(self, request: HttpRequest) -> HttpResponse:
        """Propose a rate, which a second person must approve."""

        def act(data: dict[str, Any]) -> TaxRate:
            owner = data.pop("organisation") or data["member"]
            del data["member"]
            terms = tax_rates.RateTerms(**data, owner=owner)
            return tax_rates.propose_rate(terms=terms, user=staff_of(request))

        return self.form_page(
            request,
            bind_form(request, RateForm),
            act,
            title="Propose a tax rate",
            submit="Propose",
            done="Rate proposed. A second person must approve it.",
            note="An owner's own rate comes first, then one that names residence and kind, then"
            " residence, then kind; of those for the same owners, the one that started last.",
        )
