"""Which records justify the transfers of money in: each transfer, with one thing about it altered.

The records are made by the services. Each case changes one of them with triggers disabled, asks
the condition of the transfer's rule, and is rolled back.
"""

from decimal import Decimal
from typing import Any

import pytest
from django.db import transaction

from config.local.sandbox import SandboxServer
from orders.freezing.services import confirm_reversal
from tests.assertions.ledger import account_id_of, justification
from tests.environment.owner import without_guards
from tests.factories.api_clients import TESTER, make_member, make_organisation
from tests.factories.deposits import (
    ACTOR,
    Owner,
    arrive,
    credited,
    make_checkout,
    make_virtual_account,
    transaction_record,
)
from tests.factories.plain_sql import books
from tests.factories.unmatched import pay_without_owner
from tests.factories.wallets import (
    Wallet,
    assert_books_hold,
    make_staff,
    store_bank_list,
)
from wallets.deposits.models import Deposit, Payment, PaymentAction
from wallets.deposits.services import crediting
from wallets.deposits.services.disputes import mark_disputed
from wallets.deposits.services.manual import IncomingPayment, book_deposit
from wallets.deposits.services.reversals import propose_reversal, reject_reversal
from wallets.deposits.services.unmatched import confirm_resolution, propose_resolution
from wallets.ledger.models import Account, AccountKind, Transfer
from wallets.ledger.posting import open_account, system_account
from wallets.receivables.services.repayments import collect_due
from wallets.withdrawals.services import decisions

pytestmark = pytest.mark.django_db

__all__ = ["books"]

_SYSTEM = (AccountKind.CLEARING, AccountKind.EXPENSES, AccountKind.UNMATCHED)
_SET = "UPDATE wallets_transfer SET"
_DEPOSIT = "UPDATE wallets_deposit SET {} WHERE id = %(subject)s"
_PAID_BY = "UPDATE wallets_payment SET {} WHERE deposit_id = %(subject)s"
_ENTRIES = "UPDATE wallets_entry SET {} WHERE transfer_id = %(id)s"
_KIND = f"{_ENTRIES} AND account_id IN (SELECT id FROM wallets_account WHERE kind = '{{}}')"
_OF_OTHER = (
    "UPDATE wallets_entry e SET account_id = o.id FROM wallets_account a, wallets_account o"
    " WHERE e.transfer_id = %(id)s AND a.id = e.account_id AND a.owner_id IS NOT NULL"
    " AND o.owner_id = %(other)s AND o.kind = 'available' AND o.asset_id = a.asset_id"
)
# What is wrong with any transfer of money in.
_ANY = {
    "another reference": f"{_SET} reference = reference || 'x' WHERE id = %(id)s",
    "no record": f"{_SET} subject_id = gen_random_uuid() WHERE id = %(id)s",
    "twice the amount": _ENTRIES.format("amount = amount * 2"),
    "the other way": _ENTRIES.format("amount = -amount"),
    "another currency": _ENTRIES.format("asset_id = 'GHS'"),
}
_ANY_DEPOSIT = {
    **_ANY,
    "another amount of the deposit": _DEPOSIT.format("amount = amount + 1"),
    "another currency of the deposit": _DEPOSIT.format("currency_id = 'GHS'"),
    "a failed deposit": _DEPOSIT.format("status = 'Failed'"),
    "a pending deposit": _DEPOSIT.format("status = 'Pending'"),
}
_BY_PAYMENT = {
    **_ANY_DEPOSIT,
    "no payment": _PAID_BY.format("deposit_id = NULL, status = 'Unmatched'"),
    "another amount of the payment": _PAID_BY.format("amount = amount + 1"),
    "another currency of the payment": _PAID_BY.format("currency_code = 'GHS'"),
}
_FEE = _DEPOSIT.format("fee = fee + 1")
_OTHER_OWNER = _DEPOSIT.format("member_id = %(other)s")
_RESOLUTION = "UPDATE wallets_paymentresolution SET {} WHERE payment_id = %(subject)s"
_PAYMENT = "UPDATE wallets_payment SET {} WHERE id = %(subject)s"
_REVERSAL = "UPDATE wallets_depositreversal SET {} WHERE deposit_id = %(subject)s"

