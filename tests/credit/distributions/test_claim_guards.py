"""What PostgreSQL refuses of claims, and what the proof of books finds of one that went wrong.

The loan is that of `test_claims`: a claim of 1,296,000 on 105 units.
"""

from collections import defaultdict
from dataclasses import replace
from decimal import Decimal
from uuid import UUID

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone
from psycopg import errors

from credit.distributions.models import DistributionAction, Income
from credit.distributions.services import paying
from credit.loans.models import ClosureAction
from credit.loans.services.closures import propose_closure, set_final_plan
from credit.loans.services.valuation import Pledge
from exchange.core.database import violated_constraint
from tests.assertions.books import failing_checks
from tests.assertions.unchanged import assert_nothing_changes
from tests.credit.loans.attacks import assert_rejected
from tests.environment.owner import without_guards
from tests.factories.api_clients import TESTER
from tests.factories.claims import Pledged, liquidate, make_pledged, redeem
from tests.factories.distributions import decide_step, exit_terms, make_distribution
from tests.factories.lifecycle import set_flags
from tests.factories.tokens import give_units
from tests.factories.wallets import assert_books_hold, make_staff
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import (
    InsufficientFunds,
    Leg,
    Posting,
    open_account,
    post_transfer,
    post_transfers,
    system_account,
)

pytestmark = pytest.mark.django_db(transaction=True)

CLAIM = "the claim of every liquidated loan is what its liquidations and proceeds left of it"
INCOME = "every income that is paid moved its amount once to its owner, and nothing else did"


def make_claim(amount: str | int = 20_000) -> tuple[Pledged, UUID]:
    """Make a liquidated loan and the redemption that is to pay its claim."""
    made = make_pledged()
    redemption = redeem(made.held, amount)
    liquidate(made)
    return made, redemption.pk


@pytest.mark.parametrize("change", ["claim - 1", "0", "claim + 1", "-1"])
@pytest.mark.one_in(3)
def test_a_claim_changes_only_with_what_pays_it(runtime, change):
    made, _redemption = make_claim()
    attack = f"UPDATE credit_loan SET claim = {change} WHERE id = %(loan)s"
    assert_rejected(runtime, attack, made.loan, errors.CheckViolation)


def test_only_a_liquidation_leaves_a_claim(runtime):
    made = make_pledged()
    attack = "UPDATE credit_loan SET claim = 1 WHERE id = %(loan)s"
    assert_rejected(runtime, attack, made.loan, errors.CheckViolation)
    liquidate(made)
    assert_rejected(runtime, attack, made.loan, errors.CheckViolation)


@pytest.mark.parametrize("change", ["to_creditor = 1", "to_creditor = 0"])
def test_what_of_an_income_paid_a_claim_stays(runtime, change):
    made, redemption = make_claim()
    paying.pay(redemption)
    attack = f"UPDATE credit_income SET {change} WHERE loan_id = %(loan)s"
    assert_rejected(runtime, attack, made.loan, errors.RestrictViolation)


def test_an_income_that_is_due_has_paid_no_claim(runtime):
    made, _redemption = make_claim()
    attack = "UPDATE credit_income SET to_creditor = 1 WHERE loan_id = %(loan)s"
    wrong = errors.RestrictViolation, errors.CheckViolation
    assert_rejected(runtime, attack, made.loan, *wrong)


