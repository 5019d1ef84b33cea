"""Drafts of the schedule: when they appear, once each, and how staff approve them late."""

from datetime import UTC, date, timedelta
from decimal import Decimal

import pytest
from dateutil.relativedelta import relativedelta
from django.utils import timezone

from credit.distributions import tasks
from credit.distributions.errors import PeriodTaken
from credit.distributions.models import Distribution, DistributionAction
from credit.distributions.schedule import Basis
from credit.distributions.selectors import periods_between
from credit.distributions.services import drafting, proposals
from exchange.core.errors import StateConflict
from exchange.tokens.models import Token
from orders.listings.services.terms import NewTerms, approve_terms, propose_terms
from tests.assertions.unchanged import assert_nothing_changes
from tests.environment.owner import without_guards
from tests.factories.distributions import (
    DAY,
    approve,
    at,
    complete_on,
    decide_step,
    decider,
    interest_terms,
    make_due,
    make_holding,
    make_scheduled,
    pending,
    propose,
    set_completed,
)
from tests.factories.lifecycle import forget_terms, propose_new_terms
from tests.factories.tokens import make_token
from tests.factories.wallets import Wallet, assert_books_hold, balance_of, make_staff
from wallets.alerts.models import Alert

pytestmark = pytest.mark.django_db


def test_interest_of_less_than_a_percent_is_drafted():
    held = make_scheduled(10, interest=Decimal("0.5"))
    assert drafting.draft_due() == 1
    assert Distribution.objects.get().token == held.token


def day_of_completion(token: Token) -> date:
    assert token.completed_at is not None
    return token.completed_at.date()


def open_alerts() -> list[str]:
    found = Alert.objects.filter(kind="distribution_missed", resolved_at=None)
    return list(found.values_list("subject", flat=True))


def test_a_draft_of_a_period_appears_once_and_is_paid_without_a_word_of_the_issuer():
    held = make_scheduled(10)
    assert tasks.draft_distributions.apply().get() == 1
    [made] = Distribution.objects.all()
    ends = (timezone.now() + 10 * DAY).date()
    assert (made.status, made.type, made.currency_id) == ("Draft", "Interest", "NGN")
    assert (made.record_at, made.payment_date, made.period_end) == (at(ends), ends, ends)
    assert made.amount_per_unit == Decimal("2.958904109589")
    assert (made.proposed_by, made.proposed_by_label) == ("system:draft_distributions", "Schedule")
    starts = ends - 90 * DAY
    assert pending(made).explanation == f"Period 1 of the schedule, from {starts} to {ends}"
    with assert_nothing_changes():
        assert drafting.draft_due() == 0
    assert open_alerts() == []
    approve(made)
    assert (made.status, made.record_at, made.version) == ("Announced", at(ends), 1)
    with assert_nothing_changes():
        assert drafting.draft_due() == 0
    make_due(made)
    assert tasks.record_distributions.apply().get() == 1
    Wallet(held.token.issuer).fund(3_000, "NGN")
    assert tasks.pay_distributions.apply().get() == 3
    assert balance_of(held.member.owner_id, "NGN") == Decimal("1184.56")
    assert_books_hold()


@pytest.mark.parametrize("ends_in", [16, -16])
def test_there_is_none_long_before_a_record_or_after_that_of_a_completion_people_stated(ends_in):
    token = make_scheduled(ends_in).token
    set_completed(token, at(day_of_completion(token)))
    with assert_nothing_changes():
        assert drafting.draft_due() == 0


@pytest.mark.parametrize(("ends_in", "drafts"), [(15, 0), (14, 1), (-14, 1), (-15, 0)])
def test_a_draft_appears_fourteen_days_before_or_after_the_end_of_its_period(ends_in, drafts):
    """As after the completion that people stated."""
    token = make_scheduled(ends_in).token
    set_completed(token, at(day_of_completion(token)))
    assert drafting.draft_due() == drafts


@pytest.mark.parametrize(
    "changes",
    [{"interest": Decimal(0)}, {"payout_frequency": ""}, {"cancelled": True}, {"exited": True}],
)
def test_there_is_none_for_a_token_without_a_schedule(changes):
    make_scheduled(10, **changes)
    with assert_nothing_changes():
        assert drafting.draft_due() == 0


