"""Proposals of distributions: by the issuer or staff, decided by another person."""

import json
import re
from datetime import timedelta
from decimal import Decimal
from types import SimpleNamespace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from credit.distributions.errors import (
    DistributionProposalPending,
    NotIssuer,
)
from credit.distributions.models import Distribution, DistributionAction, Income
from credit.distributions.selectors import income_of_organisation, visible_distributions
from credit.distributions.services import proposals, recording
from exchange.core.actors import Actor
from exchange.core.errors import Forbidden, Rejected, StateConflict
from exchange.events.models import Event
from exchange.staff.admin.pending import approval_queue
from exchange.tokens.errors import TokenNotFound
from exchange.tokens.models import TokenAccess
from tests.assertions.unchanged import assert_nothing_changes
from tests.credit.distributions.refused import refused
from tests.factories.api_clients import make_organisation
from tests.factories.distributions import (
    DAY,
    approve,
    decide_step,
    decider,
    held_for,
    issuer_of,
    make_distribution,
    make_due,
    make_holding,
    make_terms,
    pending,
    propose,
    proposer,
)
from tests.factories.lifecycle import set_flags
from tests.factories.tokens import make_token
from tests.factories.wallets import assert_books_hold, balance_of, make_staff
from wallets.alerts.models import Alert
from wallets.alerts.services import raise_alert

pytestmark = pytest.mark.django_db


def locked(queries: CaptureQueriesContext) -> list[str]:
    """Return the tables of distributions whose rows were locked, in this order."""
    locking = re.compile(r'FROM "credit_(distribution\w*)" .*FOR NO KEY UPDATE')
    return [found[1] for query in queries if (found := locking.search(query["sql"]))]


def test_what_was_never_announced_is_the_issuers_alone():
    token = make_holding().token
    made = propose(token)
    other = make_organisation().pk
    assert not visible_distributions(other).exists()
    proposals.reject(proposal_id=pending(made).pk, reason="Another one is better", user=decider())
    assert not visible_distributions(other).exists()
    assert visible_distributions(token.issuer_id).get() == made
    announced = approve(propose(token))
    assert visible_distributions(other).get() == announced
    # Of a private token it needs access to this one.
    set_flags(token, deal_access="Private")
    TokenAccess.objects.create(token=make_token(), organisation_id=other)
    assert not visible_distributions(other).exists()
    TokenAccess.objects.create(token=token, organisation_id=other)
    assert visible_distributions(other).get() == announced


def test_only_the_issuer_proposes_by_an_api_key():
    token = make_holding().token
    other = issuer_of(make_token())
    assert isinstance(refused(token, make_terms(token), other), NotIssuer)
    set_flags(token, deal_access="Private")
    assert isinstance(refused(token, make_terms(token), other), TokenNotFound)


def test_staff_need_the_permission_to_propose_and_to_decide():
    token = make_holding().token
    stranger = decider()
    with pytest.raises(Forbidden):
        proposals.propose_distribution(
            token_id=token.pk,
            terms=make_terms(token),
            actor=Actor.staff(stranger.pk, "x"),
        )
    made = propose(token)
    with pytest.raises(Forbidden):
        proposals.approve(proposal_id=pending(made).pk, user=proposer())
    with pytest.raises(Forbidden):
        proposals.reject(proposal_id=pending(made).pk, reason="No such thing", user=proposer())


def test_who_proposed_does_not_approve():
    token = make_holding().token
    person = make_staff("propose_distribution", "decide_distribution")
    made = proposals.propose_distribution(
        token_id=token.pk,
        terms=make_terms(token),
        actor=Actor.staff(person.pk, str(person)),
    )
    with assert_nothing_changes(), pytest.raises(Rejected) as found:
        proposals.approve(proposal_id=pending(made).pk, user=person)
    assert found.value.code == "approver_not_independent"
    assert not made.issuer_consents


def test_approval_announces_once_to_the_issuer_and_to_each_organisation_with_holders():
    held = make_holding()
    made = propose(held.token)
    with CaptureQueriesContext(connection) as queries:
        approve(made)
    assert locked(queries) == ["distribution", "distributionproposal"]
    assert made.status == "Announced"
    held.token.refresh_from_db()
    assert held.token.next_record_at == made.record_at
    found = Event.objects.filter(type="distribution.announced", subject_id=made.pk)
    organisations = {
        held.token.issuer_id,
        held.member.organisation.pk,
        held.organisation.organisation.pk,
    }
    assert {event.organisation_id for event in found} == organisations
    assert len(found) == len(organisations)
    data = json.loads(found[0].body)["data"]
    assert set(data) == {"distribution"}
    assert data["distribution"]["status"] == "Announced"


def test_an_approval_checks_the_notice_again():
    token = make_holding().token
    made = propose(token)
    make_due(made, ago=timedelta(days=-1))
    person = decider()
    with assert_nothing_changes(), pytest.raises(Rejected) as found:
        proposals.approve(proposal_id=pending(made).pk, user=person)
    assert found.value.code == "notice_too_short"


