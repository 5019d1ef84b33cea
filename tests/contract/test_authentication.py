"""Bearer tokens: who gets in, who does not, and how soon a revocation holds."""

from datetime import timedelta

import pytest
from django.utils import timezone
from oauth2_provider.models import AccessToken

from exchange.participants.authentication import BearerAuthentication
from exchange.participants.models import ApiKey, Organisation
from exchange.participants.services.api_keys import issue_access_token, revoke_api_key
from tests.assertions.endpoints import api_endpoints, routes
from tests.factories.api_clients import TESTER, assert_error, make_caller, make_member

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.environment.api_views")]

MEMBERS = "/v1/api/members"
CHALLENGE = 'Bearer realm="api"'


def refused(response, message):
    assert_error(response, 401, "invalid_token", message)
    assert response["WWW-Authenticate"] == (
        f'{CHALLENGE}, error="invalid_token", error_description="{message}"'
    )


@pytest.mark.parametrize("header", [None, "Basic abc", "Token abc", "abc"])
def test_no_bearer_token_is_a_401_with_a_plain_challenge(header):
    caller = make_caller()
    headers = {} if header is None else {"Authorization": header}
    response = caller.client.get(MEMBERS, headers=headers)
    assert_error(response, 401, "unauthenticated")
    assert response["WWW-Authenticate"] == CHALLENGE


@pytest.mark.parametrize("token", ["", "é", "a b", "a\tb", "\x00", '"', "x" * 20_000 + "!"])
def test_a_malformed_token_is_a_401(token):
    caller = make_caller()
    caller.token = token
    refused(caller.get(MEMBERS), "The access token is malformed")


def test_the_scheme_is_read_in_any_case():
    caller = make_caller()
    response = caller.client.get(MEMBERS, headers={"Authorization": f"bearer {caller.token}"})
    assert response.status_code == 200


def test_an_unknown_token_is_a_401():
    caller = make_caller()
    caller.token += "x"
    refused(caller.get(MEMBERS), "The access token is not known, or was revoked")


def test_an_expired_token_is_a_401():
    caller = make_caller()
    assert caller.get(MEMBERS).status_code == 200
    AccessToken.objects.update(expires=timezone.now() - timedelta(seconds=1))
    refused(caller.get(MEMBERS), "The access token has expired")


def test_a_revoked_key_stops_working_with_the_next_request():
    caller = make_caller()
    assert caller.get(MEMBERS).status_code == 200
    revoke_api_key(key_id=caller.key.id, actor=TESTER)
    refused(caller.get(MEMBERS), "The access token is not known, or was revoked")
    assert AccessToken.objects.count() == 0


def test_a_key_that_is_marked_revoked_or_expired_stops_its_tokens():
    message = "The API key was revoked or has expired"
    now = timezone.now()
    for ended in ({"revoked_at": now}, {"expires_at": now - timedelta(seconds=1)}):
        caller = make_caller()
        ApiKey.objects.filter(pk=caller.key.pk).update(expires_at=now + timedelta(hours=1))
        assert caller.get(MEMBERS).status_code == 200
        ApiKey.objects.filter(pk=caller.key.pk).update(**ended)
        refused(caller.get(MEMBERS), message)


def test_a_deactivated_organisation_is_out_with_the_next_request_and_back_when_active_again():
    caller = make_caller()
    assert caller.get(MEMBERS).status_code == 200
    Organisation.objects.update(active=False)
    refused(caller.get(MEMBERS), "The organisation is not active")
    Organisation.objects.update(active=True)
    assert caller.get(MEMBERS).status_code == 200


def test_a_missing_scope_is_a_403_that_names_it_and_nothing_happens():
    caller = make_caller(["members:read"])
    response = caller.post(MEMBERS, {"name": "Ada", "email": "ada@example.com"})
    assert_error(response, 403, "insufficient_scope", "This needs the scope members:write")
    assert response["WWW-Authenticate"] == (
        f'{CHALLENGE}, error="insufficient_scope", scope="members:write"'
    )
    assert caller.get(MEMBERS).json()["data"]["total"] == 0


