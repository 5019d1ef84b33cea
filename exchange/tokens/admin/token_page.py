"""Facts and tables of the token page that come from `exchange`."""

from collections.abc import Sequence
from decimal import Decimal

from django.db.models import Q
from django.utils import timezone

from exchange.admin.base import Section
from exchange.admin.chart import Chart, step_chart
from exchange.admin.display import age, difference, format_time, percent, record_link, status_badge
from exchange.admin.tabs import MARKET
from exchange.audit import selectors as audit
from exchange.core.currencies import format_money
from exchange.core.numbers import format_grouped, format_units
from exchange.staff.models import ApprovalStatus
from exchange.tokens.models import STATE_FIELDS, TERM_FIELDS, DealAccess, Quote, Token

Facts = Sequence[tuple[str, object]]

_MAX_CHART_QUOTES = 200
_MAX_TABLE_QUOTES = 20
_MAX_CHANGES = 50

# In order of precedence: the first condition that holds is the state.
STATES: dict[str, Q] = {
    "Cancelled": Q(cancelled=True),
    "Exited": Q(exited=True),
    "Closed": Q(closed=True),
    "Halted": Q(halted_at__isnull=False),
    "In raise": Q(completed_raise=False),
    "Trading": Q(secondaries=True),
    "Raise complete": Q(),
}


def state_of(token: Token) -> str:
    """Return the state of `token`, one of `STATES`."""
    if token.cancelled:
        return "Cancelled"
    if token.exited:
        return "Exited"
    if token.closed:
        return "Closed"
    if token.halted_at:
        return "Halted"
    if not token.completed_raise:
        return "In raise"
    return "Trading" if token.secondaries else "Raise complete"


def state_condition(name: str) -> Q:
    """Match tokens in the state `name`, one of `STATES`."""
    match = Q()
    for other, condition in STATES.items():
        if other == name:
            return match & condition
        match &= ~condition
    return Q(pk__in=())


def description_facts(token: Token) -> Facts:
    """Return the token's description."""
    return [
        ("Name", token.name),
        ("Symbol", token.symbol),
        ("Reference", token.reference),
        ("Issuer", record_link(token.issuer)),
        ("Creator", record_link(token.creator) if token.creator else "-"),
        ("Currency", token.currency_id),
        ("Offering", token.type),
        ("Instrument", token.get_investment_type_display()),
        ("Category", token.get_investment_category_display()),
        ("Employee share plan", "yes" if token.esop_token else "no"),
        ("Listing request", token.listing_reference or "-"),
        ("Image", token.image or "-"),
        ("Listed (UTC)", format_time(token.created_at)),
        ("ID", token.pk),
    ]


def term_facts(token: Token) -> Facts:
    """Return the fees and the terms of the investment."""
    code = token.currency_id
    return [
        ("Buyer fee", percent(token.buy_fee)),
        ("Seller fee", percent(token.sell_fee)),
        ("Carry", percent(token.carry)),
        ("Management fee", percent(token.management_fee)),
        ("Discount", percent(token.discount)),
        ("Dividend", percent(token.dividend)),
        ("Valuation", format_money(token.valuation or None, code)),
        ("Valuation after the raise", format_money(token.post_raise_valuation or None, code)),
    ]


def payment_facts(token: Token) -> Facts:
    """Return what the payments of the token follow from."""
    return [
        ("Issue price", format_money(token.issue_price, token.currency_id)),
        ("Interest", f"{percent(token.interest)} a year"),
        ("Pays income", token.get_payout_frequency_display()),
        ("Tenor", f"{token.tenor:,} days" if token.tenor else "-"),
        ("Raise completed (UTC)", format_time(token.completed_at) if token.completed_at else "-"),
        ("Version", token.terms_version),
    ]


def raise_facts(token: Token) -> Facts:
    """Return the progress of the raise."""
    if not token.raise_amount:
        return [("Raise", "No raise")]
    share = token.total_raised / token.raise_amount * 100
    return [
        ("Status", "Complete" if token.completed_raise else "Open"),
        ("Target", format_money(token.raise_amount, token.currency_id)),
        (
            "Raised",
            f"{format_money(token.total_raised, token.currency_id)} ({share:.1f} %)",
        ),
        ("Offer price per unit", format_money(token.price_buy, token.currency_id)),
        ("Allocated to investors", format_units(token.total_allocated)),
    ]


def quote_section(token: Token) -> Section:
    """Return the current and the previous prices."""
    code = token.currency_id
    rows = [
        (name, format_money(now, code), format_money(was, code), difference(was, now))
        for name, was, now in (
            ("Buy", token.prev_price_buy, token.price_buy),
            ("Sell", token.prev_price_sell, token.price_sell),
        )
    ]
    if token.price_exchange or token.prev_price_exchange:
        rows.append(
            (
                f"{code} per USD",
                format_grouped(token.price_exchange),
                format_grouped(token.prev_price_exchange),
                difference(token.prev_price_exchange, token.price_exchange),
            )
        )
    title = "Prices"
    if token.quoted_at:
        title = f"Prices, effective since {token.quoted_at:%Y-%m-%d %H:%M} UTC"
    headings = ("Per unit", "Current", "Previous", "Change")
    return Section(title, headings, rows, right=(1, 2, 3))


