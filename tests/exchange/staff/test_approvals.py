"""The rules of two-person approval, on the table of quotes: in the service and in the database."""

from collections.abc import Iterator
from decimal import Decimal
from functools import partial

import pytest
from django.apps import apps
from django.utils import timezone
from psycopg import errors

from exchange.core.errors import Forbidden, NotFound, Rejected, StateConflict
from exchange.core.ids import uuid7
from exchange.staff.approvals import authorize_staff, is_independent, require_independent
from exchange.staff.models import ProposalModel, StaffUser
from exchange.tokens.models import Quote, Token
from exchange.tokens.services import quotes
from exchange.tokens.services.quotes import QUOTES, Prices
from tests.environment.concurrency import Callers
from tests.environment.database import Connection, session
from tests.factories.staff import create_superuser
from tests.factories.tokens import make_token
from tests.factories.wallets import make_staff

pytestmark = pytest.mark.django_db(transaction=True)

PRICES = Prices(buy=Decimal(118), sell=Decimal(115))
INSERT = (
    "INSERT INTO exchange_quote (id, token_id, buy, sell, exchange, status, note, reason,"
    " proposed_by_id, created_at, decided_by_id, decided_at)"
    " VALUES (%s, %s, 118, 115, 0, %s, '', '', %s, now(), %s, %s)"
)


def make_proposer() -> StaffUser:
    return make_staff("propose_quote", "decide_quote")


def make_approver() -> StaffUser:
    return make_staff("decide_quote")


def make_quote(token: Token | None = None) -> Quote:
    token = token or make_token()
    return quotes.propose(token_id=token.id, prices=PRICES, user=make_proposer())


def picture() -> list[tuple[object, ...]]:
    return [*Quote.objects.values_list(), *Token.objects.values_list()]


@pytest.fixture
def runtime() -> Iterator[Connection]:
    with session("runtime") as connection:
        connection.autocommit = True
        yield connection


def test_two_persons_at_once_approve_and_reject_once():
    people = [make_approver() for _ in range(4)]
    with Callers(4) as callers:
        for _ in range(5):
            quote = make_quote()
            results = callers.at_once(
                [
                    partial(quotes.approve, quote_id=quote.id, user=people[0]),
                    partial(quotes.approve, quote_id=quote.id, user=people[1]),
                    partial(quotes.reject, quote_id=quote.id, user=people[2], reason="Too high"),
                    partial(quotes.reject, quote_id=quote.id, user=people[3], reason="Too low"),
                ]
            )
            decided = [result for result in results if isinstance(result, Quote)]
            assert len(decided) == 1
            assert sum(isinstance(result, StateConflict) for result in results) == 3
            quote.refresh_from_db()
            assert (quote.status, quote.decided_by) == (decided[0].status, decided[0].decided_by)
            quote.token.refresh_from_db()
            assert quote.token.price_buy == (118 if quote.status == "Approved" else 100)


def test_a_subject_has_at_most_one_pending_proposal():
    token = make_token()
    people = [make_proposer() for _ in range(4)]
    propose = partial(quotes.propose, token_id=token.id, prices=PRICES)
    with Callers(4) as callers:
        results = callers.at_once([partial(propose, user=person) for person in people])
    assert sum(isinstance(result, Quote) for result in results) == 1
    codes = [result.code for result in results if not isinstance(result, Quote)]
    assert codes == ["quote_pending"] * 3


def test_a_stale_record_is_not_closed():
    """Compare and set: a stale read changes nothing."""
    quote = make_quote()
    stale = Quote.objects.get(pk=quote.pk)
    quotes.reject(quote_id=quote.id, user=make_approver(), reason="Too high")
    before = picture()
    with pytest.raises(StateConflict) as refusal:
        QUOTES.close(stale, "Approved", make_approver())
    assert refusal.value.message == "The quote is no longer Pending"
    assert picture() == before


def test_the_proposer_does_not_approve():
    quote = make_quote()
    assert quote.proposed_by is not None
    before = picture()
    with pytest.raises(Rejected) as refusal:
        quotes.approve(quote_id=quote.id, user=quote.proposed_by)
    assert refusal.value.code == "approver_not_independent"
    assert refusal.value.message == QUOTES.describe_blocker(quote, quote.proposed_by)
    assert picture() == before


def test_deciding_needs_the_permission_and_an_active_account():
    quote = make_quote()
    stranger, former, outsider = make_staff("propose_quote"), make_approver(), make_approver()
    former.is_active = False
    outsider.is_staff = False
    before = picture()
    for person in (stranger, former, outsider):
        person.save()
        with pytest.raises(Forbidden):
            quotes.approve(quote_id=quote.id, user=person)
        with pytest.raises(Forbidden):
            quotes.reject(quote_id=quote.id, user=person, reason="No")
        with pytest.raises(Forbidden, match="You may not look"):
            authorize_staff(person, "exchange.decide_quote", "You may not look")
    assert picture() == before