def test_head_needs_the_scope_of_get():
    caller = make_caller(["members:write"])
    refusal = caller.call("HEAD", MEMBERS)
    assert refusal.status_code == 403
    assert refusal["X-Error-Code"] == "insufficient_scope"
    assert refusal["WWW-Authenticate"].endswith('scope="members:read"')
    assert caller.call("HEAD", "/v1/test/undeclared").status_code == 403
    assert make_caller(["members:read"]).call("HEAD", MEMBERS).status_code == 200


def test_the_scope_is_checked_before_the_body_is_looked_at():
    assert_error(make_caller(["members:read"]).post(MEMBERS, "{"), 403, "insufficient_scope")


def test_a_scope_taken_from_the_key_is_taken_from_its_tokens():
    caller = make_caller(["members:read", "members:write"])
    assert caller.get(MEMBERS).status_code == 200
    ApiKey.objects.update(scopes=["members:write"])
    assert_error(caller.get(MEMBERS), 403, "insufficient_scope")


def test_a_key_sees_only_its_organisations_members():
    mine, theirs = make_caller(), make_caller()
    member = make_member(theirs.organisation)
    assert_error(mine.get(f"{MEMBERS}/{member.id}"), 404, "user_not_found", "User not found")
    assert mine.get(MEMBERS).json()["data"]["total"] == 0
    assert theirs.get(f"{MEMBERS}/{member.id}").status_code == 200


def test_two_keys_of_one_organisation_act_for_the_same_members():
    first = make_caller()
    second = make_caller(organisation=first.organisation)
    member = make_member(first.organisation)
    assert second.get(f"{MEMBERS}/{member.id}").status_code == 200


def test_last_use_is_written_at_most_once_a_minute():
    caller = make_caller()
    caller.get(MEMBERS)
    first = ApiKey.objects.get().last_used_at
    assert first is not None
    caller.get(MEMBERS)
    assert ApiKey.objects.get().last_used_at == first
    earlier = timezone.now() - timedelta(seconds=61)
    ApiKey.objects.update(last_used_at=earlier)
    caller.get(MEMBERS)
    assert ApiKey.objects.get().last_used_at > earlier


def test_tokens_and_secrets_are_stored_hashed():
    caller = make_caller()
    token = AccessToken.objects.get()
    assert token.token == ""
    assert caller.token not in token.token_checksum
    key = ApiKey.objects.get()
    assert caller.secret not in key.client_secret
    assert key.client_secret.count("$") >= 2


def test_a_long_lived_token_ends_with_its_key():
    caller = make_caller()
    caller.token = issue_access_token(key=caller.key, lifetime=timedelta(days=3650), actor=TESTER)
    assert caller.get(MEMBERS).status_code == 200
    revoke_api_key(key_id=caller.key.id, actor=TESTER)
    assert caller.get(MEMBERS).status_code == 401


def test_a_view_that_forgot_to_declare_its_scope_lets_nobody_in():
    assert_error(make_caller().get("/v1/test/undeclared"), 403, "forbidden")


def test_every_action_of_the_api_declares_a_known_scope(settings):
    found = api_endpoints()
    assert {address.path for address in found} >= {"/v1/api/members", "/v1/orders"}
    for address in found:
        assert address.operation is not None, address
        assert address.operation.scope in settings.SCOPES, address
        assert BearerAuthentication in address.viewset.authentication_classes, address


def test_every_address_under_v1_but_oauth_and_its_description_is_one_of_a_viewset():
    found = {address.path for address in api_endpoints()}
    others = [path for path, _ in routes() if path.startswith("/v1/") and path not in found]
    assert others == [
        "/v1/oauth/token", "/v1/oauth/revoke", "/v1/schema", "/v1/schema/webhooks", "/v1/docs",
        "/v1/docs/webhooks", "/v1/docs/try", "/v1/docs/errors", "/v1/docs/changelog.md",
        "/v1/docs/<str:name>",
    ]  # fmt: skip
