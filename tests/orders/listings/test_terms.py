"""What payments follow from: set at listing, fixed by the first purchase, changed by two people."""

import datetime as dt
import json
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from exchange.core.errors import Conflict, DomainError, Forbidden, InvalidRequest, StateConflict
from exchange.core.ids import uuid7
from exchange.core.timestamps import wire_time
from exchange.events.models import Event
from exchange.staff.models import StaffUser
from exchange.tokens.errors import TokenNotFound
from exchange.tokens.models import Token
from exchange.tokens.services import quotes
from exchange.tokens.services.tokens import change_terms, get_version
from orders.listings.services.terms import (
    approve_terms,
    propose_terms,
    reject_terms,
)
from tests.assertions.unchanged import table_fingerprints
from tests.factories.lifecycle import complete_raise, forget_terms, set_flags
from tests.factories.terms import new_terms, note, propose, sold_out
from tests.factories.tokens import give_units, make_token
from tests.factories.traders import Trader, make_trader
from tests.factories.wallets import assert_books_hold, make_staff

pytestmark = pytest.mark.django_db

D = Decimal


@pytest.fixture
def office() -> StaffUser:
    return make_staff("change_token", "propose_quote")


@pytest.fixture
def finance() -> StaffUser:
    return make_staff("decide_terms", "decide_quote", "end_token")


@pytest.fixture
def issuer() -> Trader:
    return make_trader()


def terms_of(token: Token) -> tuple[object, ...]:
    token.refresh_from_db()
    return (
        *(token.issue_price, token.interest, token.tenor, token.payout_frequency),
        *(token.completed_at, token.terms_version),
    )


def refuse(act: Any, kind: type[DomainError], code: str) -> DomainError:
    """Assert that `act` is refused and that nothing moved."""
    before = table_fingerprints()
    with pytest.raises(kind) as refused:
        act()
    assert refused.value.code == code
    assert table_fingerprints() == before
    return refused.value


# --- listing and completion -----------------------------------------------------------------------


def test_the_issue_price_of_a_listing_is_its_buy_price_unless_it_says_another(issuer):
    assert note(issuer, price_buy=D("99.5")).issue_price == D("99.5")
    assert note(issuer, price_buy=D("99.5"), issue_price=D(100)).issue_price == 100
    for price, problem in (
        ("-1", "issue_price must be from 0 to 1000000000000000"),
        ("0.001", "issue_price must not have more than 2 decimals"),
    ):
        error = refuse(
            partial(note, issuer, issue_price=D(price)), InvalidRequest, "invalid_request"
        )
        assert error.message == problem


def test_without_a_raise_a_token_is_complete_from_its_listing_on(issuer):
    token = issuer.issue()
    assert (token.issue_price, token.completed_at) == (100, token.created_at)
    assert note(issuer).completed_at is None


def test_the_completion_of_a_raise_is_stored_with_its_terms(issuer, finance):
    started = timezone.now()
    by_sale, by_hand = sold_out(issuer), note(issuer)
    make_trader(52_000).place(by_hand, "Buy", 100, 520)
    complete_raise(token_id=by_hand.pk, user=finance)
    for token in (by_sale, by_hand):
        assert terms_of(token)[:4] == (100, 12, 730, "Quarterly")
        assert token.completed_at is not None
        assert started <= token.completed_at <= timezone.now()
        assert token.terms_version == 1


def test_a_raise_without_an_issue_price_states_it_when_it_completes(issuer):
    token = note(issuer)
    forget_terms(token)
    make_trader(100_000).place(token, "Buy", 100, 1000)
    token.refresh_from_db()
    assert token.completed_raise
    assert token.issue_price == 100


# --- the price of an open raise -------------------------------------------------------------------


def test_a_quote_does_not_change_the_buy_price_of_an_open_raise(issuer, office, finance):
    token = note(issuer)
    refuse(
        lambda: quotes.propose(
            token_id=token.pk, prices=quotes.Prices(D(101), D(98)), user=office, note="Revalued"
        ),
        Conflict,
        "raise_open",
    )
    # The sell price may change; what was proposed before the raise is not approved in it.
    sell = quotes.propose(
        token_id=token.pk, prices=quotes.Prices(D(100), D(97)), user=office, note="Revalued"
    )
    quotes.approve(quote_id=sell.pk, user=finance, reason="Checked")
    token.refresh_from_db()
    assert (token.price_buy, token.price_sell) == (100, 97)
    buy = quotes.QUOTES.propose(
        Conflict(),
        token=token,
        buy=D(101),
        sell=D(97),
        note="Revalued",
        proposed_by=office,
    )
    refuse(
        lambda: quotes.approve(quote_id=buy.pk, user=finance, reason="Checked"),
        Conflict,
        "raise_open",
    )
    complete_raise(token_id=token.pk, user=finance)
    quotes.approve(quote_id=buy.pk, user=finance, reason="Checked")
    token.refresh_from_db()
    assert token.price_buy == 101
    assert token.issue_price == 100


