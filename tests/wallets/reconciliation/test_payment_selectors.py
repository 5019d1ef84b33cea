"""Which of our payments and deposits a comparison with the provider reads."""

from decimal import Decimal

import pytest

from exchange.core.ids import new_reference
from tests.factories.api_clients import TESTER
from tests.factories.deposits import Owner, arrive, make_checkout, transaction_record
from tests.factories.wallets import make_member_wallet
from wallets.deposits.services import manual
from wallets.providers.collection import TransactionStatus
from wallets.reconciliation.selectors import payments
from wallets.reconciliation.selectors.payments import manual_deposits, payments_by_transaction

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def chunks_of_two(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read in chunks, of which the last is not full."""
    monkeypatch.setattr(payments, "_CHUNK_SIZE", 2)


def test_payments_are_found_by_their_transactions_whatever_became_of_them():
    made = [arrive(transaction_record(new_reference("elsewhere_"))) for _ in range(4)]
    failed = arrive(
        transaction_record(new_reference("elsewhere_"), status=TransactionStatus.FAILED)
    )
    arrive(transaction_record(new_reference("elsewhere_")))
    wanted = {each.transaction_id for each in (*made, failed)}
    found = payments_by_transaction({*wanted, 1})
    assert set(found) == wanted
    assert {key: ours.payment_id for key, ours in found.items()} == {
        each.transaction_id: each.pk for each in (*made, failed)
    }
    assert [found[failed.transaction_id].is_booked, found[made[0].transaction_id].is_booked] == [
        False,
        True,
    ]
    assert payments_by_transaction([]) == {}


def test_deposits_entered_by_hand_are_found_by_their_references():
    wallet = make_member_wallet(0)
    for number in range(5):
        payment = manual.IncomingPayment(
            wallet.organisation.id, wallet.member_id, "KES", Decimal(10), f"BANK-{number}"
        )
        manual.book_deposit(payment=payment, actor=TESTER)
    checkout = make_checkout(Owner(wallet.organisation, wallet.member))
    arrive(transaction_record(checkout.reference))
    checkout.refresh_from_db()
    assert checkout.status == "Completed"
    wanted = [f"BANK-{number}" for number in range(5)]
    found = manual_deposits([*wanted, checkout.reference, "BANK-9"])
    assert sorted(found) == wanted
    assert all(deposit.reference == reference for reference, deposit in found.items())
