"""Distributions and plain SQL: what PostgreSQL refuses the service, and what the proof finds."""

from decimal import Decimal
from typing import Any

import psycopg
import pytest
from django.db import IntegrityError
from psycopg import errors

from credit.distributions.models import Distribution, DistributionAction, Income
from credit.distributions.services import drafting
from exchange.core.ids import uuid7
from tests.assertions.books import failing_checks
from tests.assertions.unchanged import assert_nothing_changes
from tests.environment.database import Connection
from tests.environment.owner import without_guards
from tests.factories.api_clients import TESTER
from tests.factories.distributions import (
    decide_step,
    held_for,
    make_distribution,
    make_due,
    make_holding,
    make_scheduled,
)
from tests.factories.wallets import Wallet, make_staff
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import Leg, open_account, post_transfer, system_account

pytestmark = pytest.mark.django_db(transaction=True)


def assert_refused(runtime: Connection, attack: str, *wrong: type[psycopg.Error], **values: Any):
    with assert_nothing_changes(), pytest.raises(wrong):
        runtime.execute(attack, values)


@pytest.mark.parametrize(
    ("status", "change"),
    [
        ("Draft", "status = 'Announced'"),
        ("Draft", "status = 'Recorded'"),
        ("Draft", "amount_per_unit = 9"),
        ("Announced", "status = 'Recorded'"),
        ("Announced", "status = 'Cancelled'"),
        ("Announced", "amount_per_unit = 9, version = 2"),
        ("Announced", "record_at = record_at + interval '1 day'"),
        ("Announced", "holders = 1, units = 1, gross = 1, tax = 0, net = 1"),
        ("Recorded", "status = 'Funded'"),
        ("Recorded", "gross = 1, net = 1"),
        ("Recorded", "status = 'Announced'"),
        ("Recorded", "status = 'Cancelled'"),
        ("Recorded", "status = 'Paying'"),
        ("Funded", "status = 'Cancelled'"),
        ("Funded", "status = 'Paid'"),
        ("Funded", "status = 'Paying'"),
        ("Paid", "status = 'Cancelled'"),
        ("Paid", "token_id = gen_random_uuid()"),
        ("Paid", "proposed_by = 'staff:x'"),
    ],
)
@pytest.mark.one_in(5)
def test_a_distribution_moves_only_as_it_should(runtime, status, change):
    made = make_distribution(make_holding().token, status)
    assert_refused(
        runtime,
        f"UPDATE credit_distribution SET {change} WHERE id = %(id)s",
        errors.CheckViolation,
        errors.RestrictViolation,
        id=made.pk,
    )


@pytest.mark.parametrize(
    "change",
    [
        "record_at = record_at + interval '3 days', payment_date = payment_date + 3, rate = 13",
        "record_at = record_at + interval '3 days', payment_date = payment_date + 3, version = 2",
        "record_at = record_at + interval '3 days', payment_date = payment_date + 9",
        "record_at = record_at - interval '3 days'",
        "payment_date = payment_date + 3",
        "period_end = period_end + 1",
    ],
)
@pytest.mark.one_in(3)
def test_an_approval_of_a_scheduled_draft_moves_its_record_and_nothing_else(runtime, change):
    make_scheduled(2)
    drafting.draft_due()
    made = Distribution.objects.get()
    approve_only(runtime, made)
    assert_refused(
        runtime,
        f"UPDATE credit_distribution SET status = 'Announced', {change} WHERE id = %(id)s",
        errors.CheckViolation,
        errors.RestrictViolation,
        id=made.pk,
    )
    runtime.execute(
        "UPDATE credit_distribution SET status = 'Announced', record_at = record_at"
        " + interval '3 days', payment_date = payment_date + 3 WHERE id = %s",
        [made.pk],
    )


def test_an_approval_of_another_draft_moves_no_record(runtime):
    made = make_distribution(make_holding().token, "Draft")
    approve_only(runtime, made)
    assert_refused(
        runtime,
        "UPDATE credit_distribution SET status = 'Announced', record_at = record_at"
        " + interval '3 days', payment_date = payment_date + 1 WHERE id = %(id)s",
        errors.CheckViolation,
        id=made.pk,
    )


def approve_only(runtime: Connection, made: Distribution) -> None:
    """Approve the proposal about a draft without announcing it."""
    person = make_staff("decide_distribution")
    runtime.execute(
        "UPDATE credit_distributionproposal SET status = 'Approved', decided_by_id = %s,"
        " decided_at = now() WHERE distribution_id = %s",
        [person.pk, made.pk],
    )


def test_it_is_not_paid_while_an_owner_is_due(runtime):
    made = make_distribution(make_holding().token, "Funded")
    runtime.execute("SELECT start_paying(%s, 'system:test')", [made.pk])
    assert_refused(
        runtime,
        "UPDATE credit_distribution SET status = 'Paid' WHERE id = %(id)s",
        errors.CheckViolation,
        id=made.pk,
    )


