"""The demo note that pays interest: two coupons are paid, and the next one awaits approval.

Two people date the completion of its raise back; the drafts of the past periods are then approved,
recorded and paid at once, which needs `DISTRIBUTION_NOTICE_DAYS` to be 0, as `make run` has it.
"""

import datetime as dt
import time
from collections.abc import Sequence

from dateutil.relativedelta import relativedelta
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from credit.distributions.models import Distribution
from credit.distributions.services import drafting, funding, paying, proposals, recording
from exchange.core.actors import Actor
from exchange.events.services.outbox import mark_unsent
from exchange.participants.models import Organisation
from exchange.staff.models import StaffUser
from exchange.tokens.models import Token
from exchange.tokens.services import quotes
from orders.listings.services.terms import NewTerms, approve_terms, propose_terms

NOTE = "ASHC"
# Periods of three months that are paid, and how soon the next one ends.
_PAID = 2
_NEXT = dt.timedelta(days=10)


def load_coupons(
    tokens: Sequence[Token], *, proposer: StaffUser, approver: StaffUser, actor: Actor
) -> None:
    """Pay the past coupons of the demo note, and draft the next one; once."""
    token = next((token for token in tokens if token.symbol == NOTE), None)
    if token is None or settings.DISTRIBUTION_NOTICE_DAYS:
        return
    if Distribution.objects.filter(token=token).exists():
        return
    today = timezone.now().date()
    completed = today + _NEXT - relativedelta(months=3 * (_PAID + 1))
    with transaction.atomic():
        _date_back(token, completed, proposer, approver)
        drafting.draft_periods(token.pk, completed, today)
        for draft in Distribution.objects.filter(token=token).order_by("period_end"):
            _pay(draft, approver, actor)
        _quote(token, proposer, approver)
        drafting.draft_periods(token.pk, today, today + drafting.AHEAD)
        about = [token.pk, *Distribution.objects.filter(token=token).values_list("pk", flat=True)]
        for organisation_id in Organisation.objects.values_list("pk", flat=True):
            mark_unsent(organisation_id=organisation_id, subject_ids=about)


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


def _pay(draft: Distribution, approver: StaffUser, actor: Actor) -> None:
    """Announce a draft of a past period, make its record as soon as it is due, and pay it."""
    proposals.approve(proposal_id=draft.proposals.get().pk, user=approver)
    draft.refresh_from_db()
    while timezone.now() < draft.record_at:
        time.sleep(0.001)
    recording.record(draft.pk)
    funding.fund(distribution_id=draft.pk, organisation_id=draft.token.issuer_id, actor=actor)
    paying.pay(draft.pk)
