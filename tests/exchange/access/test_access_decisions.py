"""What each kind of access proposal asks for, does and leads to, and for whom."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.utils import timezone
from oauth2_provider.models import get_access_token_model

from config.back_office.roles import ADMINISTRATOR, AUDITOR, FINANCE_APPROVER, role_called
from exchange.access.services import decisions
from exchange.access.services.decisions import collectable
from exchange.core.actors import Actor
from exchange.core.errors import Conflict, Forbidden, InvalidRequest, NotFound
from exchange.core.ids import uuid7
from exchange.participants.models import ApiKey
from exchange.participants.services import api_keys, organisations
from exchange.participants.services import proposals as participant_proposals
from exchange.staff.models import AccessKind, AccessProposal, AccessRecord, StaffUser
from exchange.staff.services import accounts
from exchange.staff.services import proposals as staff_proposals
from exchange.staff.services.deciding_access import notices_for
from tests.assertions.unchanged import everything
from tests.environment.owner import without_guards
from tests.exchange.access.proposing import MONEY, PASSWORD, collect, confirm
from tests.factories.api_clients import TESTER, make_organisation
from tests.factories.logins import app_of
from tests.factories.staff import create_staff, create_superuser, shift_access

pytestmark = pytest.mark.django_db


def decided(**values: Any) -> AccessProposal:
    """A confirmed proposal that is not saved."""
    given = {"kind": "issue_key", "status": "Approved", "decided_at": timezone.now()}
    return AccessProposal(**given | values)


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
    with pytest.raises(Conflict, match="nothing to collect"):
        collect(done, house.admin)


def test_a_role_is_given_and_taken_by_two(house):
    reader = create_staff("reader", PASSWORD, AUDITOR)
    for role, before, after in (
        (role_called(FINANCE_APPROVER), AUDITOR, FINANCE_APPROVER),
        (None, FINANCE_APPROVER, ""),
    ):
        proposal = staff_proposals.propose_role(
            user_id=reader.pk, role=role, seen=before, by=house.admin
        )
        assert proposal.payload == {"role": after, "seen": before}
        confirm(proposal, house.first)
        assert accounts.role_of(reader) == after
    assert accounts.role_of(house.second) == FINANCE_APPROVER


def test_a_role_that_is_gone_is_not_given(house):
    reader = create_staff("reader", PASSWORD, AUDITOR)
    role = Group.objects.create(name="Short-lived")
    proposal = staff_proposals.propose_role(
        user_id=reader.pk, role=role, seen=AUDITOR, by=house.admin
    )
    role.delete()
    with pytest.raises(Conflict, match="There is no role Short-lived any more"):
        confirm(proposal, house.first)
    assert accounts.role_of(reader) == AUDITOR


def test_an_invited_person_has_the_details_that_were_proposed(house):
    details = {"first_name": "Ada", "email": "ada@house.example"}
    proposal = staff_proposals.propose_invitation(
        username="ada", role=role_called(FINANCE_APPROVER), by=house.admin, details=details
    )
    done = confirm(proposal, house.second)
    person = StaffUser.objects.get(username="ada")
    assert done.person == person
    assert (person.first_name, person.email) == ("Ada", "ada@house.example")
    assert accounts.role_of(person) == FINANCE_APPROVER
    record = AccessRecord.objects.filter(user=person).earliest("id")
    assert record.details == f"Role: {FINANCE_APPROVER}. Confirmed by second"


def test_a_second_factor_of_one_person_is_reset_by_two(house):
    for person in (house.first, house.second):
        app_of(person)
    proposal = staff_proposals.propose_reset_of_second_factor(
        user_id=house.first.pk, by=house.admin
    )
    confirm(proposal, house.second)
    with pytest.raises(Conflict, match="first has no second factor"):
        staff_proposals.propose_reset_of_second_factor(user_id=house.first.pk, by=house.admin)
    house.second.refresh_from_db()
    assert hasattr(house.second, "second_factor")


def test_an_organisation_is_let_in_again_and_no_other(house):
    actor = Actor.staff(house.admin.pk, "admin")
    owners = [make_organisation(), make_organisation()]
    for owner in owners:
        api_keys.issue_api_key(organisation=owner, name="Payouts", scopes=MONEY, actor=TESTER)
        organisations.set_active(organisation_id=owner.pk, active=False, actor=actor)
    proposal = participant_proposals.propose_activation_of_organisation(
        organisation_id=owners[0].pk, by=house.admin
    )
    confirm(proposal, house.first)
    for owner, active in zip(owners, (True, False), strict=True):
        owner.refresh_from_db()
        assert owner.active is active
    # The same may be proposed of another one.
    participant_proposals.propose_activation_of_organisation(
        organisation_id=owners[1].pk, by=house.admin
    )
    with pytest.raises(NotFound, match="Organisation not found"):
        participant_proposals.propose_activation_of_organisation(
            organisation_id=uuid7(), by=house.admin
        )


def test_only_staff_who_are_there_withdraw_their_own(house):
    proposal = house.invite(house.admin)
    for gone in ("is_active", "is_staff"):
        setattr(house.admin, gone, False)
        with pytest.raises(Forbidden, match="Only who proposed it withdraws it"):
            decisions.withdraw(proposal_id=proposal.pk, by=house.admin)
        setattr(house.admin, gone, True)
    with pytest.raises(Forbidden, match="Only who proposed it withdraws it"):
        decisions.withdraw(proposal_id=proposal.pk, by=house.second)
    done = decisions.withdraw(proposal_id=proposal.pk, by=house.admin)
    assert (done.status, done.decided_by) == ("Withdrawn", house.admin)


# --- collecting ---


@pytest.mark.parametrize(
    ("values", "waits"),
    [
        ({}, True),
        *(({"kind": kind}, True) for kind in ("invite_person", "reset_password", "rotate_key")),
        ({"kind": "issue_token"}, True),
        *(
            ({"kind": kind}, False)
            for kind in ("change_role", "activate_person", "reset_second_factor")
        ),
        ({"kind": "activate_organisation"}, False),
        ({"status": "Pending"}, False),
        ({"status": "Rejected"}, False),
        ({"break_glass": True}, False),
        ({"decided_at": None}, False),
        ({"collected_at": timezone.now()}, False),
    ],
)
def test_a_secret_waits_for_the_proposer_of_what_leads_to_one(values, waits):
    assert collectable(decided(**values)) is waits


def test_a_secret_waits_for_three_days():
    now = timezone.now()
    for ago, waits in (
        (timedelta(hours=71, minutes=59), True),
        (timedelta(hours=72, seconds=1), False),
    ):
        assert collectable(decided(decided_at=now - ago)) is waits


def test_a_key_and_its_token_are_made_as_they_were_proposed(house):
    owner, ends = make_organisation(), timezone.now() + timedelta(days=30)
    proposal = participant_proposals.propose_key(
        organisation=owner, name="Payouts", scopes=reversed(MONEY), by=house.admin, expires_at=ends
    )
    assert proposal.payload == {"name": "Payouts", "scopes": MONEY, "expires_at": ends.isoformat()}
    confirm(proposal, house.first)
    found = collect(proposal, house.admin)
    key = ApiKey.objects.get()
    assert (key.organisation, key.expires_at, key.scopes) == (owner, ends, MONEY)
    assert dict(found.secrets)["Client id"] == key.client_id
    assert found.address is None
    proposal.refresh_from_db()
    assert proposal.key == key
    assert proposal.collected_at is not None
    assert timezone.now() - proposal.collected_at < timedelta(minutes=1)

    token = participant_proposals.propose_token(key_id=key.pk, days=20, by=house.admin)
    assert (token.payload, token.organisation, token.key) == ({"days": 20}, owner, key)
    confirm(token, house.second)
    before = timezone.now()
    assert collect(token, house.admin).subject == key
    expires = get_access_token_model().objects.get().expires
    assert timedelta() <= expires - before - timedelta(days=20) < timedelta(minutes=1)


def test_a_key_is_rotated_as_it_was_proposed(house):
    old, _ = api_keys.issue_api_key(
        organisation=make_organisation(), name="Payouts", scopes=MONEY, actor=TESTER
    )
    ends = timezone.now() + timedelta(days=30)
    proposal = participant_proposals.propose_rotation(
        key_id=old.pk, overlap=timedelta(hours=36), expires_at=ends, by=house.admin
    )
    assert proposal.payload == {"overlap_hours": 36.0, "expires_at": ends.isoformat()}
    confirm(proposal, house.first)
    before = timezone.now()
    found = collect(proposal, house.admin)
    assert isinstance(found.subject, ApiKey)
    new = found.subject
    old.refresh_from_db()
    assert (new.expires_at, old.rotated_to, old.revoked_at) == (ends, new, None)
    assert old.expires_at is not None
    late = old.expires_at - before - timedelta(hours=36)
    assert timedelta() <= late < timedelta(minutes=1)
    names = dict(found.secrets)
    assert names.keys() == {"New client id", "New client secret"}
    assert names["New client id"] == new.client_id


def test_a_secret_is_not_collected_by_somebody_who_was_reset_since(house):
    proposal = house.key(house.admin)
    confirm(proposal, house.first)
    StaffUser.objects.filter(pk=house.admin.pk).update(is_active=False)
    house.admin.refresh_from_db()
    with pytest.raises(Forbidden, match="You may not collect"):
        collect(proposal, house.admin)
    assert not ApiKey.objects.exists()


def test_a_secret_is_not_collected_by_somebody_who_decides_again_after_a_reset(house):
    proposal, now = house.key(house.admin), timezone.now()
    confirm(proposal, house.first)
    # The row is frozen: its times are moved without the guards.
    with without_guards():
        AccessProposal.objects.filter(pk=proposal.pk).update(
            created_at=now - timedelta(hours=30), decided_at=now - timedelta(hours=29)
        )
    shift_access(house.admin, hours=25)
    before = everything()
    with pytest.raises(Conflict, match="admin proposed this and has left, or was reset since"):
        collect(proposal, house.admin)
    assert everything() == before
    shift_access(house.admin, hours=31)
    assert isinstance(collect(proposal, house.admin).subject, ApiKey)


def test_who_was_reset_at_the_moment_of_their_proposal_stands_by_it():
    then = timezone.now()
    for changed, active, stands in (
        (then, True, True),
        (then + timedelta(microseconds=1), True, False),
        (then - timedelta(days=1), True, True),
        (then - timedelta(days=1), False, False),
    ):
        user = StaffUser(username="ada", access_changed_at=changed, is_active=active)
        with nullcontext() if stands else pytest.raises(Conflict, match=r"^ada proposed this"):
            decisions._require_standing(AccessProposal(created_at=then), user)


def test_words_have_at_most_three_hundred_characters(house):
    told = "The text must have at most 300 characters, not 301"
    propose = partial(
        staff_proposals.propose_reset_of_password, user_id=house.second.pk, by=house.admin
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
    finance, by = role_called(FINANCE_APPROVER), {"by": house.admin}
    nobody = {"user_id": uuid7(), **by}
    own, other = "Nobody changes their own access", "You may not change this person's access"
    before = everything()
    for act, error, told in (
        (lambda: staff_proposals.propose_activation(**nobody), NotFound, "no such member"),
        (
            lambda: staff_proposals.propose_activation(user_id=reader.pk, **by),
            Conflict,
            "reader is active already",
        ),
        (
            lambda: staff_proposals.propose_reset_of_password(user_id=gone.pk, **by),
            Conflict,
            "gone is deactivated",
        ),
        (
            lambda: staff_proposals.propose_reset_of_second_factor(user_id=reader.pk, **by),
            Conflict,
            "reader has no second factor",
        ),
        (
            lambda: staff_proposals.propose_role(
                user_id=reader.pk, role=finance, seen="", by=house.admin
            ),
            Conflict,
            f"reader is {AUDITOR} by now",
        ),
        (
            lambda: staff_proposals.propose_reset_of_password(user_id=house.admin.pk, **by),
            Forbidden,
            own,
        ),
        (
            lambda: staff_proposals.propose_reset_of_password(user_id=owner.pk, **by),
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
    assert everything() == before


def test_the_same_is_proposed_once_and_something_else_beside_it(house):
    house.invite(house.admin)
    finance = role_called(FINANCE_APPROVER)
    with pytest.raises(Conflict, match="Invite a person: the same is proposed already") as refused:
        staff_proposals.propose_invitation(username="NEWCOMER", role=finance, by=house.admin)
    assert refused.value.code == "access_pending"
    staff_proposals.propose_invitation(username="another", role=finance, by=house.admin)
    staff_proposals.propose_reset_of_password(user_id=house.first.pk, by=house.admin)
    with pytest.raises(Conflict, match="Reset a password is proposed for this person already"):
        staff_proposals.propose_reset_of_password(user_id=house.first.pk, by=house.admin)
    staff_proposals.propose_reset_of_password(user_id=house.second.pk, by=house.admin)
    first = house.key(house.admin)
    house.key(house.admin)  # of another organisation
    again = {"organisation": first.organisation, "scopes": MONEY, "by": house.admin}
    with pytest.raises(Conflict, match="Issue an API key: the same is proposed already"):
        participant_proposals.propose_key(name="Payouts", **again)
    participant_proposals.propose_key(name="Other", **again)
    assert AccessProposal.objects.filter(status="Pending").count() == 7
    key, _ = api_keys.issue_api_key(
        organisation=first.organisation, name="Taken", scopes=MONEY, actor=TESTER
    )
    with pytest.raises(Conflict, match="has a key of this name already"):
        participant_proposals.propose_key(name="Taken", **again)
    one = {"key_id": key.pk, "by": house.admin}
    participant_proposals.propose_token(days=1, **one)
    with pytest.raises(Conflict, match="Issue an access token: the same is proposed already"):
        participant_proposals.propose_token(days=2, **one)
    participant_proposals.propose_rotation(overlap=timedelta(0), expires_at=None, **one)
    # What was decided does not stand in the way.
    decisions.withdraw(proposal_id=first.pk, by=house.admin)
    participant_proposals.propose_key(name="Payouts", **again)


def test_the_access_of_an_administrator_is_restored_by_finance_approvers_too(house):
    other = create_staff("other", PASSWORD, ADMINISTRATOR)
    proposal = staff_proposals.propose_reset_of_password(user_id=other.pk, by=house.first)
    assert proposal.proposed_by == house.first
    reader = create_staff("reader", PASSWORD, AUDITOR)
    with pytest.raises(Forbidden, match="You may not propose to change this person's access"):
        staff_proposals.propose_reset_of_password(user_id=reader.pk, by=house.first)
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
    assert not collectable(about_person)
    record = AccessRecord.objects.filter(user=reader).latest("id")
    assert (record.event, record.details) == ("break_glass", "Reset a password")
    told = notices_for(house.first)
    assert len(told) == 2
    assert {text.partition(": ")[2].partition(".")[0] for text in told} == {
        f"reset a password, for {reader}", f"issue an api key, for {key.organisation}",
    }  # fmt: skip
    assert notices_for(reader) == []


def test_a_notice_of_break_glass_ends_after_a_week(house):
    now = timezone.now()
    for ago in (timedelta(days=6, hours=23, minutes=59), timedelta(days=7, minutes=1)):
        AccessProposal.objects.create(
            kind="issue_key", organisation=make_organisation(), break_glass=True,
            status="Approved", created_at=now - ago, decided_at=now - ago,
        )  # fmt: skip
    (told,) = notices_for(house.first)
    assert f"{now - timedelta(days=6, hours=23, minutes=59):%Y-%m-%d %H:%M} UTC" in told
