"""Privileged access takes two people and is effective only once the second one confirms."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone

from config.back_office.roles import ADMINISTRATOR, AUDITOR, BACK_OFFICE, FINANCE_APPROVER, get_role
from config.local.demo.loader import enrol_second_factor
from exchange.access.services import decisions
from exchange.core.actors import Actor
from exchange.core.errors import Conflict, Forbidden, InvalidRequest, Rejected, StateConflict
from exchange.participants.models import ApiKey
from exchange.participants.services import api_keys
from exchange.staff.models import AccessProposal, AccessRecord, SecondFactor, StaffUser
from exchange.staff.services import accounts, second_factor
from exchange.staff.services import proposals as staff_proposals
from tests.assertions.unchanged import assert_no_table_changes
from tests.environment.owner import without_guards
from tests.exchange.access.proposals import PASSWORD, collect, confirm
from tests.factories.api_clients import make_organisation
from tests.factories.staff import backdate_access, create_staff

pytestmark = pytest.mark.django_db

_COLLECTED = r"^Nothing to collect: already collected or expired\. Make a new proposal$"
_INDEPENDENT = r"^Someone other than the proposer and the person concerned must confirm$"


def test_an_approver_is_invited_by_two_and_the_address_goes_to_the_proposer_once(team):
    proposal = team.invite(team.admin)
    assert not StaffUser.objects.filter(username="newcomer").exists()
    with pytest.raises(Rejected, match=_INDEPENDENT):
        confirm(proposal, team.admin)
    with pytest.raises(Conflict, match=r"^Nothing to collect yet: someone else must confirm"):
        collect(proposal, team.admin)
    confirm(proposal, team.second)
    user = StaffUser.objects.get(username="newcomer")
    assert not user.has_usable_password()
    with pytest.raises(Forbidden, match=r"^Only the proposer can collect the secret"):
        collect(proposal, team.second)
    found = collect(proposal, team.admin)
    assert found.address is not None
    assert accounts.invitation_tokens.check_token(user, found.address[1])
    with pytest.raises(Conflict, match=_COLLECTED):
        collect(proposal, team.admin)
    record = AccessRecord.objects.filter(user=user).first()
    assert record is not None
    assert (record.by, record.details) == (
        team.admin,
        "Invitation link created. Confirmed by second",
    )


def test_dual_control_cannot_be_skipped(team):
    enrol_second_factor(team.first)
    reader = create_staff("reader", PASSWORD, AUDITOR)
    StaffUser.objects.filter(pk=team.second.pk).update(is_active=False)
    by_admin = {"by": team.admin}
    finance = get_role(FINANCE_APPROVER)
    with assert_no_table_changes():
        for act in (
            lambda: accounts.add_person(username="x", role=finance, **by_admin),
            lambda: accounts.change_role(
                user_id=reader.pk, role=finance, expected_role=AUDITOR, **by_admin
            ),
            lambda: accounts.change_role(
                user_id=team.first.pk, role=None, expected_role=FINANCE_APPROVER, **by_admin
            ),
            lambda: accounts.create_invitation(user_id=team.first.pk, **by_admin),
            lambda: accounts.activate(user_id=team.second.pk, **by_admin),
            lambda: second_factor.reset(user_id=team.first.pk, **by_admin),
        ):
            with pytest.raises(Forbidden) as refused:
                act()
            assert refused.value.code == "second_person_needed"


def test_an_uncollected_secret_expires_after_three_days(team):
    proposal = team.key(team.admin)
    confirm(proposal, team.first)
    # The row is frozen: its time is moved without the guards.
    with without_guards():
        then = timezone.now() - timedelta(hours=73)
        AccessProposal.objects.filter(pk=proposal.pk).update(decided_at=then)
    with pytest.raises(Conflict, match="already collected or expired"):
        collect(proposal, team.admin)
    assert not ApiKey.objects.exists()


def test_the_person_concerned_confirms_nothing_about_themselves(team):
    enrol_second_factor(team.first)
    proposal = staff_proposals.propose_second_factor_reset(user_id=team.first.pk, by=team.admin)
    with pytest.raises(Rejected, match=_INDEPENDENT):
        confirm(proposal, team.first)
    assert SecondFactor.objects.exists()
    confirm(proposal, team.second)
    assert not SecondFactor.objects.exists()
    with pytest.raises(StateConflict):
        confirm(proposal, team.second)


@pytest.mark.parametrize("role", [BACK_OFFICE, AUDITOR])
def test_others_confirm_and_propose_nothing(team, role):
    other = create_staff("other", PASSWORD, role)
    proposal = team.invite(team.admin)
    for act in (
        lambda: confirm(proposal, other),
        lambda: decisions.reject(proposal_id=proposal.pk, by=other, reason="No"),
        lambda: decisions.cancel(proposal_id=proposal.pk, by=other),
        lambda: team.key(other),
        lambda: staff_proposals.propose_password_reset(user_id=team.admin.pk, by=other),
    ):
        with pytest.raises(Forbidden):
            act()
    assert AccessProposal.objects.get().status == "Pending"


def test_finance_approvers_propose_access_of_administrators_only(team):
    with pytest.raises(Forbidden, match="not allowed to propose"):
        team.invite(team.first, FINANCE_APPROVER)
    with pytest.raises(Forbidden, match="not allowed to propose"):
        staff_proposals.propose_password_reset(user_id=team.second.pk, by=team.first)
    with pytest.raises(Forbidden):
        staff_proposals.propose_role_change(
            user_id=team.admin.pk,
            role=get_role(FINANCE_APPROVER),
            expected_role=ADMINISTRATOR,
            by=team.first,
        )
    assert not AccessProposal.objects.exists()
    assert team.invite(team.first, ADMINISTRATOR).status == "Pending"


def test_new_and_reset_users_cannot_confirm_or_propose_for_a_day(team):
    proposal = team.invite(team.admin)
    backdate_access(team.second, hours=1)
    with pytest.raises(Forbidden, match="approve from"):
        confirm(proposal, team.second)
    backdate_access(team.admin, hours=1)
    with pytest.raises(Forbidden, match="approve from"):
        team.key(team.admin)
    with pytest.raises(Forbidden, match="approve from"):
        accounts.deactivate(user_id=team.second.pk, by=team.admin)
    with pytest.raises(Forbidden, match="approve from"):
        api_keys.issue_api_key(
            organisation=make_organisation(),
            name="Reports",
            scopes=["wallets:read"],
            actor=Actor.staff(team.admin.pk, "admin"),
        )
    assert not StaffUser.objects.filter(username="newcomer").exists()


def test_two_new_users_cannot_grant_privileged_access(team):
    proposal = team.invite(team.admin)
    backdate_access(team.admin, days=2)
    backdate_access(team.second, days=2)
    with pytest.raises(Rejected, match="unchanged access for 7 days"):
        confirm(proposal, team.second)
    confirm(proposal, team.first)


@pytest.mark.parametrize("what", ["left", "reset"])
def test_a_proposal_lapses_when_its_proposer_is_deactivated_or_reset(team, what):
    proposal = team.invite(team.admin)
    if what == "left":
        StaffUser.objects.filter(pk=team.admin.pk).update(is_active=False)
    else:
        StaffUser.objects.filter(pk=team.admin.pk).update(access_changed_at=timezone.now())
    with pytest.raises(Conflict, match="Make a new proposal"):
        confirm(proposal, team.second)
    assert not StaffUser.objects.filter(username="newcomer").exists()


def test_a_proposal_of_a_command_takes_two_people_too(team):
    proposal = staff_proposals.propose_invitation(
        username="newcomer", role=get_role(FINANCE_APPROVER), by=None
    )
    taken = confirm(proposal, team.admin)
    assert (taken.status, taken.proposed_by) == ("Pending", team.admin)
    with pytest.raises(Rejected, match=_INDEPENDENT):
        confirm(proposal, team.admin)
    assert not StaffUser.objects.filter(username="newcomer").exists()
    assert confirm(proposal, team.second).status == "Approved"


def test_a_proposal_is_rejected_with_a_reason_and_cancelled_by_its_proposer(team):
    proposal = team.invite(team.admin)
    with pytest.raises(InvalidRequest, match="Enter a reason for the rejection"):
        decisions.reject(proposal_id=proposal.pk, by=team.first, reason=" ")
    with pytest.raises(Forbidden):
        decisions.cancel(proposal_id=proposal.pk, by=team.first)
    decisions.reject(proposal_id=proposal.pk, by=team.first, reason="Who is that?")
    again = team.invite(team.admin)
    decisions.cancel(proposal_id=again.pk, by=team.admin)
    assert sorted(AccessProposal.objects.values_list("status", "reason")) == [
        ("Rejected", "Who is that?"),
        ("Withdrawn", ""),
    ]
    for closed in (proposal, again):
        with pytest.raises(StateConflict):
            confirm(closed, team.second)


def test_an_invitation_link_is_void_after_a_role_change(team):
    reader = create_staff("reader", PASSWORD, AUDITOR)
    _, token = accounts.create_invitation(user_id=reader.pk, by=team.admin)
    reader.refresh_from_db()
    assert accounts.invitation_tokens.check_token(reader, token)
    proposal = staff_proposals.propose_role_change(
        user_id=reader.pk, role=get_role(FINANCE_APPROVER), expected_role=AUDITOR, by=team.admin
    )
    confirm(proposal, team.first)
    reader.refresh_from_db()
    assert not accounts.invitation_tokens.check_token(reader, token)


def test_the_database_enforces_the_rules_too(team):
    proposal = team.invite(team.admin)
    for values in (
        {"status": "Approved", "decided_by": team.admin, "decided_at": timezone.now()},
        {"status": "Approved", "decided_at": timezone.now()},
        {"proposed_by": team.second},
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


def test_the_database_rejects_self_approval_and_repeated_adoption_or_collection(team):
    enrol_second_factor(team.first)
    about = staff_proposals.propose_second_factor_reset(user_id=team.first.pk, by=team.admin)
    key = team.key(team.admin)
    confirm(key, team.second)
    collect(key, team.admin)
    now = timezone.now()
    for proposal, refusal, values in (
        (
            about,
            "access_proposal_not_about_oneself",
            {"status": "Approved", "decided_by": team.first, "decided_at": now},
        ),
        (about, "taken up or collected before", {"proposed_by": team.second}),
        (key, "taken up or collected before", {"collected_at": now}),
        (key, "taken up or collected before", {"collected_at": None, "key": None}),
    ):
        with pytest.raises(DatabaseError, match=refusal), transaction.atomic():
            AccessProposal.objects.filter(pk=proposal.pk).update(**values)


LOST = ["admin", "first", "second"]


@pytest.mark.parametrize("lost", LOST)
@pytest.mark.parametrize("how", ["password", "second factor", "left"])
def test_the_two_remaining_users_restore_the_third(team, lost, how):
    """A forgotten password, a lost second factor, a deactivated user: no shell is needed."""
    person: StaffUser = getattr(team, lost)
    role = accounts.role_name(person)
    enrol_second_factor(person)
    proposer = team.first if lost == "admin" else team.admin
    confirmer = team.second if lost in {"admin", "first"} else team.first
    match how:
        case "password":
            proposal = staff_proposals.propose_password_reset(user_id=person.pk, by=proposer)
        case "second factor":
            proposal = staff_proposals.propose_second_factor_reset(user_id=person.pk, by=proposer)
        case _:
            StaffUser.objects.filter(pk=person.pk).update(is_active=False)
            proposal = team.invite(proposer, role)
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
        assert team.key(restored).status == "Pending"
    else:
        assert confirm(team.key(team.admin), restored).status == "Approved"


def test_a_proposal_is_own_if_made_by_or_about_the_user(team):
    made = team.invite(team.admin)
    about = staff_proposals.propose_password_reset(user_id=team.second.pk, by=team.admin)
    own = {
        user: set(AccessProposal.objects.filter(staff_proposals.APPROVAL.proposed_by(user)))
        for user in (team.admin, team.first, team.second)
    }
    assert own == {team.admin: {made, about}, team.first: set(), team.second: {about}}
