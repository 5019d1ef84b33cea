"""Distributions on the page of their token, and the form that proposes one."""

from functools import partial
from typing import Any
from uuid import UUID

from django.db.models import Sum
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern

from credit.distributions.admin.forms import TermsForm, read_terms
from credit.distributions.models import Distribution, DistributionStatus
from credit.distributions.services.proposals import PROPOSE, propose_distribution
from exchange.admin.base import SafeAdmin, Section, Tool, actor_of
from exchange.admin.display import format_time, record_link, status_badge
from exchange.admin.forms import bind_form
from exchange.admin.panels import Panel
from exchange.core.currencies import format_money
from exchange.tokens.models import Token

_SHOWN = 20


class DistributionsPanel(Panel):
    """The newest distributions of a token, and the page that proposes one."""

    def tools(self, page: SafeAdmin, request: HttpRequest, record: Token) -> list[Tool]:
        """Return the link to the form, for a token that may pay."""
        if record.cancelled or not record.completed_raise or not page.may(request, PROPOSE):
            return []
        if record.exited and _redeemed(record):
            return []
        return [Tool("Propose distribution", page.address("distribution", record.pk))]

    def sections(self, page: SafeAdmin, request: HttpRequest, record: Token) -> list[Section]:
        """Return the newest distributions, and what was paid in all."""
        found = Distribution.objects.filter(token=record).select_related("token", "corrects")
        rows = [
            (
                record_link(each),
                status_badge("Overdue" if each.overdue else each.status),
                format_time(each.record_at),
                each.payment_date,
                format_money(each.amount_per_unit, each.currency_id),
                "-" if each.holders is None else f"{each.holders:,}",
                format_money(each.gross, each.currency_id),
            )
            for each in found.order_by("-pk")[:_SHOWN]
        ]
        headings = (
            "Distribution", "Status", "Record (UTC)", "Payment", "Amount per unit", "Holders",
            "Gross",
        )  # fmt: skip
        paid = found.filter(status=DistributionStatus.PAID)
        total = paid.aggregate(total=Sum("gross"))["total"]
        note = ""
        if total:
            amount = format_money(total, record.currency_id)
            note = f"Paid so far: {amount} by {paid.count():,} distributions."
        return [
            Section(
                "Distributions",
                headings,
                rows,
                right=(4, 5, 6),
                empty="None proposed.",
                note=note,
            )
        ]

    def urls(self, page: SafeAdmin) -> list[URLPattern]:
        """Return the URL of the form."""
        view = partial(_propose, page)
        route = "<uuid:object_id>/distribution/"
        return [page.action_url(route, "distribution", view, only_post=False)]


def _redeemed(token: Token) -> bool:
    """Whether its units are taken back, after which it pays nothing."""
    final = Distribution.objects.filter(token=token, final=True)
    return final.filter(status=DistributionStatus.PAID).exists()


def _propose(page: SafeAdmin, request: HttpRequest, object_id: UUID) -> HttpResponse:
    """Propose a distribution, which a second person approves."""
    token: Token = page.record(request, object_id, PROPOSE)

    def act(typed: dict[str, Any]) -> Distribution:
        return propose_distribution(
            token_id=token.pk,
            terms=read_terms(token, typed["type"], typed),
            explanation=typed["explanation"],
            actor=actor_of(request),
        )

    return page.form_page(
        request,
        bind_form(request, TermsForm),
        act,
        title=f"Propose a distribution of {token.symbol}",
        submit="Propose",
        done="Proposed. A second person must approve it on the page of the distribution.",
        record=token,
        note="What staff propose is funded by the issuer's own request or by two people; what the"
        " issuer proposes is taken from its wallet on the payment date.",
    )