def test_a_rejected_draft_is_cancelled_and_the_issuer_notified():
    token = make_holding().token
    made = propose(token)
    with CaptureQueriesContext(connection) as queries:
        proposals.reject(proposal_id=pending(made).pk, reason="The board said no", user=decider())
    assert locked(queries) == ["distribution", "distributionproposal"]
    made.refresh_from_db()
    assert made.status == "Cancelled"
    [event] = Event.objects.filter(type="distribution.cancelled")
    assert event.organisation_id == token.issuer_id
    with pytest.raises(StateConflict):
        proposals.reject(
            proposal_id=made.proposals.get().pk, reason="The board said no", user=decider()
        )


def test_terms_of_an_announced_one_change_by_two_people_as_a_new_version():
    token = make_holding().token
    made = make_distribution(token)
    later = make_terms(token, amount=Decimal(3), record_at=timezone.now() + 9 * DAY)
    proposals.propose_change(
        distribution_id=made.pk, terms=later, explanation="The board corrected", user=proposer()
    )
    made.refresh_from_db()
    assert made.version == 1
    approve(made)
    assert (made.version, made.record_at) == (2, later.record_at)
    assert made.amount_per_unit == 3
    token.refresh_from_db()
    assert token.next_record_at == later.record_at
    assert Event.objects.filter(type="distribution.updated").count() == 1
    # One step at a time.
    proposals.propose_change(
        distribution_id=made.pk, terms=later, explanation="And once more", user=proposer()
    )
    person = proposer()
    with assert_nothing_changes(), pytest.raises(DistributionProposalPending):
        proposals.propose_step(
            distribution_id=made.pk,
            action=DistributionAction.CANCEL,
            explanation="And once more",
            user=person,
        )


def test_terms_do_not_change_at_the_time_of_the_record(monkeypatch):
    made, person = make_distribution(make_holding().token), proposer()
    monkeypatch.setattr(proposals, "timezone", SimpleNamespace(now=lambda: made.record_at))
    with assert_nothing_changes(), pytest.raises(StateConflict):
        proposals.propose_change(
            distribution_id=made.pk, terms=make_terms(made.token), explanation="", user=person
        )


def test_terms_of_a_cancelled_one_do_not_change():
    token = make_holding().token
    made = decide_step(make_distribution(token), DistributionAction.CANCEL)
    person = proposer()
    with assert_nothing_changes(), pytest.raises(StateConflict, match="it is Cancelled"):
        proposals.propose_change(
            distribution_id=made.pk, terms=make_terms(token), explanation="", user=person
        )


def test_terms_do_not_change_once_the_record_is_due():
    token = make_holding().token
    made = make_due(make_distribution(token))
    person = proposer()
    with assert_nothing_changes(), pytest.raises(StateConflict):
        proposals.propose_change(
            distribution_id=made.pk,
            terms=make_terms(token),
            explanation="Too late for that",
            user=person,
        )


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("status", ["Announced", "Recorded", "Funded"])
@pytest.mark.one_in(3)
def test_a_cancelled_one_gives_everything_back(status):
    held = make_holding()
    before = balance_of(held.token.issuer_id, "NGN")
    made = decide_step(make_distribution(held.token, status), DistributionAction.CANCEL)
    assert made.status == "Cancelled"
    assert held_for() == 0
    paid_in = 1_750 if status == "Funded" else 0
    assert balance_of(held.token.issuer_id, "NGN") == before + paid_in
    held.token.refresh_from_db()
    assert held.token.next_record_at is None
    assert Event.objects.filter(type="distribution.cancelled").count() == 1
    assert_books_hold()


def test_a_cancelled_one_leaves_the_income_and_the_alert_of_its_late_record():
    made = make_distribution(make_holding().token, "Recorded")
    owners = set(Income.objects.values_list("organisation_id", flat=True))
    assert [income_of_organisation(owner).count() for owner in owners] != [0] * len(owners)
    raise_alert(recording.ALERT, subject=str(made.pk), message="The record is late")
    decide_step(made, DistributionAction.CANCEL)
    assert [income_of_organisation(owner).count() for owner in owners] == [0] * len(owners)
    assert not Alert.objects.filter(resolved_at=None).exists()


@pytest.mark.parametrize(
    ("status", "action"),
    [
        ("Draft", DistributionAction.CANCEL),
        ("Announced", DistributionAction.FUND),
        ("Funded", DistributionAction.FUND),
        ("Paid", DistributionAction.CANCEL),
    ],
)
@pytest.mark.one_in(3)
def test_a_step_out_of_its_time_is_refused(status, action):
    made = make_distribution(make_holding().token, status)
    person = proposer()
    with assert_nothing_changes(), pytest.raises(StateConflict):
        proposals.propose_step(
            distribution_id=made.pk, action=action, explanation="It is time", user=person
        )


def test_what_a_person_proposed_awaits_the_approval_of_others():
    person = make_staff("propose_distribution", "decide_distribution")
    made = propose(make_holding().token, actor=Actor.staff(person.pk, str(person)))
    queue, rows = (
        approval_queue("", proposals.PROPOSALS, "distribution"),
        Distribution.objects.all(),
    )
    assert list(queue.awaiting_approval_by(rows, person)) == []
    assert list(queue.awaiting_others(rows, person)) == [made]
    assert list(queue.awaiting_approval_by(rows, decider())) == [made]
    assert list(queue.awaiting_others(rows, decider())) == []