def test_there_is_none_in_a_raise():
    token = make_token(
        raise_amount=Decimal(100_000),
        interest=Decimal(12),
        tenor=10,
        payout_frequency="At Maturity",
    )
    with assert_nothing_changes():
        assert drafting.draft_due() == 0
    assert token.completed_at is None


def test_what_pays_for_the_period_already_is_not_drafted():
    held = make_scheduled(10)
    # It pays for 92 days, of which the period has 88.
    propose(held.token, interest_terms(held.token, record_at=timezone.now() + 8 * DAY))
    with assert_nothing_changes():
        assert drafting.draft_due() == 0


def test_what_was_rejected_or_cancelled_is_not_drafted_again_until_its_terms_change():
    held = make_scheduled(10)
    drafting.draft_due()
    [first] = Distribution.objects.all()
    proposals.reject(proposal_id=pending(first).pk, reason="Paid outside already", user=decider())
    assert drafting.draft_due() == 0
    change = propose_new_terms(held.token, make_staff("change_token"))
    approve_terms(proposal_id=change.pk, user=make_staff("decide_terms"))
    ends = (timezone.now() + 10 * DAY).date()
    set_completed(held.token, at(ends - 365 * DAY))
    assert drafting.draft_due() == 1
    [second] = Distribution.objects.filter(period_end=ends, status="Draft")
    assert second.principal_per_unit == 90
    decide_step(approve(second), DistributionAction.CANCEL)
    assert drafting.draft_due() == 0


def test_a_draft_of_terms_that_have_changed_is_not_approved():
    held = make_scheduled(10)
    drafting.draft_due()
    [made] = Distribution.objects.all()
    set_completed(held.token, timezone.now() - 70 * DAY)
    person = decider()
    with assert_nothing_changes(), pytest.raises(StateConflict, match="has changed since"):
        proposals.approve(proposal_id=pending(made).pk, user=person)


@pytest.mark.parametrize("ends_in", [2, -2])
def test_one_that_is_approved_late_moves_its_record_and_keeps_its_amount_and_period(ends_in):
    make_scheduled(ends_in)
    drafting.draft_due()
    [draft] = Distribution.objects.all()
    before = timezone.now()
    made = approve(Distribution.objects.get())
    assert before + 3 * DAY < made.record_at < timezone.now() + 3 * DAY + timedelta(seconds=1)
    assert made.record_at.microsecond % 1000 == 0
    assert made.payment_date == made.record_at.astimezone(UTC).date()
    assert (made.amount_per_unit, made.basis) == (draft.amount_per_unit, draft.basis)
    assert (made.period_end, made.version, made.issuer_consents) == (draft.period_end, 1, True)
    with assert_nothing_changes():
        assert drafting.draft_due() == 0


def test_a_record_that_has_moved_leaves_the_next_period_free():
    # Two periods of three months; the first one ended two days ago.
    held = make_holding(
        interest=Decimal(12), tenor=0, payout_frequency="Quarterly", name="Two periods"
    )
    set_completed(held.token, timezone.now() - 92 * DAY)
    periods = periods_between(
        held.token, timezone.now().date() - 20 * DAY, timezone.now().date() + 120 * DAY
    )
    first, second = periods[:2]
    assert drafting.draft_due() == 1
    made = approve(Distribution.objects.get())
    assert made.record_at.date() > first.ends
    later = propose(
        held.token, interest_terms(held.token, basis=second.basis, record_at=at(second.ends))
    )
    assert later.status == "Draft"


def test_a_time_to_which_a_record_has_moved_is_taken(settings):
    token = make_scheduled(-2).token
    drafting.draft_due()
    made = approve(Distribution.objects.get())
    settings.DISTRIBUTION_NOTICE_DAYS = 0
    # Of the day before the record, which is none of the period.
    basis = Basis(Decimal(100), Decimal(12), 1)
    terms = interest_terms(token, basis=basis, record_at=made.record_at)
    with assert_nothing_changes(), pytest.raises(PeriodTaken) as found:
        propose(token, terms)
    assert found.value.message == "Another Interest of this token has this record"


