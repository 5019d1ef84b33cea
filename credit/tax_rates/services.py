"""Tax rates, and what an owner is for tax: proposed by one person, approved by another.

Rows that are decided never change.
"""

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from credit.tax_rates.models import TaxedIncome, TaxFactsProposal, TaxRate
from exchange.core.countries import check_country
from exchange.core.errors import Conflict, InvalidRequest
from exchange.core.numbers import decimals_error
from exchange.core.text import check_line, clean_text
from exchange.participants.models import HolderKind, Member, Organisation
from exchange.participants.services.members import change_member
from exchange.participants.services.organisations import change_organisation
from exchange.staff.approvals import TwoPersonApproval, authorize_staff
from exchange.staff.models import ApprovalStatus, StaffUser

PROPOSE = "credit.propose_taxrate"
DECIDE = "credit.decide_taxrate"
TAX_RATES = TwoPersonApproval(
    model=TaxRate,
    noun="tax rate",
    permission=DECIDE,
    unique_constraint="tax_rate_pending_once",
)
TAX_FACTS = TwoPersonApproval(
    model=TaxFactsProposal,
    noun="tax details proposal",
    permission=DECIDE,
    unique_constraint="tax_facts_pending_once",
)
PERCENT_DECIMALS = 4
MAX_PERCENT = Decimal(100)
_MAX_NOTE_LENGTH = 300
_NOT_ALLOWED = "You may not decide about tax rates"
_MAY_NOT_DECIDE_FACTS = "You may not decide about tax details"


@dataclass(frozen=True, slots=True, kw_only=True)
class RateTerms:
    """A rate: `percent` of income of a `type` that issuers of a country pay, from a day on (UTC).

    An empty `holder_kind` or `residence` means any. The rate of one `owner` names neither, and the
    last day on which it is valid.
    """

    type: str
    issuer_country: str
    percent: Decimal
    valid_from: dt.date
    note: str
    holder_kind: str = ""
    residence: str = ""
    owner: Organisation | Member | None = None
    valid_until: dt.date | None = None


def propose_rate(*, terms: RateTerms, user: StaffUser) -> TaxRate:
    """Propose a rate; once another person approves it, it holds from its day on.

    Raises `Forbidden`, `InvalidRequest`, and `Conflict` while a rate for the same owners is
    pending.
    """
    authorize_staff(user, PROPOSE, "You may not propose tax rates")
    _check_terms(terms)
    member = terms.owner if isinstance(terms.owner, Member) else None
    return TAX_RATES.propose(
        Conflict("A rate for the same owners is pending approval", code="tax_rate_pending"),
        type=terms.type,
        issuer_country=terms.issuer_country,
        holder_kind=terms.holder_kind,
        residence=terms.residence,
        organisation=member.organisation if member else terms.owner,
        member=member,
        percent=terms.percent,
        valid_from=terms.valid_from,
        valid_until=terms.valid_until,
        note=clean_text(terms.note, missing="Enter a note", max_length=_MAX_NOTE_LENGTH),
        proposed_by=user,
    )


def approve_rate(*, rate_id: UUID, user: StaffUser) -> TaxRate:
    """Approve a rate as the second person: payments that start from its day on withhold it.

    Raises `Forbidden`, `NotFound`, `StateConflict`, `Rejected` (`approver_not_independent`).
    """
    authorize_staff(user, DECIDE, _NOT_ALLOWED)
    with transaction.atomic():
        rate = TAX_RATES.get_approvable(rate_id, user)
        return TAX_RATES.close(rate, ApprovalStatus.APPROVED, user)


def reject_rate(*, rate_id: UUID, reason: str, user: StaffUser) -> TaxRate:
    """Reject a rate, also one's own. Raises as `approve_rate`, and without a reason."""
    authorize_staff(user, DECIDE, _NOT_ALLOWED)
    return TAX_RATES.reject(rate_id, user, reason)