@pytest.mark.parametrize(
    "attack",
    [
        "UPDATE credit_income SET status = 'Paid', paid_to = 'wallet' WHERE id = %(id)s",
        "UPDATE credit_income SET gross = gross + 1, net = net + 1 WHERE id = %(id)s",
        "UPDATE credit_income SET units = units + 1 WHERE id = %(id)s",
        "UPDATE credit_income SET organisation_id = gen_random_uuid() WHERE id = %(id)s",
        "DELETE FROM credit_income WHERE id = %(id)s",
        "INSERT INTO credit_income (id, distribution_id, organisation_id, units, gross, tax_rate,"
        " tax, net, status, paid_to, created_at) SELECT gen_random_uuid(), distribution_id,"
        " gen_random_uuid(), 1, 1, 0, 0, 1, 'Due', '', now() FROM credit_income WHERE id = %(id)s",
    ],
)
@pytest.mark.one_in(3)
def test_income_is_the_records_alone(runtime, attack):
    made = make_distribution(make_holding().token, "Funded")
    income = Income.objects.filter(distribution=made).first()
    assert income is not None
    assert_refused(
        runtime,
        attack,
        errors.CheckViolation,
        errors.RestrictViolation,
        errors.InsufficientPrivilege,
        id=income.pk,
    )


@pytest.mark.parametrize(
    "attack",
    [
        "UPDATE exchange_token SET next_record_at = NULL WHERE id = %(token)s",
        "UPDATE exchange_token SET next_record_at = now() + interval '1 year' WHERE id = %(token)s",
        "SELECT record_distribution(%(id)s, 5, 'system:x')",
    ],
)
@pytest.mark.one_in(3)
def test_the_service_does_not_lift_the_wait_for_a_record(runtime, attack):
    made = make_distribution(make_holding().token)
    if attack.startswith("SELECT"):
        # Not due: nothing happens.
        with assert_nothing_changes():
            assert runtime.execute(attack, {"id": made.pk}).fetchone() == (False,)
        return
    assert_refused(runtime, attack, errors.RestrictViolation, token=made.token_id)


def forge(subject: Any, legs: list[Leg], reference: str, kind: TransferKind) -> None:
    """Post a transfer as the service's login would; it is refused at commit."""
    with assert_nothing_changes(), pytest.raises(IntegrityError) as found:
        post_transfer(kind=kind, reference=reference, subject_id=subject, actor=TESTER, legs=legs)
    assert "justifies" in str(found.value)


def test_a_payment_without_a_recorded_holding_is_refused():
    held = make_holding()
    made = make_distribution(held.token, "Funded")
    source = system_account("NGN", AccountKind.DISTRIBUTION)
    thief = open_account(
        "NGN", AccountKind.AVAILABLE, organisation_id=held.organisation.organisation.pk
    )
    gross = made.gross or Decimal(0)
    legs = [Leg(source, -gross), Leg(thief, gross)]
    for subject in (uuid7(), made.pk, held.token.pk):
        forge(subject, legs, f"income:{subject}", TransferKind.DISTRIBUTION_PAY)
    # A recorded holding, which is not paid, of another owner, or of another amount.
    income = Income.objects.get(distribution=made, owner_id=held.member.owner_id)
    owner = open_account(
        "NGN",
        AccountKind.AVAILABLE,
        organisation_id=held.member.organisation.pk,
        member_id=held.member.member_id,
    )
    for account, amount in ((owner, income.net), (thief, income.net), (owner, income.net - 1)):
        forge(
            income.pk,
            [Leg(source, -amount), Leg(account, amount)],
            f"income:{income.pk}",
            TransferKind.DISTRIBUTION_PAY,
        )
    assert held_for() == made.gross


def test_a_dividend_takes_no_units_back():
    held = make_holding()
    made = make_distribution(held.token, "Funded")
    income = Income.objects.get(distribution=made, owner_id=held.member.owner_id)
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE credit_income SET status = 'Paid', paid_to = 'wallet' WHERE id = %s",
            [income.pk],
        )
        cursor.execute("UPDATE credit_distribution SET status = 'Paying' WHERE id = %s", [made.pk])
    owner: dict[str, Any] = {
        "organisation_id": held.member.organisation.pk, "member_id": held.member.member_id,
    }  # fmt: skip
    asset = str(held.token.pk)
    legs = [
        Leg(system_account("NGN", AccountKind.DISTRIBUTION), -income.gross),
        Leg(open_account("NGN", AccountKind.AVAILABLE, **owner), income.net),
        Leg(open_account(asset, AccountKind.AVAILABLE, **owner), -income.units),
        Leg(system_account(asset, AccountKind.ISSUANCE), income.units),
    ]
    forge(income.pk, legs, f"income:{income.pk}", TransferKind.DISTRIBUTION_PAY)


