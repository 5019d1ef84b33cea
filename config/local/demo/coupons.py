"""The demo notes that pay: two coupons of one, and the next awaits approval; another is redeemed.

Two people date the completion of their raises back; the drafts of the past periods are then
approved, recorded and paid at once, and so is the redemption of the note that matures today. This
needs `DISTRIBUTION_NOTICE_DAYS` to be 0, as `make run` has it.
"""

import datetime as dt
import time
from collections.abc import Sequence

from dateutil.relativedelta import relativedelta
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from credit.distributions.models import Distribution, DistributionType
from credit.distributions.services import drafting, funding, paying, proposals, recording
from credit.distributions.services.terms import DistributionTerms
from exchange.core.actors import Actor
from exchange.events.services.outbox import mark_unsent
from exchange.participants.models import Organisation
from exchange.staff.models import StaffUser
from exchange.tokens.models import Token
from exchange.tokens.services import quotes
from orders.listings.services.terms import NewTerms, approve_terms, propose_terms

NOTE = "ASHC"
REDEEMED = "HVMT18"
# Periods of three months that are paid, and how soon the next one ends.
_PAID = 2
_NEXT = dt.timedelta(days=10)
# Time to propose and approve a redemption before its record.
_SOON = dt.timedelta(seconds=1)


def load_coupons(
    tokens: Sequence[Token], *, proposer: StaffUser, approver: StaffUser, actor: Actor
) -> None:
    """Pay the past coupons of the demo notes, redeem one, and draft the other's next; once."""
    if settings.DISTRIBUTION_NOTICE_DAYS:
        return
    notes = [
        token
        for token in tokens
        if token.symbol in {NOTE, REDEEMED}
        and not token.exited
        and not Distribution.objects.filter(token=token).exists()
    ]
    with transaction.atomic():
        redemptions = []
        for token in notes:
            redeems = token.symbol == REDEEMED
            _pay_coupons(token, redeems, proposer, approver, actor)
            if redeems:
                redemptions.append(_announce_redemption(token, proposer, approver))
        for redemption in redemptions:
            _pay(redemption, actor)
        for token in notes:
            about = Distribution.objects.filter(token=token).values_list("pk", flat=True)
            for organisation_id in Organisation.objects.values_list("pk", flat=True):
                mark_unsent(organisation_id=organisation_id, subject_ids=[token.pk, *about])


def _pay_coupons(
    token: Token, redeems: bool, proposer: StaffUser, approver: StaffUser, actor: Actor
) -> None:
    """Pay the coupons until today; draft the next one of a note that does not mature today."""
    today = timezone.now().date()
    completed = today + _NEXT - relativedelta(months=3 * (_PAID + 1))
    if redeems:
        completed = today - dt.timedelta(days=token.tenor)
    _date_back(token, completed, proposer, approver)
    drafting.draft_periods(token.pk, completed, today)
    for draft in Distribution.objects.filter(token=token).order_by("period_end"):
        proposals.approve(proposal_id=draft.proposals.get().pk, user=approver)
        _pay(draft, actor)
    if not redeems:
        _quote(token, proposer, approver)
        drafting.draft_periods(token.pk, today, today + drafting.AHEAD)


def _announce_redemption(token: Token, proposer: StaffUser, approver: StaffUser) -> Distribution:
    """Announce that a note is redeemed at its issue price, soon."""
    record_at = timezone.now() + _SOON
    terms = DistributionTerms(
        type=DistributionType.REDEMPTION,
        currency=token.currency_id,
        amount=token.issue_price,
        record_at=record_at.replace(microsecond=record_at.microsecond // 1000 * 1000),
        payment_date=record_at.astimezone(dt.UTC).date(),
        final=True,
    )
    redemption = proposals.propose_distribution(
        token_id=token.pk, terms=terms, actor=Actor.staff(proposer.pk, str(proposer))
    )
    proposals.approve(proposal_id=redemption.proposals.get().pk, user=approver)
    return redemption


def _date_back(token: Token, day: dt.date, proposer: StaffUser, approver: StaffUser) -> None:
    token.refresh_from_db()
    terms = NewTerms(
        issue_price=token.issue_price or token.price_buy,
        interest=token.interest,
        tenor=token.tenor,
        payout_frequency=token.payout_frequency,
        completed_on=day,
    )
    proposal = propose_terms(
        token_id=token.pk,
        terms=terms,
        explanation="The raise was completed before the listing",
        user=proposer,
    )
    approve_terms(proposal_id=proposal.pk, user=approver)


def _quote(token: Token, proposer: StaffUser, approver: StaffUser) -> None:
    """Quote the same prices anew: older ones count less what has been paid since."""
    prices = quotes.Prices(
        buy=token.price_buy, sell=token.price_sell, exchange=token.price_exchange
    )
    quote = quotes.propose(
        token_id=token.pk, prices=prices, user=proposer, note="Prices after the coupon"
    )
    quotes.approve(quote_id=quote.pk, user=approver, reason="Compared with the valuation")


def _pay(distribution: Distribution, actor: Actor) -> None:
    """Make the record of an announced distribution as soon as it is due, and pay it."""
    distribution.refresh_from_db()
    while timezone.now() < distribution.record_at:
        time.sleep(0.001)
    recording.record(distribution.pk)
    issuer_id = distribution.token.issuer_id
    funding.fund(distribution_id=distribution.pk, organisation_id=issuer_id, actor=actor)
    paying.pay(distribution.pk)