def propose_tax_facts(
    *,
    owner: Organisation | Member,
    holder_kind: str,
    tax_residence: str,
    tax_id: str,
    note: str,
    user: StaffUser,
) -> TaxFactsProposal:
    """Propose what an owner is for tax; it is once another person approves it.

    Raises `Forbidden`, `InvalidRequest`, also where nothing would change, and `Conflict` while
    other tax details of the owner are pending.
    """
    authorize_staff(user, PROPOSE, "You may not propose tax details")
    if holder_kind not in HolderKind.values:
        raise InvalidRequest.for_field("holder_kind", "holder_kind must be person or company")
    if tax_residence:
        check_country("tax_residence", tax_residence)
    check_line("tax_id", tax_id)
    facts = {"holder_kind": holder_kind, "tax_residence": tax_residence, "tax_id": tax_id}
    if all(getattr(owner, name) == value for name, value in facts.items()):
        raise InvalidRequest("These are the tax details of the owner")
    member = owner if isinstance(owner, Member) else None
    return TAX_FACTS.propose(
        Conflict("Tax details of this owner are pending approval", code="tax_details_pending"),
        organisation=member.organisation if member else owner,
        member=member,
        note=clean_text(note, missing="Enter a note", max_length=_MAX_NOTE_LENGTH),
        proposed_by=user,
        **facts,
    )


def approve_tax_facts(*, proposal_id: UUID, user: StaffUser) -> TaxFactsProposal:
    """Approve tax details as the second person: payments that start from now on follow them.

    Raises `Forbidden`, `NotFound`, `StateConflict`, `Rejected` (`approver_not_independent`).
    """
    actor = authorize_staff(user, DECIDE, _MAY_NOT_DECIDE_FACTS)
    with transaction.atomic():
        proposal = TAX_FACTS.get_approvable(proposal_id, user)
        change = (
            partial(change_organisation, organisation_id=proposal.organisation_id)
            if proposal.member_id is None
            else partial(change_member, member_id=proposal.member_id)
        )
        change(
            holder_kind=proposal.holder_kind,
            tax_residence=proposal.tax_residence,
            tax_id=proposal.tax_id,
            actor=actor,
        )
        return TAX_FACTS.close(proposal, ApprovalStatus.APPROVED, user)


def reject_tax_facts(*, proposal_id: UUID, reason: str, user: StaffUser) -> TaxFactsProposal:
    """Reject tax details, also one's own. Raises as `approve_tax_facts`, and without a reason."""
    authorize_staff(user, DECIDE, _MAY_NOT_DECIDE_FACTS)
    return TAX_FACTS.reject(proposal_id, user, reason)


def _check_terms(terms: RateTerms) -> None:
    if terms.type not in TaxedIncome.values:
        raise InvalidRequest.for_field("type", f"type must be one of {', '.join(TaxedIncome)}")
    check_country("issuer_country", terms.issuer_country)
    if terms.residence:
        check_country("residence", terms.residence)
    if terms.holder_kind and terms.holder_kind not in HolderKind.values:
        raise InvalidRequest.for_field("holder_kind", "holder_kind must be person or company")
    if not terms.percent.is_finite() or not 0 <= terms.percent <= MAX_PERCENT:
        raise InvalidRequest.for_field("percent", "percent must be from 0 to 100")
    if problem := decimals_error(terms.percent, PERCENT_DECIMALS):
        raise InvalidRequest.for_field("percent", f"percent {problem}")
    _check_validity(terms)


def _check_validity(terms: RateTerms) -> None:
    if terms.valid_from < timezone.now().date():
        raise InvalidRequest.for_field("valid_from", "valid_from must not be in the past (UTC)")
    if terms.owner is None:
        if terms.valid_until is not None:
            raise InvalidRequest.for_field(
                "valid_until", "Only the rate of one owner has a last day: another replaces this"
            )
        return
    if terms.holder_kind or terms.residence:
        raise InvalidRequest("The rate of one owner names neither holder_kind nor residence")
    if terms.valid_until is None:
        raise InvalidRequest.for_field("valid_until", "The rate of one owner needs a last day")
    if terms.valid_until < terms.valid_from:
        raise InvalidRequest.for_field("valid_until", "valid_until must not be before valid_from")
