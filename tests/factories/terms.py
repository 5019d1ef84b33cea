"""Notes, tokens whose terms pay interest, and new terms that are proposed for them."""

from decimal import Decimal
from typing import Any

from exchange.staff.models import StaffUser
from exchange.tokens.models import Token
from orders.listings.models import TermsProposal
from orders.listings.services.terms import NewTerms, propose_terms
from tests.factories.traders import Trader, make_trader

D = Decimal


def note(issuer: Trader, **more: Any) -> Token:
    """A note in its raise at 100 KES, which pays 12 % a year each quarter for two years."""
    terms = {"interest": D(12), "tenor": 730, "payout_frequency": "Quarterly"}
    return issuer.issue(raise_amount=D(100_000), **{**terms, **more})


def sold_out(issuer: Trader, **more: Any) -> Token:
    token = note(issuer, **more)
    make_trader(100_000).place(token, "Buy", 100, 1000)
    token.refresh_from_db()
    assert token.completed_raise
    return token


def new_terms(token: Token, **changes: Any) -> NewTerms:
    token.refresh_from_db()
    values: dict[str, Any] = {
        "issue_price": D(100),
        "interest": D(10),
        "tenor": 730,
        "payout_frequency": "Quarterly",
        "completed_on": token.completed_at and token.completed_at.date(),
    }
    return NewTerms(**(values | changes))


def propose(token: Token, user: StaffUser, **changes: Any) -> TermsProposal:
    return propose_terms(
        token_id=token.pk,
        terms=new_terms(token, **changes),
        explanation="Agreed with holders",
        user=user,
    )
