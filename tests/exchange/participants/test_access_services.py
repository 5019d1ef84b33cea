"""Issuing and revoking keys and tokens, and the command that issues keys."""

import io
import re
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.utils import timezone
from oauth2_provider.models import AccessToken

from config.back_office.roles import ADMINISTRATOR
from exchange.core.errors import Conflict, InvalidRequest, NotFound
from exchange.core.ids import uuid7
from exchange.participants.models import ApiKey, Organisation
from exchange.participants.services.api_keys import (
    issue_access_token,
    issue_api_key,
    revoke_access_token,
    revoke_api_key,
    rotate_api_key,
)
from exchange.staff.models import AccessProposal
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.api_clients import TESTER, make_caller, make_organisation
from tests.factories.staff import create_staff

pytestmark = pytest.mark.django_db


def test_a_key_gets_the_requested_scopes_in_documented_order():
    key, secret = issue_api_key(
        organisation=make_organisation(),
        name="server",
        scopes=["wallets:read", "tokens:read", "wallets:read"],
        actor=TESTER,
    )
    stored = ApiKey.objects.get(id=key.id)
    assert stored.scopes == ["tokens:read", "wallets:read"]
    assert stored.usable
    assert len(secret) >= 64


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scopes": ["tokens:read", "x", "a"]}, "Unknown scopes: a, x"),
        ({"scopes": []}, "An API key needs at least one scope"),
        ({"name": "  "}, "An API key needs a name"),
        (
            {"expires_at": datetime(2020, 1, 1, tzinfo=UTC)},
            "The expiry of an API key must be in the future",
        ),
    ],
)
def test_an_invalid_key_is_not_issue_key(change, message):
    wanted = {"organisation": make_organisation(), "name": "n", "scopes": ["tokens:read"]}
    with pytest.raises(InvalidRequest, match=re.escape(message)):
        issue_api_key(**{**wanted, **change}, actor=TESTER)
    assert ApiKey.objects.count() == 0


def test_a_key_is_revoked_once_with_its_tokens_and_others_keep_theirs():
    caller, other = make_caller(), make_caller()
    revoke_api_key(key_id=caller.key.id, actor=TESTER)
    assert ApiKey.objects.get(id=caller.key.id).revoked_at is not None
    assert [t.application_id for t in AccessToken.objects.all()] == [other.key.id]
    with pytest.raises(Conflict):
        revoke_api_key(key_id=caller.key.id, actor=TESTER)
    with pytest.raises(NotFound):
        revoke_api_key(key_id=uuid7(), actor=TESTER)


def issue_key(organisation: Organisation, **more: Any) -> ApiKey:
    wanted = {"name": "server", "scopes": ["tokens:read"], "actor": TESTER, **more}
    return issue_api_key(organisation=organisation, **wanted)[0]


def rotate_key(key: ApiKey, hours: int = 24) -> ApiKey:
    return rotate_api_key(key_id=key.id, overlap=timedelta(hours=hours), actor=TESTER)[0]


def test_a_key_is_rotated_even_if_other_keys_share_its_name():
    owner = make_organisation()
    older, newer = issue_key(owner), issue_key(owner, name="other")
    # As keys were issued before names had to be unique.
    ApiKey.objects.filter(id=newer.id).update(name=older.name)
    made = rotate_key(older)
    assert (made.name, made.scopes, made.organisation) == ("server", ["tokens:read"], owner)
    older.refresh_from_db()
    newer.refresh_from_db()
    assert (older.rotated_to, newer.rotated_to) == (made, None)
    assert older.expires_at is not None
    assert (newer.usable, newer.expires_at) == (True, None)
    assert rotate_key(newer, hours=0).usable
    newer.refresh_from_db()
    assert not newer.usable


def test_a_rotated_key_is_not_rotated_again_but_its_replacement_is():
    first = issue_key(make_organisation())
    second = rotate_key(first)
    with assert_no_table_changes(), pytest.raises(Conflict) as refused:
        rotate_key(first)
    assert refused.value.message == (
        f"The API key was already rotated to {second.client_id}. Rotate that key instead"
    )
    third = rotate_key(second)
    second.refresh_from_db()
    assert second.rotated_to == third