def missing_ends(token: Token) -> list[date | None]:
    """Draft what is due, and return the ends of the periods that are drafted."""
    drafting.draft_due()
    drafts = Distribution.objects.filter(token=token, status="Draft")
    return list(drafts.order_by("period_end").values_list("period_end", flat=True))


def make_late_bond() -> tuple[Token, list[date]]:
    """Make a bond whose fifth period ends in ten days; return the ends of all five."""
    fifth = (timezone.now() + 10 * DAY).date()
    token = make_holding().token
    complete_on(token, fifth - relativedelta(months=5))
    return token, [period.ends for period in periods_between(token, date.min, fifth)]


def test_missed_periods_are_drafted_however_late_from_the_first_draft_on():
    token, ends = make_late_bond()
    # As after an upgrade: what ended long before drafts began was paid elsewhere.
    drafting.draft_periods(token.pk, ends[1], ends[1])
    assert missing_ends(token) == ends[1:]
    late = Distribution.objects.filter(period_end__in=ends[1:4])
    assert set(open_alerts()) == {str(made.pk) for made in late}
    with assert_nothing_changes():
        assert drafting.draft_due() == 0
    made = approve(late.get(period_end=ends[2]))
    assert (made.status, made.period_end) == ("Announced", ends[2])


def test_drafts_of_a_token_begin_apart_from_those_of_another():
    token, ends = make_late_bond()
    other, _ends = make_late_bond()
    drafting.draft_periods(other.pk, ends[0], ends[0])
    drafting.draft_periods(token.pk, ends[1], ends[1])
    assert missing_ends(token) == ends[1:]


def test_all_periods_are_drafted_of_a_token_whose_raise_the_exchange_completed():
    """Also where the scheduler has never run, and the last period of all is long ago."""
    token, ends = make_late_bond()
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE exchange_token SET completed_at = completed_at + interval '9 hours',"
            " tenor = 60 WHERE id = %s",
            [token.pk],
        )
    maturity = day_of_completion(token) + 60 * DAY
    assert maturity < timezone.now().date() - 28 * DAY
    drafted = missing_ends(token)
    assert (drafted[0], drafted[-1]) == (ends[0], maturity)


def test_none_is_drafted_that_ended_before_an_upgrade():
    """Its completion was not known then: two people stated the day."""
    token, ends = make_late_bond()
    terms = NewTerms(
        issue_price=Decimal(100),
        interest=Decimal(12),
        tenor=730,
        payout_frequency="Monthly",
        completed_on=day_of_completion(token),
    )
    forget_terms(token)
    assert missing_ends(token) == []
    proposal = propose_terms(
        token_id=token.pk,
        terms=terms,
        explanation="As the ledger has it",
        user=make_staff("change_token"),
    )
    approve_terms(proposal_id=proposal.pk, user=make_staff("decide_terms"))
    assert missing_ends(token) == ends[4:]


def test_a_settled_period_of_long_ago_does_not_come_back_with_other_terms():
    token, ends = make_late_bond()
    drafting.draft_periods(token.pk, ends[0], ends[4])
    for made in Distribution.objects.filter(token=token):
        proposals.reject(proposal_id=pending(made).pk, reason="Paid outside", user=decider())
    with without_guards() as cursor:
        cursor.execute("UPDATE exchange_token SET interest = 13 WHERE id = %s", [token.pk])
    assert missing_ends(token) == ends[4:]


def test_what_people_proposed_too_late_is_no_missed_draft():
    proposed = propose(make_holding().token)
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE credit_distribution SET record_at = now() WHERE id = %s", [proposed.pk]
        )
    drafting.draft_due()
    assert open_alerts() == []


def test_a_missed_one_is_an_alert_until_it_is_decided():
    for _ in range(2):
        make_scheduled(-1)
    make_scheduled(1)
    drafting.draft_due()
    missed = Distribution.objects.filter(record_at__lt=timezone.now())
    assert set(open_alerts()) == {str(made.pk) for made in missed}
    approved, rejected = missed
    approve(approved)
    proposals.reject(
        proposal_id=pending(rejected).pk, reason="Paid outside already", user=decider()
    )
    assert open_alerts() == []
    drafting.draft_due()
    assert open_alerts() == []
