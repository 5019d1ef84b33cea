"""Edge cases of adding and releasing collateral: rows, limits and messages."""

from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from credit.loans.models import ClosureAction, Collateral, Loan, Valuation
from credit.loans.services.closures import decline_closure, propose_closure
from credit.loans.services.pledging import add_collateral, release_collateral
from credit.loans.services.valuation import Pledge
from exchange.core.errors import DomainError
from exchange.tokens.models import Token
from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.api_clients import TESTER
from tests.factories.loans import make_defaulted_loan
from tests.factories.tokens import give_units, make_token
from tests.factories.wallets import assert_books_hold, balance_of, make_staff

pytestmark = pytest.mark.django_db(transaction=True)


def changed(change: Any, loan: Loan, *pledged: tuple[Token, str]) -> Loan:
    """Add or release so many units of each token."""
    pledges = tuple(Pledge(token.id, Decimal(units)) for token, units in pledged)
    found: Loan = change(
        loan_id=loan.id, organisation_id=loan.organisation_id, pledges=pledges, actor=TESTER
    )
    return found


add, release = partial(changed, add_collateral), partial(changed, release_collateral)


def rows(loan: Loan) -> list[tuple[Any, ...]]:
    """Return its collateral by position."""
    listed = Collateral.objects.filter(loan=loan).order_by("position")
    return list(listed.values_list("position", "token_id", "quantity", "pledged_price"))


def refusal(act: Any) -> str:
    """Return the error message; nothing may have moved."""
    with assert_nothing_changes(), pytest.raises(DomainError) as refused:
        act()
    return refused.value.message


def test_added_collateral_goes_to_the_named_loan_and_token(lending):
    one, two = (make_token(price_sell=Decimal(price)) for price in (10, 20))
    for token in (one, two):
        give_units(token, lending.borrower, 50)
    loan, sibling = lending.lend(), lending.lend(amount=10_000, units=2)
    others = rows(sibling)
    loan = add(loan, (one, "5"), (lending.token, "0.5"), (two, "6"))
    assert rows(loan) == [
        (1, lending.token.id, Decimal("105.5"), 10_000),
        (2, one.id, 5, 10),
        (3, two.id, 6, 20),
    ]
    assert rows(sibling) == others
    add(sibling, (two, "1"))
    assert rows(sibling) == [*others, (2, two.id, 1, 20)]
    for token, units in ((one, "5"), (two, "6")):
        assert f'"token_id":"{token.id}","quantity":{units}' in loan.document
    assert balance_of(loan.borrower_id, two.id, "lien") == 7
    assert_books_hold()


def test_a_loan_has_fifty_collaterals_and_no_more(lending):
    tokens = [make_token(price_sell=Decimal(10)) for _ in range(50)]
    for token in tokens:
        give_units(token, lending.borrower, 5)
    loan = lending.lend()
    add(loan, *((token, "1") for token in tokens[:48]))
    two = [(token, "1") for token in tokens[48:]]
    assert refusal(lambda: add(loan, *two)) == "A loan can have at most 50 collaterals"
    add(loan, two[0])
    assert refusal(lambda: add(loan, two[1])) == "A loan can have at most 50 collaterals"
    add(loan, (lending.token, "1"), two[0])
    assert len(rows(loan)) == 50


def test_released_collateral_was_pledged_and_leaves_enough(lending):
    other, foreign = make_token(price_sell=Decimal(10)), make_token(price_sell=Decimal(10))
    give_units(other, lending.borrower, 50)
    loan = lending.lend()
    add(loan, (other, "5"), (lending.token, "1"))
    none = "A token in collaterals is not pledged"
    assert refusal(lambda: release(loan, (foreign, "1"))) == none
    assert refusal(lambda: release(loan, (other, "5.1"))) == (
        f"5 units of {other.symbol} are pledged, requested: 5.1"
    )
    assert refusal(lambda: release(loan)) == "collaterals must have 1 to 50 items"
    assert refusal(lambda: release(loan, (other, "5"), (lending.token, "1.00000001"))) == (
        "The remaining collateral would be worth 1050000 NGN,"
        " too little for the 840000 owed at a collateral ratio of 0.8"
    )
    loan = release(loan, (other, "5"), (lending.token, "1"))
    assert [row[2] for row in rows(loan)] == [105, 0]
    assert str(other.id) not in loan.document
    # What was released is not pledged any more, and can be again, in its old place.
    assert refusal(lambda: release(loan, (other, "1"))) == none
    add(loan, (other, "2"))
    assert [(row[0], row[2]) for row in rows(loan)] == [(1, 105), (2, 2)]
    assert_books_hold()


def test_a_pending_liquidation_blocks_a_release_and_a_write_off_does_not(lending):
    officer = make_staff("close_loan")
    loan = make_defaulted_loan(lending, units=300)
    written_off = make_defaulted_loan(lending, amount=10_000, units=10)
    for each, action in ((loan, ClosureAction.LIQUIDATE), (written_off, ClosureAction.WRITE_OFF)):
        propose_closure(loan_id=each.id, action=action, note="why", user=officer)
    assert refusal(lambda: release(loan, (lending.token, "1"))) == (
        "A liquidation of this loan is pending: collateral cannot be released until it is decided"
    )
    release(written_off, (lending.token, "1"))
    assert [row[2] for row in rows(written_off)] == [9]
    decline_closure(proposal_id=loan.closure_proposals.get().id, user=officer)
    release(loan, (lending.token, "1"))
    assert [row[2] for row in rows(loan)] == [299]


def test_the_loan_is_valued_with_added_and_released_collateral(lending):
    loan = lending.lend()
    for change, worth in ((add, 1_060_000), (release, 1_050_000)):
        change(loan, (lending.token, "1"))
        assert Valuation.objects.get(loan=loan).value == worth
