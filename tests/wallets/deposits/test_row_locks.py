"""The rows that money in locks, and that they can still be referenced meanwhile."""

import re
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from exchange.core.errors import NotFound
from exchange.core.ids import uuid7
from orders.freezing.services import confirm_reversal
from tests.environment.module_database import module_rows
from tests.environment.owner import without_guards
from tests.environment.row_locks import locked_rows
from tests.factories.deposits import (
    ACTOR,
    arrive,
    make_checkout,
    make_owner,
    make_virtual_account,
    transaction_record,
)
from tests.factories.wallets import make_staff
from wallets.deposits.models import (
    Deposit,
    DepositReversal,
    Payment,
    PaymentAction,
    PaymentResolution,
    VirtualAccount,
)
from wallets.deposits.services import crediting, reversals, unmatched
from wallets.deposits.services.payments import apply_record, report_payment
from wallets.providers.collection import ChargeHint, TransactionStatus

__all__ = ["module_rows"]

LOCKING = r'FROM "wallets_(\w+)" .*FOR NO KEY UPDATE'
TABLES = (Deposit, DepositReversal, Payment, PaymentResolution, VirtualAccount)


class Records:
    """A record for each call, next to another one of its kind."""

    def __init__(self) -> None:
        self.owner = make_owner()
        self.account, _ = (make_virtual_account(self.owner, each) for each in ("NGN", "GHS"))
        self.checkout, self.failing, _ = (make_checkout(self.owner) for _ in range(3))
        self.resting, other = (make_checkout(self.owner) for _ in range(2))
        for each in (self.resting, other):
            arrive(transaction_record(each.reference, payment_type="card"))
        with without_guards() as cursor:
            cursor.execute("UPDATE wallets_deposit SET available_at = now() - interval '1 hour'"
                           " WHERE available_at IS NOT NULL")  # fmt: skip
        self.reverser, proposer = (make_staff("reverse_deposit") for _ in range(2))
        self.reversal, _ = (
            reversals.propose_reversal(deposit_id=each.pk, explanation="x", user=proposer)
            for each in (self.resting, other)
        )
        self.resolver, proposer = (make_staff("resolve_payment") for _ in range(2))
        self.unmatched, other_payment = (arrive(transaction_record("nobody's")) for _ in range(2))
        self.resolution, _ = (
            unmatched.propose_resolution(
                payment_id=each.pk,
                action=PaymentAction.ASSIGN,
                owner=self.owner.member,
                explanation="x",
                user=proposer,
            )
            for each in (self.unmatched, other_payment)
        )


@pytest.fixture(scope="module")
def records(module_rows: None) -> Records:
    return Records()


def apply(tx_ref: str, **changes: Any) -> Payment:
    record = transaction_record(tx_ref, **changes)
    report_payment(ChargeHint(record.transaction_id, tx_ref))
    payment = Payment.objects.get(transaction_id=int(record.transaction_id))
    apply_record(payment.pk, record, ACTOR)
    return payment


def test_each_step_locks_only_its_own_rows_and_they_can_still_be_referenced(records: Records):
    deposit, payment = records.resting.pk, records.unmatched.pk
    resolution, reversal = records.resolution.pk, records.reversal.pk
    resolver, reverser = records.resolver, records.reverser
    for what, act, rows in (
        ("a virtual account", partial(apply, records.account.reference), set()),
        ("a checkout", partial(apply, records.checkout.reference), {records.checkout.pk}),
        (
            "a failed checkout",
            partial(apply, records.failing.reference, status=TransactionStatus.FAILED),
            {records.failing.pk},
        ),
        ("clearing", partial(crediting.clear, deposit, ACTOR), {deposit}),
        (
            "a reversal",
            partial(confirm_reversal, reversal_id=reversal, user=reverser),
            {deposit, reversal},
        ),
        (
            "a rejected reversal",
            partial(reversals.reject_reversal, reversal_id=reversal, user=reverser, reason="No"),
            {deposit, reversal},
        ),
        (
            "an assignment",
            partial(unmatched.confirm_resolution, resolution_id=resolution, user=resolver),
            {payment, resolution},
        ),
        (
            "a rejected resolution",
            partial(
                unmatched.reject_resolution, resolution_id=resolution, user=resolver, reason="No"
            ),
            {resolution},
        ),
    ):
        # The deposit of a payment is a key.
        exclusively = {payment} if what == "an assignment" else set()
        assert locked_rows(act, TABLES) == (rows, exclusively), what


def test_a_decision_locks_its_record_before_the_proposal(records: Records):
    for act, order in (
        (
            partial(
                unmatched.confirm_resolution,
                resolution_id=records.resolution.pk,
                user=records.resolver,
            ),
            ["payment", "paymentresolution"],
        ),
        (
            partial(confirm_reversal, reversal_id=records.reversal.pk, user=records.reverser),
            ["deposit", "depositreversal"],
        ),
    ):
        with transaction.atomic(), CaptureQueriesContext(connection) as captured:
            act()
            transaction.set_rollback(True)
        locking = [re.search(LOCKING, each["sql"]) for each in captured]
        assert [found[1] for found in locking if found] == order


def test_a_step_on_a_record_that_does_not_exist_locks_nothing(records: Records):
    def act() -> None:
        with pytest.raises(NotFound):
            confirm_reversal(reversal_id=uuid7(), user=records.reverser)
        with pytest.raises(NotFound):
            unmatched.confirm_resolution(resolution_id=uuid7(), user=records.resolver)

    assert locked_rows(act, TABLES) == (set(), set())
