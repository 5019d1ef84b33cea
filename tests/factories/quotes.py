"""Quotes of tokens that take effect without approval."""

from uuid import UUID

from django.db import transaction
from django.utils import timezone

from exchange.staff.models import ApprovalStatus
from exchange.tokens.models import Quote
from exchange.tokens.services import quotes
from tests.environment.owner import without_guards


@transaction.atomic
def set_effective_quote(*, token_id: UUID, prices: quotes.Prices, note: str) -> Quote:
    """Make an effective quote without a proposal."""
    now = timezone.now()
    with without_guards():
        quote = Quote.objects.create(
            token_id=token_id,
            buy=prices.buy,
            sell=prices.sell,
            exchange=prices.exchange,
            note=note,
            created_at=now,
            status=ApprovalStatus.APPROVED,
            decided_at=now,
        )
    quotes._apply_prices(quote, quotes._lock_token(token_id))
    return quote