def limit_section(token: Token) -> Section:
    """Return the limits of orders for each side."""

    def bound(amount: Decimal) -> str:
        return format_money(amount, token.currency_id) if amount else "-"

    rows = [
        (name, *(bound(getattr(token, field)) for field in fields))
        for name, *fields in (
            ("Lowest price", "min_buy", "min_sell"),
            ("Highest price", "max_buy", "max_sell"),
            ("Smallest value", "min_trade_buy", "min_trade_sell"),
            ("Largest value", "max_trade_buy", "max_trade_sell"),
        )
    ]
    return Section("Order limits", ("", "Buy", "Sell"), rows, right=(1, 2))


def access_section(token: Token) -> Section:
    """Return the organisations that see the token."""
    rows: list[tuple[object, ...]] = [(record_link(token.issuer), "issuer", "", "")]
    rows += [
        (
            record_link(grant.organisation),
            "granted",
            format_time(grant.created_at),
            grant.granted_by or "The system",
        )
        for grant in token.grants.select_related("organisation", "granted_by").order_by("id")
    ]
    title, note = "Access (private)", ""
    if token.deal_access == DealAccess.PUBLIC:
        title = "Access (public)"
        note = "All organisations see the token. While deal access is private, only these do."
    headings = ("Organisation", "Reason", "Since (UTC)", "Granted by")
    return Section(title, headings, rows, note=note, tab="Access")


def _approved_quotes(token: Token) -> list[Quote]:
    """Return the last approved quotes, newest first."""
    quotes = token.quotes.filter(status=ApprovalStatus.APPROVED).select_related(
        "proposed_by", "decided_by"
    )
    return list(quotes.order_by("-decided_at", "-id")[:_MAX_CHART_QUOTES])


def _price_chart(token: Token, quotes: Sequence[Quote]) -> Chart | None:
    """Return the chart of buy and sell prices over time."""
    oldest_first = [quote for quote in reversed(quotes) if quote.decided_at is not None]
    prices = [(quote.buy, quote.sell) for quote in oldest_first]
    code, words = token.currency_id, ""
    if prices:
        words = (
            f"{len(prices)} approved quotes. Buy from {format_money(prices[0][0], code)} to "
            f"{format_money(prices[-1][0], code)}, sell from {format_money(prices[0][1], code)} to "
            f"{format_money(prices[-1][1], code)}. The table below lists all values."
        )
    return step_chart(
        title="Price history",
        description=words,
        times=[quote.decided_at for quote in oldest_first if quote.decided_at is not None],
        lines=[("Buy", [buy for buy, _ in prices]), ("Sell", [sell for _, sell in prices])],
        until=timezone.now(),
        label=lambda value: f"{value:,.{token.currency.decimals}f} {code}",
    )


def approved_quote_section(token: Token) -> Section:
    """Return the approved quotes, with the chart of their prices."""
    quotes = _approved_quotes(token)
    rows = [
        (
            format_time(quote.decided_at) if quote.decided_at else "-",
            record_link(quote, format_money(quote.buy, token.currency_id)),
            format_money(quote.sell, token.currency_id),
            format_grouped(quote.exchange) if quote.exchange else "-",
            quote.proposed_by or "The system",
            quote.decided_by or "The system",
            quote.note or "-",
        )
        for quote in quotes[:_MAX_TABLE_QUOTES]
    ]
    headings = ("Effective (UTC)", "Buy", "Sell", "Per USD", "Proposed by", "Approved by", "Note")
    empty = "No quotes approved yet: the listing's prices are effective."
    return Section(
        "Approved quotes",
        headings,
        rows,
        right=(1, 2, 3),
        empty=empty,
        tab=MARKET,
        chart=_price_chart(token, quotes),
    )


def change_section(token: Token) -> Section:
    """Return the changes of the token: by whom, before and after."""
    changes = audit.column_changes(Token._meta.db_table, token.pk, (*TERM_FIELDS, *STATE_FIELDS))
    recent = list(changes.exclude(before=None)[:_MAX_CHANGES])
    rows = [
        (format_time(change.at), person, field_label(name), _format_value(was), _format_value(now))
        for change, person in zip(recent, audit.actor_names(recent), strict=True)
        for name, was, now in audit.changed_columns(change)
        if name in TERM_FIELDS or name in STATE_FIELDS
    ]
    headings = ("Time (UTC)", "By", "Field", "Before", "After")
    empty = "No changes since the listing."
    return Section("Changes", headings, rows, empty=empty, tab="Activity")


def field_label(name: str) -> str:
    """Return the label of a field of a token."""
    return {
        "type": "Offering",
        "investment_type": "Instrument",
        "investment_category": "Category",
        "payout_frequency": "Pays income",
        "listing_reference": "Listing request",
        "esop_token": "Employee share plan",
        "min_buy": "Lowest price, buy",
        "min_sell": "Lowest price, sell",
        "max_buy": "Highest price, buy",
        "max_sell": "Highest price, sell",
        "min_trade_buy": "Smallest value, buy",
        "min_trade_sell": "Smallest value, sell",
        "max_trade_buy": "Largest value, buy",
        "max_trade_sell": "Largest value, sell",
        "buy_fee": "Buyer fee",
        "sell_fee": "Seller fee",
        "post_raise_valuation": "Valuation after the raise",
        "secondaries": "Secondary market trading",
        "completed_raise": "Raise complete",
    }.get(name, name.replace("_", " ").capitalize())


def state_label(token: Token) -> str:
    """Return the badge of the token's state."""
    return status_badge(state_of(token))


def quote_age(token: Token) -> str:
    """Return the age of the prices."""

    return age(token.quoted_at) if token.quoted_at else "-"


def _format_value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Decimal):
        return format_grouped(value)
    return str(value) or "-"
