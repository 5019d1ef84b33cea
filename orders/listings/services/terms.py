"""New terms of a token that investors have bought: proposed, and approved by a second person.

Payments follow from the terms, so an event notifies holders. Before the first purchase one person
edits them (`exchange.tokens.services.tokens`).
"""

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from exchange.core.errors import Conflict, Forbidden, InvalidRequest, StateConflict
from exchange.core.querysets import get_or_raise
from exchange.core.text import clean_text
from exchange.events.services.outbox import emit_each
from exchange.staff.approvals import TwoPersonApproval, authorize_staff
from exchange.staff.models import ApprovalStatus, StaffUser
from exchange.tokens.errors import TokenNotFound
from exchange.tokens.models import FIXED_FIELDS, PayoutFrequency, Token
from exchange.tokens.selectors.tokens import terms_document
from exchange.tokens.services.terms import (
    PERCENT_DECIMALS,
    PERCENT_LIMITS,
    describe_number_error,
    describe_price_error,
)
from exchange.tokens.services.tokens import CHANGE_PERMISSION
from orders.listings.models import TermsProposal
from orders.listings.selectors import holding_organisations
from orders.listings.services.lifecycle import lock_token

DECIDE_PERMISSION = "orders.decide_terms"
TERMS_PROPOSALS = TwoPersonApproval(
    model=TermsProposal,
    noun="terms proposal",
    permission=DECIDE_PERMISSION,
    unique_constraint="terms_proposal_pending_once",
)
MAX_TENOR_DAYS = 36_500
_MAX_EXPLANATION = 300
_NOT_ALLOWED = "You may not decide about terms of tokens"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTerms:
    """Terms to propose. `interest` is percent a year, `tenor` days; 0: none.

    `completed_on` is the day, in UTC, from which periods count; None while the raise is open.
    """

    issue_price: Decimal
    interest: Decimal
    tenor: int
    payout_frequency: str
    completed_on: dt.date | None = None


def propose_terms(
    *, token_id: UUID, terms: NewTerms, explanation: str, user: StaffUser
) -> TermsProposal:
    """Propose new terms, which take effect once a second person approves them.

    Raises `Forbidden`, `TokenNotFound`, `InvalidRequest` that names every invalid field, or for
    terms that change nothing, `StateConflict` for a token that has ended or has no buyer, and
    `Conflict` while other terms of the token are pending.
    """
    authorize_staff(user, CHANGE_PERMISSION, "You may not propose terms of tokens")
    why = clean_text(explanation, missing="Enter an explanation", max_length=_MAX_EXPLANATION)
    tokens = Token.objects.select_related("currency").filter(pk=token_id)
    token = get_or_raise(tokens, TokenNotFound)
    _require_fixed(token)
    errors = _find_errors(token, terms)
    if errors:
        raise InvalidRequest("; ".join(errors.values()), fields=errors)
    completed_at = _completion(token, terms.completed_on)
    values = {name: getattr(terms, name) for name in FIXED_FIELDS} | {"completed_at": completed_at}
    if all(getattr(token, name) == value for name, value in values.items()):
        raise InvalidRequest("These are the terms of the token")
    return TERMS_PROPOSALS.propose(
        Conflict("Other terms of this token are pending approval", code="terms_pending"),
        token=token,
        version=token.terms_version + 1,
        explanation=why,
        proposed_by=user,
        **values,
    )


def approve_terms(*, proposal_id: UUID, user: StaffUser) -> TermsProposal:
    """Approve terms as a second person: they take effect, and holders' organisations are notified.

    Raises `Forbidden`, `NotFound`, `Rejected` (`approver_not_independent`), and `StateConflict`
    for a decided proposal, a token that has ended, and terms that changed since the proposal. An
    error changes nothing.
    """
    authorize_staff(user, DECIDE_PERMISSION, _NOT_ALLOWED)
    with transaction.atomic():
        # The proposal names its token for good, which is locked first.
        token = lock_token(TERMS_PROPOSALS.get(proposal_id, lock=False).token_id)
        proposal = TERMS_PROPOSALS.get_approvable(proposal_id, user)
        _require_fixed(token)
        if proposal.version != token.terms_version + 1 or (
            token.completed_raise is (proposal.completed_at is None)
        ):
            raise StateConflict(
                "The terms have changed, or the raise was completed, since this was proposed."
                " Reject the proposal"
            )
        TERMS_PROPOSALS.close(proposal, ApprovalStatus.APPROVED, user)
        changed = [*FIXED_FIELDS, "completed_at"]
        for name in changed:
            setattr(token, name, getattr(proposal, name))
        token.terms_version = proposal.version
        token.save(update_fields=[*changed, "terms_version"])
        data = f'{{"terms":{terms_document(token.pk)}}}'
        emit_each(
            dict.fromkeys(holding_organisations(token), data),
            "token.terms_changed",
            subject_id=token.pk,
        )
        proposal.token = token
    return proposal


def reject_terms(*, proposal_id: UUID, reason: str, user: StaffUser) -> TermsProposal:
    """Reject terms; those of the token stay. The proposer may always cancel their own.

    Raises as the approval, and `InvalidRequest` without a reason.
    """
    with transaction.atomic():
        proposal = TERMS_PROPOSALS.get(proposal_id)
        if proposal.proposed_by_id != user.pk:
            authorize_staff(user, DECIDE_PERMISSION, _NOT_ALLOWED)
        elif not (user.is_active and user.is_staff):
            raise Forbidden(_NOT_ALLOWED)
        why = clean_text(reason, missing="Enter a reason for the rejection")
        TERMS_PROPOSALS.require_pending(proposal)
        return TERMS_PROPOSALS.close(proposal, ApprovalStatus.REJECTED, user, reason=why)


def _require_fixed(token: Token) -> None:
    if token.cancelled or token.exited:
        raise StateConflict("The token is cancelled or has exited")
    if not token.has_fixed_terms:
        raise StateConflict("The token has no buyer yet: edit its terms instead")


def _find_errors(token: Token, terms: NewTerms) -> dict[str, str]:
    """Return the errors of `terms` by field."""
    decimals, limit = token.currency.decimals, PERCENT_LIMITS["interest"]
    errors = {
        "issue_price": describe_price_error("issue_price", terms.issue_price, decimals),
        "interest": describe_number_error("interest", terms.interest, PERCENT_DECIMALS, limit),
    }
    if not 0 <= terms.tenor <= MAX_TENOR_DAYS:
        errors["tenor"] = f"tenor must be from 0 to {MAX_TENOR_DAYS} days"
    if terms.payout_frequency not in PayoutFrequency.values:
        errors["payout_frequency"] = "payout_frequency is not known"
    if token.completed_raise is (terms.completed_on is None):
        errors["completed_on"] = "completed_on is the day on which the raise was completed"
    elif terms.completed_on is not None and terms.completed_on > timezone.now().date():
        errors["completed_on"] = "completed_on must not be in the future"
    return {name: text for name, text in errors.items() if text}


def _completion(token: Token, day: dt.date | None) -> dt.datetime | None:
    """Return the known time of the completion on `day`, else the start of the day, in UTC."""
    known = token.completed_at
    if day is None or (known is not None and known.astimezone(dt.UTC).date() == day):
        return known
    return dt.datetime.combine(day, dt.time(), dt.UTC)
