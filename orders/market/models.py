"""Candles of closed hours, from which days and tickers are combined; see `sql/candles.sql`."""

from django.db import models
from django.db.models import Q

from exchange.core.fields import AMOUNT, UNCHECKED
from exchange.tokens.models import Token


class Candle(models.Model):
    """The secondary trades of a token in one closed hour. Append-only; a function writes it.

    All trades of the token from `first_seq` to `last_seq` are secondary: it left its raise before.
    """

    first_seq = models.BigIntegerField(primary_key=True, help_text="Number of the first trade")
    last_seq = models.BigIntegerField(help_text="Number of the last trade")
    token = models.ForeignKey(Token, related_name="+", **UNCHECKED)
    starts_at = models.DateTimeField()
    open = models.DecimalField(**AMOUNT)
    high = models.DecimalField(**AMOUNT)
    low = models.DecimalField(**AMOUNT)
    close = models.DecimalField(**AMOUNT)
    volume = models.DecimalField(help_text="Units", **AMOUNT)
    value = models.DecimalField(
        max_digits=54, decimal_places=16, help_text="Sum of price * units, not rounded"
    )
    trades = models.PositiveIntegerField()

    class Meta:
        default_permissions = ()
        ordering = ["starts_at"]
        constraints = [
            # Covering: 1,000 days are up to 24,000 rows, spread over the table.
            models.UniqueConstraint(
                fields=["token", "starts_at"],
                include=[
                    *("first_seq", "last_seq", "open", "high", "low", "close"),
                    *("volume", "value", "trades"),
                ],
                name="candle_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.token_id} {self.starts_at:%Y-%m-%d %H:00}"


class CandleProgress(models.Model):
    """Until when candles are complete; one row, or none at first. A function writes it."""

    id = models.PositiveSmallIntegerField(primary_key=True)
    until = models.DateTimeField(help_text="The end of the last hour whose candles are written")
    seq = models.BigIntegerField(help_text="Trades from `until` on have higher numbers")

    class Meta:
        default_permissions = ()
        constraints = [
            models.CheckConstraint(condition=Q(id=1), name="candle_progress_single"),
        ]

    def __str__(self) -> str:
        return f"candles until {self.until:%Y-%m-%d %H:%M}"
