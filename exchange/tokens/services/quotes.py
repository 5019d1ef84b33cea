"""Quotes of tokens: one person proposes prices, a second person approves them.

The approved quotes are the price history. Nothing else changes a token's prices, on which lending
and primary raises rely.
"""

from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from exchange.core.currencies import format_money
from exchange.core.errors import Conflict, Forbidden, InvalidRequest, Rejected
from exchange.core.numbers import TOKEN_DECIMALS, describe_entry_error
from exchange.core.querysets import get_or_raise
from exchange.core.text import clean_text
from exchange.staff.approvals import TwoPersonApproval, authorize_staff
from exchange.staff.models import ApprovalStatus, StaffUser
from exchange.staff.plausibility import ProposedNumber, explain, explain_approval, find_notices
from exchange.tokens.errors import TokenNotFound
from exchange.tokens.models import Quote, Token

_DECIDE_PERMISSION = "exchange.decide_quote"
QUOTES = TwoPersonApproval(
    model=Quote, noun="quote", permission=_DECIDE_PERMISSION, unique_constraint="quote_pending_once"
)

_MAX_REASON_LENGTH = 300


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of one unit in the token's currency; `exchange` is that currency's units per USD."""

    buy: Decimal
    sell: Decimal
    exchange: Decimal = Decimal(0)


def compare_prices(token: Token, prices: Prices) -> list[ProposedNumber]:
    """Return the changes that `prices` would make to the current prices of `token`."""

    def money(amount: Decimal) -> str:
        return format_money(amount, token.currency_id)

    return [
        ProposedNumber("Buy", token.price_buy, prices.buy, "quote", money),
        ProposedNumber("Sell", token.price_sell, prices.sell, "quote", money),
    ]


def propose(*, token_id: UUID, prices: Prices, user: StaffUser, note: str = "") -> Quote:
    """Propose new prices, which take effect once a second person approves them.

    `note` names the source of the prices; beyond the band it is required as the reason. Raises
    `Forbidden`, `TokenNotFound`, `InvalidRequest`, or `Conflict` while another quote of the token
    is pending and, for another buy price, while the token's raise is open (`raise_open`).
    """
    authorize_staff(user, "exchange.propose_quote", "You may not propose quotes")
    token = _get_token_for_prices(token_id, prices)
    _require_price_of_raise(token, prices)
    note = explain(find_notices(compare_prices(token, prices)), note, field="note")
    return QUOTES.propose(
        Conflict("Another quote of this token is pending approval", code="quote_pending"),
        token=token,
        buy=prices.buy,
        sell=prices.sell,
        exchange=prices.exchange,
        note=note,
        proposed_by=user,
    )


def approve(*, quote_id: UUID, user: StaffUser, reason: str = "") -> Quote:
    """Approve a quote as a second person; its prices take effect.

    The band is checked again, against the current prices; beyond it a `reason` is required. Raises
    `Forbidden`, `NotFound`, `StateConflict`, `InvalidRequest`, `Conflict` (`raise_open`) and
    `Rejected` (`approver_not_independent`, `reason_required`, `sell_above_buy`).
    """
    authorize_staff(user, _DECIDE_PERMISSION, "You may not approve quotes")
    with transaction.atomic():
        quote = QUOTES.get_approvable(quote_id, user)
        prices = Prices(quote.buy, quote.sell, quote.exchange)
        if prices.sell > prices.buy:
            raise Rejected(
                "The sell price is above the buy price. Reject the quote", code="sell_above_buy"
            )
        token = _lock_token(quote.token_id)
        _require_price_of_raise(token, prices)
        notices = find_notices(compare_prices(token, prices))
        why = explain_approval(notices, reason, first=quote.note)
        _apply_prices(quote, token)
        return QUOTES.close(quote, ApprovalStatus.APPROVED, user, approval_reason=why)


def reject(*, quote_id: UUID, user: StaffUser, reason: str) -> Quote:
    """Reject a quote. The proposer may always cancel their own.

    Raises as `approve`, and `InvalidRequest` without a reason.
    """
    with transaction.atomic():
        quote = QUOTES.get(quote_id)
        if quote.proposed_by_id != user.pk:
            authorize_staff(user, _DECIDE_PERMISSION, "You may not reject quotes")
        elif not (user.is_active and user.is_staff):
            raise Forbidden("You may not cancel quotes")
        reason = clean_text(
            reason, missing="Enter a reason for the rejection", max_length=_MAX_REASON_LENGTH
        )
        QUOTES.require_pending(quote)
        return QUOTES.close(quote, ApprovalStatus.REJECTED, user, reason=reason)


def _lock_token(token_id: UUID) -> Token:
    # Matching and lending read prices under this lock.
    return Token.objects.select_for_update(no_key=True).get(id=token_id)


def _require_price_of_raise(token: Token, prices: Prices) -> None:
    if token.is_raising and prices.buy != token.price_buy:
        raise Conflict(
            "The raise is open: the buy price stays until it is complete or cancelled",
            code="raise_open",
        )


def _apply_prices(quote: Quote, token: Token) -> None:
    token.prev_price_buy = token.price_buy
    token.prev_price_sell = token.price_sell
    token.prev_price_exchange = token.price_exchange
    token.price_buy = quote.buy
    token.price_sell = quote.sell
    token.price_exchange = quote.exchange
    token.quoted_at = timezone.now()
    token.save(
        update_fields=[
            "prev_price_buy",
            "prev_price_sell",
            "prev_price_exchange",
            "price_buy",
            "price_sell",
            "price_exchange",
            "quoted_at",
        ]
    )


def _get_token_for_prices(token_id: UUID, prices: Prices) -> Token:
    tokens = Token.objects.select_related("currency").filter(id=token_id)
    token = get_or_raise(tokens, TokenNotFound)
    errors = find_price_errors(token, prices)
    if errors:
        raise InvalidRequest("; ".join(errors.values()), fields=errors)
    return token


def find_price_errors(token: Token, prices: Prices) -> dict[str, str]:
    """Return the errors of `prices` for `token` by price name."""
    decimals = token.currency.decimals
    errors = {
        name: problem
        for name in ("buy", "sell")
        if (problem := describe_entry_error(getattr(prices, name), decimals))
    }
    if prices.exchange and (problem := describe_entry_error(prices.exchange, TOKEN_DECIMALS)):
        errors["exchange"] = problem
    if not errors and prices.sell > prices.buy:
        errors["sell"] = "Sell cannot exceed buy"
    return errors
