"""Issuing and reactivating privileged API keys takes two people."""

from datetime import timedelta
from functools import partial

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone
from oauth2_provider.models import get_access_token_model

from exchange.core.actors import Actor
from exchange.core.errors import Conflict, Forbidden, InvalidRequest, Rejected
from exchange.participants.models import ApiKey
from exchange.participants.services import api_keys, organisations
from exchange.participants.services import proposals as participant_proposals
from exchange.staff.models import AccessProposal
from tests.assertions.unchanged import assert_no_table_changes
from tests.exchange.access.proposals import MONEY, collect, confirm
from tests.factories.api_clients import TESTER, make_organisation

pytestmark = pytest.mark.django_db

_COLLECTED = r"^Nothing to collect: already collected or expired\. Make a new proposal$"


def test_issuing_a_privileged_key_takes_two_people(team):
    owner = make_organisation()
    actor = Actor.staff(team.admin.pk, "admin")
    key, _ = api_keys.issue_api_key(organisation=owner, name="Old", scopes=MONEY, actor=TESTER)
    with assert_no_table_changes():
        for scope in ("wallets:withdraw", "wallets:transfer", "orders:write", "credit:write"):
            with pytest.raises(Forbidden, match="privileged access"):
                api_keys.issue_api_key(organisation=owner, name="New", scopes=[scope], actor=actor)
        with pytest.raises(Forbidden, match="privileged access"):
            api_keys.issue_api_key(
                organisation=owner, name="N", scopes=["tokens:write"], actor=actor
            )
        with pytest.raises(Forbidden, match="privileged access"):
            api_keys.rotate_api_key(key_id=key.pk, overlap=timedelta(0), actor=actor)
        with pytest.raises(Forbidden, match="privileged access"):
            api_keys.issue_access_token(key=key, lifetime=timedelta(days=90), actor=actor)
    made, _ = api_keys.issue_api_key(
        organisation=owner, name="Reports", scopes=["wallets:read"], actor=actor
    )
    assert made.usable


def test_reactivating_privileged_keys_with_their_organisation_takes_two_people(team):
    owner = make_organisation()
    key, _ = api_keys.issue_api_key(organisation=owner, name="Payouts", scopes=MONEY, actor=TESTER)
    actor = Actor.staff(team.admin.pk, "admin")
    organisations.set_active(organisation_id=owner.pk, active=False, actor=actor)
    with assert_no_table_changes():
        with pytest.raises(Forbidden) as refused:
            organisations.set_active(organisation_id=owner.pk, active=True, actor=actor)
        assert refused.value.code == "second_person_needed"
        with pytest.raises(Forbidden, match="only an administrator"):
            participant_proposals.propose_organisation_activation(
                organisation_id=owner.pk, by=team.first
            )
    proposal = participant_proposals.propose_organisation_activation(
        organisation_id=owner.pk, by=team.admin
    )
    assert proposal.payload == {"keys": ["Payouts (wallets:read, wallets:withdraw)"]}
    with pytest.raises(Conflict, match="already proposed"):
        participant_proposals.propose_organisation_activation(
            organisation_id=owner.pk, by=team.admin
        )
    with pytest.raises(
        Rejected, match=r"^Someone other than the proposer and the person concerned must confirm$"
    ):
        confirm(proposal, team.admin)
    assert not ApiKey.objects.get(pk=key.pk).usable
    confirm(proposal, team.second)
    assert ApiKey.objects.get(pk=key.pk).usable
    with pytest.raises(Conflict, match=_COLLECTED):
        collect(proposal, team.admin)
    with pytest.raises(Conflict, match="already active"):
        participant_proposals.propose_organisation_activation(
            organisation_id=owner.pk, by=team.admin
        )


@pytest.mark.parametrize("what", ["reads", "revoked", "expired"])
def test_an_organisation_without_privileged_keys_is_activated_immediately(what):
    owner = make_organisation()
    scopes = ["wallets:read"] if what == "reads" else MONEY
    key, _ = api_keys.issue_api_key(organisation=owner, name="One", scopes=scopes, actor=TESTER)
    if what == "revoked":
        api_keys.revoke_api_key(key_id=key.pk, actor=TESTER)
    elif what == "expired":
        ApiKey.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    for active in (False, True):
        organisations.set_active(organisation_id=owner.pk, active=active, actor=TESTER)
    owner.refresh_from_db()
    assert owner.active


