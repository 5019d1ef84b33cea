"""The token and revocation endpoints: RFC 6749 §4.4 and RFC 7009 to the letter."""

import base64
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone
from oauth2_provider.models import AccessToken, RefreshToken
from oauthlib.oauth2.rfc6749 import errors as oauth_errors  # type: ignore[import-untyped]

from exchange.participants.models import ApiKey, Organisation
from tests.factories.api_clients import make_caller

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.environment.api_views")]

TOKEN = "/v1/oauth/token"
REVOKE = "/v1/oauth/revoke"
GRANT = {"grant_type": "client_credentials"}


def basic(client_id, secret, scheme="Basic"):
    pair = base64.b64encode(f"{client_id}:{secret}".encode()).decode()
    return {"Authorization": f"{scheme} {pair}"}


def ask(caller, path=TOKEN, headers=None, **fields):
    credentials = basic(caller.key.client_id, caller.secret) if headers is None else headers
    body = {**GRANT, **fields} if path == TOKEN else fields
    return caller.client.post(path, body, headers=credentials)


TOOLKIT_TEXTS = {"", None, "Missing token parameter."} | {
    getattr(kind, "description", None) for kind in vars(oauth_errors).values()
}


def error(response, status, name):
    assert response.status_code == status, response.content
    assert response.json()["error"] == name
    assert set(response.json()) == {"error", "error_description"}
    assert response.json()["error_description"] not in TOOLKIT_TEXTS
    assert response["Content-Type"] == "application/json"
    assert response["Cache-Control"] == "no-store"
    assert response["X-Request-ID"]
    if status == 401:
        assert response["WWW-Authenticate"].startswith("Basic")


@pytest.mark.parametrize("how", ["Basic", "basic", "body"])
def test_a_key_gets_a_token_for_an_hour_with_all_its_scopes(how):
    caller = make_caller(["members:read", "wallets:read"])
    if how == "body":
        fields = {"client_id": caller.key.client_id, "client_secret": caller.secret}
        response = ask(caller, headers={}, **fields)
    else:
        response = ask(caller, headers=basic(caller.key.client_id, caller.secret, how))
    assert response.status_code == 200, response.content
    body = response.json()
    assert set(body) == {"access_token", "token_type", "expires_in", "scope"}
    assert body["token_type"] == "Bearer"
    assert body["expires_in"] == 3600
    assert set(body["scope"].split()) == {"members:read", "wallets:read"}
    assert response["Cache-Control"] == "no-store"
    assert RefreshToken.objects.count() == 0
    caller.token = body["access_token"]
    assert caller.get("/v1/api/members").status_code == 200


def test_a_narrower_scope_is_granted_and_holds():
    caller = make_caller(["members:read", "members:write"])
    response = ask(caller, scope="members:read")
    assert response.json()["scope"] == "members:read"
    caller.token = response.json()["access_token"]
    assert caller.get("/v1/api/members").status_code == 200
    assert caller.post("/v1/api/members", {}).status_code == 403


@pytest.mark.parametrize("scope", ["unknown", "members:read unknown", "wallets:withdraw", "\x00"])
def test_a_scope_that_is_unknown_or_not_the_keys_is_an_invalid_scope(scope):
    caller = make_caller(["members:read"])
    before = AccessToken.objects.count()
    error(ask(caller, scope=scope), 400, "invalid_scope")
    assert AccessToken.objects.count() == before


def test_a_parameter_without_a_value_counts_as_absent():
    caller = make_caller(["members:read", "wallets:read"])
    response = ask(caller, scope="", client_id="", client_secret="")
    assert response.status_code == 200, response.content
    assert set(response.json()["scope"].split()) == {"members:read", "wallets:read"}
    error(ask(caller, grant_type=""), 400, "invalid_request")
    error(ask(caller, headers={}, client_id="", client_secret=""), 401, "invalid_client")


@pytest.mark.parametrize("path", [TOKEN, REVOKE])
def test_the_body_may_repeat_the_credentials_of_the_header_and_name_no_others(path):
    caller, other = make_caller(), make_caller()
    own = {"client_id": caller.key.client_id, "client_secret": caller.secret}
    assert ask(caller, path, token="x", **own).status_code == 200
    before = AccessToken.objects.count()
    for changes in (
        {"client_id": other.key.client_id, "client_secret": other.secret},
        {"client_id": other.key.client_id},
        {"client_secret": "wrong"},
        {**own, "client_id": "nobody"},
    ):
        response = ask(caller, path, token=caller.token, **changes)
        error(response, 400, "invalid_request")
        description = response.json()["error_description"]
        assert description == "The header and the body name different clients"
    assert AccessToken.objects.count() == before
    assert caller.get("/v1/api/members").status_code == 200


@pytest.mark.parametrize("grant", ["password", "authorization_code", "refresh_token", "x"])
def test_other_grants_are_not_supported(grant):
    error(ask(make_caller(), grant_type=grant), 400, "unsupported_grant_type")


def test_a_request_without_a_grant_type_is_invalid():
    caller = make_caller()
    headers = basic(caller.key.client_id, caller.secret)
    error(caller.client.post(TOKEN, {}, headers=headers), 400, "invalid_request")
    response = caller.client.post(
        TOKEN, '{"grant_type":"client_credentials"}', content_type="application/json",
        headers=headers,
    )  # fmt: skip
    error(response, 400, "invalid_request")


