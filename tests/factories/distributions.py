"""Distributions in the state a test needs, made by the services; their times are moved back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.utils import timezone

from credit.distributions.models import (
    Distribution,
    DistributionAction,
    DistributionProposal,
    DistributionStatus,
    Income,
)
from credit.distributions.schedule import Basis
from credit.distributions.services import funding, paying, proposals, recording
from credit.distributions.services.terms import DistributionTerms
from exchange.core.actors import Actor, ActorKind
from exchange.core.ids import uuid7
from exchange.staff.models import StaffUser
from exchange.tokens.models import Token
from tests.environment.owner import without_guards
from tests.factories.api_clients import TESTER, make_member
from tests.factories.tokens import give_units, make_token
from tests.factories.unjustified_transfers import post_unjustified
from tests.factories.wallets import (
    Wallet,
    balance_of,
    make_member_wallet,
    make_staff,
    make_wallet,
)
from wallets.closing.services import close_member
from wallets.ledger.models import AccountKind, Entry, TransferKind
from wallets.ledger.posting import Leg, open_account, system_account

DAY = timedelta(days=1)


def make_terms(token: Token, **changes: Any) -> DistributionTerms:
    """Return terms: a dividend of 2.5 a unit, recorded in five days and paid two days later."""
    record_at = changes.pop("record_at", timezone.now() + 5 * DAY)
    terms: dict[str, Any] = {
        "type": "Dividend",
        "currency": token.currency_id,
        "amount": Decimal("2.5"),
        "record_at": record_at,
        "payment_date": record_at.astimezone(UTC).date() + 2 * DAY,
        **changes,
    }
    return DistributionTerms(**terms)


def interest_terms(token: Token, **changes: Any) -> DistributionTerms:
    """Return terms: 18.5 percent a year on 100 a unit, for 92 days."""
    basis = Basis(Decimal(100), Decimal("18.5"), 92)
    return make_terms(token, **{"type": "Interest", "amount": None, "basis": basis, **changes})


def issuer_of(token: Token) -> Actor:
    """Return an API key of the issuer as an actor."""
    return Actor(
        kind=ActorKind.API_KEY, id=str(uuid7()), label="issuer", organisation_id=token.issuer_id
    )


def proposer() -> StaffUser:
    return make_staff("propose_distribution")


def decider() -> StaffUser:
    return make_staff("decide_distribution")


def propose(
    token: Token,
    terms: DistributionTerms | None = None,
    *,
    actor: Actor | None = None,
    corrects: UUID | None = None,
) -> Distribution:
    """Propose a distribution, by its issuer."""
    return proposals.propose_distribution(
        token_id=token.pk,
        terms=terms or make_terms(token),
        actor=actor or issuer_of(token),
        corrects=corrects,
    )


def pending(distribution: Distribution) -> DistributionProposal:
    """Return the pending proposal about a distribution."""
    return distribution.proposals.get(status="Pending")


def approve(distribution: Distribution) -> Distribution:
    """Approve the pending proposal as new staff."""
    decided = proposals.approve(proposal_id=pending(distribution).pk, user=decider())
    distribution.refresh_from_db()
    assert decided.distribution.status == distribution.status
    return distribution


def approve_unchecked(distribution: Distribution) -> None:
    """Mark the pending proposal as approved by new staff, and do nothing of it."""
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE credit_distributionproposal SET status = 'Approved', decided_by_id = %s,"
            " decided_at = now() WHERE distribution_id = %s",
            [decider().pk, distribution.pk],
        )


def decide_step(distribution: Distribution, action: DistributionAction) -> Distribution:
    """Propose and approve the funding or the cancellation, by two people."""
    proposals.propose_step(
        distribution_id=distribution.pk, action=action, explanation="Agreed", user=proposer()
    )
    return approve(distribution)


def make_due(distribution: Distribution, *, ago: timedelta = timedelta(seconds=1)) -> Distribution:
    """Move the times of a distribution back: its record is due, and today is its payment date."""
    record_at = timezone.now() - ago
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE credit_distribution SET record_at = %s, payment_date = %s WHERE id = %s",
            [record_at, max(record_at, timezone.now()).date(), distribution.pk],
        )
        cursor.execute(
            "UPDATE exchange_token SET next_record_at = (SELECT min(record_at)"
            " FROM credit_distribution WHERE token_id = %s AND status = 'Announced') WHERE id = %s",
            [distribution.token_id, distribution.token_id],
        )
    distribution.refresh_from_db()
    return distribution


_STEPS = (
    DistributionStatus.DRAFT,
    DistributionStatus.ANNOUNCED,
    DistributionStatus.RECORDED,
    DistributionStatus.FUNDED,
    DistributionStatus.PAID,
)


def make_distribution(
    token: Token, status: str = "Announced", terms: DistributionTerms | None = None
) -> Distribution:
    """Make a distribution up to `status`; the issuer's wallet covers it where it is funded."""
    made = propose(token, terms)
    for step in _STEPS[1 : _STEPS.index(DistributionStatus(status)) + 1]:
        match step:
            case DistributionStatus.ANNOUNCED:
                approve(made)
            case DistributionStatus.RECORDED:
                assert recording.record(make_due(made).pk)
            case DistributionStatus.FUNDED:
                made.refresh_from_db()
                Wallet(token.issuer).fund(made.gross or 0, token.currency_id)
                funding.fund(
                    distribution_id=made.pk,
                    organisation_id=token.issuer_id,
                    actor=issuer_of(token),
                )
            case DistributionStatus.PAID:
                paying.pay(made.pk)
    made.refresh_from_db()
    assert made.status == status
    return made


