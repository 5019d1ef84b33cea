"""Secrets of confirmed proposals: who collects them, for how long, and their content."""

from contextlib import nullcontext
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from oauth2_provider.models import get_access_token_model

from exchange.access.services import decisions
from exchange.access.services.decisions import is_collectable
from exchange.core.errors import Conflict, Forbidden
from exchange.participants.models import ApiKey
from exchange.participants.services import api_keys
from exchange.participants.services import proposals as participant_proposals
from exchange.staff.models import AccessProposal, StaffUser
from tests.assertions.unchanged import assert_no_table_changes
from tests.environment.owner import without_guards
from tests.exchange.access.proposals import MONEY, collect, confirm
from tests.factories.api_clients import TESTER, make_organisation
from tests.factories.staff import backdate_access

pytestmark = pytest.mark.django_db


def decided(**values: Any) -> AccessProposal:
    """Return an unsaved confirmed proposal."""
    given = {"kind": "issue_key", "status": "Approved", "decided_at": timezone.now()}
    return AccessProposal(**given | values)


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
def test_only_proposals_with_a_secret_are_collectable(values, waits):
    assert is_collectable(decided(**values)) is waits


def test_a_secret_is_collectable_for_three_days():
    now = timezone.now()
    for ago, waits in (
        (timedelta(hours=71, minutes=59), True),
        (timedelta(hours=72, seconds=1), False),
    ):
        assert is_collectable(decided(decided_at=now - ago)) is waits


def test_a_key_and_its_token_are_made_as_they_were_proposed(team):
    owner, ends = make_organisation(), timezone.now() + timedelta(days=30)
    proposal = participant_proposals.propose_key(
        organisation=owner, name="Payouts", scopes=reversed(MONEY), by=team.admin, expires_at=ends
    )
    assert proposal.payload == {"name": "Payouts", "scopes": MONEY, "expires_at": ends.isoformat()}
    confirm(proposal, team.first)
    found = collect(proposal, team.admin)
    key = ApiKey.objects.get()
    assert (key.organisation, key.expires_at, key.scopes) == (owner, ends, MONEY)
    assert dict(found.secrets)["Client ID"] == key.client_id
    assert found.address is None
    proposal.refresh_from_db()
    assert proposal.key == key
    assert proposal.collected_at is not None
    assert timezone.now() - proposal.collected_at < timedelta(minutes=1)

    token = participant_proposals.propose_token(key_id=key.pk, days=20, by=team.admin)
    assert (token.payload, token.organisation, token.key) == ({"days": 20}, owner, key)
    confirm(token, team.second)
    before = timezone.now()
    assert collect(token, team.admin).subject == key
    expires = get_access_token_model().objects.get().expires
    assert timedelta() <= expires - before - timedelta(days=20) < timedelta(minutes=1)


def test_a_key_is_rotated_as_it_was_proposed(team):
    old, _ = api_keys.issue_api_key(
        organisation=make_organisation(), name="Payouts", scopes=MONEY, actor=TESTER
    )
    ends = timezone.now() + timedelta(days=30)
    proposal = participant_proposals.propose_rotation(
        key_id=old.pk, overlap=timedelta(hours=36), expires_at=ends, by=team.admin
    )
    assert proposal.payload == {"overlap_hours": 36.0, "expires_at": ends.isoformat()}
    confirm(proposal, team.first)
    before = timezone.now()
    found = collect(proposal, team.admin)
    assert isinstance(found.subject, ApiKey)
    new = found.subject
    old.refresh_from_db()
    assert (new.expires_at, old.rotated_to, old.revoked_at) == (ends, new, None)
    assert old.expires_at is not None
    late = old.expires_at - before - timedelta(hours=36)
    assert timedelta() <= late < timedelta(minutes=1)
    names = dict(found.secrets)
    assert names.keys() == {"New client ID", "New client secret"}
    assert names["New client ID"] == new.client_id


def test_a_reset_proposer_cannot_collect_the_secret(team):
    proposal = team.key(team.admin)
    confirm(proposal, team.first)
    StaffUser.objects.filter(pk=team.admin.pk).update(is_active=False)
    team.admin.refresh_from_db()
    with pytest.raises(Forbidden, match="You are not allowed to collect"):
        collect(proposal, team.admin)
    assert not ApiKey.objects.exists()


def test_a_reset_proposer_cannot_collect_even_after_cooling_off(team):
    proposal, now = team.key(team.admin), timezone.now()
    confirm(proposal, team.first)
    # The row is frozen: its times are moved without the guards.
    with without_guards():
        AccessProposal.objects.filter(pk=proposal.pk).update(
            created_at=now - timedelta(hours=30), decided_at=now - timedelta(hours=29)
        )
    backdate_access(team.admin, hours=25)
    with (
        assert_no_table_changes(),
        pytest.raises(Conflict, match="The proposer admin was deactivated or reset since"),
    ):
        collect(proposal, team.admin)
    backdate_access(team.admin, hours=31)
    assert isinstance(collect(proposal, team.admin).subject, ApiKey)


def test_a_reset_at_the_time_of_the_proposal_does_not_void_it():
    then = timezone.now()
    for changed, active, stands in (
        (then, True, True),
        (then + timedelta(microseconds=1), True, False),
        (then - timedelta(days=1), True, True),
        (then - timedelta(days=1), False, False),
    ):
        user = StaffUser(username="ada", access_changed_at=changed, is_active=active)
        with nullcontext() if stands else pytest.raises(Conflict, match=r"^The proposer ada was"):
            decisions._require_active_proposer(AccessProposal(created_at=then), user)
