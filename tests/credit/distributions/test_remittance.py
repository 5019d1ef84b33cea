"""Remittance of withheld tax by treasury movement: two people, and never more than is held."""

from decimal import Decimal

import pytest

from exchange.core.errors import Rejected
from tests.assertions.books import close_transfers
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.distributions import make_distribution, make_holding
from tests.factories.tax_rates import make_rate, set_tax_facts
from tests.factories.treasury import move, system_balance, terms, treasurer
from tests.factories.wallets import assert_books_hold
from wallets.ledger.checkpoint import closed_position, renew_checkpoint
from wallets.treasury.errors import BeyondOwnFunds, BeyondTaxWithheld
from wallets.treasury.selectors import treasury_balances
from wallets.treasury.services import confirm_movement, propose_movement

pytestmark = pytest.mark.django_db
WHY = "Compared with the statement"


def withhold() -> None:
    """Withhold 175 NGN of a dividend of 1,750."""
    held = make_holding()
    set_tax_facts(held.token.issuer, tax_residence="NG")
    make_rate(10)
    make_distribution(held.token, "Paid")


def test_what_was_withheld_leaves_clearing_for_the_authority():
    withhold()
    move(terms("top_up", 100, currency="NGN"))
    clearing = system_balance("clearing", "NGN")
    move(terms("tax_remittance", 75, currency="NGN", charge=Decimal("2.5")))
    assert system_balance("tax", "NGN") == 100
    assert system_balance("clearing", "NGN") == clearing + Decimal("77.5")
    assert system_balance("expenses", "NGN") == Decimal("-2.5")
    held = treasury_balances("NGN")
    assert [held.tax, held.own] == [100, Decimal("97.5")]
    close_transfers()
    renew_checkpoint(closed_position())
    assert treasury_balances("NGN") == held
    move(terms("tax_remittance", 100, currency="NGN", reference="BANK-2"))
    assert system_balance("tax", "NGN") == 0
    assert_books_hold()


@pytest.mark.parametrize(
    ("kind", "amount", "charge", "error"),
    [
        ("tax_remittance", "175.01", 0, BeyondTaxWithheld),
        ("tax_remittance", 175, 1, BeyondOwnFunds),  # the charge would be clients' money
        ("draw_down", 1, 0, BeyondOwnFunds),  # tax is not the exchange's own
    ],
)
@pytest.mark.one_in(3)
def test_no_more_than_is_withheld_is_taken(kind, amount, charge, error):
    withhold()
    proposed = propose_movement(
        terms=terms(kind, amount, currency="NGN", charge=Decimal(charge)), user=treasurer()
    )
    person = treasurer()
    with assert_no_table_changes(), pytest.raises(error):
        confirm_movement(movement_id=proposed.pk, user=person, reason=WHY)


def test_another_person_confirms_a_remittance():
    withhold()
    person = treasurer()
    proposed = propose_movement(terms=terms("tax_remittance", 175, currency="NGN"), user=person)
    with assert_no_table_changes(), pytest.raises(Rejected, match="Someone other"):
        confirm_movement(movement_id=proposed.pk, user=person, reason=WHY)


def test_tax_of_another_currency_is_not_remitted():
    withhold()
    proposed = propose_movement(terms=terms("tax_remittance", 1), user=treasurer())
    person = treasurer()
    with assert_no_table_changes(), pytest.raises(BeyondTaxWithheld):
        confirm_movement(movement_id=proposed.pk, user=person, reason=WHY)