@dataclass
class Holding:
    """A token of 1,000 units in NGN at 100: 400 of a member, 250 of an organisation, 350 unissued.

    The issuer holds what it has not sold, and a member of the issuer 50 of it.
    """

    token: Token
    member: Wallet
    organisation: Wallet
    own_member: Wallet

    def incomes(self, distribution: Distribution) -> dict[Any, Decimal]:
        """Return the net income of each owner."""
        rows = Income.objects.filter(distribution=distribution)
        return dict(rows.values_list("owner_id", "net"))


def make_holding(**token: Any) -> Holding:
    """Make the records of `Holding`."""
    listed = make_token(**token)
    currency = listed.currency_id
    member = make_member_wallet(1, currency=currency)
    organisation = make_wallet(1, currency=currency)
    own = Wallet(listed.issuer, make_member(listed.issuer))
    for wallet, units in ((member, 400), (organisation, 250), (own, 50)):
        give_units(listed, wallet, units)
    return Holding(listed, member, organisation, own)


def make_scheduled(ends_in: int, *, days: int = 90, **token: Any) -> Holding:
    """Return a `Holding` with 12 percent a year, in one period that ends in `ends_in` days.

    The period has `days`: its interest is 2.958904109589 a unit for 90.
    """
    terms = {"interest": Decimal(12), "tenor": days, "payout_frequency": "At Maturity", **token}
    held = make_holding(**terms)
    set_completed(held.token, timezone.now() + (ends_in - days) * DAY)
    return held


def set_completed(token: Token, completed_at: datetime) -> None:
    """Move the completion of a token's raise."""
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE exchange_token SET completed_at = %s WHERE id = %s", [completed_at, token.pk]
        )
    token.refresh_from_db()


def close_holder(wallet: Wallet, token: Token) -> None:
    """Close a member that holds nothing but units of `token`: they go to the issuer."""
    assert wallet.member_id is not None
    theirs, issuers = (
        open_account(str(token.id), AccountKind.AVAILABLE, **owner)
        for owner in (
            {"organisation_id": wallet.organisation.pk, "member_id": wallet.member_id},
            {"organisation_id": token.issuer_id},
        )
    )
    units = Decimal(balance_of(wallet.owner_id, token))
    post_unjustified(
        kind=TransferKind.UNITS_ISSUE,
        reference=f"return-{wallet.owner_id}",
        subject_id=token.id,
        actor=TESTER,
        legs=[Leg(theirs, -units), Leg(issuers, units)],
    )
    close_member(organisation_id=wallet.organisation.pk, member_id=wallet.member_id, actor=TESTER)


