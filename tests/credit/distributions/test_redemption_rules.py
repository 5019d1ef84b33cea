"""Which redemptions are refused, and what is refused once one is announced."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from dateutil.relativedelta import relativedelta
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from credit.distributions.models import Distribution, DistributionAction
from credit.distributions.schedule import Basis
from credit.distributions.services import drafting, proposals
from credit.distributions.services.terms import DistributionTerms
from exchange.core.database import violated_constraint
from exchange.core.errors import InvalidRequest, Rejected
from exchange.tokens.models import Token
from tests.assertions.unchanged import assert_nothing_changes
from tests.credit.distributions.refused import refused_code
from tests.environment.owner import without_guards
from tests.factories.distributions import (
    DAY,
    approve,
    approve_unchecked,
    at,
    complete_on,
    decide_step,
    decider,
    exit_terms,
    interest_terms,
    make_distribution,
    make_holding,
    make_scheduled,
    make_terms,
    pending,
    principal_terms,
    propose,
    proposer,
    redemption_terms,
)
from tests.factories.lifecycle import set_flags
from tests.factories.tokens import make_token

pytestmark = pytest.mark.django_db


def test_a_token_in_its_raise_or_cancelled_is_not_redeemed():
    raising = make_token(raise_amount=Decimal(100_000))
    assert refused_code(raising, redemption_terms(raising)) == "raise_open"
    token = make_holding().token
    set_flags(token, cancelled=True)
    assert refused_code(token, redemption_terms(token)) == "token_cancelled"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"currency": "KES"}, "currency_differs"),
        ({"amount": Decimal("99.99")}, "below_principal"),
    ],
)
def test_less_than_the_principal_and_another_currency_are_refused(changes, code):
    token = make_holding().token
    assert refused_code(token, redemption_terms(token, **changes)) == code


def test_an_exited_token_needs_no_interest_for_its_final_exit():
    """Its schedule has ended with it: no interest is drafted, and it may never be paid."""
    token = make_holding().token
    complete_on(token, (timezone.now() - 5 * DAY).date() - relativedelta(months=1))
    assert refused_code(token, redemption_terms(token)) == "coupon_due"
    set_flags(token, exited=True)
    approve(propose(token, exit_terms(token, final=True)))


def test_an_exit_that_rounds_to_nothing_is_refused():
    token = make_holding().token
    set_flags(token, exited=True)
    assert refused_code(token, exit_terms(token, amount=Decimal("0.00001"))) == "pays_nothing"


def test_only_what_is_left_of_the_principal_must_be_repaid():
    token = make_holding().token
    complete_on(token, (timezone.now() + 5 * DAY).date() - relativedelta(months=1))
    approve(propose(token, principal_terms(token)))
    later = timezone.now() + 6 * DAY
    assert refused_code(
        token, redemption_terms(token, amount=Decimal("59.99"), record_at=later)
    ) == ("below_principal")
    # The interest of the period that ends with the repayment is due before.
    terms = redemption_terms(token, amount=Decimal(60), record_at=later)
    assert refused_code(token, terms) == "coupon_due"
    end = (timezone.now() + 5 * DAY).date()
    coupon = interest_terms(token, record_at=at(end), basis=Basis(Decimal(100), Decimal(12), 30))
    coupon_made = propose(token, coupon)
    assert refused_code(token, terms) == "coupon_due"
    approve(coupon_made)
    propose(token, terms)


def announce_repayment() -> tuple[Token, Distribution]:
    """Announce a repayment of 40 of 100, and the coupon of the period that ends with it."""
    token = make_holding().token
    end = (timezone.now() + 5 * DAY).date()
    complete_on(token, end - relativedelta(months=1))
    repaid = make_distribution(token, "Announced", principal_terms(token))
    coupon = interest_terms(token, record_at=at(end), basis=Basis(Decimal(100), Decimal(12), 30))
    approve(propose(token, coupon))
    return token, repaid


def test_a_repayment_that_a_redemption_does_not_count_on_is_cancelled():
    """All of 100 are redeemed, whether 40 are repaid before or not; 60 of another token."""
    other, _ = announce_repayment()
    in_six_days = timezone.now() + 6 * DAY
    approve(propose(other, redemption_terms(other, amount=Decimal(60), record_at=in_six_days)))
    token, repaid = announce_repayment()
    approve(propose(token, redemption_terms(token, record_at=timezone.now() + 6 * DAY)))
    decide_step(repaid, DistributionAction.CANCEL)
    repaid.refresh_from_db()
    assert repaid.status == "Cancelled"


@pytest.mark.django_db(transaction=True)
def test_a_repayment_that_a_redemption_counts_on_is_not_cancelled():
    """60 of 100 are redeemed after a repayment of 40: without it holders would lose these."""
    token, repaid = announce_repayment()
    terms = redemption_terms(token, amount=Decimal(60), record_at=timezone.now() + 6 * DAY)
    redeemed = propose(token, terms)
    officers = proposer(), decider()
    cancellation = proposals.propose_step(
        distribution_id=repaid.pk,
        action=DistributionAction.CANCEL,
        explanation="",
        user=officers[0],
    )
    approve(redeemed)
    with assert_nothing_changes(), pytest.raises(Rejected) as found:
        proposals.approve(proposal_id=cancellation.pk, user=officers[1])
    assert found.value.code == "below_principal"
    proposals.reject(proposal_id=cancellation.pk, reason="Redeemed after it", user=officers[1])
    with assert_nothing_changes(), pytest.raises(Rejected):
        proposals.propose_step(
            distribution_id=repaid.pk,
            action=DistributionAction.CANCEL,
            explanation="",
            user=officers[0],
        )
    decide_step(redeemed, DistributionAction.CANCEL)
    decide_step(repaid, DistributionAction.CANCEL)


def test_every_coupon_since_drafts_began_is_announced_or_rejected_before_a_redemption():
    """What was due before the exchange drafted interest is not its concern."""
    token = make_holding().token
    last = (timezone.now() + 5 * DAY).date()
    before, first, second, end = (last - relativedelta(months=n) for n in (3, 2, 1, 0))
    complete_on(token, before - relativedelta(months=1))
    terms = redemption_terms(token, record_at=timezone.now() + 6 * DAY)

    def missing() -> str:
        with assert_nothing_changes(), pytest.raises(Rejected) as found:
            propose(token, terms)
        assert found.value.code == "coupon_due"
        return found.value.message

    words = "The interest of the periods that ended on {} is not announced"
    # Without a draft, the last one.
    assert missing() == words.format(end)
    assert drafting.draft_periods(token.pk, first, end) == 3
    drafts = {made.period_end: made for made in Distribution.objects.all()}
    assert missing() == words.format(f"{first}, {second}, {end}")
    approve(drafts[end])
    assert missing() == words.format(f"{first}, {second}")
    proposals.reject(
        proposal_id=pending(drafts[second]).pk, reason="Paid outside already", user=decider()
    )
    assert missing() == words.format(first)
    decide_step(approve(drafts[first]), DistributionAction.CANCEL)
    approve(propose(token, terms))


def test_a_refusal_names_twelve_missing_periods():
    token = make_holding().token
    complete_on(token, timezone.now().date() - relativedelta(months=14))
    drafting.draft_periods(token.pk, date.min, timezone.now().date())
    ends = [str(made.period_end) for made in Distribution.objects.order_by("period_end")]
    assert len(ends) == 14
    with pytest.raises(Rejected) as found:
        propose(token, redemption_terms(token))
    assert f"ended on {', '.join(ends[:12])} and 2 more is not" in found.value.message


def test_a_draft_that_follows_a_rejected_one_is_decided_before_a_redemption():
    held = make_scheduled(2)
    drafting.draft_due()
    [first] = Distribution.objects.all()
    proposals.reject(proposal_id=pending(first).pk, reason="Wrong price", user=decider())
    terms = redemption_terms(held.token, amount=Decimal(90), record_at=timezone.now() + 6 * DAY)
    with without_guards() as cursor:
        cursor.execute("UPDATE exchange_token SET issue_price = 90")
    assert drafting.draft_due() == 1
    assert refused_code(held.token, terms) == "coupon_due"
    approve(Distribution.objects.get(status="Draft"))
    propose(held.token, terms)


def test_interest_that_is_approved_late_is_none_of_the_period_after_it():
    """Its record moves past the end of the next period, whose draft is not decided."""
    token = make_holding().token
    last = (timezone.now() + 2 * DAY).date()
    complete_on(token, last - relativedelta(months=2))
    assert drafting.draft_periods(token.pk, date.min, last) == 2
    first, second = Distribution.objects.order_by("period_end")
    assert approve(first).record_at.date() > last
    terms = redemption_terms(token, record_at=timezone.now() + 6 * DAY)
    with assert_nothing_changes(), pytest.raises(Rejected) as found:
        propose(token, terms)
    assert found.value.code == "coupon_due"
    assert found.value.message == (
        f"The interest of the periods that ended on {second.period_end} is not announced"
    )
    approve(second)
    propose(token, terms)


def announce_redemption_after_period(token: Token) -> tuple[Distribution, Distribution]:
    """Announce a repayment of 40, the interest until it, and a redemption of 60 a month later."""
    end = (timezone.now() + 5 * DAY).date()
    complete_on(token, end - relativedelta(months=1))
    repaid = make_distribution(token, "Announced", principal_terms(token))
    next_end = end + relativedelta(months=1)
    basis = Basis(Decimal(100), Decimal(12), 30)
    approve(propose(token, interest_terms(token, record_at=at(end), basis=basis)))
    basis = Basis(Decimal(60), Decimal(12), (next_end - end).days)
    approve(propose(token, interest_terms(token, record_at=at(next_end), basis=basis)))
    terms = redemption_terms(token, amount=Decimal(60), record_at=at(next_end))
    return repaid, make_distribution(token, "Announced", terms)


def test_principal_that_an_announced_redemption_returns_is_not_repaid_at_its_record():
    """60 are outstanding and redeemed: 10 more at the same time would be paid twice."""
    token = make_holding().token
    _repaid, redemption = announce_redemption_after_period(token)
    again = principal_terms(token, amount=Decimal(10), record_at=redemption.record_at)
    assert refused_code(token, again) == "token_redeemed"
    later = at(redemption.record_at.date() + relativedelta(months=1))
    assert refused_code(token, principal_terms(token, amount=Decimal(10), record_at=later)) == (
        "token_redeemed"
    )
    decide_step(redemption, DistributionAction.CANCEL)
    drafted = propose(token, again)
    approve(propose(token, redemption_terms(token, record_at=redemption.record_at)))
    person = decider()
    with assert_nothing_changes(), pytest.raises(Rejected) as found:
        proposals.approve(proposal_id=pending(drafted).pk, user=person)
    assert found.value.code == "token_redeemed"


@pytest.mark.django_db(transaction=True)
def test_a_repayment_is_not_changed_once_a_redemption_is_announced():
    token = make_holding().token
    repaid, redemption = announce_redemption_after_period(token)
    officer = proposer()

    def change(amount: str) -> None:
        terms = replace(DistributionTerms.of(repaid), amount=Decimal(amount))
        proposals.propose_change(
            distribution_id=repaid.pk, terms=terms, explanation="", user=officer
        )

    for amount in ("39.99", "40.01"):
        with assert_nothing_changes(), pytest.raises(Rejected) as found:
            change(amount)
        assert found.value.code == "token_redeemed"
    decide_step(redemption, DistributionAction.CANCEL)
    change("40.01")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("amount", [100, 105])
def test_no_principal_is_repaid_before_a_redemption_that_was_announced_without_it(amount):
    """Of 100 redeemed after a repayment of 40, 40 would be a gain, and taxed."""
    token = make_holding().token
    end = (timezone.now() + 5 * DAY).date()
    complete_on(token, end - relativedelta(months=1))
    drafted = propose(token, principal_terms(token))
    coupon = interest_terms(token, record_at=at(end), basis=Basis(Decimal(100), Decimal(12), 30))
    approve(propose(token, coupon))
    terms = redemption_terms(token, amount=Decimal(amount), record_at=timezone.now() + 6 * DAY)
    redemption = approve(propose(token, terms))
    person = decider()
    with assert_nothing_changes(), pytest.raises(Rejected) as found:
        proposals.approve(proposal_id=pending(drafted).pk, user=person)
    assert found.value.code == "token_redeemed"
    approve_unchecked(drafted)
    with pytest.raises(IntegrityError) as refusal, transaction.atomic():
        Distribution.objects.filter(pk=drafted.pk).update(status="Announced")
    assert violated_constraint(refusal.value) == "distribution_within_principal"
    decide_step(redemption, DistributionAction.CANCEL)
    Distribution.objects.filter(pk=drafted.pk).update(status="Announced")


@pytest.mark.django_db(transaction=True)
def test_no_other_writer_announces_principal_that_a_redemption_returns():
    token = make_holding().token
    _repaid, redemption = announce_redemption_after_period(token)
    decide_step(redemption, DistributionAction.CANCEL)
    terms = principal_terms(token, amount=Decimal(10), record_at=redemption.record_at)
    drafted = propose(token, terms)
    approve(propose(token, redemption_terms(token, record_at=redemption.record_at)))
    approve_unchecked(drafted)
    with pytest.raises(IntegrityError) as refusal, transaction.atomic():
        Distribution.objects.filter(pk=drafted.pk).update(status="Announced")
    assert violated_constraint(refusal.value) == "distribution_within_principal"


def test_a_redemption_before_an_announced_coupon_is_refused():
    token = make_holding().token
    approve(propose(token, interest_terms(token, record_at=timezone.now() + 9 * DAY)))
    assert refused_code(token, redemption_terms(token)) == "coupon_due"


def test_nothing_is_paid_after_a_redemption():
    token = make_holding().token
    approve(propose(token, redemption_terms(token)))
    later = timezone.now() + 9 * DAY
    assert refused_code(token, make_terms(token, record_at=later)) == "token_redeemed"
    assert refused_code(token, redemption_terms(token, record_at=later)) == "token_redeemed"
    propose(token, make_terms(token, record_at=timezone.now() + 4 * DAY))


def test_a_redemption_is_always_final_and_a_dividend_never():
    token = make_holding().token
    for terms in (redemption_terms(token, final=False), make_terms(token, final=True)):
        with assert_nothing_changes(), pytest.raises(InvalidRequest):
            propose(token, terms)


def test_the_principal_that_is_returned_is_rounded_down():
    """0.505 units of 100 shillings each."""
    token = make_holding(currency="UGX").token
    made = make_distribution(token, "Announced", redemption_terms(token))
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT returned_principal(d, 0.505, 0) FROM credit_distribution d WHERE d.id = %s",
            [made.pk],
        )
        assert cursor.fetchone() == (Decimal(50),)
