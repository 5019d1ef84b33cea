"""`manage.py token_terms`: the tokens whose terms staff must decide after an upgrade, as CSV."""

import csv
from datetime import UTC
from decimal import Decimal
from typing import Any

from django.core.management.base import BaseCommand

from exchange.core.numbers import format_plain
from orders.listings.selectors import UnknownTerms, unknown_terms

COLUMNS = (
    *("token", "symbol", "name", "issuer", "currency", "interest", "payout_frequency", "tenor"),
    *("issue_price", "raise_price_lowest", "raise_price_highest", "buy_price", "completed_on"),
)


class Command(BaseCommand):
    """Write one row for each token, and their number to standard error."""

    help = (
        "List the tokens listed before 1.1 whose issue price or completion is unknown, as CSV."
        " They have no schedule until two people decide it: Propose terms on the token's page,"
        " which shows issue_price and completed_on as they are here."
    )

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Write the report."""
        found = unknown_terms()
        writer = csv.writer(self.stdout, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(_row(each) for each in found)
        count = "1 token" if len(found) == 1 else f"{len(found)} tokens"
        self.stderr.write(f"{count} with terms to decide", style_func=str)


def _row(found: UnknownTerms) -> tuple[object, ...]:
    token = found.token
    completed = token.completed_at or found.completed_at
    return (
        token.pk,
        token.symbol,
        token.name,
        token.issuer.name,
        token.currency_id,
        format_plain(token.interest),
        token.payout_frequency,
        token.tenor,
        _price(token.issue_price or found.issue_price),
        _price(found.lowest),
        _price(found.highest),
        format_plain(token.price_buy),
        completed.astimezone(UTC).date() if completed else "",
    )


def _price(price: Decimal | None) -> str:
    return "" if price is None else format_plain(price)