def owe(wallet: Wallet, amount: int) -> None:
    """Make the owner of a wallet owe an amount in NGN."""
    available, debt = (
        open_account(
            "NGN", kind, organisation_id=wallet.organisation.pk, member_id=wallet.member_id
        )
        for kind in (AccountKind.AVAILABLE, AccountKind.RECEIVABLE)
    )
    post_unjustified(
        kind=TransferKind.DEPOSIT_REVERSE,
        reference=f"debt-{wallet.owner_id}",
        subject_id=wallet.owner_id,
        actor=TESTER,
        legs=[
            Leg(available, Decimal(-1)),
            Leg(debt, Decimal(-amount)),
            Leg(system_account("NGN", AccountKind.CLEARING), Decimal(amount + 1)),
        ],
    )


def held_for(currency: str = "NGN") -> Decimal | int:
    """Return what the account of distributions has in a currency."""
    found = Entry.objects.filter(account__kind="payable", asset_id=currency)
    return sum(found.values_list("amount", flat=True), Decimal(0))


def at(day: date, hour: int = 0) -> datetime:
    """Return an hour of a day in UTC."""
    return datetime(day.year, day.month, day.day, hour, tzinfo=UTC)


def complete_on(token: Token, day: date) -> Token:
    """Make a bond of a token: completed on `day`, 12 percent a year, monthly for two years."""
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE exchange_token SET completed_at = %s, interest = 12, tenor = 730,"
            " payout_frequency = 'Monthly' WHERE id = %s",
            [at(day), token.pk],
        )
    token.refresh_from_db()
    return token


def principal_terms(token: Token, **changes: Any) -> DistributionTerms:
    """Return terms: 40 of principal on a unit, recorded at the end of a period of `token`.

    The periods of `token` must end on the day that is 5 days from today.
    """
    record_at = at((timezone.now() + 5 * DAY).date())
    changes = {"amount": Decimal(40), "record_at": record_at, **changes}
    return make_terms(token, **{"type": "Principal", **changes})


def redemption_terms(token: Token, **changes: Any) -> DistributionTerms:
    """Return terms: 100 a unit for all units."""
    return make_terms(
        token, **{"type": "Redemption", "amount": Decimal(100), "final": True, **changes}
    )


def exit_terms(token: Token, **changes: Any) -> DistributionTerms:
    """Return terms: 30 a unit, a part of the proceeds of an exit."""
    return make_terms(token, **{"type": "Exit", "amount": Decimal(30), **changes})


def right_terms(original: Distribution, **changes: Any) -> DistributionTerms:
    """Return the terms of a distribution with other amounts, paid in five days."""
    then = DistributionTerms.of(original)
    kept = {name: getattr(then, name) for name in ("type", "currency", "amount", "basis")}
    day = timezone.now().date() + 5 * DAY
    return DistributionTerms(
        **{**kept, "record_at": original.record_at, "payment_date": day, **changes}
    )


def correct(original: Distribution, *, actor: Actor | None = None, **changes: Any) -> Distribution:
    """Propose, by its issuer or `actor`, and approve a correction, whose payment date is today."""
    terms = right_terms(original, **changes)
    made = propose(original.token, terms, actor=actor, corrects=original.pk)
    approve(made)
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE credit_distribution SET payment_date = %s WHERE id = %s",
            [timezone.now().date(), made.pk],
        )
    made.refresh_from_db()
    assert made.status == "Recorded"
    return made


def settle(correction: Distribution) -> Distribution:
    """Let the worker fund and pay a correction."""
    funding.fund_due()
    paying.pay_due()
    correction.refresh_from_db()
    return correction
