"""Lifecycle actions by two people: complete a raise, open secondaries, resume, exit, cancel.

Closing, reopening and halting pay nothing and can be taken back, so one person does them
(`lifecycle`).
"""

from uuid import UUID

from django.db import transaction

from exchange.core.errors import Conflict, StateConflict
from exchange.core.querysets import get_or_raise
from exchange.core.text import clean_text
from exchange.staff.approvals import TwoPersonApproval, authorize_staff
from exchange.staff.models import ApprovalStatus, StaffUser
from exchange.tokens.errors import TokenNotFound
from exchange.tokens.models import Token
from orders.listings.models import TokenAction, TokenProposal
from orders.listings.selectors import raise_version
from orders.listings.services.lifecycle import (
    NOT_ALLOWED,
    PERMISSION,
    TRANSITIONS,
    find_obstacle,
    lock_token,
)

PROPOSALS = TwoPersonApproval(
    model=TokenProposal,
    noun="token proposal",
    permission=PERMISSION,
    unique_constraint="token_proposal_pending_once",
)
_MAX_EXPLANATION = 300


class TokenProposalPending(Conflict):
    """One action on a token is decided at a time."""

    code = "token_proposal_pending"
    message = "A proposal about this token is pending already"


def propose_token_action(
    *, token_id: UUID, action: TokenAction, explanation: str, user: StaffUser
) -> TokenProposal:
    """Propose an action on a token, at the present state of its raise.

    The explanation of a cancellation is recorded with every refund. Raises `Forbidden`,
    `TokenNotFound`, `InvalidRequest` without an explanation, as `find_obstacle`, and `Conflict`
    while another proposal about the token is pending.
    """
    authorize_staff(user, PERMISSION, NOT_ALLOWED)
    why = clean_text(explanation, missing="Enter an explanation", max_length=_MAX_EXPLANATION)
    token = get_or_raise(Token.objects.filter(pk=token_id), TokenNotFound)
    if obstacle := find_obstacle(token, action):
        raise obstacle
    return PROPOSALS.propose(
        TokenProposalPending(),
        token=token,
        action=action,
        explanation=why,
        version=raise_version(token),
        proposed_by=user,
    )


def confirm_token_action(*, proposal_id: UUID, user: StaffUser) -> TokenProposal:
    """Do what was proposed, as the second person.

    Raises `Forbidden`, `NotFound`, `Rejected` and `StateConflict` as `TwoPersonApproval`, as
    `find_obstacle`, and `StateConflict` when something was sold or the raise completed since the
    proposal. Cancelling raises `Rejected` (`units_pledged`) while a buyer's units are not
    available. An error changes nothing, and the proposal stays pending.
    """
    actor = authorize_staff(user, PERMISSION, NOT_ALLOWED)
    with transaction.atomic():
        # The proposal names its token for good, which is locked first.
        token = lock_token(PROPOSALS.get(proposal_id, lock=False).token_id)
        proposal = PROPOSALS.get_approvable(proposal_id, user)
        action = TokenAction(proposal.action)
        if obstacle := find_obstacle(token, action):
            raise obstacle
        if raise_version(token) != proposal.version:
            raise StateConflict(
                "The raise has changed since this was proposed; nothing was done. Reject the"
                " proposal, and close the token before the next one to stop sales"
            )
        PROPOSALS.close(proposal, ApprovalStatus.APPROVED, user)
        TRANSITIONS[action](token, actor, proposal.explanation)
        proposal.token = token
        token.refresh_from_db()
    return proposal


def reject_token_action(*, proposal_id: UUID, reason: str, user: StaffUser) -> TokenProposal:
    """Reject a proposal, also one's own; the token stays as it is. Raises as the confirmation."""
    authorize_staff(user, PERMISSION, NOT_ALLOWED)
    return PROPOSALS.reject(proposal_id, user, reason)
