"""What an owner is worth, under the title of its page."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest

from exchange.admin.base import SafeAdmin
from exchange.admin.display import status_badge
from exchange.admin.panels import Panel
from exchange.core.currencies import format_money
from exchange.participants.models import Member, Verification
from wallets.ledger.admin.owner_balances import VIEW_ACCOUNTS
from wallets.owners.value import value_of


class ValuePanel(Panel):
    """Total value, uncleared money and verification of an owner."""

    def summary(
        self, page: SafeAdmin, request: HttpRequest, record: Any, sections: Sequence[Any]
    ) -> Sequence[tuple[str, object]]:
        """Return the facts, for those who may view accounts."""
        found: list[tuple[str, object]] = []
        if page.may(request, VIEW_ACCOUNTS):
            value = value_of(record.pk)
            without = f" without {', '.join(value.unrated)}" if value.unrated else ""
            found.append(("Total value", f"{format_money(value.total, 'USD')}{without}"))
            if value.uncleared:
                found.append(("Uncleared", format_money(value.uncleared, "USD")))
        if isinstance(record, Member) and record.verification != Verification.VERIFIED:
            found.append(
                ("Verification", status_badge(record.get_verification_display(), "waiting"))
            )
        return found