def test_a_superuser_who_proposed_is_not_independent_either():
    owner = create_superuser("owner", password="x")
    quote = quotes.propose(token_id=make_token().id, prices=PRICES, user=owner)
    with pytest.raises(Rejected) as refusal:
        quotes.approve(quote_id=quote.id, user=owner)
    assert refusal.value.code == "approver_not_independent"


def test_a_record_that_does_not_exist_is_not_found():
    with pytest.raises(NotFound) as refusal:
        quotes.approve(quote_id=uuid7(), user=make_approver())
    assert (refusal.value.message, refusal.value.code) == ("Quote not found", "quote_not_found")


def test_a_person_is_known_by_id_and_as_an_actor():
    person, other = make_approver(), make_approver()
    assert is_independent(person, None, other.pk, f"staff:{other.pk}", f"api_key:{person.pk}")
    for same in (person.pk, f"staff:{person.pk}"):
        assert not is_independent(person, other.pk, same)
        with pytest.raises(Rejected, match="Not you") as refusal:
            require_independent(person, other.pk, same, message="Not you")
        assert refusal.value.code == "approver_not_independent"


# --- by SQL, as the service's own login ---


def test_sql_does_not_approve_for_the_proposer_nor_without_a_person(runtime):
    quote = make_quote()
    before = picture()
    for decider in (quote.proposed_by_id, None):
        with pytest.raises(errors.CheckViolation) as refusal:
            runtime.execute(
                "UPDATE exchange_quote SET status = 'Approved', decided_by_id = %s,"
                " decided_at = now() WHERE id = %s",
                [decider, quote.id],
            )
        assert refusal.value.diag.constraint_name == "quote_approved_by_another"
    assert picture() == before


def test_sql_cannot_insert_a_decided_proposal(runtime):
    token, proposer, approver = make_token(), make_proposer(), make_approver()
    now = timezone.now()
    for constraint, status, proposed_by, decided_by, decided_at in (
        ("starts_pending", "Approved", proposer.id, approver.id, now),
        ("starts_pending", "Approved", proposer.id, None, now),
        ("starts_pending", "Approved", None, approver.id, now),
        ("starts_pending", "Pending", proposer.id, approver.id, now),
        ("undecided", "Pending", proposer.id, None, now),
    ):
        with pytest.raises(errors.CheckViolation) as refusal:
            runtime.execute(
                INSERT, [uuid7(), token.id, status, proposed_by, decided_by, decided_at]
            )
        assert refusal.value.diag.constraint_name == f"quote_{constraint}"
    assert not Quote.objects.exists()


def test_sql_does_not_change_a_proposal_nor_a_decision_nor_remove_either(runtime):
    pending, decided = make_quote(), make_quote()
    quotes.approve(quote_id=decided.id, user=make_approver())
    before = picture()
    changes = (
        (pending, "buy = 999"),
        (pending, "note = 'other'"),
        (pending, f"proposed_by_id = '{make_approver().pk}'"),
        (pending, "created_at = now() - interval '1 day'"),
        (decided, "status = 'Pending', decided_by_id = NULL, decided_at = NULL"),
        (decided, "status = 'Rejected'"),
        (decided, f"decided_by_id = '{make_approver().pk}'"),
        (decided, "decided_at = now()"),
        (decided, "reason = 'other'"),
    )
    for quote, change in changes:
        with pytest.raises(errors.RestrictViolation):
            runtime.execute(f"UPDATE exchange_quote SET {change} WHERE id = %s", [quote.id])
    with pytest.raises(errors.InsufficientPrivilege):
        runtime.execute("DELETE FROM exchange_quote WHERE id = %s", [pending.id])
    assert picture() == before


def test_prices_that_were_in_force_before_come_back_by_a_new_quote_only(runtime):
    token = make_token()
    for prices in (PRICES, Prices(buy=Decimal(100), sell=Decimal(97))):
        quote = quotes.propose(token_id=token.id, prices=prices, user=make_proposer())
        quotes.approve(quote_id=quote.id, user=make_approver())
    before = picture()
    with pytest.raises(errors.CheckViolation) as refusal:
        runtime.execute(
            "UPDATE exchange_token SET price_buy = 118, price_sell = 115 WHERE id = %s", [token.id]
        )
    assert refusal.value.diag.constraint_name == "token_price_by_quote"
    assert picture() == before
    quotes.approve(quote_id=make_quote(token).id, user=make_approver())
    token.refresh_from_db()
    assert (token.price_buy, token.price_sell) == (118, 115)


def test_not_even_the_owner_of_the_tables_removes_a_proposal(owner_connection):
    quote = make_quote()
    with pytest.raises(errors.RestrictViolation):
        owner_connection.execute("DELETE FROM exchange_quote WHERE id = %s", [quote.id])
    assert Quote.objects.filter(pk=quote.pk).exists()


def test_every_table_of_proposals_is_under_the_guard(owner_connection):
    tables = {
        model._meta.db_table for model in apps.get_models() if issubclass(model, ProposalModel)
    }
    guarded = owner_connection.execute(
        "SELECT tgrelid::regclass::text FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid"
        " WHERE p.proname = 'two_person_guard' AND t.tgenabled = 'O'"
    ).fetchall()
    assert {name for (name,) in guarded} == tables
