"""Private deals: their issuer and organisations granted access see them; for others they are not.

Every organisation is asked again and again, so that what one of them was told before, or what
another one was told, would show.
"""

import threading

import psycopg
import pytest
from django.db import transaction

from exchange.tokens.models import Token, TokenAccess
from exchange.tokens.services.tokens import grant_access
from tests.environment.database import server_url, worker_database
from tests.factories.api_clients import ApiCaller, assert_error, make_caller, make_organisation
from tests.factories.tokens import bare_token, make_token

pytestmark = pytest.mark.urls("tests.environment.api_urls")

LIST = "/v1/api/tokens"
SEARCH = "/v1/api/token/search"
ONE = "/v1/api/token/{}"
PLACES = (LIST, SEARCH, f"{SEARCH}?name=deal", f"{SEARCH}?symbol=d", f"{LIST}?sort=name&limit=200")


def seen(caller: ApiCaller, path: str = LIST) -> set[str]:
    """The symbols on the only page of a list, whose totals are those of the page."""
    data = caller.get(path).json()["data"]
    assert data["total"] == data["count"] == len(data["tokens"])
    assert data["pages"] == (1 if data["total"] else 0)
    return {token["symbol"] for token in data["tokens"]}


def everywhere(caller: ApiCaller, symbols: set[str]) -> None:
    """Every list shows exactly `symbols` to the caller, however often it is asked."""
    for _ in range(2):
        for path in PLACES:
            assert seen(caller, path) == symbols, path


@pytest.mark.django_db
def test_a_private_deal_shows_to_its_issuer_and_to_those_granted_access_only():
    issuer, granted, other = (make_caller(["tokens:read"]) for _ in range(3))
    public = make_token(issuer.organisation, name="Deal one", symbol="D1")
    private = make_token(issuer.organisation, name="Deal two", symbol="D2", deal_access="Private")
    grant_access(token_id=private.id, organisation_id=granted.organisation.id)
    for caller, symbols in ((issuer, {"D1", "D2"}), (granted, {"D1", "D2"}), (other, {"D1"})):
        everywhere(caller, symbols)
        for token in (public, private):
            response = caller.get(ONE.format(token.id))
            if token.symbol in symbols:
                assert response.json()["data"]["symbol"] == token.symbol
            else:
                assert_error(response, 404, "token_not_found", "Token not found")


@pytest.mark.django_db
def test_a_private_deal_and_none_at_all_cannot_be_told_apart():
    token = make_token(name="Deal", symbol="D", deal_access="Private")
    other = make_caller(["tokens:read"])
    hidden = [other.get(path).json() for path in (*PLACES, ONE.format(token.id))]
    Token.objects.filter(id=token.id).update(name="Something else", symbol="X")
    missing = "01890000-0000-7000-8000-000000000001"
    assert [other.get(path).json() for path in (*PLACES, ONE.format(missing))] == hidden


@pytest.mark.django_db
def test_lists_and_totals_follow_grants_and_deal_access_at_once():
    issuer, member, other = (make_caller(["tokens:read"]) for _ in range(3))
    token = make_token(issuer.organisation, name="Deal", symbol="D")
    row = Token.objects.filter(id=token.id)
    for caller in (issuer, member, other):
        everywhere(caller, {"D"})
    row.update(deal_access="Private")
    for caller, symbols in ((issuer, {"D"}), (member, set()), (other, set())):
        everywhere(caller, symbols)
    grant_access(token_id=token.id, organisation_id=member.organisation.id)
    for caller, symbols in ((issuer, {"D"}), (member, {"D"}), (other, set())):
        everywhere(caller, symbols)
    TokenAccess.objects.filter(token=token).delete()
    for caller, symbols in ((issuer, {"D"}), (member, set()), (other, set())):
        everywhere(caller, symbols)
    row.update(deal_access="Public")
    for caller in (issuer, member, other):
        everywhere(caller, {"D"})


@pytest.mark.django_db
def test_a_grant_shows_that_token_alone():
    issuer, granted = make_caller(["tokens:read"]), make_caller(["tokens:read"])
    tokens = [
        make_token(issuer.organisation, name="Deal", symbol=f"D{n}", deal_access="Private")
        for n in range(3)
    ]
    everywhere(granted, set())
    grant_access(token_id=tokens[1].id, organisation_id=granted.organisation.id)
    everywhere(granted, {"D1"})
    everywhere(issuer, {"D0", "D1", "D2"})


