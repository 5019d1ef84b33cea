"""Income of holders and plain SQL: each condition of its guards, and which changes are audited."""

from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from psycopg import errors

from credit.distributions.models import Distribution, DistributionAction, Income
from credit.distributions.services import paying, proposals
from credit.loans.models import ClosureAction, PriceDeduction
from credit.loans.services.closures import propose_closure, set_final_plan
from exchange.core.database import violated_constraint
from exchange.core.ids import uuid7
from exchange.core.models import Change
from tests.assertions.unchanged import assert_nothing_changes
from tests.environment.owner import as_owner, without_guards
from tests.factories.api_clients import TESTER, make_member
from tests.factories.claims import Pledged, make_pledged
from tests.factories.distributions import (
    Holding,
    approve,
    approve_unchecked,
    close_holder,
    correct,
    decide_step,
    make_distribution,
    make_holding,
    make_terms,
    pending,
    proposer,
    settle,
)
from tests.factories.tax_rates import make_rate, set_tax_facts
from tests.factories.wallets import Wallet, assert_books_hold, balance_of, make_staff
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import Leg, open_account, post_transfer, system_account

pytestmark = pytest.mark.django_db(transaction=True)

ASSIGN = (
    "UPDATE credit_income SET member_id = %(owner)s, assigned_from_id = member_id"
    " WHERE id = %(income)s"
)


class Unpaid:
    """A taxed dividend, paid but to a closed member of the issuer, and another member of it."""

    def __init__(self) -> None:
        self.held: Holding = make_holding()
        self.issuer = self.held.token.issuer
        set_tax_facts(self.issuer, tax_residence="NG")
        make_rate()
        self.made: Distribution = make_distribution(self.held.token, "Funded")
        close_holder(self.held.own_member, self.held.token)
        assert paying.pay_due() == 2
        self.income = Income.objects.get(status="Due")
        self.owner = self.make_owner()

    def make_owner(self) -> Wallet:
        return Wallet(self.issuer, make_member(self.issuer))

    def propose(self, owner: Wallet) -> Distribution:
        proposals.propose_assignment(
            distribution_id=self.made.pk,
            income_id=self.income.pk,
            owner_id=owner.owner_id,
            explanation="The member wrote",
            user=proposer(),
        )
        return self.made


def change_unguarded(statement: str, values: dict[str, Any]) -> None:
    with without_guards() as cursor:
        cursor.execute(statement, values)
        assert cursor.rowcount == 1


PROPOSAL = "UPDATE credit_distributionproposal SET {} WHERE id = %(proposal)s"
INCOME = "UPDATE credit_income SET {} WHERE id = %(income)s"


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(INCOME.format("status = 'Paid', paid_to = 'wallet'"), id="paid"),
        pytest.param(INCOME.format("gross = -gross, tax = -tax, net = -net"), id="to recover"),
        pytest.param(
            "UPDATE exchange_member SET closed_at = NULL WHERE id = %(member)s", id="reopened"
        ),
        pytest.param(
            "UPDATE exchange_member SET organisation_id = %(elsewhere)s WHERE id = %(owner)s",
            id="of another organisation",
        ),
        pytest.param(PROPOSAL.format("distribution_id = %(other)s"), id="another distribution"),
        pytest.param(PROPOSAL.format("action = 'change'"), id="another action"),
        pytest.param(PROPOSAL.format("status = 'Rejected', reason = 'No'"), id="rejected"),
        pytest.param(PROPOSAL.format("proposed_by = 'staff:' || decided_by_id"), id="one person"),
        pytest.param(
            PROPOSAL.format("terms = terms || jsonb_build_object('income', %(other)s::text)"),
            id="another income",
        ),
        pytest.param(
            PROPOSAL.format("terms = terms || jsonb_build_object('owner', %(member)s::text)"),
            id="another owner",
        ),
    ],
)
@pytest.mark.one_in(5)
def test_income_is_assigned_only_as_two_people_decided(runtime, change):
    left = Unpaid()
    other = make_distribution(make_holding().token, "Draft")
    proposal = pending(left.propose(left.owner))
    approve_unchecked(left.made)
    values = {
        "income": left.income.pk,
        "member": left.held.own_member.member_id,
        "owner": left.owner.member_id,
        "elsewhere": left.held.organisation.owner_id,
        "other": other.pk,
        "proposal": proposal.pk,
    }
    change_unguarded(change, values)
    with assert_nothing_changes(), pytest.raises(errors.CheckViolation) as found:
        runtime.execute(ASSIGN, values)
    assert found.value.diag.constraint_name == "income_assigned_by_two"


