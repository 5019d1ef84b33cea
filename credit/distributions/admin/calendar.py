"""The page of what is due in 14 days, against what each issuer has."""

import datetime as dt
from collections import defaultdict
from decimal import Decimal
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from credit.distributions.models import Distribution, DistributionStatus
from credit.distributions.selectors import due_until, expected_gross
from exchange.admin.base import SafeAdmin, Section
from exchange.admin.display import record_link, status_badge
from exchange.core.currencies import format_money
from wallets.ledger.models import Account, AccountKind

TITLE = "Payment calendar"
_AHEAD = dt.timedelta(days=14)
_SHOWN = 200
_LEDE = (
    "Distributions that are paid until the 14th day from today, and overdue ones. Before its record"
    " what is due is what today's holders would receive. Left is what the issuer has available less"
    " everything due until then that it has not funded."
)


def calendar_page(page: SafeAdmin, request: HttpRequest) -> HttpResponse:
    """Show the distributions that are due soon, by day of payment."""
    due = due_until(timezone.now().date() + _AHEAD)
    found = list(due[:_SHOWN])
    left, gross = _available(found), expected_gross(found)
    rows = [_row(each, gross[each.pk], left) for each in found]
    count = due.count() if len(found) == _SHOWN else len(found)
    note = f"The first {_SHOWN} of {count:,}." if count > _SHOWN else ""
    headings = ("Payment", "Distribution", "Issuer", "Status", "Due", "Left to the issuer")
    empty = "Nothing is due."
    section = Section("Due in 14 days", headings, rows, right=(4, 5), empty=empty, note=note)
    template = "admin/wallets/ledger_report.html"
    return page.page(request, template, TITLE, lede=_LEDE, sections=[section])


def _row(
    distribution: Distribution, due: Decimal, left: dict[tuple[UUID, str], Decimal]
) -> tuple[object, ...]:
    """Return the row, after taking what is `due` from what is `left` to its issuer."""
    currency, issuer = distribution.currency_id, distribution.token.issuer
    state = "Overdue" if distribution.overdue else distribution.status
    rest = "Funded"
    if distribution.status not in (DistributionStatus.FUNDED, DistributionStatus.PAYING):
        # What a correction recovers is not the issuer's before it has come.
        left[issuer.pk, currency] -= max(due, Decimal(0))
        rest = format_money(left[issuer.pk, currency], currency)
        if left[issuer.pk, currency] < 0:
            rest = status_badge(rest, "bad")
    return (
        distribution.payment_date,
        record_link(distribution),
        record_link(issuer),
        status_badge(state),
        format_money(due, currency),
        rest,
    )


def _available(found: list[Distribution]) -> dict[tuple[UUID, str], Decimal]:
    """Return what the issuers have available, by issuer and currency."""
    accounts = Account.objects.filter(
        kind=AccountKind.AVAILABLE,
        member=None,
        organisation__in={each.token.issuer_id for each in found},
        asset__in={each.currency_id for each in found},
    )
    balances: dict[tuple[UUID, str], Decimal] = defaultdict(Decimal)
    for organisation_id, asset_id, balance in accounts.values_list(
        "organisation_id", "asset_id", "balance"
    ):
        balances[organisation_id, asset_id] = balance or Decimal(0)
    return balances