@pytest.mark.django_db
def test_a_change_that_is_rolled_back_leaves_no_trace_in_totals():
    caller = make_caller(["tokens:read"])
    owner = make_organisation()
    Token.objects.bulk_create([bare_token(owner, name="Deal", symbol="D1")])
    everywhere(caller, {"D1"})
    for symbol in ("D2", "D3"):
        with transaction.atomic():
            Token.objects.bulk_create([bare_token(owner, name="Deal", symbol=symbol)])
            everywhere(caller, {"D1", symbol})
            transaction.set_rollback(True)
        everywhere(caller, {"D1"})
    Token.objects.bulk_create([bare_token(owner, name="Deal", symbol="D4")])
    everywhere(caller, {"D1", "D4"})


@pytest.mark.django_db(transaction=True)
def test_what_another_connection_commits_shows_with_the_next_request(owner_connection):
    issuer, other = make_caller(["tokens:read"]), make_caller(["tokens:read"])
    token = make_token(issuer.organisation, name="Deal", symbol="D1")
    grant = (
        "INSERT INTO exchange_tokenaccess (token_id, organisation_id, created_at)"
        f" VALUES ('{token.id}', '{other.organisation.id}', now())"
    )
    table = "UPDATE exchange_token SET"
    for statement, to_issuer, to_other in (
        (f"{table} name = 'Plan'", 0, 0),
        (f"{table} name = 'Deal'", 1, 1),
        (f"{table} symbol = 'X'", 0, 0),
        (f"{table} symbol = 'D1'", 1, 1),
        (f"{table} deal_access = 'Private'", 1, 0),
        (grant, 1, 1),
        ("DELETE FROM exchange_tokenaccess", 1, 0),
        (f"{table} deal_access = 'Public'", 1, 1),
    ):
        owner_connection.execute(statement)
        search = f"{SEARCH}?name=deal&symbol=d"
        assert (len(seen(issuer, search)), len(seen(other, search))) == (to_issuer, to_other)
    with owner_connection.transaction():
        owner_connection.execute(f"{table} closed = true")
        assert seen(other) == {"D1"}, "not committed yet"
    assert seen(other) == set()
    owner_connection.execute(f"{table} vol_buy = 3")
    assert seen(other, f"{LIST}?closed=1") == {"D1"}


@pytest.mark.django_db(transaction=True)
@pytest.mark.slow
def test_totals_and_pages_agree_at_every_moment_of_many_changes():
    """A total that belonged to another moment than its page would differ from what is on it."""
    caller = make_caller(["tokens:read"])
    owner = make_organisation()
    Token.objects.bulk_create([bare_token(owner, name="Deal") for _ in range(30)])
    ids = [str(i) for i in Token.objects.values_list("id", flat=True)]
    over = threading.Event()

    def write() -> None:
        with psycopg.connect(server_url(worker_database()), autocommit=True) as connection:
            for n in range(400):
                if over.is_set():
                    return
                connection.execute(
                    "UPDATE exchange_token SET closed = NOT closed, name = %s, deal_access = %s"
                    " WHERE id = ANY(%s::uuid[])",
                    [
                        "Deal" if n % 3 else "Plan",
                        "Public" if n % 5 else "Private",
                        ids[n % 30 : n % 30 + 4],
                    ],
                )

    writer = threading.Thread(target=write)
    writer.start()
    try:
        totals = set()
        while writer.is_alive():
            for path in (LIST, f"{LIST}?closed=1", f"{SEARCH}?name=deal"):
                data = caller.get(path, {"limit": "100"} if path == LIST else None).json()["data"]
                shown = data["tokens"]
                if "closed" in path:
                    assert all(t["deal_access"] == "Public" for t in shown)
                if "name" in path:
                    assert all(t["name"] == "Deal" for t in shown)
                if data["total"] <= 20 or path == LIST:
                    assert data["total"] == data["count"] == len(shown)
                totals.add(data["total"])
    finally:
        over.set()
        writer.join()
    assert len(totals) > 3, "the changes were seen"
