"""Loan configurations: versions, events to the creditor, concurrent decisions."""

import json
from decimal import Decimal
from functools import partial

import pytest

from credit.configurations.errors import ConfigurationNotFound
from credit.configurations.selectors import read_creditor_view, usable_by
from credit.configurations.services.configurations import (
    approve,
    propose,
    propose_change,
    reject,
    retire,
)
from credit.loans.models import Loan
from exchange.core.errors import Conflict
from exchange.events.models import Event
from tests.credit.configurations.versions import (
    expect_rejection,
    list_events,
    make_officer,
    staff_actor,
    states,
)
from tests.environment.concurrency import Callers
from tests.factories.api_clients import TESTER, make_organisation
from tests.factories.lending import effective_version, make_lending
from tests.factories.loan_configurations import (
    approve_pending,
    make_configuration,
    make_terms,
    pending_version,
)

pytestmark = pytest.mark.django_db

# --- one version after the other ---


def test_a_proposal_is_pending_until_a_second_person_approves_it():
    one, other = make_officer(), make_officer()
    creditor = make_organisation()
    terms = make_terms(max_outstanding={"NGN": Decimal(9_000_000)})
    made = propose(creditor_id=creditor.id, terms=terms, actor=staff_actor(one))
    assert states(made) == ("Pending", ["Pending"])
    assert effective_version(made.id) is None
    assert list_events(made) == []
    approve(version_id=pending_version(made).id, user=other)
    assert states(made) == ("Approved", ["Approved"])
    version = effective_version(made.id)
    assert version is not None
    assert (version.number, version.proposed_by) == (1, f"staff:{one.pk}")
    assert (version.proposed_by_label, version.decided_by) == (str(one), other)
    assert list_events(made) == [("loan_configuration.approved", creditor.id)]


def test_terms_are_stored_exactly_as_proposed():
    borrower = make_organisation()
    made = make_configuration(
        name="Secured  working capital",
        access="organisations",
        organisation_ids=[borrower.id],
        investment_categories=["Fund", "Bond"],
        max_amount={"NGN": Decimal("999999999999999.99"), "UGX": Decimal(5)},
        max_outstanding={"UGX": Decimal(10) ** 15},
        collateral_ratio=Decimal("0.12345678"),
        interest_rate=Decimal(0),
        duration=600,
        grace_period=365,
    )
    version = made.versions.get()
    assert (version.name, version.access) == ("Secured  working capital", "organisations")
    assert list(version.organisations.all()) == [borrower]
    assert version.investment_categories == ["Fund", "Bond"]
    assert (version.collateral_ratio, version.interest_rate) == (Decimal("0.12345678"), Decimal(0))
    assert (version.duration, version.grace_period) == (600, 365)
    limits = version.limits.values_list("currency_id", "max_amount", "max_outstanding")
    assert set(limits) == {
        ("NGN", Decimal("999999999999999.99"), None),
        ("UGX", Decimal(5), Decimal(10) ** 15),
    }


def test_effective_terms_apply_until_a_change_is_approved():
    made = make_configuration(name="Old")
    first = made.versions.get()
    propose_change(configuration_id=made.id, terms=make_terms(name="New"), actor=TESTER)
    assert states(made) == ("Approved", ["Approved", "Pending"])
    assert effective_version(made.id) == first
    seen = json.loads(read_creditor_view(made))
    assert (seen["name"], seen["status"], seen["pending"]["name"]) == ("Old", "Approved", "New")
    approve_pending(made)
    assert states(made) == ("Approved", ["Superseded", "Approved"])
    assert json.loads(read_creditor_view(made))["name"] == "New"
    effective = effective_version(made.id)
    assert effective is not None
    assert effective.number == 2


def test_a_rejected_change_leaves_effective_terms_unchanged():
    made = make_configuration(name="Old")
    propose_change(configuration_id=made.id, terms=make_terms(name="New"), actor=TESTER)
    reject(version_id=pending_version(made).id, user=make_officer(), reason="Too cheap")
    assert states(made) == ("Approved", ["Approved", "Rejected"])
    seen = json.loads(read_creditor_view(made))
    assert (seen["name"], seen["pending"], seen["reason"]) == ("Old", None, "Too cheap")
    assert list_events(made)[-1] == ("loan_configuration.rejected", made.creditor_id)
    propose_change(configuration_id=made.id, terms=make_terms(name="Newer"), actor=TESTER)
    assert states(made) == ("Approved", ["Approved", "Rejected", "Pending"])


def test_a_second_change_is_rejected_while_one_is_pending():
    made = make_configuration()
    propose_change(configuration_id=made.id, terms=make_terms(), actor=TESTER)
    expect_rejection(
        lambda: propose_change(configuration_id=made.id, terms=make_terms(), actor=TESTER),
        Conflict,
        "change_pending",
    )


def test_new_terms_replace_those_pending_first_approval():
    made = make_configuration(approved=False)
    first = pending_version(made)
    propose_change(configuration_id=made.id, terms=make_terms(name="Better"), actor=TESTER)
    assert states(made) == ("Pending", ["Rejected", "Pending"])
    first.refresh_from_db()
    assert (first.reason, first.decided_by) == ("replaced by a newer proposal", None)
    assert list_events(made) == []
    message = expect_rejection(
        lambda: approve(version_id=first.id, user=make_officer()), Conflict, "state_conflict"
    )
    assert message == "Version 1 is Rejected (replaced by a newer proposal), no longer Pending"