@pytest.mark.parametrize(
    ("fault", "amount"),
    [
        # Half of the claim to the creditor, and the rest to the borrower.
        (("least(i.net, l.claim)", "round(least(i.net, l.claim) / 2, 2)"), 20_000),
        (("least(i.net, l.claim)", "round(least(i.net, l.claim) / 2, 2)"), 10_000),
        # More than the claim.
        (("least(i.net, l.claim)", "i.net"), 20_000),
        # All to the borrower.
        (("AND income_target(i) = 'loan'", "AND false"), 20_000),
        # Into the cash collateral of a loan that is closed.
        (("l.closed_at IS NULL THEN 'lien'", "true THEN 'lien'"), 20_000),
        # The units from where they are not.
        (
            ("l.id IS NULL THEN 'available' ELSE 'lien'", "true THEN 'available' ELSE 'lien'"),
            10_000,
        ),
    ],
)
@pytest.mark.one_in(3)
def test_a_payment_that_a_claim_does_not_justify_is_refused(monkeypatch, fault, amount):
    _made, redemption = make_claim(amount)
    assert fault[0] in paying._TARGETS
    monkeypatch.setattr(paying, "_TARGETS", paying._TARGETS.replace(*fault))
    with pytest.raises((IntegrityError, InsufficientFunds)):
        paying.pay(redemption)
    assert set(Income.objects.values_list("status", flat=True)) == {"Due"}
    assert_books_hold()


def test_proceeds_that_are_for_a_claim_do_not_go_to_the_wallet(monkeypatch):
    made = make_pledged()
    set_flags(made.held, exited=True)
    liquidate(made)
    terms = exit_terms(made.held, amount=Decimal(4_000))
    part = make_distribution(made.held, "Funded", terms)
    query = paying._TARGETS.replace("AND income_target(i) = 'loan'", "AND false")
    monkeypatch.setattr(paying, "_TARGETS", query)
    with pytest.raises(IntegrityError) as found:
        paying.pay(part.pk)
    assert violated_constraint(found.value) == "income_target"


def test_a_payment_that_leaves_the_claim_as_it_was_is_refused(monkeypatch):
    made = make_pledged()
    set_flags(made.held, exited=True)
    liquidate(made)
    terms = exit_terms(made.held, amount=Decimal(4_000))
    part = make_distribution(made.held, "Funded", terms)
    monkeypatch.setattr(paying, "receive_proceeds", lambda *_args, **_named: [])
    with pytest.raises(IntegrityError) as found:
        paying.pay(part.pk)
    assert "justifies" in str(found.value)
    assert made.claim() == 1_296_000


def test_the_money_of_a_claim_goes_to_its_creditor(monkeypatch):
    """Once to the borrower, and once to the organisation of the borrower."""
    made, redemption = make_claim()
    lending = made.lending
    creditors = open_account("NGN", AccountKind.AVAILABLE, organisation_id=made.loan.creditor_id)
    organisation_id = lending.borrower.organisation.pk
    for owner in ({"member_id": lending.borrower.member_id}, {}):
        thief = open_account("NGN", AccountKind.AVAILABLE, organisation_id=organisation_id, **owner)

        def redirect(postings: list[Posting], thief: UUID = thief):
            """Give the thief what is the creditor's, in one leg with its own."""
            changed = []
            for each in postings:
                amounts: dict[UUID, Decimal] = defaultdict(Decimal)
                for leg in each.legs:
                    to = thief if leg.account_id == creditors else leg.account_id
                    amounts[to] += leg.amount
                legs = [Leg(account, amount) for account, amount in amounts.items()]
                changed.append(replace(each, legs=legs))
            return post_transfers(changed)

        monkeypatch.setattr(paying, "post_transfers", redirect)
        with pytest.raises(IntegrityError) as found:
            paying.pay(redemption)
        assert "justifies" in str(found.value)
    assert set(Income.objects.values_list("status", flat=True)) == {"Due"}


def test_a_liquidation_passes_no_units_that_a_final_distribution_pays_for():
    made = make_pledged()
    redeem(made.held)
    officer, second = make_staff("close_loan"), make_staff("close_loan")
    proposal = propose_closure(
        loan_id=made.loan.pk, action=ClosureAction.LIQUIDATE, note="No answer", user=officer
    )
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE credit_closureproposal SET plan = jsonb_set(plan, '{0,passed}', '\"200\"')"
        )
    proposal.refresh_from_db()
    set_final_plan(proposal, made.loan)
    (proposal.final_plan or [])[0]["passed"] = "0.00000001"
    for name, value in {
        "status": "Approved",
        "decided_by": second,
        "decided_at": timezone.now(),
    }.items():
        setattr(proposal, name, value)
    with assert_nothing_changes(), pytest.raises(IntegrityError) as found, transaction.atomic():
        proposal.save()
    assert violated_constraint(found.value) == "closure_leaves_units"