CASES: dict[str, dict[str, str]] = {
    "manual": {
        **_ANY_DEPOSIT,
        "a fee": _FEE,
        "another owner": _OTHER_OWNER,
        "into another wallet": _OF_OTHER,
        "from expenses": _KIND.format("account_id = %(expenses)s", "clearing"),
        "from unmatched": _KIND.format("account_id = %(unmatched)s", "clearing"),
        "one entry more": _KIND.format("amount = amount + 1", "available"),
        "another entry more": _KIND.format("amount = amount - 1", "clearing"),
    },
    "credited": {**_BY_PAYMENT, "a fee": _FEE, "another owner": _OTHER_OWNER},
    "charged": {
        **_BY_PAYMENT,
        "a fee": _FEE,
        "another charge": _DEPOSIT.format("provider_fee = 15"),
        "a fee and as much less charge": _DEPOSIT.format("fee = 1, provider_fee = 13"),
        "from unmatched": _KIND.format("account_id = %(unmatched)s", "expenses"),
    },
    "cleared": {
        **_BY_PAYMENT,
        "still resting": _DEPOSIT.format("cleared_at = NULL"),
        "another owner": _OTHER_OWNER,
    },
    "assigned": {
        **_BY_PAYMENT,
        "not kept as unmatched": "UPDATE wallets_transfer SET reference = 'x' WHERE reference ="
        " 'payment:' || (SELECT id FROM wallets_payment WHERE deposit_id = %(subject)s)"
        " || ':unmatched'",
    },
    "reversed": {
        **_BY_PAYMENT,
        "not reversed": _DEPOSIT.format("status = 'Completed'"),
        "another owner": _OTHER_OWNER,
    },
    "taken back in part": {
        **_BY_PAYMENT,
        "another owner": _OTHER_OWNER,
        "not proposed": _REVERSAL.format("status = 'Pending'"),
        "rejected": _REVERSAL.format("status = 'Rejected'"),
        "another amount of the reversal": _REVERSAL.format("amount = amount + 1"),
        "less held": _REVERSAL.format("held = held - 1"),
        "less taken back": _DEPOSIT.format("reversed_amount = reversed_amount - 1"),
        "all of it": _DEPOSIT.format("reversed_amount = amount - fee"),
        "from available": _KIND.format("account_id = %(available)s", "uncleared"),
    },
    "held": {
        **_BY_PAYMENT,
        "another owner": _OTHER_OWNER,
        "less held": _REVERSAL.format("held = held - 1"),
        "of another deposit": _REVERSAL.format("deposit_id = %(other_deposit)s"),
    },
    "released": {
        **_BY_PAYMENT,
        "another owner": _OTHER_OWNER,
        "less held": _REVERSAL.format("held = held - 1"),
        "still pending": _REVERSAL.format("status = 'Pending'"),
        "confirmed": _REVERSAL.format("status = 'Approved'"),
    },
    "unmatched": {
        **_ANY,
        "another amount": _PAYMENT.format("amount = amount + 1"),
        "another charge": _PAYMENT.format("booked_fee = booked_fee + 1"),
        "no charge": _PAYMENT.format("booked_fee = NULL"),
        "another currency of the payment": _PAYMENT.format("currency_code = 'GHS'"),
        "not looked up": _PAYMENT.format("status = 'Reported'"),
        "charge from clearing": _KIND.format("account_id = %(clearing)s", "expenses"),
    },
    "refunded": {
        **_ANY,
        "another amount": _PAYMENT.format("amount = amount + 1"),
        "not refunded": _PAYMENT.format("status = 'Unmatched'"),
        "pending": _RESOLUTION.format("status = 'Pending'"),
        "assigned": _RESOLUTION.format("action = 'Assign', organisation_id = %(organisation)s"),
        "by one person": _RESOLUTION.format("decided_by_id = proposed_by_id"),
        "of another payment": _RESOLUTION.format("payment_id = %(payment)s"),
    },
    "repaid": {
        "another reference": _ANY["another reference"].replace("reference || 'x'", "'x'"),
        "no record": _ANY["no record"],
        "the other way": _ANY["the other way"],
        "another currency": _ANY["another currency"],
        "from another wallet": _KIND.format("account_id = %(others)s", "available"),
        "of a wallet": "UPDATE wallets_transfer SET subject_id = %(wallet)s,"
        " reference = 'receivable:' || %(wallet)s || ':1' WHERE id = %(id)s",
    },
}


