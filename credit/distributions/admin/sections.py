"""What the page of a distribution shows: may it be paid, to whom, and what came before it."""

import datetime as dt
from decimal import Decimal

from django.db.models import Count, Q, Sum
from django.db.models.functions import Abs

from credit.distributions.models import Distribution, DistributionStatus, Income
from credit.distributions.selectors import estimate, estimate_largest
from exchange.admin.base import Section
from exchange.admin.display import format_time, record_link, status_badge
from exchange.audit import selectors as audit
from exchange.core.currencies import format_money
from exchange.core.numbers import format_grouped, format_units
from exchange.participants.models import Member, Organisation
from wallets.ledger.selectors.wallets import available_balance

_LARGEST = 10
_PREVIOUS = 5
_MAX_CHANGES = 50
_TERMS = {
    "amount_per_unit": "Amount per unit",
    "principal_per_unit": "Principal per unit",
    "rate": "Rate",
    "days": "Days",
    "record_at": "Record (UTC)",
    "payment_date": "Payment date",
}
_UNFUNDED = (DistributionStatus.DRAFT, DistributionStatus.ANNOUNCED, DistributionStatus.RECORDED)


def money_and_holders(distribution: Distribution) -> Section:
    """Return what is due against what the issuer has, and what is paid."""
    currency = distribution.currency_id
    available = available_balance(distribution.token.issuer_id, currency)
    rows: list[tuple[object, object]] = [
        ("Available to the issuer", format_money(available, currency))
    ]
    due = distribution.gross
    if due is None:
        found = estimate(distribution)
        due = found.gross
        rows += [
            ("Holders now", f"{found.holders:,}"),
            ("Units now", format_units(found.units)),
            ("Due if recorded now", format_money(due, currency)),
        ]
    else:
        counts = distribution.incomes.values_list("status").annotate(Count("pk"))
        rows += [(f"Income {status}", f"{count:,}") for status, count in counts.order_by("status")]
    if due < 0 and distribution.gross is not None:
        rows.append(("Recovered", _recovered(distribution)))
    if distribution.status in _UNFUNDED:
        left = available - due
        words = "Left to the issuer after it" if left >= 0 else "Missing in the issuer's wallet"
        rows.append((words, format_money(abs(left), currency)))
    return Section("Money and holders", ("What", "Amount"), rows, right=(1,))


def _recovered(distribution: Distribution) -> str:
    total = distribution.incomes.aggregate(total=Sum("recovered", default=Decimal(0)))["total"]
    currency = distribution.currency_id
    of = format_money(abs(distribution.net or Decimal(0)), currency)
    return f"{format_money(total, currency)} of {of}"


def largest_incomes(distribution: Distribution) -> Section:
    """Return the ten owners who receive most; before the record, by what they hold now."""
    if distribution.holders is None:
        return _largest_now(distribution)
    rows = [
        (
            record_link(each.member or each.organisation),
            format_units(each.units),
            format_money(each.gross, distribution.currency_id),
            format_money(each.net, distribution.currency_id),
            status_badge(each.status),
        )
        for each in Income.objects.filter(distribution=distribution)
        .select_related("member", "organisation")
        .order_by(Abs("gross").desc(), "id")[:_LARGEST]
    ]
    headings = ("Owner", "Units", "Gross", "Net", "Status")
    return Section("Largest incomes", headings, rows, right=(1, 2, 3), empty="No owner held units.")


def _largest_now(distribution: Distribution) -> Section:
    found = estimate_largest(distribution, _LARGEST)
    owners: dict[object, Member | Organisation] = {
        **Organisation.objects.in_bulk([each.owner_id for each in found]),
        **Member.objects.in_bulk([each.owner_id for each in found]),
    }
    rows = [
        (
            record_link(owners[each.owner_id]),
            format_units(each.units),
            format_money(each.gross, distribution.currency_id),
        )
        for each in found
    ]
    headings = ("Owner", "Units now", "Gross if recorded now")
    return Section(
        "Largest holders", headings, rows, right=(1, 2), empty="Only the issuer holds units."
    )


def previous_ones(distribution: Distribution) -> Section:
    """Return this distribution next to the latest earlier ones of its token."""
    related = Q(pk=distribution.corrects_id) | Q(corrects=distribution)
    earlier = Distribution.objects.filter(
        related | Q(record_at__lt=distribution.record_at), token=distribution.token_id
    )
    earlier = earlier.exclude(pk=distribution.pk).select_related("token", "corrects")
    found = earlier.order_by("-record_at", "-pk")[:_PREVIOUS]
    rows = [
        (
            "This one" if each == distribution else record_link(each),
            status_badge("Overdue" if each.overdue else each.status),
            format_time(each.record_at),
            format_money(each.amount_per_unit, each.currency_id),
            "-" if each.holders is None else f"{each.holders:,}",
            format_money(each.gross, each.currency_id),
        )
        for each in (distribution, *found)
    ]
    headings = ("Distribution", "Status", "Record (UTC)", "Amount per unit", "Holders", "Gross")
    return Section("This and earlier distributions", headings, rows, right=(3, 4, 5))


def changed_terms(distribution: Distribution) -> Section:
    """Return what changed of its terms since it was proposed: by whom, before and after."""
    changes = audit.column_changes(Distribution._meta.db_table, distribution.pk, _TERMS)
    recent = list(changes.exclude(before=None)[:_MAX_CHANGES])
    rows = [
        (format_time(change.at), person, _TERMS[name], _value(name, was), _value(name, now))
        for change, person in zip(recent, audit.actor_names(recent), strict=True)
        for name, was, now in audit.changed_columns(change)
        if name in _TERMS
    ]
    headings = ("Time (UTC)", "By", "Term", "Before", "After")
    return Section("Changes", headings, rows, empty="The terms are as proposed.")


def _value(name: str, value: object) -> object:
    """Return an audited value as a page shows it."""
    if value is None:
        return "-"
    if name == "record_at":
        return format_time(dt.datetime.fromisoformat(str(value)))
    return value if name == "payment_date" else format_grouped(Decimal(str(value)))


def list_proposals(distribution: Distribution) -> Section:
    """Return what was proposed about it, and who decided."""
    rows = [
        (
            format_time(each.created_at),
            each.get_action_display(),
            status_badge(each.status),
            each.proposed_by_label or each.proposed_by,
            each.explanation or "-",
            each.decided_by or "-",
            each.reason or "-",
        )
        for each in distribution.proposals.select_related("decided_by")
    ]
    headings = (
        "Proposed (UTC)", "Step", "Status", "Proposed by", "Explanation", "Decided by", "Reason",
    )  # fmt: skip
    return Section("Proposals", headings, rows)
