"""Each kind of access proposal: requirements, effect and secret."""

from datetime import timedelta
from functools import partial

import pytest
from django.contrib.auth.models import Group
from django.utils import timezone

from config.back_office.roles import ADMINISTRATOR, AUDITOR, FINANCE_APPROVER, get_role
from config.local.demo.loader import enrol_second_factor
from exchange.access.services import decisions
from exchange.access.services.decisions import is_collectable
from exchange.core.actors import Actor
from exchange.core.errors import Conflict, Forbidden, InvalidRequest, NotFound
from exchange.core.ids import uuid7
from exchange.participants.services import api_keys, organisations
from exchange.participants.services import proposals as participant_proposals
from exchange.staff.models import AccessKind, AccessProposal, AccessRecord, StaffUser
from exchange.staff.services import accounts
from exchange.staff.services import proposals as staff_proposals
from exchange.staff.services.privileged_access import access_notices
from tests.assertions.unchanged import assert_no_table_changes
from tests.environment.owner import as_owner
from tests.exchange.access.proposals import MONEY, PASSWORD, collect, confirm
from tests.factories.api_clients import TESTER, make_organisation
from tests.factories.staff import create_staff, create_superuser

pytestmark = pytest.mark.django_db

_COLLECTED = r"^Nothing to collect: already collected or expired\. Make a new proposal$"


# --- confirming ---


def test_activating_a_privileged_user_takes_two_people(team):
    person = create_staff("ada", PASSWORD, FINANCE_APPROVER)
    other = create_staff("bob", PASSWORD, FINANCE_APPROVER)
    for each in (person, other):
        accounts.deactivate(user_id=each.pk, by=team.admin)
    proposal = staff_proposals.propose_activation(user_id=person.pk, by=team.admin, note=" Back ")
    assert (proposal.kind, proposal.person, proposal.note) == ("activate_person", person, "Back")
    done = confirm(proposal, team.second)
    assert (done.status, done.decided_by, done.person) == ("Approved", team.second, person)
    active = dict(StaffUser.objects.values_list("username", "is_active"))
    assert (active["ada"], active["bob"]) == (True, False)
    record = AccessRecord.objects.filter(user=person).latest("id")
    assert (record.event, record.by) == ("activated", team.admin)
    assert record.details == "Confirmed by second"
    with pytest.raises(Conflict, match=_COLLECTED):
        collect(done, team.admin)


def test_granting_and_removing_a_privileged_role_takes_two_people(team):
    reader = create_staff("reader", PASSWORD, AUDITOR)
    for role, before, after in (
        (get_role(FINANCE_APPROVER), AUDITOR, FINANCE_APPROVER),
        (None, FINANCE_APPROVER, ""),
    ):
        proposal = staff_proposals.propose_role_change(
            user_id=reader.pk, role=role, expected_role=before, by=team.admin
        )
        assert proposal.payload == {"role": after, "seen": before}
        confirm(proposal, team.first)
        assert accounts.role_name(reader) == after
    assert accounts.role_name(team.second) == FINANCE_APPROVER


def test_a_deleted_role_is_not_assigned(team):
    reader = create_staff("reader", PASSWORD, AUDITOR)
    with as_owner():
        role = Group.objects.create(name="Short-lived")
    proposal = staff_proposals.propose_role_change(
        user_id=reader.pk, role=role, expected_role=AUDITOR, by=team.admin
    )
    with as_owner():
        role.delete()
    with pytest.raises(Conflict, match="The role Short-lived no longer exists"):
        confirm(proposal, team.first)
    assert accounts.role_name(reader) == AUDITOR


def test_an_invited_person_has_the_details_that_were_proposed(team):
    details = {"first_name": "Ada", "email": "ada@house.example"}
    proposal = staff_proposals.propose_invitation(
        username="ada", role=get_role(FINANCE_APPROVER), by=team.admin, details=details
    )
    done = confirm(proposal, team.second)
    person = StaffUser.objects.get(username="ada")
    assert done.person == person
    assert (person.first_name, person.email) == ("Ada", "ada@house.example")
    assert accounts.role_name(person) == FINANCE_APPROVER
    record = AccessRecord.objects.filter(user=person).earliest("id")
    assert record.details == f"Role: {FINANCE_APPROVER}. Confirmed by second"


def test_a_second_factor_of_one_person_is_reset_by_two(team):
    for person in (team.first, team.second):
        enrol_second_factor(person)
    proposal = staff_proposals.propose_second_factor_reset(user_id=team.first.pk, by=team.admin)
    confirm(proposal, team.second)
    with pytest.raises(Conflict, match="first has no second factor"):
        staff_proposals.propose_second_factor_reset(user_id=team.first.pk, by=team.admin)
    team.second.refresh_from_db()
    assert hasattr(team.second, "second_factor")


