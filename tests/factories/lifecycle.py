"""Lifecycle actions of tokens: proposed by a new person, and confirmed by `user`."""

from decimal import Decimal
from typing import Any
from uuid import UUID

from exchange.core.errors import Conflict
from exchange.staff.models import ApprovalStatus, StaffUser
from exchange.tokens.models import Token
from orders.listings.models import TermsProposal, TokenAction, TokenProposal
from orders.listings.services.lifecycle import close_token, halt_token, reopen_token
from orders.listings.services.proposals import (
    PROPOSALS,
    confirm_token_action,
    propose_token_action,
)
from orders.listings.services.terms import NewTerms, propose_terms
from tests.environment.owner import without_guards
from tests.factories.wallets import make_staff

__all__ = ["close_token", "reopen_token"]

_FLAGS = {
    "cancelled": TokenAction.CANCEL,
    "exited": TokenAction.EXIT,
    "secondaries": TokenAction.SECONDARIES,
}


def propose(token_id: UUID, action: TokenAction, reason: str = "As agreed") -> TokenProposal:
    """Propose an action, as a new person."""
    return propose_token_action(
        token_id=token_id, action=action, explanation=reason, user=make_staff("end_token")
    )


def complete_raise(*, token_id: UUID, user: StaffUser) -> Token:
    return _decide(token_id, TokenAction.COMPLETE, user)


def open_secondaries(*, token_id: UUID, user: StaffUser) -> Token:
    return _decide(token_id, TokenAction.SECONDARIES, user)


def halt(token: Token, user: StaffUser, reason: str = "A price without an explanation") -> Token:
    """Halt the trading of `token` as one person."""
    return halt_token(token_id=token.id, reason=reason, user=user)


def resume(token: Token, user: StaffUser) -> Token:
    """Resume the trading of `token`, with `user` as the second person."""
    return _decide(token.id, TokenAction.RESUME, user)


def exit_token(*, token_id: UUID, user: StaffUser) -> Token:
    return _decide(token_id, TokenAction.EXIT, user)


def cancel_token(*, token_id: UUID, user: StaffUser, reason: str) -> Token:
    return _decide(token_id, TokenAction.CANCEL, user, reason)


def approve_only(token: Token, action: TokenAction) -> None:
    """Approve an action by two people without doing it."""
    proposal = PROPOSALS.propose(
        Conflict("A proposal is pending"),
        token=token,
        action=action,
        explanation="As agreed",
        version="",
        proposed_by=make_staff("end_token"),
    )
    PROPOSALS.close(proposal, ApprovalStatus.APPROVED, make_staff("end_token"))


def set_flags(*tokens: Token, **flags: Any) -> None:
    """Set columns of tokens, and nothing else that a lifecycle action does but its approval."""
    for token in tokens:
        for flag, action in _FLAGS.items():
            if flags.get(flag):
                approve_only(token, action)
        Token.objects.filter(pk=token.pk).update(**flags)
        token.refresh_from_db()


def propose_new_terms(token: Token, user: StaffUser) -> TermsProposal:
    """Propose terms of a complete token that differ from those of `make_token`."""
    assert token.completed_at is not None
    terms = NewTerms(
        issue_price=Decimal(90),
        interest=Decimal(12),
        tenor=365,
        payout_frequency="Monthly",
        completed_on=token.completed_at.date(),
    )
    return propose_terms(
        token_id=token.pk, terms=terms, explanation="Agreed with holders", user=user
    )


def forget_terms(token: Token) -> None:
    """Leave a token as it was before issue price and completion were kept."""
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE exchange_token SET issue_price = NULL, completed_at = NULL WHERE id = %s",
            [token.pk],
        )
    token.refresh_from_db()


def _decide(
    token_id: UUID, action: TokenAction, user: StaffUser, reason: str = "As agreed"
) -> Token:
    proposal = propose(token_id, action, reason)
    token: Token = confirm_token_action(proposal_id=proposal.pk, user=user).token
    return token