def test_funding_and_its_return_need_their_distribution():
    held = make_holding()
    made = make_distribution(held.token, "Recorded")
    source = system_account("NGN", AccountKind.DISTRIBUTION)
    payer = open_account(
        "NGN", AccountKind.AVAILABLE, organisation_id=held.organisation.organisation.pk
    )
    forge(
        made.pk,
        [Leg(payer, Decimal(-1)), Leg(source, Decimal(1))],
        f"distribution:{made.pk}:fund",
        TransferKind.DISTRIBUTION_FUND,
    )
    funded = make_distribution(make_holding().token, "Funded")
    gross = funded.gross or Decimal(0)
    forge(
        funded.pk,
        [Leg(source, -gross), Leg(payer, gross)],
        f"distribution:{funded.pk}:refund",
        TransferKind.DISTRIBUTION_REFUND,
    )


@pytest.mark.parametrize(
    ("currency", "by_issuer", "less"), [("KES", True, 0), ("NGN", True, 1), ("NGN", False, 0)]
)
def test_the_issuer_funds_all_of_it_in_its_currency(currency, by_issuer, less):
    held = make_holding()
    made = make_distribution(held.token, "Recorded")
    payer = Wallet(held.token.issuer) if by_issuer else held.organisation
    payer.fund(2_000, currency)
    with without_guards() as cursor:
        cursor.execute("UPDATE credit_distribution SET status = 'Funded' WHERE id = %s", [made.pk])
    amount = (made.gross or Decimal(0)) - less
    own = open_account(currency, AccountKind.AVAILABLE, organisation_id=payer.organisation.pk)
    forge(
        made.pk,
        [Leg(own, -amount), Leg(system_account(currency, AccountKind.DISTRIBUTION), amount)],
        f"distribution:{made.pk}:fund",
        TransferKind.DISTRIBUTION_FUND,
    )


def test_what_was_never_funded_is_not_given_back():
    """The account holds the money of another distribution."""
    make_distribution(make_holding().token, "Funded")
    held = make_holding()
    made = make_distribution(held.token, "Recorded")
    made = decide_step(made, DistributionAction.CANCEL)
    source = system_account("NGN", AccountKind.DISTRIBUTION)
    issuer = open_account("NGN", AccountKind.AVAILABLE, organisation_id=held.token.issuer_id)
    gross = made.gross or Decimal(0)
    assert gross == held_for() == 1_750
    forge(
        made.pk,
        [Leg(source, -gross), Leg(issuer, gross)],
        f"distribution:{made.pk}:refund",
        TransferKind.DISTRIBUTION_REFUND,
    )


def test_a_proposal_is_decided_by_another_person(runtime):
    made = make_distribution(make_holding().token, "Draft")
    [proposal] = made.proposals.all()
    assert_refused(
        runtime,
        "UPDATE credit_distributionproposal SET status = 'Approved', decided_at = now()"
        " WHERE id = %(id)s",
        errors.CheckViolation,
        id=proposal.pk,
    )
    person = make_staff("decide_distribution")
    runtime.execute(
        "UPDATE credit_distributionproposal SET status = 'Rejected', decided_by_id = %s,"
        " decided_at = now() WHERE id = %s",
        [person.pk, proposal.pk],
    )
    # A rejected one announces nothing.
    assert_refused(
        runtime,
        "UPDATE credit_distribution SET status = 'Announced' WHERE id = %(id)s",
        errors.CheckViolation,
        id=made.pk,
    )


@pytest.mark.parametrize(
    ("status", "change", "check"),
    [
        (
            "Paid",
            "UPDATE credit_income SET net = net + 1, gross = gross + 1 WHERE distribution_id = %s",
            {
                "every recorded distribution has the sums of its holders' income",
                "every income that is paid moved its amount once to its owner, and nothing else"
                " did",
            },
        ),
        (
            "Recorded",
            "UPDATE credit_distribution SET status = 'Funded' WHERE id = %s",
            {"every distribution was funded once, and holds what is still to be paid"},
        ),
        (
            "Funded",
            "UPDATE credit_distribution SET status = 'Cancelled' WHERE id = %s",
            {"every distribution was funded once, and holds what is still to be paid"},
        ),
        (
            "Announced",
            "UPDATE exchange_token SET next_record_at = NULL WHERE id ="
            " (SELECT token_id FROM credit_distribution WHERE id = %s)",
            {"every token waits for its next announced record, or for the payment of its units"},
        ),
    ],
)
@pytest.mark.one_in(3)
def test_the_proof_of_books_finds_what_bypassed_the_guards(status, change, check):
    made = make_distribution(make_holding().token, status)
    assert failing_checks(compare_incremental=False) == set()
    with without_guards() as cursor:
        cursor.execute(change, [made.pk])
    assert failing_checks(compare_incremental=False) == check


def test_the_record_of_a_due_distribution_is_the_functions(runtime):
    made = make_due(make_distribution(make_holding().token))
    assert runtime.execute(
        "SELECT record_distribution(%s, 5, 'system:test')", [made.pk]
    ).fetchone() == (True,)
    assert Distribution.objects.get(pk=made.pk).status == "Recorded"
