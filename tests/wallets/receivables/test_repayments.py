"""What an owner owes is repaid by credits and collected; each is retried, or left, as it says."""

from decimal import Decimal
from functools import partial

import pytest
from django.db import IntegrityError, transaction

from orders.freezing.services import confirm_reversal
from tests.environment.concurrency import start_call
from tests.environment.owner import as_owner
from tests.environment.processes import wait_until
from tests.factories.deposits import ACTOR
from tests.factories.treasury import make_debt
from tests.factories.wallets import (
    Wallet,
    assert_books_hold,
    balance_of,
    make_member_wallet,
    make_staff,
)
from tests.races.test_interleavings import is_waiting_for_row
from wallets.deposits.models import Deposit
from wallets.deposits.services.reversals import propose_reversal
from wallets.ledger.models import Transfer
from wallets.ledger.posting import InsufficientFunds
from wallets.receivables.models import Receivable
from wallets.receivables.services.repayments import amount_owed, collect_due

pytestmark = pytest.mark.django_db

OVERPAID, OVERDRAWN = "account_receivable_not_positive", "account_balance_not_negative"


def wallet_of(debt: Receivable) -> Wallet:
    assert debt.organisation is not None
    return Wallet(debt.organisation, debt.member)


def refuse_movements(kind: str, constraint: str) -> None:
    """Refuse movements of accounts of `kind`, as if another transaction were always faster."""
    with as_owner() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("CREATE SEQUENCE refusals")
        cursor.execute(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$"
            " BEGIN PERFORM nextval('public.refusals');"
            f" RAISE check_violation USING CONSTRAINT = '{constraint}'; END $$"
        )
        cursor.execute(
            "CREATE TRIGGER aa_refuse BEFORE UPDATE ON wallets_account FOR EACH ROW"
            f" WHEN (NEW.kind = '{kind}') EXECUTE FUNCTION refuse()"
        )


def refusals() -> int:
    with as_owner() as cursor:
        cursor.execute("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM refusals")
        found: int = cursor.fetchone()[0]
    return found


def test_a_credit_whose_debt_always_changes_is_given_up_after_five_attempts():
    debt = make_debt(1000)
    transfers = Transfer.objects.count()
    refuse_movements("receivable", OVERPAID)
    with pytest.raises(InsufficientFunds, match=r"^deposit:"), transaction.atomic():
        wallet_of(debt).fund(70)
    assert refusals() == 5
    assert Transfer.objects.count() == transfers
    assert amount_owed(debt.owner_id, "KES") == 1000


@pytest.mark.django_db(transaction=True)
def test_a_credit_reads_the_debt_again_that_another_credit_repaid_meanwhile():
    debt = make_debt(1000)
    wallet = wallet_of(debt)
    with transaction.atomic():
        wallet.fund(950)
        later = start_call(partial(wallet.fund, 70))
        wait_until(is_waiting_for_row, "the second credit waits for the debt")
    later.result(60)
    assert amount_owed(debt.owner_id, "KES") == 0
    assert wallet.balance() == 20
    assert_books_hold()


def test_a_reversal_whose_wallet_is_always_spent_is_given_up_after_five_attempts():
    wallet = make_member_wallet(1000)
    deposit = Deposit.objects.get(owner_id=wallet.owner_id)
    proposal = propose_reversal(
        deposit_id=deposit.pk, explanation="Chargeback", user=make_staff("reverse_deposit")
    )
    refuse_movements("available", OVERDRAWN)
    with pytest.raises(InsufficientFunds, match=f"^{deposit.reference}$"):
        confirm_reversal(reversal_id=proposal.pk, user=make_staff("reverse_deposit"))
    assert refusals() == 5
    deposit.refresh_from_db()
    assert deposit.status == "Completed"
    assert wallet.balance() == 1000


def test_a_credit_that_breaks_another_rule_is_tried_once():
    debt = make_debt(1000)
    refuse_movements("receivable", "another_rule")
    with pytest.raises(IntegrityError), transaction.atomic():
        wallet_of(debt).fund(70)
    assert refusals() == 1


def owe_and_have() -> tuple[Receivable, Receivable]:
    """Return a debt of 1,000 of an owner who has 300, and one of 40 of an owner who has 90."""
    debts = make_debt(1000), make_debt(40)
    for debt, amount in zip(debts, (300, 90), strict=True):
        with as_owner() as cursor:
            # As a sale does, which repays nothing.
            cursor.execute("SET LOCAL session_replication_role = replica")
            cursor.execute(
                "UPDATE wallets_account SET balance = %s WHERE owner_id = %s"
                " AND asset_id = 'KES' AND kind = 'available'",
                [amount, debt.owner_id],
            )
            cursor.execute("SET LOCAL session_replication_role = origin")
    return debts


def test_debts_are_collected_as_far_as_wallets_go():
    debts = owe_and_have()
    assert collect_due(ACTOR) == 2
    assert [amount_owed(each.owner_id, "KES") for each in debts] == [700, 0]
    assert [balance_of(each.owner_id, "KES") for each in debts] == [0, 50]
    assert collect_due(ACTOR) == 0


@pytest.mark.parametrize("constraint", [OVERPAID, OVERDRAWN])
def test_a_debt_that_changes_meanwhile_is_left_for_the_next_collection(constraint):
    debts = owe_and_have()
    refuse_movements("receivable", constraint)
    assert collect_due(ACTOR) == 0
    assert refusals() == 2
    assert [amount_owed(each.owner_id, "KES") for each in debts] == [1000, 40]
    assert [balance_of(each.owner_id, "KES") for each in debts] == [300, 90]


def test_a_collection_that_breaks_another_rule_is_an_error():
    owe_and_have()
    refuse_movements("receivable", "another_rule")
    with pytest.raises(IntegrityError):
        collect_due(ACTOR)


def test_what_an_owner_owes_is_of_one_currency():
    debt = make_debt("0.50")
    assert amount_owed(debt.owner_id, "KES") == Decimal("0.5")
    assert amount_owed(debt.owner_id, "NGN") == 0
    wallet_of(debt).fund(20, "NGN")
    wallet_of(debt).fund("0.50")
    assert amount_owed(debt.owner_id, "KES") == 0
    assert balance_of(debt.owner_id, "NGN") == 20
    assert_books_hold()