def test_units_of_a_claim_pass_only_by_another_liquidation():
    made = make_pledged()
    redemption = redeem(made.held)
    liquidate(made)
    decide_step(redemption, DistributionAction.CANCEL)
    proposal = propose_closure(
        loan_id=made.loan.pk,
        action=ClosureAction.LIQUIDATE,
        note="x",
        user=make_staff("close_loan"),
    )
    asset = str(made.held.pk)
    lien = open_account(
        asset,
        AccountKind.LIEN,
        organisation_id=made.loan.organisation_id,
        member_id=made.loan.borrower_id,
    )
    creditors = open_account(asset, AccountKind.AVAILABLE, organisation_id=made.loan.creditor_id)
    legs = [Leg(lien, Decimal(-105)), Leg(creditors, Decimal(105))]

    def forge(suffix: str) -> None:
        made.loan.collaterals.filter(token=made.held).update(claimed=0)
        post_transfer(
            kind=TransferKind.LOAN_LIQUIDATE,
            reference=f"loan:{made.loan.pk}:end{suffix}",
            subject_id=made.loan.pk,
            actor=TESTER,
            legs=legs,
        )

    for suffix in (":1", f":{proposal.pk}", ":"):
        with assert_nothing_changes(), pytest.raises(IntegrityError), transaction.atomic():
            forge(suffix)


def test_a_second_liquidation_moves_no_money():
    made, _redemption = make_claim()
    give_units(made.other, made.lending.borrower, 105)
    made.lending.lend(collaterals=(Pledge(made.other.pk, Decimal(105)),))
    principal = open_account("NGN", AccountKind.PRINCIPAL, organisation_id=made.loan.creditor_id)
    books = system_account("NGN", AccountKind.LOANS)
    with assert_nothing_changes(), pytest.raises(IntegrityError):
        post_transfer(
            kind=TransferKind.LOAN_LIQUIDATE,
            reference=f"loan:{made.loan.pk}:end:1",
            subject_id=made.loan.pk,
            actor=TESTER,
            legs=[Leg(principal, -made.loan.amount), Leg(books, made.loan.amount)],
        )


def test_a_claim_is_not_written_off(runtime):
    made, _redemption = make_claim()
    attack = (
        "INSERT INTO credit_closureproposal (id, loan_id, action, status, note, plan, owed,"
        " value_passed, deficiency, proposed_by_id, created_at) SELECT %(new)s, %(loan)s,"
        " 'write_off', 'Pending', 'why', '[]', 1, 0, 1, id, now() FROM exchange_staffuser LIMIT 1"
    )
    assert_rejected(runtime, attack, made.loan, errors.CheckViolation)


@pytest.mark.parametrize(
    ("change", "checks"),
    [
        ("UPDATE credit_loan SET claim = claim + 1 WHERE id = %s", {CLAIM}),
        (
            "UPDATE credit_income SET to_creditor = to_creditor - 1 WHERE loan_id = %s",
            {CLAIM, INCOME},
        ),
        (
            "UPDATE credit_collateral SET claimed = 1 WHERE quantity = 105 AND loan_id = %s",
            {"lien equals open collateral", "liens of every loan equal its open collateral"},
        ),
        (
            "UPDATE credit_closureproposal SET final_plan = '[]' WHERE loan_id = %s",
            {CLAIM, "units and cash transferred to a creditor equal the confirmed plan"},
        ),
    ],
)
@pytest.mark.one_in(3)
def test_the_proof_of_books_finds_a_claim_that_went_wrong(change, checks):
    made, redemption = make_claim(10_000)
    paying.pay(redemption)
    assert failing_checks() == set()
    with without_guards() as cursor:
        cursor.execute(change, [made.loan.pk])
    assert failing_checks() == checks