@pytest.mark.parametrize("ended", ["revoked", "expired"])
def test_a_key_whose_replacement_is_unusable_is_rotated_again(ended):
    first = issue_key(make_organisation())
    second = rotate_key(first)
    if ended == "revoked":
        revoke_api_key(key_id=second.id, actor=TESTER)
    else:
        ApiKey.objects.filter(id=second.id).update(expires_at=timezone.now())
    third = rotate_key(first)
    first.refresh_from_db()
    assert (first.rotated_to, third.usable) == (third, True)


def test_a_rotated_key_expires_after_the_overlap_or_at_its_own_expiry():
    hour = timedelta(hours=1)
    for lasts, ends in ((None, 24 * hour), (25 * hour, 24 * hour), (23 * hour, 23 * hour)):
        now = timezone.now()
        key = issue_key(make_organisation(), expires_at=lasts and now + lasts)
        other = issue_key(make_organisation())
        made = rotate_key(key)
        key.refresh_from_db()
        assert key.expires_at is not None
        assert key.revoked_at is None
        assert timedelta() <= key.expires_at - now - ends < timedelta(minutes=1)
        assert made.expires_at is None
        other.refresh_from_db()
        assert (other.rotated_to, other.expires_at) == (None, None)


def test_a_failed_rotation_changes_nothing():
    key, gone = issue_key(make_organisation()), issue_key(make_organisation())
    revoke_api_key(key_id=gone.id, actor=TESTER)
    with assert_no_table_changes():
        for key_id, overlap, error, reported in (
            (key.id, -timedelta.resolution, InvalidRequest, "The overlap must not be negative"),
            (uuid7(), timedelta(0), NotFound, "API key not found"),
            (gone.id, timedelta(0), Conflict, "The API key was revoked, has expired"),
        ):
            with pytest.raises(error, match=reported):
                rotate_api_key(key_id=key_id, overlap=overlap, actor=TESTER)


def test_a_token_has_the_requested_lifetime_and_is_revoked_alone():
    first, second = (
        issue_key(make_organisation(), scopes=["wallets:read", "tokens:read"]) for _ in range(2)
    )
    for lifetime in (timedelta(seconds=30), timedelta(days=90)):
        now = timezone.now()
        raw = issue_access_token(key=first, lifetime=lifetime, actor=TESTER)
        assert len(raw) == 43  # 256 bits
        token = AccessToken.objects.latest("id")
        assert (token.application_id, token.scope) == (first.id, "tokens:read wallets:read")
        assert timedelta() <= token.expires - now - lifetime < timedelta(minutes=1)
        assert token.token_checksum == sha256(raw.encode()).hexdigest()
    issue_access_token(key=second, lifetime=timedelta(days=1), actor=TESTER)
    short, long, other = AccessToken.objects.order_by("id")
    for key, token_id in ((first, other.id), (second, short.id), (first, other.id + 1)):
        with pytest.raises(NotFound, match="The access token no longer exists"):
            revoke_access_token(key_id=key.id, token_id=token_id, actor=TESTER)
    revoke_access_token(key_id=first.id, token_id=short.id, actor=TESTER)
    assert set(AccessToken.objects.all()) == {long, other}


def test_a_name_is_free_again_when_its_key_expires():
    owner = make_organisation()
    key = issue_key(owner)
    assert issue_key(make_organisation()).name == key.name
    ApiKey.objects.exclude(id=key.id).delete()
    with pytest.raises(Conflict, match="already has an API key with this name"):
        issue_key(owner)
    with pytest.raises(CommandError, match="already has an API key with this name"):
        issue(str(owner.id), "--name", "server", "--scopes", "tokens:read")
    assert ApiKey.objects.get() == key
    ApiKey.objects.filter(id=key.id).update(expires_at=timezone.now() + timedelta(hours=1))
    with pytest.raises(Conflict, match="already has an API key with this name"):
        issue_key(owner)
    ApiKey.objects.filter(id=key.id).update(expires_at=timezone.now())
    assert issue_key(owner).usable


