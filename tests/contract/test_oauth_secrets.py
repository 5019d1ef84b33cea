"""Wrong secrets: what they cost, what they tell, and whom they shut out (decisions §4)."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher, make_password
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from oauth2_provider.models import AccessToken

from exchange.participants.models import ApiKey
from exchange.participants.services import client_authentication
from tests.contract.test_oauth import GRANT, REVOKE, TOKEN, ask, basic, error
from tests.environment.counting_hasher import CountingHasher
from tests.factories.api_clients import ApiCaller, make_caller

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.environment.api_views")]

MD5 = "django.contrib.auth.hashers.MD5PasswordHasher"
STRANGER = "203.0.113.7"


@pytest.fixture
def limits(settings, still_minute) -> Iterator[None]:
    settings.RATE_LIMITS_ENABLED = True
    settings.RATE_LIMITS = {
        "requests": 600,
        "money": 120,
        "token": 5,
        "token_failures": 3,
        "token_failures_address": 6,
    }
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def hashes(settings) -> list[str]:
    settings.PASSWORD_HASHERS = [MD5, "tests.environment.counting_hasher.CountingHasher"]
    CountingHasher.made.clear()
    return CountingHasher.made


def guess(caller: ApiCaller, client_id: str = "", path: str = TOKEN, address: str = STRANGER):
    """A wrong secret from an address."""
    return caller.client.post(
        path,
        GRANT,
        headers=basic(client_id or caller.key.client_id, "wrong"),
        REMOTE_ADDR=address,
    )


@pytest.mark.parametrize("path", [TOKEN, REVOKE])
def test_wrong_secrets_by_others_never_shut_the_client_out(limits, path):
    caller = make_caller()
    answers = [guess(caller, path=path).status_code for _ in range(10)]
    assert answers == [401] * 3 + [429] * 7
    assert ask(caller).status_code == 200
    # Not from the address of those failures either.
    headers = basic(caller.key.client_id, caller.secret)
    here = caller.client.post(TOKEN, GRANT, headers=headers, REMOTE_ADDR=STRANGER)
    assert here.status_code == 200


def test_wrong_secrets_of_one_address_for_one_client_are_limited(limits):
    caller = make_caller()
    for _ in range(3):
        error(guess(caller), 401, "invalid_client")
    refused = guess(caller)
    error(refused, 429, "slow_down")
    assert 1 <= int(refused["Retry-After"]) <= 60
    error(guess(caller, address="203.0.113.8"), 401, "invalid_client")


def test_wrong_secrets_of_one_address_are_limited_over_all_clients(limits):
    caller = make_caller()
    told = [guess(caller, client_id=f"client {n}").status_code for n in range(8)]
    assert told == [401] * 6 + [429] * 2
    assert guess(caller, address="203.0.113.8").status_code == 401


def test_requests_without_credentials_are_limited_too(limits):
    client = make_caller().client
    told = [client.post(TOKEN, GRANT, REMOTE_ADDR=STRANGER).status_code for _ in range(4)]
    assert told == [401, 401, 401, 429]


def test_the_limit_of_a_key_counts_right_secrets_alone_and_both_endpoints(limits):
    caller = make_caller()
    for _ in range(4):
        guess(caller)
    left = [ask(caller)["X-RateLimit-Remaining"] for _ in range(4)]
    left.append(ask(caller, REVOKE, token="unknown")["X-RateLimit-Remaining"])
    assert left == ["4", "3", "2", "1", "0"]
    error(ask(caller), 429, "slow_down")
    error(ask(caller, REVOKE, token="unknown"), 429, "slow_down")


def unknown(_caller: ApiCaller) -> str:
    return "nobody"


def known(caller: ApiCaller) -> str:
    return str(caller.key.client_id)


def revoked(caller: ApiCaller) -> str:
    ApiKey.objects.update(revoked_at=timezone.now())
    return str(caller.key.client_id)


def expired(caller: ApiCaller) -> str:
    ApiKey.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    return str(caller.key.client_id)


def inactive(caller: ApiCaller) -> str:
    caller.organisation.active = False
    caller.organisation.save()
    return str(caller.key.client_id)


def revoked_with_a_slow_hash(caller: ApiCaller) -> str:
    store_slow_hash(caller)
    return revoked(caller)


@pytest.mark.parametrize("path", [TOKEN, REVOKE])
@pytest.mark.parametrize("secret", ["wrong", "right"])
@pytest.mark.parametrize(
    "state", [unknown, known, revoked, expired, inactive, revoked_with_a_slow_hash]
)
def test_an_id_that_is_not_known_costs_and_answers_what_a_wrong_secret_does(
    hashes, state, secret, path
):
    caller = make_caller()
    client_id = state(caller)
    if secret == "right":
        if state is known:
            return
        secret = caller.secret
    hashes.clear()
    with CaptureQueriesContext(connection) as queries:
        response = ask(caller, path, headers=basic(client_id, secret))
    error(response, 401, "invalid_client")
    assert len(hashes) == 1
    assert len(queries) == 1
    wrong = ask(make_caller(), path, headers=basic("another", "wrong"))
    assert response.content == wrong.content
    assert {name: value for name, value in response.items() if name != "X-Request-ID"} == {
        name: value for name, value in wrong.items() if name != "X-Request-ID"
    }


def test_a_client_secret_is_stored_by_a_fast_salted_hash():
    one, other = make_caller(), make_caller()
    for caller in (one, other):
        caller.key.refresh_from_db()
        algorithm, salt, digest = caller.key.client_secret.split("$")
        assert (algorithm, len(digest)) == ("client_sha256", 64)
        assert len(salt) >= 20
        assert caller.secret not in caller.key.client_secret
        # Saving the key keeps its hash.
        caller.key.save()
        assert ask(caller).status_code == 200
    assert len(one.secret) >= 64


def test_people_are_not_hashed_fast():
    assert not make_password("a password").startswith("client_sha256$")


def store_slow_hash(caller: ApiCaller, encoded: str = "") -> str:
    """The hash that a key of before has."""
    slow = encoded or make_password(caller.secret, hasher="md5")
    ApiKey.objects.filter(pk=caller.key.pk).update(client_secret=slow)
    return slow


def test_a_key_of_before_works_on_and_its_secret_is_hashed_anew(settings):
    settings.PASSWORD_HASHERS = [
        "django.contrib.auth.hashers.PBKDF2PasswordHasher",
        "exchange.participants.client_secrets.ClientSecretHasher",
    ]
    caller = make_caller()
    old = PBKDF2PasswordHasher().encode(caller.secret, "of before", 1000)
    store_slow_hash(caller, old)
    error(guess(caller), 401, "invalid_client")
    assert ApiKey.objects.get().client_secret == old
    assert ask(caller).status_code == 200
    assert ApiKey.objects.get().client_secret.startswith("client_sha256$")
    assert ask(caller).status_code == 200
    error(guess(caller), 401, "invalid_client")


def test_a_secret_that_was_rotated_meanwhile_is_not_hashed_anew():
    caller = make_caller()
    store_slow_hash(caller)
    caller.key.refresh_from_db()
    rotated = store_slow_hash(caller, make_password("another", hasher="md5"))
    client_authentication._replace_slow_hash(caller.key, caller.secret)
    assert ApiKey.objects.get().client_secret == rotated


def test_slow_hashes_are_checked_no_oftener_than_the_limit_of_failures(limits):
    caller = make_caller()
    slow = store_slow_hash(caller)
    assert [guess(caller).status_code for _ in range(5)] == [401] * 3 + [429] * 2
    # From that address the right secret too would cost a check.
    headers = basic(caller.key.client_id, caller.secret)
    refused = caller.client.post(TOKEN, GRANT, headers=headers, REMOTE_ADDR=STRANGER)
    error(refused, 429, "slow_down")
    assert ApiKey.objects.get().client_secret == slow
    assert ask(caller).status_code == 200


def test_one_slow_hash_is_checked_at_a_time():
    caller, other = make_caller(), make_caller()
    store_slow_hash(caller)
    before = AccessToken.objects.count()
    assert client_authentication._slow_checks.acquire(blocking=False)
    try:
        busy = ask(caller)
        error(busy, 503, "temporarily_unavailable")
        assert busy["Retry-After"] == "1"
        assert AccessToken.objects.count() == before
        assert ask(other).status_code == 200
    finally:
        client_authentication._slow_checks.release()
    assert ask(caller).status_code == 200