def test_only_the_proposed_organisation_is_activated(team):
    actor = Actor.staff(team.admin.pk, "admin")
    owners = [make_organisation(), make_organisation()]
    for owner in owners:
        api_keys.issue_api_key(organisation=owner, name="Payouts", scopes=MONEY, actor=TESTER)
        organisations.set_active(organisation_id=owner.pk, active=False, actor=actor)
    proposal = participant_proposals.propose_organisation_activation(
        organisation_id=owners[0].pk, by=team.admin
    )
    confirm(proposal, team.first)
    for owner, active in zip(owners, (True, False), strict=True):
        owner.refresh_from_db()
        assert owner.active is active
    # The same may be proposed of another one.
    participant_proposals.propose_organisation_activation(
        organisation_id=owners[1].pk, by=team.admin
    )
    with pytest.raises(NotFound, match="Organisation not found"):
        participant_proposals.propose_organisation_activation(
            organisation_id=uuid7(), by=team.admin
        )


def test_only_active_staff_cancel_their_own_proposals(team):
    proposal = team.invite(team.admin)
    for gone in ("is_active", "is_staff"):
        setattr(team.admin, gone, False)
        with pytest.raises(Forbidden, match="Only the proposer can cancel this proposal"):
            decisions.cancel(proposal_id=proposal.pk, by=team.admin)
        setattr(team.admin, gone, True)
    with pytest.raises(Forbidden, match="Only the proposer can cancel this proposal"):
        decisions.cancel(proposal_id=proposal.pk, by=team.second)
    done = decisions.cancel(proposal_id=proposal.pk, by=team.admin)
    assert (done.status, done.decided_by) == ("Withdrawn", team.admin)


def test_texts_have_at_most_three_hundred_characters(team):
    expected = "The text must have at most 300 characters, not 301"
    propose = partial(staff_proposals.propose_password_reset, user_id=team.second.pk, by=team.admin)
    with pytest.raises(InvalidRequest, match=expected):
        propose(note="x" * 301)
    proposal = propose(note="x" * 300)
    reject = partial(decisions.reject, proposal_id=proposal.pk, by=team.first)
    with pytest.raises(InvalidRequest, match=expected):
        reject(reason="y" * 301)
    done = reject(reason="y" * 300)
    assert (done.note, done.reason) == ("x" * 300, "y" * 300)


# --- proposing ---


def test_what_cannot_be_proposed_is_refused_and_not_filed(team):
    reader = create_staff("reader", PASSWORD, AUDITOR)
    gone = create_staff("gone", PASSWORD, FINANCE_APPROVER)
    accounts.deactivate(user_id=gone.pk, by=team.admin)
    owner = create_superuser()
    key, _ = api_keys.issue_api_key(
        organisation=make_organisation(), name="Old", scopes=MONEY, actor=TESTER
    )
    api_keys.revoke_api_key(key_id=key.pk, actor=TESTER)
    finance, by = get_role(FINANCE_APPROVER), {"by": team.admin}
    unknown = {"user_id": uuid7(), **by}
    own, other = (
        "You cannot change your own access",
        "You are not allowed to change this person's access",
    )
    with assert_no_table_changes():
        for act, error, expected in (
            (lambda: staff_proposals.propose_activation(**unknown), NotFound, "User not found"),
            (
                lambda: staff_proposals.propose_activation(user_id=reader.pk, **by),
                Conflict,
                "reader is already active",
            ),
            (
                lambda: staff_proposals.propose_password_reset(user_id=gone.pk, **by),
                Conflict,
                "gone is deactivated",
            ),
            (
                lambda: staff_proposals.propose_second_factor_reset(user_id=reader.pk, **by),
                Conflict,
                "reader has no second factor",
            ),
            (
                lambda: staff_proposals.propose_role_change(
                    user_id=reader.pk, role=finance, expected_role="", by=team.admin
                ),
                Conflict,
                f"reader is {AUDITOR} now",
            ),
            (
                lambda: staff_proposals.propose_password_reset(user_id=team.admin.pk, **by),
                Forbidden,
                own,
            ),
            (
                lambda: staff_proposals.propose_password_reset(user_id=owner.pk, **by),
                Forbidden,
                other,
            ),
            (
                lambda: staff_proposals.propose_invitation(username="a b", role=finance, **by),
                InvalidRequest,
                "valid username",
            ),
            (
                lambda: staff_proposals.propose_invitation(username="Reader", role=finance, **by),
                Conflict,
                "The username Reader is taken",
            ),
            (
                lambda: participant_proposals.propose_token(key_id=uuid7(), days=1, **by),
                NotFound,
                "API key not found",
            ),
            (
                lambda: participant_proposals.propose_token(key_id=key.pk, days=1, **by),
                Conflict,
                "The API key was revoked",
            ),
            (
                lambda: participant_proposals.propose_token(key_id=key.pk, days=1, by=team.first),
                Forbidden,
                "You may not propose API keys",
            ),
        ):
            with pytest.raises(error, match=expected):
                act()