def test_no_token_is_issued_for_an_unusable_key_or_without_a_lifetime():
    caller = make_caller()
    with pytest.raises(InvalidRequest):
        issue_access_token(key=caller.key, lifetime=timedelta(0), actor=TESTER)
    caller.key.revoked_at = timezone.now()
    with pytest.raises(Conflict):
        issue_access_token(key=caller.key, lifetime=timedelta(days=1), actor=TESTER)
    assert AccessToken.objects.count() == 1


def issue(*arguments):
    out = io.StringIO()
    call_command("issue_api_key", *arguments, stdout=out)
    return dict(re.findall(r"^(\w+):\s+(.+)$", out.getvalue(), re.M))


@pytest.mark.parametrize("by", ["id", "name"])
def test_the_command_prints_working_credentials(by, client):
    organisation = make_organisation("Acme Capital")
    printed = issue(
        str(getattr(organisation, by)), "--name", "server", "--scopes", "members:read",
        "--expires", "2999-12-31",
    )  # fmt: skip
    assert printed["scopes"] == "members:read"
    assert ApiKey.objects.get().expires_at == datetime(2999, 12, 31, tzinfo=UTC)
    response = client.post(
        "/v1/oauth/token",
        {
            "grant_type": "client_credentials",
            "client_id": printed["client_id"],
            "client_secret": printed["client_secret"],
        },
    )
    assert response.status_code == 200
    assert response.json()["scope"] == "members:read"


test_the_command_prints_working_credentials = pytest.mark.urls("tests.environment.api_urls")(
    test_the_command_prints_working_credentials
)


def test_the_command_takes_all_for_every_scope(settings):
    make_organisation("Acme")
    assert issue("Acme", "--name", "n", "--scopes", "all")["scopes"].split() == list(
        settings.SCOPES
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("Nobody", "--name", "n", "--scopes", "all"),
        ("Twice", "--name", "n", "--scopes", "all"),
        ("Acme", "--name", "n", "--scopes", "unknown"),
        ("Acme", "--name", " ", "--scopes", "all"),
        ("Acme", "--name", "n", "--scopes", "all", "--expires", "tomorrow"),
        ("Acme", "--name", "n", "--scopes", "all", "--expires", "2020-01-01"),
        ("Acme", "--name", "n", "--scopes", "all", "--expires", "2999-02-30"),
    ],
)
def test_the_command_reports_errors_in_one_line_and_issues_nothing(arguments):
    for name in ("Acme", "Twice", "Twice"):
        make_organisation(name)
    with pytest.raises(CommandError) as refusal:
        issue(*arguments)
    assert "\n" not in str(refusal.value)
    assert ApiKey.objects.count() == 0


def run_command(*arguments: str) -> str:
    out = io.StringIO()
    call_command("issue_api_key", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_files_a_proposal_for_a_privileged_key():
    owner = make_organisation()
    create_staff("root", "correct horse battery", ADMINISTRATOR)
    said = run_command(
        str(owner.id), "--name", "Backend", "--scopes", "wallets:read", "orders:write"
    )
    assert said.startswith("Proposed: the key has privileged scopes.")
    assert not ApiKey.objects.exists()
    assert AccessProposal.objects.get().payload["scopes"] == ["orders:write", "wallets:read"]
    assert "client_secret:" in run_command(
        str(owner.id), "--name", "Reports", "--scopes", "wallets:read"
    )
    assert "client_secret:" in run_command(
        str(owner.id), "--name", "Now", "--scopes", "all", "--break-glass"
    )
    assert AccessProposal.objects.filter(break_glass=True).get().key == ApiKey.objects.get(
        name="Now"
    )


def test_privileged_scopes_are_known_scopes():
    assert set(settings.SCOPES) > settings.PRIVILEGED_SCOPES
    assert {"deposits:write", "wallets:transfer", "tokens:write"} < set(settings.SCOPES)