def test_a_cancelled_raise_is_open_no_more(issuer, office):
    token = note(issuer)
    set_flags(token, cancelled=True)
    assert not token.is_raising
    prices = quotes.Prices(D(101), D(98))
    assert quotes.propose(token_id=token.pk, prices=prices, user=office, note="Revalued").pk


# --- editing --------------------------------------------------------------------------------------


CHANGES: dict[str, Any] = {
    "issue_price": D(90),
    "interest": D(9),
    "tenor": 365,
    "payout_frequency": "Monthly",
}


def edit(token: Token, user: StaffUser, **terms: Any) -> Token:
    return change_terms(
        token_id=token.pk, terms=terms, expected_version=get_version(token), user=user
    )


def test_before_the_first_purchase_one_person_edits_the_terms(issuer, office):
    token = note(issuer)
    edit(token, office, **CHANGES)
    assert terms_of(token) == (90, 9, 365, "Monthly", None, 1)


@pytest.mark.parametrize("name", CHANGES)
def test_after_the_first_purchase_an_edit_does_not_change_them(issuer, office, name):
    token = note(issuer)
    make_trader(100).place(token, "Buy", 100, 1)
    error = refuse(
        lambda: edit(token, office, name="New", **{name: CHANGES[name]}), Conflict, "terms_fixed"
    )
    assert f": {name} can only be changed by proposing" in error.message
    edit(token, office, name="New", **{name: getattr(token, name)})
    assert Token.objects.get(pk=token.pk).name == "New"


# --- two people -----------------------------------------------------------------------------------


def test_two_people_change_the_terms_and_holders_are_notified_once(issuer, office, finance):
    token, buyer = note(issuer), make_trader(100_000)
    buyer.place(token, "Buy", 100, 1000)
    first = propose(token, office)
    assert (first.status, first.version) == ("Pending", 2)
    completed = token.completed_at
    done = approve_terms(proposal_id=first.pk, user=finance)
    assert (done.status, done.decided_by) == ("Approved", finance)
    assert terms_of(token) == (100, 10, 730, "Quarterly", completed, 2)
    event = Event.objects.get(type="token.terms_changed")
    assert (event.organisation_id, event.subject_id) == (buyer.owner_id, token.pk)
    assert completed is not None
    assert json.loads(event.body)["data"] == {
        "terms": {
            "token": str(token.pk),
            "currency": "KES",
            "issue_price": 100,
            "interest": 10,
            "tenor": 730,
            "payout_frequency": "Quarterly",
            "day_count": "ACT/365",
            "completed_at": wire_time(completed),
            "maturity": str(completed.date() + dt.timedelta(days=730)),
            "version": 2,
        }
    }
    assert_books_hold()


def test_members_of_an_organisation_are_notified_once_with_it(office, finance):
    issuer, other = make_trader(), make_trader()
    token = make_token(issuer.wallet.organisation, interest=D(12))
    give_units(token, other.wallet, 5)
    give_units(token, make_trader(organisation=other.wallet.organisation, member=True).wallet, 5)
    seller = make_trader(organisation=issuer.wallet.organisation, member=True)
    give_units(token, seller.wallet, 990)
    # Units in an open order are its owner's.
    seller.place(token, "Sell", 100, 990)
    proposal = propose(token, office)
    approve_terms(proposal_id=proposal.pk, user=finance)
    events = Event.objects.filter(type="token.terms_changed").values_list("organisation_id")
    expected = [issuer.wallet.organisation.pk, other.wallet.organisation.pk]
    assert sorted(each for (each,) in events) == sorted(expected)


