"""Row locks of each loan operation, as a second connection sees them.

A locked loan can still be referenced (by a payment or an event); its borrower, other loans and
unpledged tokens stay unlocked.
"""

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction

from credit.loans.models import ClosureAction, Loan
from credit.loans.services.closures import propose_closure
from credit.loans.services.lending import lock_tokens
from credit.loans.services.pledging import add_collateral, release_collateral
from credit.loans.services.repaying import lock_open_loan
from credit.loans.services.servicing import age_loan, revalue_loan
from credit.loans.services.valuation import Pledge
from tests.environment.database import session
from tests.factories.api_clients import TESTER
from tests.factories.lending import Lending
from tests.factories.loans import backdate_loan
from tests.factories.tokens import give_units, make_token
from tests.factories.wallets import make_staff

pytestmark = pytest.mark.django_db(transaction=True)


def held_by(act: Callable[[], object]) -> dict[str, set[UUID]]:
    """Return rows that others cannot update while `act` is uncommitted, and rows they cannot even
    reference; `act` is rolled back.
    """
    found: dict[str, set[UUID]] = {}
    with session("owner") as other, transaction.atomic():
        act()
        for name, table, strength in (
            ("loans", "credit_loan", "NO KEY UPDATE"),
            ("tokens", "exchange_token", "NO KEY UPDATE"),
            ("members", "exchange_member", "NO KEY UPDATE"),
            ("shut loans", "credit_loan", "KEY SHARE"),
            ("shut tokens", "exchange_token", "KEY SHARE"),
        ):
            every = {id_ for (id_,) in other.execute(f"SELECT id FROM {table}")}
            free = other.execute(f"SELECT id FROM {table} FOR {strength} SKIP LOCKED")
            found[name] = every - {id_ for (id_,) in free}
            other.rollback()
        transaction.set_rollback(True)
    return {name: rows for name, rows in found.items() if rows}


def two_tokens(lending: Lending) -> tuple[Loan, Loan, list[UUID]]:
    """Make a loan on two tokens and another on a third; return the three ids."""
    tokens = [lending.token, *(make_token(price_sell=Decimal(10_000)) for _ in range(2))]
    for token in tokens[1:]:
        give_units(token, lending.borrower, 50)
    one, two, three = (Pledge(token.id, Decimal(5)) for token in tokens)
    loan = lending.lend(amount=1000, collaterals=(one, two))
    other = lending.lend(amount=1000, collaterals=(three,))
    return loan, other, [token.id for token in tokens]


def test_tokens_are_locked_by_name_and_can_still_be_referred_to(lending):
    _, _, (first, second, _) = two_tokens(lending)
    pledges = tuple(Pledge(id_, Decimal(1)) for id_ in (second, first))
    with transaction.atomic():
        assert {*lock_tokens(pledges)} == {first, second}
    assert held_by(partial(lock_tokens, pledges)) == {"tokens": {first, second}}


def test_a_loan_is_locked_alone_and_can_still_be_referred_to(lending):
    loan, _, _ = two_tokens(lending)
    held = held_by(partial(lock_open_loan, loan.id, loan.organisation_id))
    assert held == {"loans": {loan.id}}
    assert held_by(partial(age_loan, loan.id)) == {"loans": {loan.id}}


def test_every_valuation_locks_the_prices_of_all_tokens(lending):
    loan, _, (first, second, third) = two_tokens(lending)
    who: dict[str, Any] = {
        "loan_id": loan.id, "organisation_id": loan.organisation_id, "actor": TESTER,
    }  # fmt: skip
    one = (Pledge(second, Decimal(1)),)
    assert held_by(partial(revalue_loan, loan.id)) == {
        "loans": {loan.id},
        "tokens": {first, second},
    }
    released = held_by(partial(release_collateral, pledges=one, **who))
    assert (released["loans"], released["tokens"]) == ({loan.id}, {first, second})
    added = held_by(partial(add_collateral, pledges=(Pledge(third, Decimal(1)),), **who))
    assert (added["loans"], added["tokens"]) == ({loan.id}, {third})


def test_a_closure_proposal_locks_prices_and_loan(lending):
    loan, other, (first, second, _) = two_tokens(lending)
    for each in (loan, other):
        backdate_loan(each, days=30)
        assert age_loan(each.id) == 1
    propose = partial(
        propose_closure, loan_id=loan.id, action=ClosureAction.LIQUIDATE, note="why",
        user=make_staff("close_loan"),
    )  # fmt: skip
    assert held_by(propose) == {"loans": {loan.id}, "tokens": {first, second}}