class Records:
    """A transfer of each kind, by name, and what the cases put in the place of something."""

    def __init__(self, sandbox: SandboxServer) -> None:
        organisation = make_organisation()
        member, other = (make_member(organisation) for _ in range(2))
        self.owner = Owner(organisation, member)
        Wallet(organisation, other).fund(5, "NGN").fund(5)
        # A debt of another member does not justify a repayment, nor prevent one.
        open_account(
            "KES",
            AccountKind.RECEIVABLE,
            organisation_id=organisation.pk,
            member_id=other.pk,
        )
        self.maker, self.checker = (
            make_staff("resolve_payment", "reverse_deposit") for _ in range(2)
        )
        store_bank_list()
        reference = make_virtual_account(self.owner).reference
        unmatched, assigned = (arrive(transaction_record("nobody's")) for _ in range(2))
        sandbox.store.set_float("NGN", Decimal(1000))
        refunded = pay_without_owner(sandbox)
        self.resolve(assigned, PaymentAction.ASSIGN)
        self.resolve(refunded, PaymentAction.REFUND)
        self.transfers = {
            "manual": transfer_of(self.manual(), "deposit"),
            "credited": transfer_of(credited(reference), "deposit"),
            "charged": transfer_of(credited(reference), "deposit_charge"),
            "cleared": transfer_of(self.cleared(), "deposit_clear"),
            "assigned": transfer_of(Deposit.objects.get(payment=assigned), "deposit"),
            "reversed": transfer_of(self.reverse(credited(reference)), "deposit_reverse"),
            "taken back in part": transfer_of(
                self.dispute(credited(reference), confirmed=True), "deposit_reverse"
            ),
            "held": transfer_of(self.dispute(credited(reference)), "deposit_hold"),
            "released": transfer_of(
                self.dispute(credited(reference), confirmed=False), "deposit_release"
            ),
            "unmatched": transfer_of(unmatched, "payment_unmatched"),
            "refunded": transfer_of(refunded, "payment_refund"),
            "repaid": self.repaid(),
        }
        self.values: dict[str, Any] = {
            "other": other.pk,
            "organisation": organisation.pk,
            "payment": unmatched.pk,
            "other_deposit": self.transfers["manual"].subject_id,
            "available": Account.objects.get(
                owner_id=member.pk, asset_id="NGN", kind="available"
            ).pk,
            "others": account_id_of(Wallet(organisation, other)),
            "wallet": account_id_of(Wallet(organisation, member)),
            **{str(kind): system_account("NGN", kind) for kind in _SYSTEM},
        }

    def manual(self) -> Deposit:
        return book_deposit(
            payment=IncomingPayment(
                self.owner.organisation.pk, self.owner.member_id, "NGN", Decimal(1000), "bank-1"
            ),
            actor=TESTER,
        )

    def cleared(self) -> Deposit:
        checkout = make_checkout(self.owner)
        arrive(transaction_record(checkout.reference, payment_type="card"))
        with without_guards() as cursor:
            cursor.execute(
                "UPDATE wallets_deposit SET available_at = now() WHERE id = %s", [checkout.pk]
            )
        assert crediting.clear(checkout.pk, ACTOR)
        return checkout

    def reverse(self, deposit: Deposit) -> Deposit:
        proposal = propose_reversal(deposit_id=deposit.pk, explanation="x", user=self.maker)
        return confirm_reversal(reversal_id=proposal.pk, user=self.checker)

    def dispute(self, deposit: Deposit, *, confirmed: bool | None = None) -> Deposit:
        """Hold a part of the deposit, and decide about it."""
        proposal = mark_disputed(
            deposit_id=deposit.pk, amount=Decimal(400), explanation="x", user=self.maker
        )
        if confirmed is not None and confirmed:
            confirm_reversal(reversal_id=proposal.pk, user=self.checker)
        elif confirmed is not None:
            reject_reversal(reversal_id=proposal.pk, reason="x", user=self.checker)
        return deposit

    def repaid(self) -> Transfer:
        """Take back what was withdrawn, and collect it when the withdrawal is cancelled."""
        checkout = make_checkout(self.owner, currency="KES")
        arrive(transaction_record(checkout.reference, currency="KES"))
        withdrawal = Wallet(self.owner.organisation, self.owner.member).request(900)
        self.reverse(checkout)
        decisions.cancel(
            withdrawal_id=withdrawal.id,
            organisation_id=self.owner.organisation.id,
            actor=TESTER,
        )
        assert collect_due(ACTOR) == 1
        return Transfer.objects.get(kind="receivable_repay")

    def resolve(self, payment: Payment, action: PaymentAction) -> None:
        proposal = propose_resolution(
            payment_id=payment.pk,
            action=action,
            owner=self.owner.member if action == PaymentAction.ASSIGN else None,
            explanation="x",
            user=self.maker,
        )
        confirm_resolution(resolution_id=proposal.pk, user=self.checker)

    def is_justified(self, name: str, alteration: str = "") -> bool:
        """Whether the transfer is justified after the alteration, which is rolled back."""
        one = self.transfers[name]
        values = {**self.values, "id": one.pk, "subject": one.subject_id}
        with transaction.atomic():
            with without_guards() as cursor:
                if alteration:
                    cursor.execute(alteration, values)
                    assert cursor.rowcount > 0, alteration
                condition = justification(cursor, one.kind)
                cursor.execute(
                    f"SELECT {condition} FROM wallets_transfer t WHERE t.id = %s", [one.pk]
                )
                [verdict] = cursor.fetchone()
            transaction.set_rollback(True)
        return verdict is True


def transfer_of(record: Deposit | Payment, kind: str) -> Transfer:
    return Transfer.objects.get(kind=kind, subject_id=record.pk)


def test_each_transfer_of_money_in_is_justified_by_its_records_only(sandbox):
    records = Records(sandbox)
    assert_books_hold()
    assert [name for name in CASES if not records.is_justified(name)] == []
    accepted = [
        f"{name}: {what}"
        for name, cases in CASES.items()
        for what, alteration in cases.items()
        if records.is_justified(name, alteration)
    ]
    assert accepted == []
    assert [name for name in CASES if not records.is_justified(name)] == []
