"""Loan configurations: versions, four eyes, who is told."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from credit.errors import ConfigurationNotFound
from credit.models import ConfigurationVersion, Loan, LoanConfiguration, LoanLimit
from credit.selectors.configurations import creditors_text, usable_by, version_in_force
from credit.services.configurations import approve, propose, propose_change, reject, retire
from exchange.actors import Actor
from exchange.errors import Conflict, DomainError, Forbidden, InvalidRequest, NotFound, Refused
from exchange.ids import uuid7
from exchange.models import Event, StaffUser
from tests.support.access import TESTER, make_organisation
from tests.support.credit import approve_waiting, make_configuration, make_terms, waiting
from tests.support.crowd import Crowd
from tests.support.lending import make_lending
from tests.support.world import make_staff

pytestmark = pytest.mark.django_db

PROPOSE, DECIDE = "propose_configuration", "decide_configuration"
INDEPENDENT = "Somebody else must approve what you proposed"


def acting(user: StaffUser) -> Actor:
    return Actor.staff(user.pk, str(user))


def officer() -> StaffUser:
    """Somebody who may both propose and decide."""
    return make_staff(PROPOSE, DECIDE)


def states(configuration: LoanConfiguration) -> tuple[str, list[str]]:
    """The state of a configuration, and those of its versions, the oldest first."""
    status = LoanConfiguration.objects.values_list("status", flat=True).get(id=configuration.id)
    versions = configuration.versions.order_by("number").values_list("status", flat=True)
    return status, list(versions)


def told(configuration: LoanConfiguration) -> list[tuple[str, UUID]]:
    """Types and recipients of the events about a configuration."""
    found = Event.objects.filter(subject_id=configuration.id).order_by("created_at", "id")
    return list(found.values_list("type", "organisation_id"))


def refusal(act: Callable[[], Any], kind: type[DomainError], code: str) -> str:
    """Asserts that `act` is refused so and writes nothing; gives the message."""
    before = everything()
    with pytest.raises(kind) as refused:
        act()
    assert refused.value.code == code
    assert everything() == before
    return refused.value.message


def everything() -> list[Any]:
    return [
        list(model.objects.order_by("pk").values())
        for model in (LoanConfiguration, ConfigurationVersion, LoanLimit, Event)
    ]


# --- one version after the other ---


def test_a_proposal_is_pending_until_somebody_else_approves_it():
    one, other = officer(), officer()
    creditor = make_organisation()
    terms = make_terms(max_outstanding={"NGN": Decimal(9_000_000)})
    made = propose(creditor_id=creditor.id, terms=terms, actor=acting(one))
    assert states(made) == ("Pending", ["Pending"])
    assert version_in_force(made.id) is None
    assert told(made) == []
    approve(version_id=waiting(made).id, user=other)
    assert states(made) == ("Approved", ["Approved"])
    version = version_in_force(made.id)
    assert version is not None
    assert (version.number, version.proposed_by) == (1, f"staff:{one.pk}")
    assert (version.proposed_by_label, version.decided_by) == (str(one), other)
    assert told(made) == [("loan_configuration.approved", creditor.id)]


def test_terms_are_kept_exactly_as_they_were_proposed():
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


def test_what_is_in_force_stays_so_while_a_change_waits_and_until_it_is_approved():
    made = make_configuration(name="Old")
    first = made.versions.get()
    propose_change(configuration_id=made.id, terms=make_terms(name="New"), actor=TESTER)
    assert states(made) == ("Approved", ["Approved", "Pending"])
    assert version_in_force(made.id) == first
    seen = json.loads(creditors_text(made))
    assert (seen["name"], seen["status"], seen["pending"]["name"]) == ("Old", "Approved", "New")
    approve_waiting(made)
    assert states(made) == ("Approved", ["Superseded", "Approved"])
    assert json.loads(creditors_text(made))["name"] == "New"
    in_force = version_in_force(made.id)
    assert in_force is not None
    assert in_force.number == 2


def test_a_rejected_change_leaves_what_is_in_force():
    made = make_configuration(name="Old")
    propose_change(configuration_id=made.id, terms=make_terms(name="New"), actor=TESTER)
    reject(version_id=waiting(made).id, user=officer(), reason="Too cheap")
    assert states(made) == ("Approved", ["Approved", "Rejected"])
    seen = json.loads(creditors_text(made))
    assert (seen["name"], seen["pending"], seen["reason"]) == ("Old", None, "Too cheap")
    assert told(made)[-1] == ("loan_configuration.rejected", made.creditor_id)
    propose_change(configuration_id=made.id, terms=make_terms(name="Newer"), actor=TESTER)
    assert states(made) == ("Approved", ["Approved", "Rejected", "Pending"])


def test_a_second_change_does_not_push_the_first_aside():
    made = make_configuration()
    propose_change(configuration_id=made.id, terms=make_terms(), actor=TESTER)
    refusal(
        lambda: propose_change(configuration_id=made.id, terms=make_terms(), actor=TESTER),
        Conflict,
        "change_pending",
    )


def test_new_terms_take_the_place_of_those_that_wait_for_the_first_approval():
    made = make_configuration(approved=False)
    first = waiting(made)
    propose_change(configuration_id=made.id, terms=make_terms(name="Better"), actor=TESTER)
    assert states(made) == ("Pending", ["Rejected", "Pending"])
    first.refresh_from_db()
    assert (first.reason, first.decided_by) == ("replaced by a newer proposal", None)
    assert told(made) == []
    message = refusal(
        lambda: approve(version_id=first.id, user=officer()), Conflict, "state_conflict"
    )
    assert message == "Version 1 is Rejected (replaced by a newer proposal), no longer Pending"


def test_a_rejected_configuration_is_proposed_anew():
    made = make_configuration(approved=False)
    reject(version_id=waiting(made).id, user=officer(), reason="Too cheap")
    assert states(made) == ("Rejected", ["Rejected"])
    assert told(made) == [("loan_configuration.rejected", made.creditor_id)]
    propose_change(configuration_id=made.id, terms=make_terms(), actor=TESTER)
    assert states(made) == ("Pending", ["Rejected", "Pending"])
    approve_waiting(made)
    assert states(made) == ("Approved", ["Rejected", "Approved"])


def test_a_retired_configuration_is_final_and_takes_the_change_that_waits_with_it():
    made = make_configuration()
    propose_change(configuration_id=made.id, terms=make_terms(), actor=TESTER)
    change = waiting(made)
    retire(configuration_id=made.id, user=officer())
    assert states(made) == ("Retired", ["Approved", "Rejected"])
    change.refresh_from_db()
    assert change.reason == "the configuration was retired"
    assert told(made)[-1][0] == "loan_configuration.rejected"
    for act in (
        partial(propose_change, configuration_id=made.id, terms=make_terms(), actor=TESTER),
        partial(approve, version_id=change.id, user=officer()),
        partial(reject, version_id=change.id, user=officer(), reason="x"),
        partial(retire, configuration_id=made.id, user=officer()),
    ):
        refusal(act, Conflict, "state_conflict")


@pytest.mark.parametrize("rejected", [False, True])
def test_what_was_never_approved_is_not_retired(rejected):
    made = make_configuration(approved=False)
    if rejected:
        reject(version_id=waiting(made).id, user=officer(), reason="x")
    refusal(lambda: retire(configuration_id=made.id, user=officer()), Conflict, "state_conflict")


def test_a_version_is_decided_once():
    made = make_configuration(approved=False)
    version = waiting(made)
    person = officer()
    approve(version_id=version.id, user=person)
    for act in (
        partial(approve, version_id=version.id, user=officer()),
        partial(reject, version_id=version.id, user=officer(), reason="x"),
    ):
        message = refusal(act, Conflict, "state_conflict")
        assert message == f"Version 1 is Approved by {person}, no longer Pending"


def test_loans_keep_the_terms_they_were_made_on():
    world = make_lending()
    loan = world.lend()
    version = loan.version
    terms = make_terms(interest_rate=Decimal("0.5"), access="public")
    propose_change(configuration_id=world.offer.id, terms=terms, actor=TESTER)
    assert world.lend(amount=10_000, units=2).interest_rate == Decimal("0.3")
    approve_waiting(world.offer)
    assert Loan.objects.get(id=loan.id).version == version
    assert Loan.objects.get(id=loan.id).interest_rate == Decimal("0.3")
    newer = world.lend(amount=10_000, units=2, interest_rate="0.5")
    assert newer.version.number == 2
    retire(configuration_id=world.offer.id, user=officer())
    with pytest.raises(ConfigurationNotFound):
        world.lend(amount=10_000, units=2, interest_rate="0.5")


def test_the_creditor_is_told_with_the_record_as_it_sees_it():
    made = make_configuration()
    body = json.loads(Event.objects.get(subject_id=made.id).body)
    assert body["type"] == "loan_configuration.approved"
    assert body["data"] == {"loan_configuration": json.loads(creditors_text(made))}


# --- four eyes ---


def test_nobody_approves_what_they_proposed_whatever_they_may():
    boss = StaffUser.objects.create_superuser("boss", password="x")
    made = propose(creditor_id=make_organisation().id, terms=make_terms(), actor=acting(boss))
    act = partial(approve, version_id=waiting(made).id, user=boss)
    assert refusal(act, Refused, "approver_not_independent") == INDEPENDENT


def test_neither_who_created_nor_who_last_changed_a_pending_configuration_approves_it():
    creator, changer, third = officer(), officer(), officer()
    made = propose(creditor_id=make_organisation().id, terms=make_terms(), actor=acting(creator))
    propose_change(configuration_id=made.id, terms=make_terms(), actor=acting(changer))
    for person in (creator, changer):
        act = partial(approve, version_id=waiting(made).id, user=person)
        refusal(act, Refused, "approver_not_independent")
    approve(version_id=waiting(made).id, user=third)
    assert states(made)[0] == "Approved"


def test_who_created_a_configuration_may_approve_somebody_elses_later_change():
    creator, changer = officer(), officer()
    made = propose(creditor_id=make_organisation().id, terms=make_terms(), actor=acting(creator))
    approve(version_id=waiting(made).id, user=changer)
    propose_change(configuration_id=made.id, terms=make_terms(), actor=acting(changer))
    refusal(
        partial(approve, version_id=waiting(made).id, user=changer),
        Refused,
        "approver_not_independent",
    )
    approve(version_id=waiting(made).id, user=creator)
    assert states(made) == ("Approved", ["Superseded", "Approved"])


def test_who_proposed_may_take_it_back_with_a_reason():
    person = officer()
    made = propose(creditor_id=make_organisation().id, terms=make_terms(), actor=acting(person))
    for reason in ("", "  ", "x" * 501):
        act = partial(reject, version_id=waiting(made).id, user=person, reason=reason)
        refusal(act, InvalidRequest, "invalid_request")
    reject(version_id=waiting(made).id, user=person, reason="Mistyped")
    assert states(made) == ("Rejected", ["Rejected"])


def test_staff_propose_and_decide_only_with_the_permission():
    made = make_configuration()
    propose_change(configuration_id=made.id, terms=make_terms(), actor=TESTER)
    decider, proposer = make_staff(DECIDE), make_staff(PROPOSE)
    left = make_staff(PROPOSE, DECIDE)
    StaffUser.objects.filter(pk=left.pk).update(is_active=False)
    left.refresh_from_db()
    version = waiting(made).id
    for user in (proposer, left):
        refusal(partial(approve, version_id=version, user=user), Forbidden, "forbidden")
        refusal(partial(reject, version_id=version, user=user, reason="x"), Forbidden, "forbidden")
        refusal(partial(retire, configuration_id=made.id, user=user), Forbidden, "forbidden")
    for user in (decider, left):
        act = partial(propose_change, configuration_id=made.id, terms=make_terms())
        refusal(partial(act, actor=acting(user)), Forbidden, "forbidden")
        refusal(
            partial(propose, creditor_id=made.creditor_id, terms=make_terms(), actor=acting(user)),
            Forbidden,
            "forbidden",
        )


def test_an_api_key_proposes_for_its_own_organisation_only():
    made = make_configuration(access="public")
    stranger = Actor("api_key", str(uuid7()), "key", make_organisation().id)  # type: ignore[arg-type]
    refusal(
        partial(propose_change, configuration_id=made.id, terms=make_terms(), actor=stranger),
        ConfigurationNotFound,
        "loan_configuration_not_found",
    )


def test_what_does_not_exist_is_not_found():
    refusal(
        partial(propose_change, configuration_id=uuid7(), terms=make_terms(), actor=TESTER),
        ConfigurationNotFound,
        "loan_configuration_not_found",
    )
    refusal(
        partial(retire, configuration_id=uuid7(), user=officer()),
        ConfigurationNotFound,
        "loan_configuration_not_found",
    )
    refusal(partial(approve, version_id=uuid7(), user=officer()), NotFound, "version_not_found")
    act = partial(propose, creditor_id=uuid7(), terms=make_terms(), actor=TESTER)
    assert refusal(act, InvalidRequest, "invalid_request") == "There is no such creditor"


def test_every_bad_field_of_terms_is_named():
    bad = replace(
        make_terms(),
        name="a\nb",
        access="private",
        investment_categories=["Gold"],
        max_amount={"EUR": Decimal(5)},
        max_outstanding={"NGN": Decimal("NaN")},
        collateral_ratio=Decimal("Infinity"),
        interest_rate=Decimal("-0.1"),
        duration=0,
        grace_period=-1,
    )
    act = partial(propose, creditor_id=make_organisation().id, terms=bad, actor=TESTER)
    message = refusal(act, InvalidRequest, "invalid_request")
    assert [part.split()[0] for part in message.split("; ")] == [
        "name", "access", "investment_categories", "max_amount", "max_outstanding",
        "collateral_ratio", "interest_rate", "duration", "grace_period",
    ]  # fmt: skip


def test_a_configuration_is_open_to_whom_its_terms_in_force_name():
    named = make_organisation()
    made = make_configuration(access="organisations", organisation_ids=[named.id])
    propose_change(configuration_id=made.id, terms=make_terms(access="own"), actor=TESTER)
    assert list(usable_by(named.id)) == [made]
    approve_waiting(made)
    assert list(usable_by(named.id)) == []
    assert list(usable_by(made.creditor_id)) == [made]


# --- two at once ---


@pytest.mark.django_db(transaction=True)
def test_of_two_approvals_at_once_one_wins():
    people = [officer() for _ in range(4)]
    with Crowd(4) as crowd:
        for _ in range(5):
            made = make_configuration()
            propose_change(configuration_id=made.id, terms=make_terms(), actor=TESTER)
            version = waiting(made).id
            results = crowd.at_once(
                [partial(approve, version_id=version, user=person) for person in people]
            )
            assert sum(isinstance(result, Conflict) for result in results) == 3
            assert states(made) == ("Approved", ["Superseded", "Approved"])
            assert told(made) == [("loan_configuration.approved", made.creditor_id)] * 2


@pytest.mark.django_db(transaction=True)
def test_an_approval_a_rejection_and_a_retirement_at_once_leave_one_outcome():
    one, other, third = officer(), officer(), officer()
    with Crowd(3) as crowd:
        for _ in range(8):
            made = make_configuration()
            propose_change(configuration_id=made.id, terms=make_terms(), actor=TESTER)
            version = waiting(made).id
            results = crowd.at_once(
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
def test_of_two_changes_proposed_at_once_one_waits():
    with Crowd(4) as crowd:
        for _ in range(5):
            made = make_configuration()
            act = partial(
                propose_change, configuration_id=made.id, terms=make_terms(), actor=TESTER
            )
            results = crowd.at_once([act] * 4)
            assert sum(isinstance(result, Conflict) for result in results) == 3
            assert states(made) == ("Approved", ["Approved", "Pending"])