def test_income_of_nothing_is_assigned_with_the_units_that_it_takes_back(runtime):
    left = Unpaid()
    proposal = pending(left.propose(left.owner))
    values = {"income": left.income.pk, "owner": left.owner.member_id, "proposal": proposal.pk}
    change_unguarded(INCOME.format("gross = 0, tax = 0, net = 0"), values)
    approve_unchecked(left.made)
    assert runtime.execute(ASSIGN, values).rowcount == 1


def test_income_is_assigned_again_and_names_who_held_the_units():
    """The first new owner is closed before it is paid; 125 less a tenth go to the second."""
    left = Unpaid()
    approve(left.propose(left.owner))
    close_holder(left.owner, left.held.token)
    assert paying.pay_due() == 0
    third = left.make_owner()
    approve(left.propose(third))
    assert paying.pay_due() == 1
    left.income.refresh_from_db()
    assert left.income.assigned_from_id == left.held.own_member.member_id
    assert balance_of(third.owner_id, "NGN") == Decimal("112.5")
    assert_books_hold()


def audited() -> list[tuple[Any, ...]]:
    names = ("operation", "record_id", "about_id", "before", "after")
    return list(Change.objects.filter(table="credit_income").values_list(*names))


def test_an_assignment_is_in_the_history_of_its_distribution_and_nothing_else_of_income():
    """Neither its record, nor its tax, nor its payment."""
    left = Unpaid()
    assert left.income.tax == Decimal("12.5")
    assert audited() == []
    approve(left.propose(left.owner))
    assert paying.pay_due() == 1
    first, second = str(left.held.own_member.member_id), str(left.owner.member_id)
    assert audited() == [
        (
            "UPDATE",
            str(left.income.pk),
            str(left.made.pk),
            {"member_id": first, "assigned_from_id": None},
            {"member_id": second, "assigned_from_id": first},
        )
    ]


@pytest.mark.parametrize(
    ("attack", "operation"),
    [
        ("DELETE FROM credit_income WHERE id = %(income)s", "DELETE"),
        (
            "INSERT INTO credit_income (id, distribution_id, organisation_id, units, gross,"
            " tax_rate, tax, net, recovered, status, paid_to, created_at)"
            " SELECT gen_random_uuid(), distribution_id, organisation_id, 1, 1, 0, 0, 1, 0, 'Due',"
            " '', now() FROM credit_income WHERE id = %(income)s",
            "INSERT",
        ),
    ],
)
def test_what_the_owner_of_the_tables_does_to_income_is_audited(attack, operation):
    left = Unpaid()
    with as_owner(rollback=True) as cursor:
        cursor.execute(attack, {"income": left.income.pk})
        cursor.execute(
            "SELECT operation, about_id FROM exchange_change WHERE table_name = 'credit_income'"
        )
        assert cursor.fetchall() == [(operation, str(left.made.pk))]


@pytest.mark.parametrize("change", ["units = units", "gross = 0, tax = 0, net = 0"])
def test_no_income_is_paid_without_its_transfer(runtime, change):
    """Nor one of nothing: its transfer takes the units back."""
    left = Unpaid()
    values = {"income": left.income.pk}
    change_unguarded(INCOME.format(change), values)
    with assert_nothing_changes(), pytest.raises(errors.CheckViolation) as found:
        runtime.execute(INCOME.format("status = 'Paid', paid_to = 'wallet'"), values)
    assert found.value.diag.constraint_name == "income_paid"


# --- what is taken back ------------------------------------------------------------------------