def test_a_rejected_configuration_can_be_proposed_again():
    made = make_configuration(approved=False)
    reject(version_id=pending_version(made).id, user=make_officer(), reason="Too cheap")
    assert states(made) == ("Rejected", ["Rejected"])
    assert list_events(made) == [("loan_configuration.rejected", made.creditor_id)]
    propose_change(configuration_id=made.id, terms=make_terms(), actor=TESTER)
    assert states(made) == ("Pending", ["Rejected", "Pending"])
    approve_pending(made)
    assert states(made) == ("Approved", ["Rejected", "Approved"])


def test_retirement_is_final_and_rejects_a_pending_change():
    made = make_configuration()
    propose_change(configuration_id=made.id, terms=make_terms(), actor=TESTER)
    change = pending_version(made)
    retire(configuration_id=made.id, user=make_officer())
    assert states(made) == ("Retired", ["Approved", "Rejected"])
    change.refresh_from_db()
    assert change.reason == "the configuration was retired"
    assert list_events(made)[-1][0] == "loan_configuration.rejected"
    for act in (
        partial(propose_change, configuration_id=made.id, terms=make_terms(), actor=TESTER),
        partial(approve, version_id=change.id, user=make_officer()),
        partial(reject, version_id=change.id, user=make_officer(), reason="x"),
        partial(retire, configuration_id=made.id, user=make_officer()),
    ):
        expect_rejection(act, Conflict, "state_conflict")


@pytest.mark.parametrize("rejected", [False, True])
def test_only_an_approved_configuration_can_be_retired(rejected):
    made = make_configuration(approved=False)
    if rejected:
        reject(version_id=pending_version(made).id, user=make_officer(), reason="x")
    expect_rejection(
        lambda: retire(configuration_id=made.id, user=make_officer()), Conflict, "state_conflict"
    )


def test_a_version_is_decided_once():
    made = make_configuration(approved=False)
    version = pending_version(made)
    person = make_officer()
    approve(version_id=version.id, user=person)
    for act in (
        partial(approve, version_id=version.id, user=make_officer()),
        partial(reject, version_id=version.id, user=make_officer(), reason="x"),
    ):
        message = expect_rejection(act, Conflict, "state_conflict")
        assert message == f"Version 1 is Approved by {person}, no longer Pending"


def test_loans_keep_their_original_terms():
    lending = make_lending()
    loan = lending.lend()
    version = loan.version
    terms = make_terms(interest_rate=Decimal("0.5"), access="public")
    propose_change(configuration_id=lending.offer.id, terms=terms, actor=TESTER)
    assert lending.lend(amount=10_000, units=2).interest_rate == Decimal("0.3")
    approve_pending(lending.offer)
    assert Loan.objects.get(id=loan.id).version == version
    assert Loan.objects.get(id=loan.id).interest_rate == Decimal("0.3")
    newer = lending.lend(amount=10_000, units=2, interest_rate="0.5")
    assert newer.version.number == 2
    retire(configuration_id=lending.offer.id, user=make_officer())
    with pytest.raises(ConfigurationNotFound):
        lending.lend(amount=10_000, units=2, interest_rate="0.5")


def test_the_creditor_receives_events_with_its_own_view():
    made = make_configuration()
    body = json.loads(Event.objects.get(subject_id=made.id).body)
    assert body["type"] == "loan_configuration.approved"
    assert body["data"] == {"loan_configuration": json.loads(read_creditor_view(made))}


def test_access_follows_the_effective_terms():
    named = make_organisation()
    made = make_configuration(access="organisations", organisation_ids=[named.id])
    propose_change(configuration_id=made.id, terms=make_terms(access="own"), actor=TESTER)
    assert list(usable_by(named.id)) == [made]
    approve_pending(made)
    assert list(usable_by(named.id)) == []
    assert list(usable_by(made.creditor_id)) == [made]


# --- two at once ---


@pytest.mark.django_db(transaction=True)
def test_one_of_two_concurrent_approvals_wins():
    people = [make_officer() for _ in range(4)]
    with Callers(4) as callers:
        for _ in range(5):
            made = make_configuration()
            propose_change(configuration_id=made.id, terms=make_terms(), actor=TESTER)
            version = pending_version(made).id
            results = callers.at_once(
                [partial(approve, version_id=version, user=person) for person in people]
            )
            assert sum(isinstance(result, Conflict) for result in results) == 3
            assert states(made) == ("Approved", ["Superseded", "Approved"])
            assert list_events(made) == [("loan_configuration.approved", made.creditor_id)] * 2


@pytest.mark.django_db(transaction=True)
def test_concurrent_decisions_have_one_winner():
    one, other, third = make_officer(), make_officer(), make_officer()
    with Callers(3) as callers:
        for _ in range(8):
            made = make_configuration()
            propose_change(configuration_id=made.id, terms=make_terms(), actor=TESTER)
            version = pending_version(made).id
            results = callers.at_once(
                [
                    partial(approve, version_id=version, user=one),
                    partial(reject, version_id=version, user=other, reason="race"),
                    partial(retire, configuration_id=made.id, user=third),
                ]
            )
            approved, rejected, retired = (not isinstance(r, Conflict) for r in results)
            # Retiring goes with either decision before it, and shuts both out after it.
            assert retired
            assert not (approved and rejected)
            second = ["Superseded", "Approved"] if approved else ["Approved", "Rejected"]
            assert states(made) == ("Retired", second)


@pytest.mark.django_db(transaction=True)
def test_one_of_two_concurrent_changes_is_pending():
    with Callers(4) as callers:
        for _ in range(5):
            made = make_configuration()
            act = partial(
                propose_change, configuration_id=made.id, terms=make_terms(), actor=TESTER
            )
            results = callers.at_once([act] * 4)
            assert sum(isinstance(result, Conflict) for result in results) == 3
            assert states(made) == ("Approved", ["Approved", "Pending"])