def test_a_key_does_not_exist_before_its_proposer_collects_it(team):
    proposal = team.key(team.admin)
    with pytest.raises(Conflict, match="already proposed"):
        participant_proposals.propose_key(
            organisation=proposal.organisation, name="Payouts", scopes=MONEY, by=team.admin
        )
    confirm(proposal, team.first)
    assert not ApiKey.objects.exists()
    found = collect(proposal, team.admin)
    assert [name for name, _ in found.secrets] == ["Client ID", "Client secret"]
    key = ApiKey.objects.get()
    assert (key.name, key.scopes, found.subject) == ("Payouts", MONEY, key)
    assert AccessProposal.objects.get().key == key

    token = participant_proposals.propose_token(key_id=key.pk, days=90, by=team.admin)
    confirm(token, team.first)
    assert [name for name, _ in collect(token, team.admin).secrets] == ["Access token"]
    rotation = participant_proposals.propose_rotation(
        key_id=key.pk, overlap=timedelta(0), expires_at=None, by=team.admin
    )
    confirm(rotation, team.first)
    assert ApiKey.objects.get().usable
    collect(rotation, team.admin)
    assert [key.usable for key in ApiKey.objects.order_by("created")] == [False, True]


def test_the_rotation_of_a_key_that_was_rotated_is_not_even_proposed(team):
    owner = make_organisation()
    key, _ = api_keys.issue_api_key(organisation=owner, name="Payouts", scopes=MONEY, actor=TESTER)
    made, _ = api_keys.rotate_api_key(key_id=key.pk, overlap=timedelta(days=1), actor=TESTER)
    propose = partial(
        participant_proposals.propose_rotation,
        overlap=timedelta(0),
        expires_at=None,
        by=team.admin,
    )
    with (
        assert_no_table_changes(),
        pytest.raises(Conflict, match=f"already rotated to {made.client_id}"),
    ):
        propose(key_id=key.pk)
    assert propose(key_id=made.pk).key == made


def test_a_rotation_to_a_key_that_has_ended_is_not_even_proposed(team):
    owner = make_organisation()
    key, _ = api_keys.issue_api_key(organisation=owner, name="Payouts", scopes=MONEY, actor=TESTER)
    with assert_no_table_changes(), pytest.raises(InvalidRequest, match="must be in the future"):
        participant_proposals.propose_rotation(
            key_id=key.pk,
            overlap=timedelta(0),
            expires_at=timezone.now() - timedelta(seconds=1),
            by=team.admin,
        )


def test_a_key_whose_name_was_taken_since_it_was_proposed_is_not_issued(team):
    proposal = team.key(team.admin)
    confirm(proposal, team.first)
    assert proposal.organisation is not None
    api_keys.issue_api_key(
        organisation=proposal.organisation, name="Payouts", scopes=["wallets:read"], actor=TESTER
    )
    with (
        assert_no_table_changes(),
        pytest.raises(Conflict, match="already has an API key with this name"),
    ):
        collect(proposal, team.admin)


def test_a_key_gets_no_wider_scope_no_later_end_and_stays_revoked():
    owner = make_organisation()
    soon = timezone.now() + timedelta(days=1)
    key, _ = api_keys.issue_api_key(
        organisation=owner, name="Reports", scopes=["wallets:read"], expires_at=soon, actor=TESTER
    )
    api_keys.issue_access_token(key=key, lifetime=timedelta(hours=1), actor=TESTER)
    tokens = get_access_token_model().objects
    for rows, values in (
        (ApiKey.objects, {"scopes": MONEY}),
        (ApiKey.objects, {"expires_at": soon + timedelta(days=1)}),
        (ApiKey.objects, {"expires_at": None}),
        (ApiKey.objects, {"organisation": make_organisation()}),
        (tokens, {"scope": "wallets:withdraw"}),
        (tokens, {"expires": soon}),
    ):
        with pytest.raises(DatabaseError, match="no more power"), transaction.atomic():
            rows.update(**values)
    api_keys.revoke_api_key(key_id=key.pk, actor=TESTER)
    with pytest.raises(DatabaseError, match="no more power"), transaction.atomic():
        ApiKey.objects.update(revoked_at=None)