@pytest.mark.parametrize(
    ("client_id", "secret"),
    [("nobody", "x"), ("", ""), ("a\x00b", "x"), ("https://example.com/client", "x")],
)
def test_an_unknown_client_is_an_invalid_client(client_id, secret):
    caller = make_caller()
    error(ask(caller, headers=basic(client_id, secret)), 401, "invalid_client")
    error(ask(caller, headers={}, client_id=client_id, client_secret=secret), 401, "invalid_client")


@pytest.mark.parametrize("header", ["Basic", "Basic !!!", "Basic YQ==", "Bearer x"])
def test_broken_credentials_are_an_invalid_client(header):
    error(ask(make_caller(), headers={"Authorization": header}), 401, "invalid_client")


@pytest.mark.parametrize("secret", ["", "wrong", "\x00", "x" * 5000])
def test_a_wrong_secret_is_an_invalid_client(secret):
    caller = make_caller()
    error(ask(caller, headers=basic(caller.key.client_id, secret)), 401, "invalid_client")


def test_the_stored_hash_is_not_a_secret():
    caller = make_caller()
    stored = ApiKey.objects.get().client_secret
    error(ask(caller, headers=basic(caller.key.client_id, stored)), 401, "invalid_client")


def test_a_revoked_or_expired_key_and_an_inactive_organisation_get_no_token():
    past = timezone.now() - timedelta(seconds=1)
    for ended in ({"revoked_at": past}, {"expires_at": past}):
        caller = make_caller()
        ApiKey.objects.filter(pk=caller.key.pk).update(**ended)
        error(ask(caller), 401, "invalid_client")
    caller = make_caller()
    Organisation.objects.update(active=False)
    error(ask(caller), 401, "invalid_client")
    Organisation.objects.update(active=True)
    assert ask(caller).status_code == 200


def test_a_revoked_token_is_refused_at_once():
    caller = make_caller()
    caller.token = ask(caller).json()["access_token"]
    assert caller.get("/v1/api/members").status_code == 200
    response = ask(caller, REVOKE, token=caller.token)
    assert (response.status_code, response.content) == (200, b"")
    assert caller.get("/v1/api/members").status_code == 401


def test_revoking_an_unknown_token_succeeds_and_somebody_elses_stays():
    mine, theirs = make_caller(), make_caller()
    assert ask(mine, REVOKE, token="unknown").status_code == 200
    assert ask(mine, REVOKE, token=theirs.token).status_code == 200
    assert theirs.get("/v1/api/members").status_code == 200


def test_revoking_needs_the_clients_credentials():
    caller = make_caller()
    error(ask(caller, REVOKE, headers={}, token=caller.token), 401, "invalid_client")
    for nothing in ({}, {"token": ""}):
        response = ask(caller, REVOKE, **nothing)
        error(response, 400, "invalid_request")
        assert response.json()["error_description"] == "token is missing"
    assert caller.get("/v1/api/members").status_code == 200


@pytest.mark.parametrize("path", [TOKEN, REVOKE])
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "OPTIONS"])
def test_only_post_is_allowed(path, method):
    response = make_caller().client.generic(method, path)
    error(response, 405, "invalid_request")
    assert response["Allow"] == "POST"


def test_token_requests_of_one_client_are_limited(settings, still_minute):
    settings.RATE_LIMITS_ENABLED = True
    settings.RATE_LIMITS = {"requests": 600, "money": 120, "token": 3}
    cache.clear()
    caller, other = make_caller(), make_caller()
    assert [ask(caller).status_code for _ in range(4)] == [200, 200, 200, 429]
    refused = ask(caller)
    error(refused, 429, "slow_down")
    assert 1 <= int(refused["Retry-After"]) <= 60
    assert refused["X-RateLimit-Remaining"] == "0"
    assert ask(other).status_code == 200


@pytest.mark.parametrize("path", [TOKEN, REVOKE])
@pytest.mark.parametrize("query", ["x=%zz", "x={}", "%zz"])
def test_a_query_that_is_not_urlencoded_is_an_invalid_request(path, query):
    caller = make_caller()
    response = caller.client.post(
        f"{path}?{query}", GRANT, headers=basic(caller.key.client_id, caller.secret)
    )
    error(response, 400, "invalid_request")
    assert response.json()["error_description"] == "URL query parameters are not allowed"


@pytest.mark.parametrize("path", [TOKEN, REVOKE])
@pytest.mark.parametrize("where", ["query", "body"])
def test_more_parameters_than_are_read_are_an_invalid_request(path, where):
    caller = make_caller()
    many = "&".join(f"a{n}=1" for n in range(1100))
    response = caller.client.post(
        f"{path}?{many}" if where == "query" else path,
        "grant_type=client_credentials&token=x" + (f"&{many}" if where == "body" else ""),
        content_type="application/x-www-form-urlencoded",
        headers=basic(caller.key.client_id, caller.secret),
    )
    assert response.status_code == 400
    assert response.json()["error"] == "invalid_request"
