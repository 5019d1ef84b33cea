"""Decisions about configurations: their scope, and messages about decided versions."""

from functools import partial

import pytest

from credit.configurations.errors import ConfigurationNotFound
from credit.configurations.models import ConfigurationVersion
from credit.configurations.selectors import usable_by
from credit.configurations.services.configurations import (
    VERSIONS,
    approve,
    propose,
    propose_change,
    reject,
    retire,
)
from exchange.core.errors import DomainError, Forbidden, InvalidRequest
from exchange.core.ids import uuid7
from tests.credit.configurations.versions import (
    list_events,
    make_officer,
    snapshot,
    staff_actor,
    states,
)
from tests.factories.api_clients import TESTER, make_organisation
from tests.factories.lending import effective_version
from tests.factories.loan_configurations import (
    approve_pending,
    make_configuration,
    make_terms,
    pending_version,
)
from tests.factories.wallets import make_staff

pytestmark = pytest.mark.django_db


def test_a_creator_may_decide_on_other_configurations():
    creator, changer = make_officer(), make_officer()
    first, other, decided = (
        propose(creditor_id=make_organisation().id, terms=make_terms(), actor=staff_actor(person))
        for person in (creator, changer, creator)
    )
    approve(version_id=pending_version(decided).id, user=make_officer())
    for made in (first, other, decided):
        propose_change(configuration_id=made.id, terms=make_terms(), actor=TESTER)
    propose_change(configuration_id=other.id, terms=make_terms(), actor=TESTER)

    def own(user: object) -> set[object]:
        found = VERSIONS.pending_records().filter(VERSIONS.proposed_by(user))  # type: ignore[arg-type]
        return set(found.values_list("configuration_id", flat=True))

    assert own(creator) == {first.id}
    assert own(changer) == {other.id}
    assert own(make_officer()) == set()
    # Who proposed what another change has replaced has no part in what waits.
    approve(version_id=pending_version(decided).id, user=creator)


def test_a_decided_version_names_the_decision_and_the_person():
    person = make_officer()
    made = make_configuration(approved=False)
    first = pending_version(made)
    approve(version_id=first.id, user=person)
    act = partial(approve, version_id=first.id, user=make_officer())
    with pytest.raises(DomainError) as refused:
        act()
    assert refused.value.message == f"Version 1 is Approved by {person}, no longer Pending"
    propose_change(configuration_id=made.id, terms=make_terms(), actor=TESTER)
    second = pending_version(made)
    reject(version_id=second.id, user=person, reason="Too cheap")
    with pytest.raises(DomainError) as refused:
        reject(version_id=second.id, user=make_officer(), reason="x")
    assert refused.value.message == (
        f"Version 2 is Rejected by {person} (Too cheap), no longer Pending"
    )
    propose_change(configuration_id=made.id, terms=make_terms(), actor=TESTER)
    approve_pending(made)
    with pytest.raises(DomainError) as refused:
        act()
    assert refused.value.message == "Version 1 is Superseded, no longer Pending"


def test_a_reason_has_up_to_500_characters():
    made = make_configuration(approved=False)
    for reason in ("", "x" * 501):
        with pytest.raises(InvalidRequest):
            reject(version_id=pending_version(made).id, user=make_officer(), reason=reason)
    reject(version_id=pending_version(made).id, user=make_officer(), reason="x" * 500)
    assert states(made) == ("Rejected", ["Rejected"])


def test_rejected_calls_change_nothing():
    made, other = make_configuration(), make_configuration()
    over = make_configuration()
    retire(configuration_id=over.id, user=make_officer())
    outsider, decider = make_staff("close_loan"), make_staff("decide_configuration")
    bad, terms = make_terms(name=" "), make_terms()
    creditor = made.creditor_id
    waits = make_configuration(approved=False)
    version = pending_version(waits).id
    cases = [
        (
            partial(propose, creditor_id=creditor, terms=terms, actor=staff_actor(outsider)),
            Forbidden,
        ),
        (partial(propose, creditor_id=creditor, terms=bad, actor=TESTER), InvalidRequest),
        (partial(propose, creditor_id=uuid7(), terms=terms, actor=TESTER), InvalidRequest),
        (
            partial(
                propose_change, configuration_id=made.id, terms=terms, actor=staff_actor(outsider)
            ),
            Forbidden,
        ),
        (
            partial(propose_change, configuration_id=made.id, terms=bad, actor=TESTER),
            InvalidRequest,
        ),
        (
            partial(propose_change, configuration_id=uuid7(), terms=terms, actor=TESTER),
            ConfigurationNotFound,
        ),
        (partial(approve, version_id=version, user=outsider), Forbidden),
        (partial(reject, version_id=version, user=outsider, reason="x"), Forbidden),
        (partial(retire, configuration_id=made.id, user=outsider), Forbidden),
        (partial(retire, configuration_id=uuid7(), user=decider), ConfigurationNotFound),
    ]
    before = snapshot()
    for act, kind in cases:
        with pytest.raises(kind):
            act()
        assert snapshot() == before, act
    for act, message in (
        (
            partial(propose_change, configuration_id=over.id, terms=terms, actor=TESTER),
            "The loan configuration is Retired: that is final",
        ),
        (
            partial(retire, configuration_id=waits.id, user=decider),
            "Only an Approved loan configuration can be retired: it is Pending",
        ),
        (
            partial(retire, configuration_id=over.id, user=decider),
            "Only an Approved loan configuration can be retired: it is Retired",
        ),
    ):
        with pytest.raises(DomainError) as refused:
            act()
        assert refused.value.message == message
        assert snapshot() == before
    assert states(other) == ("Approved", ["Approved"])


def test_each_configuration_changes_on_its_own():
    made, sibling = make_configuration(name="One"), make_configuration(name="Two")
    for each in (made, sibling):
        propose_change(configuration_id=each.id, terms=make_terms(), actor=TESTER)
    approve_pending(made)
    assert states(sibling) == ("Approved", ["Approved", "Pending"])
    assert len(list_events(sibling)) == 1
    effective = effective_version(sibling.id)
    assert effective == ConfigurationVersion.objects.get(configuration=sibling, number=1)
    retire(configuration_id=made.id, user=make_officer())
    assert states(made) == ("Retired", ["Superseded", "Approved"])
    retire(configuration_id=sibling.id, user=make_officer())
    assert states(sibling) == ("Retired", ["Approved", "Rejected"])
    rejected = ConfigurationVersion.objects.get(configuration=sibling, number=2)
    assert rejected.reason == "the configuration was retired"
    assert list_events(made)[-1][0] == "loan_configuration.approved"
    assert list_events(sibling)[-1][0] == "loan_configuration.rejected"


def test_an_organisation_sees_its_own_and_those_it_may_use():
    mine, theirs = make_organisation(), make_organisation()
    seen = [
        make_configuration(mine, approved=False),
        make_configuration(mine),
        make_configuration(theirs, access="public"),
        make_configuration(theirs, access="organisations", organisation_ids=[mine.id]),
    ]
    retired = make_configuration(theirs, access="public")
    retire(configuration_id=retired.id, user=make_officer())
    changed = make_configuration(theirs, access="public")
    propose_change(configuration_id=changed.id, terms=make_terms(access="own"), actor=TESTER)
    approve_pending(changed)
    make_configuration(theirs)
    make_configuration(theirs, access="public", approved=False)
    make_configuration(theirs, access="organisations", organisation_ids=[make_organisation().id])
    assert set(usable_by(mine.id)) == set(seen)