def test_duplicates_are_rejected_and_other_proposals_are_not(team):
    team.invite(team.admin)
    finance = get_role(FINANCE_APPROVER)
    with pytest.raises(Conflict, match="Invite a person: already proposed") as refused:
        staff_proposals.propose_invitation(username="NEWCOMER", role=finance, by=team.admin)
    assert refused.value.code == "access_pending"
    staff_proposals.propose_invitation(username="another", role=finance, by=team.admin)
    staff_proposals.propose_password_reset(user_id=team.first.pk, by=team.admin)
    with pytest.raises(Conflict, match="Reset a password is already proposed for this person"):
        staff_proposals.propose_password_reset(user_id=team.first.pk, by=team.admin)
    staff_proposals.propose_password_reset(user_id=team.second.pk, by=team.admin)
    first = team.key(team.admin)
    team.key(team.admin)  # of another organisation
    again = {"organisation": first.organisation, "scopes": MONEY, "by": team.admin}
    with pytest.raises(Conflict, match="Issue an API key: already proposed"):
        participant_proposals.propose_key(name="Payouts", **again)
    participant_proposals.propose_key(name="Other", **again)
    assert AccessProposal.objects.filter(status="Pending").count() == 7
    key, _ = api_keys.issue_api_key(
        organisation=first.organisation, name="Taken", scopes=MONEY, actor=TESTER
    )
    with pytest.raises(Conflict, match="already has an API key with this name"):
        participant_proposals.propose_key(name="Taken", **again)
    one = {"key_id": key.pk, "by": team.admin}
    participant_proposals.propose_token(days=1, **one)
    with pytest.raises(Conflict, match="Issue an access token: already proposed"):
        participant_proposals.propose_token(days=2, **one)
    participant_proposals.propose_rotation(overlap=timedelta(0), expires_at=None, **one)
    # What was decided does not stand in the way.
    decisions.cancel(proposal_id=first.pk, by=team.admin)
    participant_proposals.propose_key(name="Payouts", **again)


def test_the_access_of_an_administrator_is_restored_by_finance_approvers_too(team):
    other = create_staff("other", PASSWORD, ADMINISTRATOR)
    proposal = staff_proposals.propose_password_reset(user_id=other.pk, by=team.first)
    assert proposal.proposed_by == team.first
    reader = create_staff("reader", PASSWORD, AUDITOR)
    with pytest.raises(
        Forbidden, match="You are not allowed to propose changes to this person's access"
    ):
        staff_proposals.propose_password_reset(user_id=reader.pk, by=team.first)
    accounts.deactivate(user_id=other.pk, by=team.admin)
    again = staff_proposals.propose_activation(user_id=other.pk, by=team.first)
    assert (again.kind, again.proposed_by) == ("activate_person", team.first)


# --- break glass ---


def test_privileged_users_see_a_break_glass_notice_for_a_week(team):
    reader = create_staff("reader", PASSWORD, AUDITOR)
    key, _ = api_keys.issue_api_key(
        organisation=make_organisation(), name="Old", scopes=MONEY, actor=TESTER
    )
    about_person = staff_proposals.record_break_glass(
        AccessKind.RESET_PASSWORD, payload={"a": 1}, person=reader
    )
    about_key = staff_proposals.record_break_glass(
        AccessKind.ISSUE_KEY, payload={}, key=key, organisation=key.organisation
    )
    assert (about_person.status, about_person.break_glass) == ("Approved", True)
    assert (about_person.payload, about_person.organisation) == ({"a": 1}, None)
    assert (about_key.organisation, about_key.key) == (key.organisation, key)
    assert about_person.created_at == about_person.decided_at
    assert not is_collectable(about_person)
    record = AccessRecord.objects.filter(user=reader).latest("id")
    assert (record.event, record.details) == ("break_glass", "Reset a password")
    notices = access_notices(team.first)
    assert len(notices) == 2
    assert {(one.person, one.organisation) for one in notices} == {
        (reader, None), (None, key.organisation),
    }  # fmt: skip
    assert {one.text.partition(": ")[2].partition(".")[0] for one in notices} == {
        f"reset a password, for {reader}", f"issue an api key, for {key.organisation}",
    }  # fmt: skip
    assert access_notices(reader) == []


def test_a_notice_of_break_glass_ends_after_a_week(team):
    now = timezone.now()
    for ago in (timedelta(days=6, hours=23, minutes=59), timedelta(days=7, minutes=1)):
        AccessProposal.objects.create(
            kind="issue_key", organisation=make_organisation(), break_glass=True,
            status="Approved", created_at=now - ago, decided_at=now - ago,
        )  # fmt: skip
    (notice,) = access_notices(team.first)
    assert f"{now - timedelta(days=6, hours=23, minutes=59):%Y-%m-%d %H:%M} UTC" in notice.text
