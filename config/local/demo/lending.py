"""Demo lending: loan configurations, and a loan in every state.

Created by the services that clients and staff use; overdue loans are created with a past date.
Existing records stay unchanged. Events are marked as unsent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from itertools import zip_longest

from django.db import transaction
from django.utils import timezone

from config.local.demo.tables import read_amounts
from credit.configurations.models import Access, LoanConfiguration, VersionStatus
from credit.configurations.services import configurations
from credit.configurations.services.terms import Terms
from credit.loans.models import ClosureAction, Loan
from credit.loans.services import servicing
from credit.loans.services.assessing import LoanRequest, max_repayment
from credit.loans.services.closures import confirm_closure, propose_closure
from credit.loans.services.lending import create_loan
from credit.loans.services.repaying import repay
from credit.loans.services.valuation import Pledge, amount_owed, round_down
from exchange.core.actors import Actor
from exchange.core.currencies import currencies
from exchange.events.services.outbox import mark_unsent
from exchange.participants.models import Member, Organisation
from exchange.staff.models import StaffUser
from exchange.tokens.models import InvestmentCategory, Token
from wallets.ledger.models import Account, AccountKind

_ACTOR = Actor.system("demo")
_MAX_AMOUNT = read_amounts("max_loan")
_OPEN_OFFER = "Asset-backed loan"
_OWN_OFFER = "Member advance"
_PENDING_OFFER = "Bridge against debt notes"
_COLLATERAL_RATIO = Decimal("0.6")
_INTEREST_RATE = Decimal("0.025")
_PLEDGED = Decimal("0.5")
_LENT = Decimal("0.8")  # of the lending value of the collateral

# Units of a token that a member can pledge.
Candidate = tuple[Member, Token, Decimal]


@dataclass(frozen=True, slots=True)
class Lenders:
    """The lenders, the borrowers (members of every demo organisation) and the credit officers."""

    public: Organisation
    own: Organisation
    pending: Organisation
    borrowers: Mapping[Organisation, Sequence[Member]]
    officers: tuple[StaffUser, StaffUser]


@dataclass(frozen=True, slots=True)
class _LoanScenario:
    """One demo loan, identified by its `reason`."""

    reason: str
    made_days_ago: int = 0
    months: int = 6
    becomes: str = ""
    repaid: Decimal = Decimal(0)
    tight: bool = False


_SCENARIOS = (
    _LoanScenario("Stock for the shop"),
    _LoanScenario("School fees", repaid=Decimal("0.4")),
    _LoanScenario("Roof repair, pledged to the limit", tight=True),
    _LoanScenario("Farm inputs", made_days_ago=95, months=3),
    _LoanScenario("Delivery van", made_days_ago=150, months=3),
    _LoanScenario("Clinic equipment", repaid=Decimal(1)),
    _LoanScenario("Bakery oven", made_days_ago=200, months=3, becomes=ClosureAction.LIQUIDATE),
    _LoanScenario("Market stall", made_days_ago=220, months=3, becomes=ClosureAction.WRITE_OFF),
)


def load_lending(lenders: Lenders) -> None:
    """Create the missing loan configurations and loans."""
    offer = _offers(lenders)
    existing = set(Loan.objects.filter(configuration=offer).values_list("reason", flat=True))
    # Each scenario has a fixed position, so a later run makes the same pairs.
    for scenario, candidate in zip(_SCENARIOS, _collateral_candidates(lenders), strict=False):
        if scenario.reason in existing:
            continue
        with transaction.atomic():
            loan = _make_loan(scenario, offer, candidate, lenders.officers)
        for organisation_id in {loan.organisation_id, loan.creditor_id}:
            mark_unsent(organisation_id=organisation_id, subject_ids=[loan.id])


def _offers(lenders: Lenders) -> LoanConfiguration:
    """Create one configuration for everyone, one for own members, one pending; return the first."""
    everything = [category.value for category in InvestmentCategory]
    wanted = (
        (lenders.public, _terms(_OPEN_OFFER, Access.PUBLIC, everything), True),
        (lenders.own, _terms(_OWN_OFFER, Access.OWN, everything), True),
        (lenders.pending, _terms(_PENDING_OFFER, Access.PUBLIC, ["Bond", "Debt Note"]), False),
    )
    made = []
    for creditor, terms, approved in wanted:
        found = LoanConfiguration.objects.filter(
            creditor=creditor, versions__name=terms.name
        ).first()
        if found is None:
            with transaction.atomic():
                found = configurations.propose(creditor_id=creditor.id, terms=terms, actor=_ACTOR)
                if approved:
                    waiting = found.versions.get(status=VersionStatus.PENDING)
                    found = configurations.approve(version_id=waiting.id, user=lenders.officers[0])
            mark_unsent(organisation_id=creditor.id, subject_ids=[found.id])
        made.append(found)
    return made[0]


def _terms(name: str, access: Access, categories: list[str]) -> Terms:
    return Terms(
        name=name,
        access=access,
        investment_categories=categories,
        max_amount=_MAX_AMOUNT,
        max_outstanding={"NGN": Decimal(2_000_000_000)},
        collateral_ratio=_COLLATERAL_RATIO,
        interest_rate=_INTEREST_RATE,
        duration=24,
        grace_period=14,
    )


def _collateral_candidates(lenders: Lenders) -> list[Candidate]:
    """Return members with the available units of a token that can be pledged."""
    members = {member.id: member for group in lenders.borrowers.values() for member in group}
    tokens = {
        str(token.id): token
        for token in Token.objects.filter(
            exited=False, cancelled=False, completed_raise=True, deal_access="Public"
        )
    }
    balances = (
        Account.objects.filter(
            owner_id__in=members, asset_id__in=tokens, kind=AccountKind.AVAILABLE, balance__gt=0
        )
        .order_by("asset__token__symbol", "owner_id")
        .values_list("owner_id", "asset_id", "balance")
    )
    # Alternate between members; the largest holdings first.
    by_member: dict[object, list[Candidate]] = {}
    for owner, asset, balance in balances:
        if owner is not None and balance is not None:
            by_member.setdefault(owner, []).append((members[owner], tokens[asset], balance))
    for candidates in by_member.values():
        candidates.sort(key=lambda candidate: _dollars(candidate[1], candidate[2]), reverse=True)
    rounds = zip_longest(*by_member.values())
    return [candidate for each in rounds for candidate in each if candidate is not None]


def _dollars(token: Token, units: Decimal) -> Decimal:
    """Return the approximate value of the units in USD."""
    rate: Decimal = token.price_exchange or Decimal(1)
    price: Decimal = token.price_sell
    return units * price / rate


def _make_loan(
    scenario: _LoanScenario,
    offer: LoanConfiguration,
    candidate: Candidate,
    officers: tuple[StaffUser, StaffUser],
) -> Loan:
    """Create a loan and bring it to its state."""
    loan = create_loan(
        organisation_id=candidate[0].organisation_id,
        request=_request(scenario, offer, candidate),
        actor=_ACTOR,
        made_at=timezone.now() - timedelta(days=scenario.made_days_ago),
    )
    if scenario.repaid:
        decimals = currencies()[loan.currency_id].decimals
        loan = repay(
            loan_id=loan.id,
            organisation_id=loan.organisation_id,
            amount=round_down(amount_owed(loan) * scenario.repaid, decimals),
            actor=_ACTOR,
        )
    servicing.age_loan(loan.id)
    servicing.revalue_loan(loan.id)
    if scenario.becomes:
        proposal = propose_closure(
            loan_id=loan.id,
            action=ClosureAction(scenario.becomes),
            note="The borrower has not answered since the grace period ended",
            user=officers[0],
        )
        confirm_closure(proposal_id=proposal.id, user=officers[1])
    loan.refresh_from_db()
    return loan


def _request(
    scenario: _LoanScenario, offer: LoanConfiguration, candidate: Candidate
) -> LoanRequest:
    member, token, free = candidate
    units = round_down(free * _PLEDGED, 4)
    currency = token.currency_id
    part = Decimal(1) if scenario.tight else _LENT
    covered = units * token.price_sell * _COLLATERAL_RATIO * part
    amount = round_down(min(covered, _MAX_AMOUNT[currency]), currencies()[currency].decimals)
    months = Decimal(scenario.months)
    return LoanRequest(
        user_id=member.id,
        configuration_id=offer.id,
        currency=currency,
        amount=amount,
        repayment_amount=max_repayment(amount, _INTEREST_RATE, months, currency),
        interest_rate=_INTEREST_RATE,
        duration=months,
        collaterals=(Pledge(token.id, units),),
        reason=scenario.reason,
        bank_name="Zenith Bank" if currency == "NGN" else "",
    )
