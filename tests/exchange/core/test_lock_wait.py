"""How long a statement of the service waits for a lock, and what a client hears then."""

import pytest
from django.db import connection

from tests.environment.database import session
from tests.factories.api_clients import assert_error, make_caller, make_member
from tests.factories.wallets import Wallet, balance_of

pytestmark = pytest.mark.django_db(transaction=True)


def test_every_connection_of_the_service_waits_ten_seconds_at_most():
    with connection.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        assert cursor.fetchone() == ("10s",)


def test_a_request_that_waits_too_long_for_a_wallet_is_repeated_later_and_moved_nothing():
    caller = make_caller()
    member = make_member(caller.organisation)
    own = Wallet(caller.organisation).fund(100, "KES")
    to = {"user_id": str(member.pk)}
    body = {"from": {"wallet": "organisation"}, "to": to, "amount": 10, "currency": "KES"}
    with session("owner") as holder, connection.cursor() as cursor:
        holder.execute("SELECT FROM wallets_account WHERE owner_id = %s FOR UPDATE", [own.owner_id])
        cursor.execute("SET lock_timeout = '200ms'")
        try:
            for headers in ({}, {"Idempotency_Key": "one"}):
                refused = caller.post("/v1/api/transfers", body, **headers)
                assert_error(refused, 503, "not_ready")
                assert refused["Retry-After"] == "1"
        finally:
            cursor.execute("RESET lock_timeout")
        holder.rollback()
    assert balance_of(own.owner_id, "KES") == 100
    moved = caller.post("/v1/api/transfers", body, Idempotency_Key="one")
    assert moved.status_code == 201, moved.content
    assert "Idempotent-Replayed" not in moved
