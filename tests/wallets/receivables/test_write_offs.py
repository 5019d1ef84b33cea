"""Write-offs of what owners owe: by two people, no more than is owed, paid by expenses."""

from datetime import datetime
from decimal import Decimal

import pytest
from django.urls import reverse

from exchange.core.errors import Conflict, Forbidden, InvalidRequest, NotFound, Rejected
from exchange.staff.models import StaffUser
from orders.freezing.services import confirm_reversal
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.api_clients import make_member
from tests.factories.back_office import (
    messages_of,
    submit_confirmation,
    text_of,
)
from tests.factories.transfers import transfer
from tests.factories.treasury import make_debt, system_balance
from tests.factories.wallets import (
    Wallet,
    assert_books_hold,
    balance_of,
    make_staff,
    make_wallet,
)
from wallets.deposits.models import Deposit
from wallets.deposits.services.reversals import propose_reversal
from wallets.ledger.models import Account, Transfer
from wallets.receivables.models import Receivable, ReceivableWriteOff
from wallets.receivables.services.repayments import amount_owed
from wallets.receivables.services.write_offs import (
    confirm_write_off,
    propose_write_off,
    reject_write_off,
)

pytestmark = pytest.mark.django_db


def person() -> StaffUser:
    return make_staff("write_off_receivable")


def wallet_of(debt: Receivable) -> Wallet:
    assert debt.organisation is not None
    return Wallet(debt.organisation, debt.member)


def propose(debt: Receivable, amount: str, user: StaffUser | None = None) -> ReceivableWriteOff:
    return propose_write_off(
        account_id=debt.pk, amount=Decimal(amount), explanation="Bankrupt", user=user or person()
    )


def test_two_people_write_a_debt_off_in_parts():
    debt = make_debt(1000)
    confirm_write_off(write_off_id=propose(debt, "400.25").pk, user=person())
    assert amount_owed(debt.owner_id, "KES") == Decimal("599.75")
    assert system_balance("expenses", "KES") == Decimal("-400.25")
    proposal = propose(debt, "599.75")
    approver = person()
    confirm_write_off(write_off_id=proposal.pk, user=approver)
    assert amount_owed(debt.owner_id, "KES") == 0
    assert system_balance("expenses", "KES") == -1000
    transfer = Transfer.objects.get(subject_id=proposal.pk)
    assert (transfer.kind, transfer.reference, transfer.actor) == (
        "receivable_write_off", f"write_off:{proposal.pk}", f"staff:{approver.pk}",
    )  # fmt: skip
    # What arrives from now on is the owner's again.
    wallet_of(debt).fund(70)
    assert balance_of(debt.owner_id, "KES") == 70
    assert not Receivable.objects.exists()
    assert_books_hold()


def test_no_more_is_written_off_than_is_owed():
    debt = make_debt(1000)
    user = person()
    with assert_no_table_changes():
        for amount, error in (
            ("1000.01", "No more than 1,000.00 KES is owed"),
            ("0", "Enter an amount above 0"),
            ("NaN", "Enter an amount above 0"),
            ("0.001", "At most 2 decimals"),
        ):
            with pytest.raises(Rejected) as refused:
                propose(debt, amount, user)
            assert refused.value.fields["amount"].startswith(error)


def test_a_debt_that_was_repaid_meanwhile_is_not_written_off_twice():
    debt, settled, _ = (make_debt(1000) for _ in range(3))
    proposal, other, approver = propose(debt, "1000"), propose(settled, "0.01"), person()
    wallet_of(debt).fund(300)
    wallet_of(settled).fund(1000)
    with assert_no_table_changes():
        for each, owed in ((proposal, "700.00"), (other, "0.00")):
            with pytest.raises(Rejected) as refused:
                confirm_write_off(write_off_id=each.pk, user=approver)
            assert refused.value.message == f"No more than {owed} KES is owed"
            assert refused.value.code == "beyond_debt"
    assert amount_owed(debt.owner_id, "KES") == 700
    reject_write_off(write_off_id=proposal.pk, reason="Repaid in part", user=person())
    confirm_write_off(write_off_id=propose(debt, "700").pk, user=approver)
    assert_books_hold()


