"""Quotes: the prices that staff set for a token, with four eyes. Prices are in its currency;
`exchange` is units of that currency per USD.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from exchange.core.numbers import plain
from exchange.models.approvals import ProposalModel
from exchange.models.tokens import Token


class Quote(ProposalModel):
    """New prices for a token: proposed by one person, in force once another approves them.

    The approved ones are the token's price history.
    """

    token = models.ForeignKey(Token, on_delete=models.PROTECT, related_name="quotes")
    buy = models.DecimalField(max_digits=38, decimal_places=8)
    sell = models.DecimalField(max_digits=38, decimal_places=8)
    exchange = models.DecimalField(max_digits=38, decimal_places=8, default=0)
    note = models.CharField(max_length=300, blank=True)
    # Null: set by a command or the demo world, without people.
    proposed_by = models.ForeignKey(  # type: ignore[assignment]
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta(ProposalModel.Meta):
        constraints = [
            models.CheckConstraint(
                condition=Q(buy__gt=0, sell__gt=0, exchange__gte=0), name="quote_positive"
            ),
            # One of before the rule can still be rejected.
            models.CheckConstraint(
                condition=Q(sell__lte=F("buy")) | Q(status="Rejected"),
                name="quote_sell_not_above_buy",
            ),
            models.UniqueConstraint(
                fields=["token"], condition=Q(status="Pending"), name="quote_pending_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{plain(self.buy)} / {plain(self.sell)}"
