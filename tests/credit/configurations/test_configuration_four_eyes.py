"""Permissions to propose and decide loan configurations, unknown ids and invalid terms."""

from dataclasses import replace
from decimal import Decimal
from functools import partial

import pytest

from credit.configurations.errors import ConfigurationNotFound
from credit.configurations.models import ConfigurationVersion
from credit.configurations.services.configurations import (
    VERSIONS,
    approve,
    propose,
    propose_change,
    reject,
    retire,
)
from exchange.core.actors import Actor
from exchange.core.errors import Forbidden, InvalidRequest, NotFound, Rejected
from exchange.core.ids import uuid7
from exchange.staff.models import StaffUser
from tests.credit.configurations.versions import (
    DECIDE,
    PROPOSE,
    expect_rejection,
    make_officer,
    staff_actor,
    states,
)
from tests.factories.api_clients import TESTER, make_organisation
from tests.factories.loan_configurations import make_configuration, make_terms, pending_version
from tests.factories.staff import create_superuser
from tests.factories.wallets import make_staff

pytestmark = pytest.mark.django_db


def to_decide(user: StaffUser) -> list[ConfigurationVersion]:
    """Return the list of records that `user` can decide."""
    return list(VERSIONS.pending_records().exclude(VERSIONS.proposed_by(user)))


def test_a_proposer_cannot_approve_their_own_proposal():
    boss = create_superuser("boss", password="x")
    made = propose(creditor_id=make_organisation().id, terms=make_terms(), actor=staff_actor(boss))
    act = partial(approve, version_id=pending_version(made).id, user=boss)
    assert expect_rejection(act, Rejected, "approver_not_independent") == (
        "Someone other than the proposer must approve this"
    )


def test_creator_and_last_editor_cannot_approve_a_pending_configuration():
    creator, changer, third = make_officer(), make_officer(), make_officer()
    made = propose(
        creditor_id=make_organisation().id, terms=make_terms(), actor=staff_actor(creator)
    )
    propose_change(configuration_id=made.id, terms=make_terms(), actor=staff_actor(changer))
    for person in (creator, changer):
        act = partial(approve, version_id=pending_version(made).id, user=person)
        expect_rejection(act, Rejected, "approver_not_independent")
        assert to_decide(person) == []
    assert to_decide(third) == [pending_version(made)]
    approve(version_id=pending_version(made).id, user=third)
    assert states(made)[0] == "Approved"


def test_the_creator_may_approve_a_later_change_by_another_person():
    creator, changer = make_officer(), make_officer()
    made = propose(
        creditor_id=make_organisation().id, terms=make_terms(), actor=staff_actor(creator)
    )
    approve(version_id=pending_version(made).id, user=changer)
    propose_change(configuration_id=made.id, terms=make_terms(), actor=staff_actor(changer))
    expect_rejection(
        partial(approve, version_id=pending_version(made).id, user=changer),
        Rejected,
        "approver_not_independent",
    )
    assert (to_decide(changer), to_decide(creator)) == ([], [pending_version(made)])
    approve(version_id=pending_version(made).id, user=creator)
    assert states(made) == ("Approved", ["Superseded", "Approved"])


def test_the_proposer_may_reject_with_a_reason():
    person = make_officer()
    made = propose(
        creditor_id=make_organisation().id, terms=make_terms(), actor=staff_actor(person)
    )
    for reason in ("", "  ", "x" * 501):
        act = partial(reject, version_id=pending_version(made).id, user=person, reason=reason)
        expect_rejection(act, InvalidRequest, "invalid_request")
    reject(version_id=pending_version(made).id, user=person, reason="Mistyped")
    assert states(made) == ("Rejected", ["Rejected"])


def test_staff_propose_and_decide_only_with_the_permission():
    made = make_configuration()
    propose_change(configuration_id=made.id, terms=make_terms(), actor=TESTER)
    decider, proposer = make_staff(DECIDE), make_staff(PROPOSE)
    left = make_staff(PROPOSE, DECIDE)
    StaffUser.objects.filter(pk=left.pk).update(is_active=False)
    left.refresh_from_db()
    version = pending_version(made).id
    for user in (proposer, left):
        expect_rejection(partial(approve, version_id=version, user=user), Forbidden, "forbidden")
        expect_rejection(
            partial(reject, version_id=version, user=user, reason="x"), Forbidden, "forbidden"
        )
        expect_rejection(
            partial(retire, configuration_id=made.id, user=user), Forbidden, "forbidden"
        )
    for user in (decider, left):
        act = partial(propose_change, configuration_id=made.id, terms=make_terms())
        expect_rejection(partial(act, actor=staff_actor(user)), Forbidden, "forbidden")
        expect_rejection(
            partial(
                propose, creditor_id=made.creditor_id, terms=make_terms(), actor=staff_actor(user)
            ),
            Forbidden,
            "forbidden",
        )


def test_an_api_key_proposes_for_its_own_organisation_only():
    made = make_configuration(access="public")
    stranger = Actor("api_key", str(uuid7()), "key", make_organisation().id)  # type: ignore[arg-type]
    expect_rejection(
        partial(propose_change, configuration_id=made.id, terms=make_terms(), actor=stranger),
        ConfigurationNotFound,
        "loan_configuration_not_found",
    )


def test_an_unknown_id_is_not_found():
    expect_rejection(
        partial(propose_change, configuration_id=uuid7(), terms=make_terms(), actor=TESTER),
        ConfigurationNotFound,
        "loan_configuration_not_found",
    )
    expect_rejection(
        partial(retire, configuration_id=uuid7(), user=make_officer()),
        ConfigurationNotFound,
        "loan_configuration_not_found",
    )
    expect_rejection(
        partial(approve, version_id=uuid7(), user=make_officer()), NotFound, "version_not_found"
    )
    act = partial(propose, creditor_id=uuid7(), terms=make_terms(), actor=TESTER)
    assert expect_rejection(act, InvalidRequest, "invalid_request") == "Creditor not found"


def test_every_invalid_field_of_terms_is_named():
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
    message = expect_rejection(act, InvalidRequest, "invalid_request")
    assert [part.split()[0] for part in message.split("; ")] == [
        "name", "access", "investment_categories", "max_amount", "max_outstanding",
        "collateral_ratio", "interest_rate", "duration", "grace_period",
    ]  # fmt: skip
