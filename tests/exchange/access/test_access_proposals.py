"""Power over money is given by two people; nothing is in force before the second one confirms."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone

from config.back_office.roles import ADMINISTRATOR, AUDITOR, BACK_OFFICE, FINANCE_APPROVER, get_role
from exchange.access.services import decisions
from exchange.core.actors import Actor
from exchange.core.errors import Conflict, Forbidden, InvalidRequest, Rejected, StateConflict
from exchange.participants.models import ApiKey
from exchange.participants.services import api_keys
from exchange.staff.models import AccessProposal, AccessRecord, SecondFactor, StaffUser
from exchange.staff.services import accounts, second_factor
from exchange.staff.services import proposals as staff_proposals
from tests.assertions.unchanged import table_fingerprints
from tests.environment.owner import without_guards
from tests.exchange.access.proposals import PASSWORD, collect, confirm
from tests.factories.api_clients import make_organisation
from tests.factories.logins import enrol_second_factor
from tests.factories.staff import backdate_access, create_staff

pytestmark = pytest.mark.django_db


def test_an_approver_is_invited_by_two_and_the_address_goes_to_the_proposer_once(house):
    proposal = house.invite(house.admin)
    assert not StaffUser.objects.filter(username="newcomer").exists()
    with pytest.raises(Rejected, match="Someone other than"):
        confirm(proposal, house.admin)
    with pytest.raises(Conflict, match="nothing to collect"):
        collect(proposal, house.admin)
    confirm(proposal, house.second)
    user = StaffUser.objects.get(username="newcomer")
    assert not user.has_usable_password()
    with pytest.raises(Forbidden, match="Only who proposed it"):
        collect(proposal, house.second)
    found = collect(proposal, house.admin)
    assert found.address is not None
    assert accounts.invitation_tokens.check_token(user, found.address[1])
    with pytest.raises(Conflict, match="nothing to collect"):
        collect(proposal, house.admin)
    record = AccessRecord.objects.filter(user=user).first()
    assert record is not None
    assert (record.by, record.details) == (
        house.admin,
        "Invitation link created. Confirmed by second",
    )


def test_nobody_does_at_once_what_takes_two(house):
    enrol_second_factor(house.first)
    reader = create_staff("reader", PASSWORD, AUDITOR)
    StaffUser.objects.filter(pk=house.second.pk).update(is_active=False)
    by_admin = {"by": house.admin}
    finance = get_role(FINANCE_APPROVER)
    before = table_fingerprints()
    for act in (
        lambda: accounts.add_person(username="x", role=finance, **by_admin),
        lambda: accounts.change_role(
            user_id=reader.pk, role=finance, expected_role=AUDITOR, **by_admin
        ),
        lambda: accounts.change_role(
            user_id=house.first.pk, role=None, expected_role=FINANCE_APPROVER, **by_admin
        ),
        lambda: accounts.create_invitation(user_id=house.first.pk, **by_admin),
        lambda: accounts.activate(user_id=house.second.pk, **by_admin),
        lambda: second_factor.reset(user_id=house.first.pk, **by_admin),
    ):
        with pytest.raises(Forbidden) as refused:
            act()
        assert refused.value.code == "second_person_needed"
    assert table_fingerprints() == before


def test_what_was_confirmed_and_not_collected_in_three_days_is_worth_nothing(house):
    proposal = house.key(house.admin)
    confirm(proposal, house.first)
    # The row is frozen: its time is moved without the guards.
    with without_guards():
        then = timezone.now() - timedelta(hours=73)
        AccessProposal.objects.filter(pk=proposal.pk).update(decided_at=then)
    with pytest.raises(Conflict, match="already collected or expired"):
        collect(proposal, house.admin)
    assert not ApiKey.objects.exists()


def test_the_person_concerned_confirms_nothing_about_themselves(house):
    enrol_second_factor(house.first)
    proposal = staff_proposals.propose_second_factor_reset(user_id=house.first.pk, by=house.admin)
    with pytest.raises(Rejected, match="Someone other than"):
        confirm(proposal, house.first)
    assert SecondFactor.objects.exists()
    confirm(proposal, house.second)
    assert not SecondFactor.objects.exists()
    with pytest.raises(StateConflict):
        confirm(proposal, house.second)


@pytest.mark.parametrize("role", [BACK_OFFICE, AUDITOR])
def test_others_confirm_and_propose_nothing(house, role):
    other = create_staff("other", PASSWORD, role)
    proposal = house.invite(house.admin)
    for act in (
        lambda: confirm(proposal, other),
        lambda: decisions.reject(proposal_id=proposal.pk, by=other, reason="No"),
        lambda: decisions.withdraw(proposal_id=proposal.pk, by=other),
        lambda: house.key(other),
        lambda: staff_proposals.propose_password_reset(user_id=house.admin.pk, by=other),
    ):
        with pytest.raises(Forbidden):
            act()
    assert AccessProposal.objects.get().status == "Pending"


def test_a_finance_approver_proposes_the_access_of_administrators_and_nobody_elses(house):
    with pytest.raises(Forbidden, match="not allowed to propose"):
        house.invite(house.first, FINANCE_APPROVER)
    with pytest.raises(Forbidden, match="not allowed to propose"):
        staff_proposals.propose_password_reset(user_id=house.second.pk, by=house.first)
    with pytest.raises(Forbidden):
        staff_proposals.propose_role_change(
            user_id=house.admin.pk,
            role=get_role(FINANCE_APPROVER),
            expected_role=ADMINISTRATOR,
            by=house.first,
        )
    assert not AccessProposal.objects.exists()
    assert house.invite(house.first, ADMINISTRATOR).status == "Pending"


def test_a_new_person_and_one_who_was_reset_confirm_and_propose_nothing_for_a_day(house):
    proposal = house.invite(house.admin)
    backdate_access(house.second, hours=1)
    with pytest.raises(Forbidden, match="decide from"):
        confirm(proposal, house.second)
    backdate_access(house.admin, hours=1)
    with pytest.raises(Forbidden, match="decide from"):
        house.key(house.admin)
    with pytest.raises(Forbidden, match="decide from"):
        accounts.deactivate(user_id=house.second.pk, by=house.admin)
    with pytest.raises(Forbidden, match="decide from"):
        api_keys.issue_api_key(
            organisation=make_organisation(),
            name="Reports",
            scopes=["wallets:read"],
            actor=Actor.staff(house.admin.pk, "admin"),
        )
    assert not StaffUser.objects.filter(username="newcomer").exists()


def test_two_newcomers_give_nobody_power(house):
    proposal = house.invite(house.admin)
    backdate_access(house.admin, days=2)
    backdate_access(house.second, days=2)
    with pytest.raises(Rejected, match="unchanged access for 7 days"):
        confirm(proposal, house.second)
    confirm(proposal, house.first)


@pytest.mark.parametrize("what", ["left", "reset"])
def test_a_proposal_ends_with_the_standing_of_its_proposer(house, what):
    proposal = house.invite(house.admin)
    if what == "left":
        StaffUser.objects.filter(pk=house.admin.pk).update(is_active=False)
    else:
        StaffUser.objects.filter(pk=house.admin.pk).update(access_changed_at=timezone.now())
    with pytest.raises(Conflict, match="Make a new proposal"):
        confirm(proposal, house.second)
    assert not StaffUser.objects.filter(username="newcomer").exists()


def test_one_of_the_command_line_takes_two_people_as_well(house):
    proposal = staff_proposals.propose_invitation(
        username="newcomer", role=get_role(FINANCE_APPROVER), by=None
    )
    taken = confirm(proposal, house.admin)
    assert (taken.status, taken.proposed_by) == ("Pending", house.admin)
    with pytest.raises(Rejected, match="Someone other than"):
        confirm(proposal, house.admin)
    assert not StaffUser.objects.filter(username="newcomer").exists()
    assert confirm(proposal, house.second).status == "Approved"


def test_a_proposal_is_rejected_with_a_reason_and_withdrawn_by_its_proposer(house):
    proposal = house.invite(house.admin)
    with pytest.raises(InvalidRequest, match="needs a reason"):
        decisions.reject(proposal_id=proposal.pk, by=house.first, reason=" ")
    with pytest.raises(Forbidden):
        decisions.withdraw(proposal_id=proposal.pk, by=house.first)
    decisions.reject(proposal_id=proposal.pk, by=house.first, reason="Who is that?")
    again = house.invite(house.admin)
    decisions.withdraw(proposal_id=again.pk, by=house.admin)
    assert sorted(AccessProposal.objects.values_list("status", "reason")) == [
        ("Rejected", "Who is that?"),
        ("Withdrawn", ""),
    ]
    for closed in (proposal, again):
        with pytest.raises(StateConflict):
            confirm(closed, house.second)


def test_an_address_made_before_a_role_was_given_is_worth_nothing_after(house):
    reader = create_staff("reader", PASSWORD, AUDITOR)
    _, token = accounts.create_invitation(user_id=reader.pk, by=house.admin)
    reader.refresh_from_db()
    assert accounts.invitation_tokens.check_token(reader, token)
    proposal = staff_proposals.propose_role_change(
        user_id=reader.pk, role=get_role(FINANCE_APPROVER), expected_role=AUDITOR, by=house.admin
    )
    confirm(proposal, house.first)
    reader.refresh_from_db()
    assert not accounts.invitation_tokens.check_token(reader, token)


def test_the_database_holds_the_rules_too(house):
    proposal = house.invite(house.admin)
    for values in (
        {"status": "Approved", "decided_by": house.admin, "decided_at": timezone.now()},
        {"status": "Approved", "decided_at": timezone.now()},
        {"proposed_by": house.second},
        {"payload": {"username": "another"}},
        {"kind": "activate_person"},
        {"break_glass": True},
        {"collected_at": timezone.now()},
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            AccessProposal.objects.filter(pk=proposal.pk).update(**values)
    with pytest.raises(DatabaseError), transaction.atomic():
        AccessProposal.objects.all().delete()
    assert AccessProposal.objects.get().status == "Pending"


def test_the_database_lets_nobody_decide_about_themselves_or_take_up_or_collect_twice(house):
    enrol_second_factor(house.first)
    about = staff_proposals.propose_second_factor_reset(user_id=house.first.pk, by=house.admin)
    key = house.key(house.admin)
    confirm(key, house.second)
    collect(key, house.admin)
    now = timezone.now()
    for proposal, refusal, values in (
        (
            about,
            "access_proposal_not_about_oneself",
            {"status": "Approved", "decided_by": house.first, "decided_at": now},
        ),
        (about, "taken up or collected before", {"proposed_by": house.second}),
        (key, "taken up or collected before", {"collected_at": now}),
        (key, "taken up or collected before", {"collected_at": None, "key": None}),
    ):
        with pytest.raises(DatabaseError, match=refusal), transaction.atomic():
            AccessProposal.objects.filter(pk=proposal.pk).update(**values)


LOST = ["admin", "first", "second"]


@pytest.mark.parametrize("lost", LOST)
@pytest.mark.parametrize("how", ["password", "second factor", "left"])
def test_the_two_who_remain_restore_whoever_was_lost(house, lost, how):
    """A forgotten password, a lost second factor, somebody who left: no shell is needed."""
    person: StaffUser = getattr(house, lost)
    role = accounts.role_name(person)
    enrol_second_factor(person)
    proposer = house.first if lost == "admin" else house.admin
    confirmer = house.second if lost in {"admin", "first"} else house.first
    match how:
        case "password":
            proposal = staff_proposals.propose_password_reset(user_id=person.pk, by=proposer)
        case "second factor":
            proposal = staff_proposals.propose_second_factor_reset(user_id=person.pk, by=proposer)
        case _:
            StaffUser.objects.filter(pk=person.pk).update(is_active=False)
            proposal = house.invite(proposer, role)
    confirm(proposal, confirmer)
    if how == "second factor":
        assert not SecondFactor.objects.filter(user=person).exists()
        restored = person
    else:
        found = collect(proposal, proposer)
        assert isinstance(found.subject, StaffUser)
        restored = found.subject
        assert found.address is not None
        restored.refresh_from_db()
        assert accounts.invitation_tokens.check_token(restored, found.address[1])
    # A day later they decide again: they confirm what another proposes.
    backdate_access(restored, hours=25)
    restored = StaffUser.objects.get(pk=restored.pk)
    if lost == "admin":
        assert house.key(restored).status == "Pending"
    else:
        assert confirm(house.key(house.admin), restored).status == "Approved"


def test_a_proposal_is_ones_own_where_one_made_it_or_it_is_about_one(house):
    made = house.invite(house.admin)
    about = staff_proposals.propose_password_reset(user_id=house.second.pk, by=house.admin)
    own = {
        user: set(AccessProposal.objects.filter(staff_proposals.APPROVAL.proposed_by(user)))
        for user in (house.admin, house.first, house.second)
    }
    assert own == {house.admin: {made, about}, house.first: set(), house.second: {about}}
