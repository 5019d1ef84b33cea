"""What PostgreSQL refuses of the records of money in: starts, changes and decisions."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from exchange.staff.models import StaffUser
from tests.assertions.statement_results import (
    ACCEPTED,
    create_guarded_table,
    try_statement,
    violated_rule,
)
from tests.factories.api_clients import make_member, make_organisation
from tests.factories.deposits import (
    Owner,
    credited,
    make_checkout,
    make_virtual_account,
)
from tests.factories.plain_sql import Books, books
from tests.factories.wallets import (
    make_staff,
)
from wallets.deposits.models import Deposit, DepositReversal, Payment
from wallets.deposits.services.reversals import propose_reversal, reject_reversal

pytestmark = pytest.mark.django_db

__all__ = ["books"]

_CHANGED = "RestrictViolation"
_UNDECIDED = "payment_decided_by_two"
_CLOSED = ("Credited", "Unmatched", "Refunding", "Refunded")

# The status before, what is changed, and the rule that refuses it.
_PAYMENT_CHANGES = [
    ("Reported", "amount = 5, currency_code = 'NGN', status = 'Unmatched'", ACCEPTED),
    ("Reported", "status = 'Disproved'", ACCEPTED),
    ("Disproved", "status = 'Reported', tx_ref = 'b'", ACCEPTED),
    ("Failed", "status = 'Reported'", ACCEPTED),
    ("Reported", "transaction_id = 2", _CHANGED),
    ("Reported", "created_at = now() - interval '1 day'", _CHANGED),
    ("Credited", "lookups = 5, last_error = 'x', next_lookup_at = now()", ACCEPTED),
    *((status, "amount = 7", _CHANGED) for status in _CLOSED),
    *((status, "tx_ref = 'b'", _CHANGED) for status in _CLOSED),
    *((status, "status = 'Reported'", _CHANGED) for status in _CLOSED),
    ("Credited", "status = 'Unmatched'", _CHANGED),
    ("Credited", "deposit_id = NULL", _CHANGED),
    ("Credited", "deposit_id = 9", _CHANGED),
    # No two people have decided about it.
    ("Unmatched", "status = 'Credited', deposit_id = 9", _UNDECIDED),
    ("Unmatched", "status = 'Refunding'", _UNDECIDED),
    ("Unmatched", "status = 'Refunded'", _CHANGED),
    ("Refunding", "status = 'Refunded', refund_reference = 'x'", ACCEPTED),
    ("Refunding", "status = 'Unmatched', last_error = 'x'", ACCEPTED),
    ("Refunding", "status = 'Credited'", _CHANGED),
    ("Unmatched", "status = 'Failed'", _CHANGED),
    ("Refunded", "status = 'Credited'", _CHANGED),
    ("Refunded", "status = 'Unmatched'", _CHANGED),
    *((status, "charged_back_amount = 1.23", ACCEPTED) for status in _CLOSED),
    ("Credited", "charged_back_amount = 0", ACCEPTED),
    # All of it, though the currency has fewer decimals.
    ("Unmatched", "charged_back_amount = 6.005", ACCEPTED),
    *(
        (status, f"charged_back_amount = {amount}", "payment_charged_back")
        for status, amount in (
            ("Credited", "-0.01"),
            ("Credited", "6.01"),
            ("Credited", "5.001"),
            ("Unmatched", "'NaN'"),
            ("Reported", "1"),
            ("Pending", "1"),
            ("Failed", "1"),
            ("Disproved", "1"),
        )
    ),
]


def test_a_closed_payment_stays_what_the_status_check_said(books: Books):
    columns = (
        "id uuid, transaction_id int, tx_ref text, status text, amount numeric,"
        " currency_code text, charged_back_amount numeric DEFAULT 0.5, deposit_id int,"
        " refund_reference text, last_error text, lookups int, next_lookup_at timestamptz,"
        " created_at timestamptz, updated_at timestamptz"
    )
    create_guarded_table(books.owner, columns, "payment_guard()", events="UPDATE OR DELETE")
    found = []
    for status, change, _ in _PAYMENT_CHANGES:
        books.owner.execute("TRUNCATE given")
        books.owner.execute(
            "INSERT INTO given (id, transaction_id, tx_ref, status, amount, currency_code,"
            " deposit_id, created_at)"
            " VALUES (gen_random_uuid(), 1, 'a', %s, 6.005, 'KES', %s, now())",
            [status, 8 if status == "Credited" else None],
        )
        found.append((status, change, try_statement(books.owner, f"UPDATE given SET {change}")))
    assert found == _PAYMENT_CHANGES
    assert try_statement(books.owner, "DELETE FROM given") == _CHANGED


# What a deposit starts as: status, channel, more columns with values, and the rule that refuses it.
_DEPOSIT_STARTS = [
    ("Pending", "manual", "", "", ACCEPTED),
    ("Pending", "checkout", "", "", ACCEPTED),
    ("Completed", "virtual_account", "", "", ACCEPTED),
    ("Completed", "manual", "", "", "deposit_starts_pending"),
    ("Failed", "checkout", "", "", "deposit_starts_pending"),
    ("Reversed", "virtual_account", "", "", "deposit_starts_pending"),
    ("Pending", "manual", "decided_by_id", "5", "deposit_starts_pending"),
    ("Completed", "virtual_account", "cleared_at", "now()", "deposit_starts_pending"),
    ("Completed", "virtual_account", "disputed_amount", "1", "deposit_starts_pending"),
    ("Completed", "virtual_account", "reversed_amount", "1", "deposit_starts_pending"),
]
_BY_ANOTHER, _BY_TWO = "deposit_confirmed_by_another", "deposit_reversed_by_two"
_DISPUTED = "deposit_dispute_proposed"
# Status and channel before, what is changed, and the rule that refuses it.
_DEPOSIT_CHANGES = [
    ("Pending", "checkout", "status = 'Completed', amount = 7, flags = 'x'", ACCEPTED),
    ("Pending", "checkout", "status = 'Completed', reference = 'b'", _CHANGED),
    ("Pending", "checkout", "status = 'Failed', reason = 'x'", ACCEPTED),
    ("Pending", "checkout", "status = 'Failed', amount = 7", _CHANGED),
    ("Pending", "checkout", "amount = 7", _CHANGED),
    ("Failed", "checkout", "status = 'Completed', amount = 7", ACCEPTED),
    ("Failed", "checkout", "status = 'Pending'", _CHANGED),
    ("Failed", "manual", "status = 'Completed'", _CHANGED),
    ("Completed", "checkout", "amount = 7", _CHANGED),
    ("Completed", "checkout", "status = 'Failed'", _CHANGED),
    ("Completed", "virtual_account", "status = 'Reversed'", _BY_TWO),
    ("Completed", "virtual_account", "reversed_amount = 2", _BY_TWO),
    ("Completed", "virtual_account", "disputed_at = now(), disputed_amount = 2", _DISPUTED),
    ("Completed", "virtual_account", "disputed_amount = 2", _DISPUTED),
    ("Pending", "checkout", "disputed_at = now(), disputed_amount = 2", _CHANGED),
    ("Pending", "checkout", "reversed_amount = 2", _CHANGED),
    ("Completed", "virtual_account", "cleared_at = now()", _CHANGED),
    ("Reversed", "manual", "status = 'Completed'", _CHANGED),
    ("Pending", "manual", "status = 'Completed'", ACCEPTED),
    ("Pending", "manual", "status = 'Completed', amount = 7", _CHANGED),
    ("Pending", "manual", "status = 'Completed', decided_by_id = 1", _BY_ANOTHER),
]


def test_a_deposit_starts_pending_and_stays_what_arrived(books: Books):
    columns = (
        "id uuid DEFAULT gen_random_uuid(), status text, channel text, amount int DEFAULT 6,"
        " reference text DEFAULT 'a', flags text, reason text, entered_by_id int,"
        " decided_by_id int, available_at timestamptz, cleared_at timestamptz, fee int DEFAULT 0,"
        " disputed_at timestamptz, disputed_amount int, reversed_amount int DEFAULT 0"
    )
    create_guarded_table(books.owner, columns, "deposit_guard()")
    insert = "INSERT INTO given (status, channel{}) VALUES (%s, %s{})"
    found: list[Any] = []
    for status, channel, column, value, _ in _DEPOSIT_STARTS:
        more = (f", {column}", f", {value}") if column else ("", "")
        result = try_statement(books.owner, insert.format(*more), [status, channel])
        found.append((status, channel, column, value, result))
    assert found == _DEPOSIT_STARTS

    def change(status: str, channel: str, what: str, available: str = "NULL") -> str:
        with without_trigger(books):
            books.owner.execute("TRUNCATE given")
            text = insert.format(", available_at", f", {available}")
            books.owner.execute(text, [status, channel])
        return try_statement(books.owner, f"UPDATE given SET {what}")

    found = [(*case[:3], change(*case[:3])) for case in _DEPOSIT_CHANGES]
    assert found == _DEPOSIT_CHANGES
    # It clears once.
    cleared = ("Completed", "virtual_account", "cleared_at = now()", "now()")
    # Not before its time, and not in the future.
    early = (*cleared[:3], "now() + interval '1 s'")
    late = (*cleared[:2], "cleared_at = now() + interval '1 h'", "now()")
    assert {change(*early), change(*late)} == {"deposit_clears_when_due"}
    assert change(*cleared) == ACCEPTED
    books.owner.execute("UPDATE given SET cleared_at = now()")
    assert try_statement(books.owner, "UPDATE given SET cleared_at = NULL") == _CHANGED


@contextmanager
def without_trigger(books: Books) -> Iterator[None]:
    books.owner.execute("ALTER TABLE given DISABLE TRIGGER guard")
    yield
    books.owner.execute("ALTER TABLE given ENABLE TRIGGER guard")


def violation_of(act: Callable[[], object]) -> str | None:
    with pytest.raises(IntegrityError) as refused, transaction.atomic():
        act()
    return violated_rule(refused.value)


def test_a_reversal_is_of_what_is_left_and_without_a_person_only_by_the_providers_word():
    member = make_member(make_organisation())
    deposit = credited(make_virtual_account(Owner(member.organisation, member)).reference)
    maker = make_staff("reverse_deposit")

    def propose(amount: int, by: StaffUser | None = maker, **more: Any) -> DepositReversal:
        return DepositReversal.objects.create(**{
            "deposit": deposit, "amount": amount, "proposed_by": by,
            "created_at": deposit.created_at, **more,
        })  # fmt: skip

    left = "deposit_reversal_of_what_is_left"
    for amount, held in ((0, None), (1001, None), (5, 6), (5, -1)):
        assert violation_of(partial(propose, amount, held=held)) == left, (amount, held)
    assert violation_of(partial(propose, 1000, None)) == "deposit_reversal_start"
    Payment.objects.filter(deposit=deposit).update(charged_back_amount=999)
    assert violation_of(partial(propose, 1000, None)) == "deposit_reversal_start"
    proposal = propose(999, None)
    rows = DepositReversal.objects.filter(pk=proposal.pk)
    approve = partial(rows.update, status="Approved", decided_at=deposit.created_at)
    assert violation_of(approve) == "deposit_reversal_confirmed"
    dispute = partial(
        Deposit.objects.filter(pk=deposit.pk).update,
        disputed_at=deposit.created_at,
        disputed_amount=999,
    )
    assert violation_of(dispute) == _DISPUTED
    rows.update(held=0)
    dispute()
    # A decision does not change what is held.
    reject = partial(
        rows.update, status="Rejected", decided_by=maker, decided_at=deposit.created_at
    )
    assert violation_of(partial(reject, held=999)) == "RestrictViolation"
    reject()
    # Nor does the provider say the same twice.
    proposal = propose(600, None)
    rows = DepositReversal.objects.filter(pk=proposal.pk)
    rows.update(status="Approved", decided_by=maker, decided_at=deposit.created_at)
    Deposit.objects.filter(pk=deposit.pk).update(reversed_amount=600)
    assert violation_of(partial(propose, 400, None)) == "deposit_reversal_start"
    propose(399, None)
    # Nothing is left of what did not arrive.
    expected = make_checkout(Owner(member.organisation, member), "5", "KES")
    assert violation_of(partial(propose, 1, deposit=expected)) == left


def test_a_rejected_proposal_reverses_nothing():
    member = make_member(make_organisation())
    deposit = credited(make_virtual_account(Owner(member.organisation, member)).reference)
    maker, checker = (make_staff("reverse_deposit") for _ in range(2))
    proposal = propose_reversal(deposit_id=deposit.pk, explanation="Chargeback", user=maker)
    reject_reversal(reversal_id=proposal.pk, reason="It was paid", user=checker)
    with pytest.raises(IntegrityError) as refused, transaction.atomic():
        Deposit.objects.filter(pk=deposit.pk).update(status="Reversed")
    assert violated_rule(refused.value) == _BY_TWO
