"""No lifecycle action moves money, opens trading or ends it by one person, whoever writes."""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from functools import partial

import pytest
from django.db import DatabaseError, OperationalError

from exchange.core.errors import Conflict, DomainError, Rejected, StateConflict
from exchange.staff.models import StaffUser
from exchange.tokens.models import Token
from orders.listings.models import TokenAction, TokenProposal
from orders.listings.services.proposals import (
    confirm_token_action,
    propose_token_action,
    reject_token_action,
)
from tests.assertions.login_refusals import assert_login_refused
from tests.assertions.unchanged import table_fingerprints
from tests.environment.database import session
from tests.environment.processes import wait_until
from tests.factories.lifecycle import complete_raise, propose
from tests.factories.traders import Trader, make_trader
from tests.factories.wallets import assert_books_hold, make_staff
from tests.races.test_hold_races import run_together
from wallets.ledger.models import Transfer

pytestmark = pytest.mark.django_db


@pytest.fixture
def issuer() -> Trader:
    return make_trader()


@pytest.fixture
def officer() -> StaffUser:
    return make_staff("end_token")


def half_raised(issuer: Trader, **more: Decimal) -> Token:
    """A raise of 100,000 KES of which 52,000 are raised."""
    token = issuer.issue(raise_amount=Decimal(100_000), **more)
    make_trader(52_000).place(token, "Buy", 100, 520)
    return token


def propose_alone(token: Token, action: TokenAction, user: StaffUser) -> TokenProposal:
    return propose_token_action(
        token_id=token.id, action=action, explanation="As agreed", user=user
    )


@pytest.mark.parametrize("action", [TokenAction.COMPLETE, TokenAction.CANCEL])
def test_one_person_neither_pays_a_raise_out_nor_cancels_it(issuer, officer, action):
    token = half_raised(issuer)
    proposal = propose_alone(token, action, officer)
    before = table_fingerprints()
    with pytest.raises(Rejected) as refused:
        confirm_token_action(proposal_id=proposal.pk, user=officer)
    assert refused.value.code == "approver_not_independent"
    assert table_fingerprints() == before
    assert (issuer.balance("KES"), issuer.balance("KES", "raise")) == (0, 52_000)
    assert_books_hold()


def test_two_people_complete_a_raise_below_its_target(issuer, officer):
    token = half_raised(issuer)
    proposal = propose(token.id, TokenAction.COMPLETE)
    done = confirm_token_action(proposal_id=proposal.pk, user=officer)
    assert (done.status, done.decided_by) == ("Approved", officer)
    assert done.token.completed_raise
    assert (issuer.balance("KES"), issuer.balance("KES", "raise")) == (52_000, 0)
    assert (issuer.balance(token), issuer.balance(token, "unsold")) == (480, 0)
    with pytest.raises(StateConflict):
        confirm_token_action(proposal_id=proposal.pk, user=make_staff("end_token"))
    assert_books_hold()


def test_a_sale_still_completes_the_raise_alone(issuer):
    """Also where a remainder below the minimum trade is left."""
    token = issuer.issue(raise_amount=Decimal(100_000), min_trade_buy=Decimal(500))
    make_trader(100_000).place(token, "Buy", 100, 996)
    token.refresh_from_db()
    assert token.completed_raise
    assert (issuer.balance("KES"), issuer.balance(token)) == (99_600, 4)
    assert not TokenProposal.objects.exists()
    assert_books_hold()


def test_one_proposal_is_pending_for_a_token(issuer, officer):
    token = half_raised(issuer)
    first = propose_alone(token, TokenAction.COMPLETE, officer)
    with pytest.raises(Conflict) as refused:
        propose(token.id, TokenAction.CANCEL)
    assert refused.value.code == "token_proposal_pending"
    reject_token_action(proposal_id=first.pk, reason="Too early", user=officer)
    propose(token.id, TokenAction.CANCEL)
    assert not Transfer.objects.filter(kind__in=["raise_complete", "raise_refund"]).exists()


def test_what_is_no_longer_possible_is_refused_at_the_confirmation(issuer, officer):
    """The last sale completes the raise while its cancellation is pending."""
    token = half_raised(issuer)
    cancellation = propose(token.id, TokenAction.CANCEL)
    make_trader(48_000).place(token, "Buy", 100, 480)
    before = table_fingerprints()
    with pytest.raises(StateConflict, match="has changed since this was proposed"):
        confirm_token_action(proposal_id=cancellation.pk, user=officer)
    assert table_fingerprints() == before
    reject_token_action(proposal_id=cancellation.pk, reason="Sold out", user=officer)
    secondaries = propose(token.id, TokenAction.SECONDARIES)
    confirm_token_action(proposal_id=secondaries.pk, user=officer)
    assert Token.objects.get(pk=token.pk).secondaries
    assert_books_hold()