def test_a_write_off_takes_two_people_who_may_and_one_at_a_time():
    debt = make_debt(1000)
    proposer, stranger = person(), make_staff("reverse_deposit")
    proposal = propose(debt, "1000", proposer)
    wallet = Account.objects.get(owner_id=debt.owner_id, kind="available")
    with assert_no_table_changes():
        with pytest.raises(Rejected):
            confirm_write_off(write_off_id=proposal.pk, user=proposer)
        with pytest.raises(Forbidden):
            confirm_write_off(write_off_id=proposal.pk, user=stranger)
        with pytest.raises(Forbidden):
            propose(debt, "1", stranger)
        with pytest.raises(Conflict):
            propose(debt, "1", proposer)
        with pytest.raises(NotFound):
            propose_write_off(
                account_id=wallet.pk, amount=Decimal(1), explanation="x", user=proposer
            )
        with pytest.raises(Forbidden):
            reject_write_off(write_off_id=proposal.pk, reason="No", user=stranger)
        for explanation in (" ", "x" * 501):
            with pytest.raises(InvalidRequest):
                propose_write_off(
                    account_id=debt.pk, amount=Decimal(1), explanation=explanation, user=proposer
                )
        with pytest.raises(InvalidRequest):
            reject_write_off(write_off_id=proposal.pk, reason=" ", user=proposer)
    reject_write_off(write_off_id=proposal.pk, reason="No", user=proposer)
    longest = propose_write_off(
        account_id=debt.pk, amount=Decimal("0.01"), explanation="x" * 500, user=proposer
    )
    assert (longest.amount, len(longest.explanation)) == (Decimal("0.01"), 500)


def test_the_pages_list_who_owes_and_write_it_off(maker, checker):
    debt = make_debt(1000)
    listed = text_of(maker.get(reverse("admin:wallets_receivable_changelist")))
    assert str(debt.member) in listed
    assert "1,000.00 KES" in listed
    form = reverse("admin:wallets_receivable_write_off", args=[debt.pk])
    refused = maker.post(form, {"amount": "2000", "explanation": "Bankrupt since October"})
    assert "No more than 1,000.00 KES is owed" in text_of(refused)
    made = maker.post(form, {"amount": "1000", "explanation": "Bankrupt since October"})
    assert messages_of(made) == ["Write-off proposed. A second person must confirm it."]
    write_off = ReceivableWriteOff.objects.get()
    assert "Awaits a second person" in text_of(
        maker.get(reverse("admin:wallets_receivable_changelist"))
    )
    record = text_of(checker.get(reverse("admin:wallets_receivable_change", args=[debt.pk])))
    assert "Deposit reversal" in record
    confirm = reverse("admin:wallets_receivablewriteoff_confirm", args=[write_off.pk])
    assert "Owed now 1,000.00 KES" in text_of(checker.get(confirm))
    done = submit_confirmation(checker, confirm)
    assert messages_of(done)[-1] == "Written off. 1,000.00 KES is no longer owed."
    assert amount_owed(debt.owner_id, "KES") == 0
    assert_books_hold()


def passed_on(wallet: Wallet, amount: int) -> Deposit:
    """Return a deposit whose owner has no money left."""
    wallet.fund(amount)
    transfer(wallet, Wallet(wallet.organisation), wallet.balance(), "KES")
    return Deposit.objects.filter(owner_id=wallet.owner_id).latest("created_at")


def take_back(deposit: Deposit) -> datetime:
    """Take a deposit back; return when."""
    proposal = propose_reversal(
        deposit_id=deposit.pk, explanation="x", user=make_staff("reverse_deposit")
    )
    confirm_reversal(reversal_id=proposal.pk, user=make_staff("reverse_deposit"))
    found: datetime = Transfer.objects.get(kind="deposit_reverse", subject_id=deposit.pk).created_at
    return found


def since(debt: Receivable) -> datetime:
    found: datetime = Receivable.objects.get(pk=debt.pk).since  # type: ignore[attr-defined]
    return found


@pytest.mark.django_db(transaction=True)
def test_a_debt_is_as_old_as_since_it_was_last_settled():
    """Each time in a transaction of its own, next to a smaller debt that is older."""
    small, debt = make_debt(1), make_debt(1000)
    reversals = Transfer.objects.filter(kind="deposit_reverse").order_by("created_at")
    [oldest, first] = reversals.values_list("created_at", flat=True)
    assert oldest < first
    wallet = wallet_of(debt)
    for _ in range(2):
        wallet.fund(300)
        assert (since(small), since(debt)) == (oldest, first)
    for _ in range(2):
        wallet.fund(2000)
        assert set(Receivable.objects.values_list("pk", flat=True)) == {small.pk}
        deposits = [passed_on(wallet, amount) for amount in (500, 100)]
        first, later = (take_back(each) for each in deposits)
        assert first < later
        assert (since(small), since(debt)) == (oldest, first)
    assert Receivable.objects.get(pk=debt.pk).owed == 600
    assert Receivable(balance=Decimal(0)).owed == Receivable(balance=None).owed == 0
    # An owner without debts is not listed.
    Wallet(wallet.organisation, make_member(wallet.organisation)).fund(5)
    make_wallet(5)
    assert list(Receivable.objects.values_list("pk", flat=True)) == [debt.pk, small.pk]
