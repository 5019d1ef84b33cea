"""Quote and convert: all rules and effects in one server-side call each.

A quote is used once, before its time is over and while its rates are the effective ones.
"""

from datetime import timedelta
from decimal import Decimal
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone

from exchange.core.actors import Actor
from exchange.core.batching import BatchedFunction
from exchange.core.commands import as_json
from exchange.core.database import fetch_one, read_rejection, savepoint_if_in_transaction
from exchange.core.errors import DomainError
from exchange.core.idempotency import (
    IdempotencyClaim,
    StoredResponse,
    claim_error,
)
from exchange.core.querysets import purge
from exchange.participants.errors import member_error
from wallets.conversions.commands import ConvertMoney, QuoteConversion
from wallets.conversions.errors import (
    PositionLimitReached,
    QuoteExpired,
    QuoteNotFound,
    QuoteReplaced,
    QuoteUsed,
    RateOutdated,
    ResultOutOfRange,
)
from wallets.conversions.models import ConversionQuote
from wallets.freezes.errors import block_error
from wallets.ledger.errors import InsufficientBalance, closed_error

QUOTE_LIFETIME = timedelta(seconds=60)
# How long quotes are kept after their time.
QUOTE_RETENTION = timedelta(days=7)
# SQLSTATE of a rejection by the SQL functions.
_REJECTED = "XW400"

_function = BatchedFunction(ConvertMoney.function, 201, "Conversion completed")


def quote_conversion(
    *, organisation_id: UUID, from_currency: str, to_currency: str, amount: Decimal, actor: Actor
) -> str:
    """Return the document (JSON text) of a new quote.

    Raises `RateOutdated` or `ResultOutOfRange`.
    """
    command = QuoteConversion(
        organisation=organisation_id,
        member=None,
        actor=str(actor),
        from_currency=from_currency,
        to_currency=to_currency,
        amount=amount,
        max_rate_age_hours=settings.RATE_MAX_AGE_HOURS,
        lifetime_seconds=int(QUOTE_LIFETIME.total_seconds()),
    )
    try:
        with savepoint_if_in_transaction():
            row = fetch_one("SELECT quote_conversion(%s::jsonb)", [as_json([command])])
    except DatabaseError as error:
        rejection = _translate_rejection(error)
        if rejection is None:
            raise
        raise rejection from error
    return str(row[0]) if row else ""


def convert_money(
    *,
    organisation_id: UUID,
    member_id: UUID | None,
    quote_id: UUID,
    actor: Actor,
    claim: IdempotencyClaim | None = None,
) -> StoredResponse:
    """Convert money of the member's wallet, or the organisation's, by a quote, at once.

    A `claim` replays the response stored under it. Raises, in this order, `UserNotFound`,
    `MemberClosed`, `QuoteNotFound`, `QuoteUsed`, `QuoteExpired`, `QuoteReplaced`, `RateOutdated`,
    `InsufficientBalance`, `AccountFrozen` or `ReceivableDue`, `PositionLimitReached`; and
    `IdempotencyKeyReused` or `RequestInProgress` for the claim. An error moves no money.
    """
    command = ConvertMoney(
        organisation=organisation_id,
        member=member_id,
        actor=str(actor),
        quote=quote_id,
        max_rate_age_hours=settings.RATE_MAX_AGE_HOURS,
    ).with_key(claim)
    return _function.run_single(command, _translate_rejection)


def purge_quotes() -> int:
    """Delete quotes long past their time; return the number deleted."""
    old = ConversionQuote.objects.filter(created_at__lt=timezone.now() - QUOTE_RETENTION)
    return purge(old.order_by("created_at"))


_PLAIN: dict[str, type[DomainError]] = {
    error.code: error for error in (QuoteNotFound, QuoteUsed, QuoteExpired, QuoteReplaced)
}


def _translate_rejection(error: DatabaseError) -> DomainError | None:
    refused = read_rejection(error, _REJECTED)
    if refused is None:
        return claim_error(error) or closed_error(error)
    code, detail = refused
    match code:
        case "insufficient_balance":
            return InsufficientBalance(**detail)
        case "rate_outdated":
            return RateOutdated(currency=detail["currency"])
        case "position_limit_reached":
            return PositionLimitReached(currency=detail["currency"])
        case "too_large" | "too_small":
            return ResultOutOfRange(currency=detail["currency"], too_large=code == "too_large")
    return _PLAIN[code]() if code in _PLAIN else member_error(code) or block_error(code)