def test_one_person_does_not_change_the_terms(issuer, office, finance):
    both = make_staff("change_token", "decide_terms")
    token = sold_out(issuer)
    proposal = propose(token, both)
    refuse(
        lambda: approve_terms(proposal_id=proposal.pk, user=both),
        DomainError,
        "approver_not_independent",
    )
    refuse(lambda: approve_terms(proposal_id=proposal.pk, user=office), Forbidden, "forbidden")
    refuse(lambda: propose(token, finance), Forbidden, "forbidden")
    refuse(
        lambda: reject_terms(proposal_id=proposal.pk, reason="Too low", user=office),
        Forbidden,
        "forbidden",
    )
    reject_terms(proposal_id=proposal.pk, reason="A typing error", user=both)
    refuse(
        lambda: approve_terms(proposal_id=proposal.pk, user=finance),
        StateConflict,
        "state_conflict",
    )
    assert terms_of(token)[1:2] == (12,)


def test_one_proposal_is_pending_for_a_token(issuer, office, finance):
    token = sold_out(issuer)
    first = propose(token, office)
    refuse(lambda: propose(token, office, interest=D(9)), Conflict, "terms_pending")
    reject_terms(proposal_id=first.pk, reason="Too low", user=finance)
    second = propose(token, office, interest=D(9))
    approve_terms(proposal_id=second.pk, user=finance)
    assert propose(token, office, interest=D(8)).version == 3


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"issue_price": D(0)}, "issue_price"),
        ({"issue_price": D("1.001")}, "issue_price"),
        ({"interest": D("100.01")}, "interest"),
        ({"interest": D(-1)}, "interest"),
        ({"interest": D("1.00001")}, "interest"),
        ({"tenor": -1}, "tenor"),
        ({"tenor": 36_501}, "tenor"),
        ({"payout_frequency": "Weekly"}, "payout_frequency"),
        ({"completed_on": None}, "completed_on"),
        ({"completed_on": timezone.now().date() + dt.timedelta(days=2)}, "completed_on"),
    ],
)
def test_bad_terms_are_refused_by_field(issuer, office, changes, field):
    token = sold_out(issuer)
    error = refuse(lambda: propose(token, office, **changes), InvalidRequest, "invalid_request")
    assert set(error.fields) == {field}


def test_terms_that_change_nothing_and_what_is_no_token_are_refused(issuer, office):
    token = sold_out(issuer)
    refuse(lambda: propose(token, office, interest=D(12)), InvalidRequest, "invalid_request")
    for explanation in ("", "x" * 301):
        act = partial(propose_terms, token_id=token.pk, terms=new_terms(token), user=office)
        refuse(partial(act, explanation=explanation), InvalidRequest, "invalid_request")
    act = partial(propose_terms, terms=new_terms(token), explanation="why", user=office)
    refuse(partial(act, token_id=uuid7()), TokenNotFound, "token_not_found")


def test_tokens_that_ended_or_without_a_buyer_have_no_new_terms(issuer, office, finance):
    fresh, cancelled, exited = note(issuer), sold_out(issuer), sold_out(issuer)
    pending = propose(exited, office)
    set_flags(cancelled, cancelled=True)
    set_flags(exited, exited=True)
    for token in (fresh, cancelled, exited):
        refuse(partial(propose, token, office), StateConflict, "state_conflict")
    refuse(
        lambda: approve_terms(proposal_id=pending.pk, user=finance), StateConflict, "state_conflict"
    )


def test_terms_of_an_open_raise_change_by_two_and_are_void_once_it_completes(
    issuer, office, finance
):
    token = note(issuer)
    make_trader(100).place(token, "Buy", 100, 1)
    approve_terms(proposal_id=propose(token, office).pk, user=finance)
    assert terms_of(token) == (100, 10, 730, "Quarterly", None, 2)
    with_date = {"completed_on": dt.date(2026, 1, 1)}
    refuse(lambda: propose(token, office, **with_date), InvalidRequest, "invalid_request")
    pending = propose(token, office, interest=D(8))
    make_trader(99_900).place(token, "Buy", 100, 999)
    refuse(
        lambda: approve_terms(proposal_id=pending.pk, user=finance), StateConflict, "state_conflict"
    )
    assert terms_of(token)[1] == 10


def test_a_completion_that_is_not_known_is_decided_by_two(issuer, office, finance):
    token = sold_out(issuer)
    forget_terms(token)
    proposal = propose(token, office, issue_price=D(95), completed_on=dt.date(2025, 1, 31))
    approve_terms(proposal_id=proposal.pk, user=finance)
    assert terms_of(token)[0] == 95
    assert token.completed_at == dt.datetime(2025, 1, 31, tzinfo=dt.UTC)