class Overpaid:
    """200 NGN too much for a member: 180 are to be taken from its wallet, and 20 of tax."""

    def __init__(self) -> None:
        self.held = make_holding()
        set_tax_facts(self.held.token.issuer, tax_residence="NG")
        make_rate()
        made = correct(make_distribution(self.held.token, "Paid"), amount=Decimal(2))
        with without_guards() as cursor:
            cursor.execute(
                "UPDATE credit_distribution SET status = 'Paid' WHERE id = %s", [made.pk]
            )
        self.income = Income.objects.get(distribution=made, owner_id=self.held.member.owner_id)
        assert (self.income.net, self.income.tax) == (Decimal(-180), Decimal(-20))

    def account(self, name: str) -> UUID:
        """Return an account: `tax`, or one of an owner, such as `member` or `issuer KES`."""
        if name == "tax":
            return system_account("NGN", AccountKind.TAX)
        owner, _, currency = name.partition(" ")
        wallet = {
            "member": self.held.member,
            "other": self.held.own_member,
            "issuer": Wallet(self.held.token.issuer),
        }[owner]
        return open_account(
            currency or "NGN",
            AccountKind.AVAILABLE,
            organisation_id=wallet.organisation.pk,
            member_id=wallet.member_id,
        )

    def take(self, *transfers: dict[str, int], step: str = "recover", **stored: Any) -> None:
        """Post transfers as the service's login would, store what they took, and commit."""
        with transaction.atomic():
            for number, legs in enumerate(transfers):
                post_transfer(
                    kind=TransferKind.DISTRIBUTION_RECOVER,
                    reference=f"income:{self.income.pk}:{step}:{number}",
                    subject_id=self.income.pk,
                    actor=TESTER,
                    legs=[Leg(self.account(name), Decimal(legs[name])) for name in legs],
                )
            Income.objects.filter(pk=self.income.pk).update(**stored)

    def assert_refused(self, constraint: str, *transfers: dict[str, int], **stored: Any) -> None:
        with assert_nothing_changes(), pytest.raises(IntegrityError) as found:
            self.take(*transfers, **stored)
        assert violated_constraint(found.value) == constraint


RIGHT = {"member": -180, "tax": -20, "issuer": 200}


def test_what_is_recovered_without_its_tax_is_not_settled():
    made = Overpaid()
    settled: dict[str, Any] = {"status": "Paid", "paid_to": "wallet", "recovered": 180}
    made.assert_refused("income_recovered", {"member": -180, "issuer": 180}, **settled)
    made.take(RIGHT, **settled)
    assert_books_hold()


@pytest.mark.parametrize(
    ("transfers", "stored"),
    [
        pytest.param([{"other": -180, "tax": -20, "issuer": 200}], {}, id="of another"),
        pytest.param([{"member KES": -180, "issuer KES": 180}], {}, id="of another currency"),
        pytest.param([RIGHT], {"step": "take"}, id="of another name"),
        pytest.param(
            [{"member": -90, "tax": -20, "issuer": 110}],
            {"recovered": 90},
            id="tax before the rest",
        ),
        pytest.param([{"member": -90, "tax": -10, "issuer": 100}] * 2, {}, id="tax in parts"),
        pytest.param([{"member": -90, "tax": -20, "issuer": 110}] * 2, {}, id="tax twice"),
    ],
)
@pytest.mark.one_in(3)
def test_only_the_owner_and_the_tax_it_paid_give_back_what_was_too_much(transfers, stored):
    made = Overpaid()
    for wallet in (made.held.member, made.held.own_member):
        wallet.fund(200, "KES")
        wallet.fund(200, "NGN")
    made.assert_refused("transfer_justified", *transfers, **{"recovered": 180, **stored})