# --- The service's login, which writes the tables itself ----------------------------------------


@pytest.mark.django_db(transaction=True)
def test_the_services_login_does_none_of_it_without_two_people(issuer, officer):
    raising, complete = half_raised(issuer), half_raised(issuer)
    complete_raise(token_id=complete.id, user=officer)
    small = half_raised(issuer)
    Token.objects.filter(pk=small.pk).update(min_trade_buy=48_001)
    waiting = propose(raising.id, TokenAction.CANCEL)
    by_two = "token_action_by_two"
    update = "UPDATE exchange_token SET {} = true WHERE id = %(id)s"
    attacks: dict[tuple[str, Token], str | None] = {
        ("SELECT complete_raise(%(id)s, 'system:attack')", raising): "raise_completed_by_two",
        # What is left is below the smallest trade, or the target is what was raised.
        ("SELECT complete_raise(%(id)s, 'system:attack')", small): "raise_completed_by_two",
        ("UPDATE exchange_token SET raise_amount = 52000 WHERE id = %(id)s", raising): None,
        ("SELECT pay_out_raise(%(id)s, 'system:attack')", raising): None,
        (update.format("cancelled"), raising): by_two,
        (update.format("cancelled"), complete): by_two,
        (update.format("exited"), complete): by_two,
        (update.format("secondaries"), complete): by_two,
        (
            "UPDATE orders_tokenproposal SET status = 'Approved', decided_by_id = proposed_by_id,"
            " decided_at = now() WHERE token_id = %(id)s",
            raising,
        ): "token_proposal_approved_by_another",
        (
            "INSERT INTO orders_tokenproposal (id, token_id, action, explanation, version, status,"
            " proposed_by_id, created_at, decided_by_id, decided_at, reason)"
            " SELECT new_id(), token_id, 'complete', 'x', '', 'Approved', proposed_by_id, now(),"
            f" '{officer.pk}', now(), '' FROM orders_tokenproposal WHERE id = '{waiting.pk}'"
            " AND token_id = %(id)s",
            raising,
        ): "token_proposal_starts_pending",
    }
    assert_login_refused(attacks, "orders_tokenproposal")
    assert_books_hold()


# --- At once, and killed -------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_two_people_who_confirm_at_once_pay_once(issuer):
    token = half_raised(issuer)
    proposal = propose(token.id, TokenAction.COMPLETE)
    results = run_together(
        *[
            partial(confirm_token_action, proposal_id=proposal.pk, user=make_staff("end_token"))
            for _ in range(4)
        ]
    )
    refused = [each for each in results if isinstance(each, DomainError)]
    assert [type(each) for each in refused] == [StateConflict] * 3
    assert Transfer.objects.filter(kind="raise_complete").count() == 1
    assert issuer.balance("KES") == 52_000
    assert_books_hold()


@pytest.mark.django_db(transaction=True)
def test_a_confirmation_that_is_killed_leaves_the_proposal_pending(issuer, officer):
    token = half_raised(issuer)
    proposal = propose(token.id, TokenAction.CANCEL)
    before = table_fingerprints()
    with (
        session("owner") as watch,
        session("owner") as holder,
        ThreadPoolExecutor(1) as threads,
    ):
        watch.autocommit = True
        # The last account that the refund needs.
        holder.execute(
            "SELECT FROM wallets_account WHERE asset_id = 'KES' AND kind = 'raise' FOR UPDATE"
        )
        confirming = threads.submit(
            run_together, partial(confirm_token_action, proposal_id=proposal.pk, user=officer)
        )
        waiting = (
            "SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a"
            " WHERE a.datname = current_database() AND a.wait_event_type = 'Lock'"
        )
        wait_until(lambda: watch.execute(waiting).fetchall() == [(True,)], "it is killed")
        with pytest.raises((OperationalError, DatabaseError)):
            confirming.result()
    assert table_fingerprints() == before
    confirm_token_action(proposal_id=proposal.pk, user=officer)
    assert (issuer.balance("KES", "raise"), issuer.balance(token, "unsold")) == (0, 0)
    assert Transfer.objects.filter(kind="raise_refund").count() == 1
    assert_books_hold()
