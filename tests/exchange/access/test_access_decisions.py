"""What each kind of access proposal asks for, does and leads to, and for whom."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import pytest
from django.contrib.auth.models import Group
from django.utils import timezone

from config.back_office.roles import ADMINISTRATOR, AUDITOR, FINANCE_APPROVER, get_role
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
from tests.assertions.unchanged import table_fingerprints
from tests.exchange.access.proposals import MONEY, PASSWORD, collect, confirm
from tests.factories.api_clients import TESTER, make_organisation
from tests.factories.logins import enrol_second_factor
from tests.factories.staff import create_staff, create_superuser

pytestmark = pytest.mark.django_db


# --- confirming ---


def test_a_person_is_let_in_again_by_two(house):
    person = create_staff("ada", PASSWORD, FINANCE_APPROVER)
    other = create_staff("bob", PASSWORD, FINANCE_APPROVER)
    for each in (person, other):
        accounts.deactivate(user_id=each.pk, by=house.admin)
    proposal = staff_proposals.propose_activation(user_id=person.pk, by=house.admin, note=" Back ")
    assert (proposal.kind, proposal.person, proposal.note) == ("activate_person", person, "Back")
    done = confirm(proposal, house.second)
    assert (done.status, done.decided_by, done.person) == ("Approved", house.second, person)
    active = dict(StaffUser.objects.values_list("username", "is_active"))
    assert (active["ada"], active["bob"]) == (True, False)
    record = AccessRecord.objects.filter(user=person).latest("id")
    assert (record.event, record.by) == ("activated", house.admin)
    assert record.details == "Confirmed by second"
    with pytest.raises(Conflict, match="Nothing to collect"):
        collect(done, house.admin)


def test_a_role_is_given_and_taken_by_two(house):
    reader = create_staff("reader", PASSWORD, AUDITOR)
    for role, before, after in (
        (get_role(FINANCE_APPROVER), AUDITOR, FINANCE_APPROVER),
        (None, FINANCE_APPROVER, ""),
    ):
        proposal = staff_proposals.propose_role_change(
            user_id=reader.pk, role=role, expected_role=before, by=house.admin
        )
        assert proposal.payload == {"role": after, "seen": before}
        confirm(proposal, house.first)
        assert accounts.role_name(reader) == after
    assert accounts.role_name(house.second) == FINANCE_APPROVER


def test_a_role_that_is_gone_is_not_given(house):
    reader = create_staff("reader", PASSWORD, AUDITOR)
    role = Group.objects.create(name="Short-lived")
    proposal = staff_proposals.propose_role_change(
        user_id=reader.pk, role=role, expected_role=AUDITOR, by=house.admin
    )
    role.delete()
    with pytest.raises(Conflict, match="The role Short-lived no longer exists"):
        confirm(proposal, house.first)
    assert accounts.role_name(reader) == AUDITOR


def test_an_invited_person_has_the_details_that_were_proposed(house):
    details = {"first_name": "Ada", "email": "ada@house.example"}
    proposal = staff_proposals.propose_invitation(
        username="ada", role=get_role(FINANCE_APPROVER), by=house.admin, details=details
    )
    done = confirm(proposal, house.second)
    person = StaffUser.objects.get(username="ada")
    assert done.person == person
    assert (person.first_name, person.email) == ("Ada", "ada@house.example")
    assert accounts.role_name(person) == FINANCE_APPROVER
    record = AccessRecord.objects.filter(user=person).earliest("id")
    assert record.details == f"Role: {FINANCE_APPROVER}. Confirmed by second"


def test_a_second_factor_of_one_person_is_reset_by_two(house):
    for person in (house.first, house.second):
        enrol_second_factor(person)
    proposal = staff_proposals.propose_second_factor_reset(user_id=house.first.pk, by=house.admin)
    confirm(proposal, house.second)
    with pytest.raises(Conflict, match="first has no second factor"):
        staff_proposals.propose_second_factor_reset(user_id=house.first.pk, by=house.admin)
    house.second.refresh_from_db()
    assert hasattr(house.second, "second_factor")


def test_an_organisation_is_let_in_again_and_no_other(house):
    actor = Actor.staff(house.admin.pk, "admin")
    owners = [make_organisation(), make_organisation()]
    for owner in owners:
        api_keys.issue_api_key(organisation=owner, name="Payouts", scopes=MONEY, actor=TESTER)
        organisations.set_active(organisation_id=owner.pk, active=False, actor=actor)
    proposal = participant_proposals.propose_organisation_activation(
        organisation_id=owners[0].pk, by=house.admin
    )
    confirm(proposal, house.first)
    for owner, active in zip(owners, (True, False), strict=True):
        owner.refresh_from_db()
        assert owner.active is active
    # The same may be proposed of another one.
    participant_proposals.propose_organisation_activation(
        organisation_id=owners[1].pk, by=house.admin
    )
    with pytest.raises(NotFound, match="Organisation not found"):
        participant_proposals.propose_organisation_activation(
            organisation_id=uuid7(), by=house.admin
        )


def test_only_staff_who_are_there_withdraw_their_own(house):
    proposal = house.invite(house.admin)
    for gone in ("is_active", "is_staff"):
        setattr(house.admin, gone, False)
        with pytest.raises(Forbidden, match="Only the proposer can withdraw this proposal"):
            decisions.withdraw(proposal_id=proposal.pk, by=house.admin)
        setattr(house.admin, gone, True)
    with pytest.raises(Forbidden, match="Only the proposer can withdraw this proposal"):
        decisions.withdraw(proposal_id=proposal.pk, by=house.second)
    done = decisions.withdraw(proposal_id=proposal.pk, by=house.admin)
    assert (done.status, done.decided_by) == ("Withdrawn", house.admin)


def test_words_have_at_most_three_hundred_characters(house):
    told = "The text must have at most 300 characters, not 301"
    propose = partial(
        staff_proposals.propose_password_reset, user_id=house.second.pk, by=house.admin
    )
    with pytest.raises(InvalidRequest, match=told):
        propose(note="x" * 301)
    proposal = propose(note="x" * 300)
    reject = partial(decisions.reject, proposal_id=proposal.pk, by=house.first)
    with pytest.raises(InvalidRequest, match=told):
        reject(reason="y" * 301)
    done = reject(reason="y" * 300)
    assert (done.note, done.reason) == ("x" * 300, "y" * 300)


# --- proposing ---


def test_what_cannot_be_proposed_is_refused_and_not_filed(house):
    reader = create_staff("reader", PASSWORD, AUDITOR)
    gone = create_staff("gone", PASSWORD, FINANCE_APPROVER)
    accounts.deactivate(user_id=gone.pk, by=house.admin)
    owner = create_superuser()
    key, _ = api_keys.issue_api_key(
        organisation=make_organisation(), name="Old", scopes=MONEY, actor=TESTER
    )
    api_keys.revoke_api_key(key_id=key.pk, actor=TESTER)
    finance, by = get_role(FINANCE_APPROVER), {"by": house.admin}
    nobody = {"user_id": uuid7(), **by}
    own, other = (
        "You cannot change your own access",
        "You are not allowed to change this person's access",
    )
    before = table_fingerprints()
    for act, error, told in (
        (lambda: staff_proposals.propose_activation(**nobody), NotFound, "User not found"),
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
                user_id=reader.pk, role=finance, expected_role="", by=house.admin
            ),
            Conflict,
            f"reader is {AUDITOR} by now",
        ),
        (
            lambda: staff_proposals.propose_password_reset(user_id=house.admin.pk, **by),
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
            "called Reader already",
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
            lambda: participant_proposals.propose_token(key_id=key.pk, days=1, by=house.first),
            Forbidden,
            "You may not propose API keys",
        ),
    ):
        with pytest.raises(error, match=told):
            act()
    assert table_fingerprints() == before


def test_the_same_is_proposed_once_and_something_else_beside_it(house):
    house.invite(house.admin)
    finance = get_role(FINANCE_APPROVER)
    with pytest.raises(Conflict, match="Invite a person: already proposed") as refused:
        staff_proposals.propose_invitation(username="NEWCOMER", role=finance, by=house.admin)
    assert refused.value.code == "access_pending"
    staff_proposals.propose_invitation(username="another", role=finance, by=house.admin)
    staff_proposals.propose_password_reset(user_id=house.first.pk, by=house.admin)
    with pytest.raises(Conflict, match="Reset a password is already proposed for this person"):
        staff_proposals.propose_password_reset(user_id=house.first.pk, by=house.admin)
    staff_proposals.propose_password_reset(user_id=house.second.pk, by=house.admin)
    first = house.key(house.admin)
    house.key(house.admin)  # of another organisation
    again = {"organisation": first.organisation, "scopes": MONEY, "by": house.admin}
    with pytest.raises(Conflict, match="Issue an API key: already proposed"):
        participant_proposals.propose_key(name="Payouts", **again)
    participant_proposals.propose_key(name="Other", **again)
    assert AccessProposal.objects.filter(status="Pending").count() == 7
    key, _ = api_keys.issue_api_key(
        organisation=first.organisation, name="Taken", scopes=MONEY, actor=TESTER
    )
    with pytest.raises(Conflict, match="already has an API key with this name"):
        participant_proposals.propose_key(name="Taken", **again)
    one = {"key_id": key.pk, "by": house.admin}
    participant_proposals.propose_token(days=1, **one)
    with pytest.raises(Conflict, match="Issue an access token: already proposed"):
        participant_proposals.propose_token(days=2, **one)
    participant_proposals.propose_rotation(overlap=timedelta(0), expires_at=None, **one)
    # What was decided does not stand in the way.
    decisions.withdraw(proposal_id=first.pk, by=house.admin)
    participant_proposals.propose_key(name="Payouts", **again)


def test_the_access_of_an_administrator_is_restored_by_finance_approvers_too(house):
    other = create_staff("other", PASSWORD, ADMINISTRATOR)
    proposal = staff_proposals.propose_password_reset(user_id=other.pk, by=house.first)
    assert proposal.proposed_by == house.first
    reader = create_staff("reader", PASSWORD, AUDITOR)
    with pytest.raises(
        Forbidden, match="You are not allowed to propose changes to this person's access"
    ):
        staff_proposals.propose_password_reset(user_id=reader.pk, by=house.first)
    accounts.deactivate(user_id=other.pk, by=house.admin)
    again = staff_proposals.propose_activation(user_id=other.pk, by=house.first)
    assert (again.kind, again.proposed_by) == ("activate_person", house.first)


# --- break glass ---


def test_who_decides_is_told_for_a_week_that_a_command_acted_at_once(house):
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
    told = access_notices(house.first)
    assert len(told) == 2
    assert {text.partition(": ")[2].partition(".")[0] for text in told} == {
        f"reset a password, for {reader}", f"issue an api key, for {key.organisation}",
    }  # fmt: skip
    assert access_notices(reader) == []


def test_a_notice_of_break_glass_ends_after_a_week(house):
    now = timezone.now()
    for ago in (timedelta(days=6, hours=23, minutes=59), timedelta(days=7, minutes=1)):
        AccessProposal.objects.create(
            kind="issue_key", organisation=make_organisation(), break_glass=True,
            status="Approved", created_at=now - ago, decided_at=now - ago,
        )  # fmt: skip
    (told,) = access_notices(house.first)
    assert f"{now - timedelta(days=6, hours=23, minutes=59):%Y-%m-%d %H:%M} UTC" in told