def recovered(income: Income) -> tuple[Decimal, Decimal]:
    """Return what was taken back of net and of tax."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT net, tax FROM recovered_income(%s)", [income.pk])
        found: tuple[Decimal, Decimal] = cursor.fetchone()
        return found


def test_what_was_recovered_is_what_left_the_wallet_and_the_tax_that_was_returned():
    held = make_holding()
    set_tax_facts(held.token.issuer, tax_residence="NG")
    make_rate()
    paid = make_distribution(held.token, "Paid")
    # Untaxed, and with tax: nothing was taken back of what was only paid.
    assert {recovered(each) for each in paid.incomes.all()} == {(Decimal(0), Decimal(0))}
    made = correct(paid, amount=Decimal(2))
    settle(made)
    of_member = made.incomes.get(owner_id=held.member.owner_id)
    assert of_member.status == "Paid"
    assert recovered(of_member) == (Decimal(180), Decimal(20))


# --- what is still to come to a loan -----------------------------------------------------------


DISTRIBUTION = "UPDATE credit_distribution SET {} WHERE id = %(made)s"
OF_INCOME = "UPDATE credit_income SET {} WHERE distribution_id = %(made)s"
TOKEN = "UPDATE exchange_token SET {} WHERE id = %(token)s"


def make_awaited() -> tuple[Pledged, Distribution]:
    """Make a defaulted loan whose 30 other units are about to receive 600 each."""
    made = make_pledged()
    terms = make_terms(made.other, amount=Decimal(600))
    return made, make_distribution(made.other, "Funded", terms)


def is_awaited(loan: UUID) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT income_awaited(%s)", [loan])
        return bool(cursor.fetchone()[0])


@pytest.mark.parametrize("status", ["Recorded", "Paid"])
def test_the_tax_of_income_changes_only_as_its_payment_starts(status):
    made = make_distribution(make_holding().token, status)
    make_distribution(make_holding().token, "Funded")
    with pytest.raises(DatabaseError, match="is set when its payment starts"), as_owner() as cursor:
        cursor.execute(
            "UPDATE credit_income SET tax_rate = 1, tax = 1, net = gross - 1"
            " WHERE distribution_id = %s",
            [made.pk],
        )


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (DISTRIBUTION.format("overdue = false"), True),
        (OF_INCOME.format("status = 'Paid', paid_to = 'loan'"), False),
        (OF_INCOME.format("gross = -gross, tax = -tax, net = -net"), False),
        # The units that it takes back leave the loan.
        (OF_INCOME.format("gross = 0, tax = 0, net = 0"), True),
        (DISTRIBUTION.format("to_collateral = false"), False),
        (DISTRIBUTION.format("status = 'Cancelled'"), False),
        (TOKEN.format("exited = true"), False),
        (TOKEN.format("units_held = true"), False),
        # Until it is funded, only what is due in time, and no correction.
        (DISTRIBUTION.format("status = 'Recorded'"), True),
        (DISTRIBUTION.format("status = 'Recorded', overdue = true"), False),
        (DISTRIBUTION.format("status = 'Recorded', corrects_id = %(new)s"), False),
        (DISTRIBUTION.format("overdue = true"), True),
        (DISTRIBUTION.format("corrects_id = %(new)s"), True),
    ],
)
@pytest.mark.one_in(5)
def test_a_liquidation_waits_for_what_is_still_to_come(change, expected):
    pledged, made = make_awaited()
    values = {"made": made.pk, "token": pledged.other.pk, "new": uuid7()}
    with without_guards() as cursor:
        cursor.execute(change, values)
        assert cursor.rowcount > 0
    assert is_awaited(pledged.loan.pk) is expected
    assert not is_awaited(uuid7())


def test_a_forged_approval_of_a_liquidation_waits_for_income():
    pledged, _made = make_awaited()
    proposal = propose_closure(
        loan_id=pledged.loan.pk,
        action=ClosureAction.LIQUIDATE,
        note="No answer",
        user=make_staff("close_loan"),
    )
    set_final_plan(proposal, pledged.loan)
    proposal.status, proposal.decided_by = "Approved", make_staff("close_loan")
    proposal.decided_at = proposal.created_at
    with assert_nothing_changes(), pytest.raises(IntegrityError) as found, transaction.atomic():
        proposal.save()
    assert violated_constraint(found.value) == "closure_after_income"


def test_a_cancelled_distribution_leaves_what_others_take_off_prices():
    kept = make_distribution(make_holding().token, "Recorded")
    made = make_distribution(make_holding().token, "Recorded")
    decide_step(made, DistributionAction.CANCEL)
    assert PriceDeduction.objects.get().pk == kept.pk
