"""Corrections: the difference of each holder is paid, or taken back as far as there is money."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from dateutil.relativedelta import relativedelta
from django.db import DatabaseError, transaction
from django.utils import timezone

from credit.distributions.models import Distribution, DistributionAction, Income
from credit.distributions.schedule import Basis
from credit.distributions.services import funding, paying, proposals
from credit.distributions.services.terms import DistributionTerms
from exchange.core.errors import DomainError
from exchange.events.models import Event
from exchange.participants.models import Member
from orders.freezing.services import freeze_owner
from tests.assertions.unchanged import assert_nothing_changes
from tests.environment.owner import without_guards
from tests.factories.distributions import (
    DAY,
    Holding,
    approve,
    complete_on,
    decide_step,
    held_for,
    interest_terms,
    issuer_of,
    make_distribution,
    make_holding,
    make_terms,
    owe,
    principal_terms,
)
from tests.factories.tax_rates import make_rate, set_tax_facts
from tests.factories.transfers import transfer
from tests.factories.treasury import move, terms
from tests.factories.wallets import Wallet, assert_books_hold, balance_of, make_staff

pytestmark = pytest.mark.django_db


def right_terms(original: Distribution, **changes: Any) -> DistributionTerms:
    """Return the terms of a distribution with other amounts, paid in five days."""
    then = DistributionTerms.of(original)
    kept = {name: getattr(then, name) for name in ("type", "currency", "amount", "basis")}
    day = timezone.now().date() + 5 * DAY
    return DistributionTerms(
        **{**kept, "record_at": original.record_at, "payment_date": day, **changes}
    )


def correct(original: Distribution, **changes: Any) -> Distribution:
    """Propose and approve a correction: its record is made, and today is its payment date."""
    made = proposals.propose_distribution(
        token_id=original.token_id,
        terms=right_terms(original, **changes),
        actor=issuer_of(original.token),
        corrects=original.pk,
    )
    approve(made)
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE credit_distribution SET payment_date = %s WHERE id = %s",
            [timezone.now().date(), made.pk],
        )
    made.refresh_from_db()
    assert made.status == "Recorded"
    return made


def settle(correction: Distribution) -> Distribution:
    """Let the worker fund and pay a correction."""
    funding.fund_due()
    paying.pay_due()
    correction.refresh_from_db()
    return correction


def rows(distribution: Distribution) -> dict[Any, tuple[Any, ...]]:
    """Return gross, tax, net, what was recovered, and status of each owner's income."""
    names = ("owner_id", "gross", "tax", "net", "recovered", "status")
    found = Income.objects.filter(distribution=distribution).values_list(*names)
    return {owner: tuple(rest) for owner, *rest in found}


def spend(wallet: Wallet, left: int) -> None:
    """Leave `left` in the wallet of a member: its organisation receives the rest."""
    amount = Decimal(balance_of(wallet.owner_id, "NGN")) - left
    transfer(wallet, Wallet(wallet.organisation), amount, "NGN")


def test_what_was_too_little_is_paid_to_each_holder():
    held = make_holding()
    paid = make_distribution(held.token, "Paid")  # 2.5 a unit
    issuer = Wallet(held.token.issuer).fund(350, "NGN")
    made = correct(paid, amount=Decimal(3))
    assert (made.holders, made.units, made.gross, made.corrects_id) == (3, 700, 350, paid.pk)
    assert held.token.next_record_at is None
    settle(made)
    assert made.status == "Paid"
    assert rows(made) == {
        held.member.owner_id: (200, 0, 200, 0, "Paid"),
        held.organisation.owner_id: (125, 0, 125, 0, "Paid"),
        held.own_member.owner_id: (25, 0, 25, 0, "Paid"),
    }
    assert set(Income.objects.filter(distribution=paid).values_list("status", flat=True)) == {
        "Corrected"
    }
    assert balance_of(held.member.owner_id, "NGN") == 1_201
    assert balance_of(issuer.owner_id, "NGN") == 0
    assert held_for() == 0
    assert_books_hold()


def test_what_was_too_much_is_taken_back():
    held = make_holding()
    paid = make_distribution(held.token, "Paid")
    made = correct(paid, amount=Decimal(2))
    assert made.gross == -350
    before = Decimal(balance_of(held.token.issuer_id, "NGN"))
    settle(made)
    assert made.status == "Paid"
    assert rows(made) == {
        held.member.owner_id: (-200, 0, -200, 200, "Paid"),
        held.organisation.owner_id: (-125, 0, -125, 125, "Paid"),
        held.own_member.owner_id: (-25, 0, -25, 25, "Paid"),
    }
    assert balance_of(held.member.owner_id, "NGN") == 801
    assert balance_of(held.token.issuer_id, "NGN") == before + 350
    assert_books_hold()


def test_the_rest_is_taken_from_later_income_of_the_issuer_alone():
    held = make_holding()
    paid = make_distribution(held.token, "Paid")
    spend(held.member, left=50)
    issuer = Wallet(held.token.issuer)
    made = correct(paid, amount=Decimal(2))
    settle(made)
    assert made.status == "Paid"
    assert rows(made)[held.member.owner_id] == (-200, 0, -200, 50, "Due")
    assert balance_of(held.member.owner_id, "NGN") == 0
    assert balance_of(held.member.owner_id, "NGN", "receivable") == 0
    assert_books_hold()
    # Money from elsewhere stays, also in a later run, and income of another issuer.
    held.member.fund(30, "NGN")
    other = make_holding()
    with_member = Holding(other.token, held.member, other.organisation, other.own_member)
    paying.pay_due()
    assert balance_of(held.member.owner_id, "NGN") == 30
    assert with_member.token.issuer_id != held.token.issuer_id
    # 400 units at 0.25: 100 of the 150 that are left.
    first = make_distribution(held.token, "Paid", make_terms(held.token, amount=Decimal("0.25")))
    assert rows(made)[held.member.owner_id] == (-200, 0, -200, 150, "Due")
    assert balance_of(held.member.owner_id, "NGN") == 30
    assert_books_hold()
    with without_guards() as cursor:
        cursor.execute(
            "UPDATE credit_distribution SET record_at = record_at - interval '40 days'"
            " WHERE id = %s",
            [first.pk],
        )
    before = Decimal(balance_of(issuer.owner_id, "NGN"))
    make_distribution(held.token, "Paid", make_terms(held.token, amount=Decimal(1)))
    assert rows(made)[held.member.owner_id] == (-200, 0, -200, 200, "Paid")
    assert balance_of(held.member.owner_id, "NGN") == 30 + 400 - 50
    assert balance_of(issuer.owner_id, "NGN") == before + 50
    assert_books_hold()


def test_a_frozen_owner_and_one_who_owes_are_left_alone_at_first():
    held = make_holding()
    paid = make_distribution(held.token, "Paid")
    freeze_owner(
        owner=Member.objects.get(pk=held.member.member_id),
        currency=None,
        reason="Court order of today",
        user=make_staff("place_freeze"),
    )
    owe(held.organisation, 10)
    made = settle(correct(paid, amount=Decimal(2)))
    assert made.status == "Paid"
    found = rows(made)
    assert found[held.member.owner_id] == (-200, 0, -200, 0, "Due")
    assert found[held.organisation.owner_id] == (-125, 0, -125, 0, "Due")
    assert found[held.own_member.owner_id][-1] == "Paid"


def test_tax_is_corrected_at_the_rate_that_was_withheld():
    held = make_holding()
    set_tax_facts(held.token.issuer, tax_residence="NG")
    make_rate()
    paid = make_distribution(held.token, "Paid")
    assert rows(paid)[held.member.owner_id][:3] == (1_000, 100, 900)
    more = settle(correct(paid, amount=Decimal("2.51")))
    assert more.status == "Funded" or more.status == "Recorded"
    Wallet(held.token.issuer).fund(7, "NGN")
    settle(more)
    assert rows(more)[held.member.owner_id] == (4, Decimal("0.4"), Decimal("3.6"), 0, "Paid")
    assert_books_hold()
    less = settle(correct(paid, amount=Decimal(2)))
    assert rows(less)[held.member.owner_id] == (
        -204,
        Decimal("-20.4"),
        Decimal("-183.6"),
        Decimal("183.6"),
        "Paid",
    )
    assert less.gross == Decimal(-357)
    assert balance_of(held.member.owner_id, "NGN") == 721  # 800 - 80 + 1
    assert_books_hold()


def test_tax_that_is_remitted_is_not_advanced():
    held = make_holding()
    set_tax_facts(held.token.issuer, tax_residence="NG")
    make_rate()
    paid = make_distribution(held.token, "Paid")
    move(terms("tax_remittance", 175, currency="NGN"))
    made = settle(correct(paid, amount=Decimal(2)))
    assert made.status == "Paid"
    assert {row[-1] for row in rows(made).values()} == {"Due"}
    assert rows(made)[held.member.owner_id][3] == 180
    assert_books_hold()
    # Later tax covers it.
    make_distribution(
        held.token, "Paid", make_terms(held.token, record_at=timezone.now() + 9 * DAY)
    )
    paying.pay_due()
    assert {row[-1] for row in rows(made).values()} == {"Paid"}
    assert_books_hold()


def test_interest_is_corrected_by_its_basis():
    held = make_holding()
    paid = make_distribution(held.token, "Paid", interest_terms(held.token))
    Wallet(held.token.issuer).fund(10_000, "NGN")
    made = settle(correct(paid, basis=Basis(Decimal(100), Decimal("18.5"), 93)))
    # 400 * 100 * 18.5 * 93 / 36500 = 1885.479…
    assert rows(made)[held.member.owner_id][0] == Decimal("20.27")
    assert_books_hold()


def test_nothing_is_corrected_twice_or_while_it_is_not_paid():
    held = make_holding()
    announced = make_distribution(held.token)
    paid = None

    def refused(original: Distribution, code: str, **changes: Any) -> None:
        with pytest.raises(DomainError) as error, transaction.atomic(), assert_nothing_changes():
            proposals.propose_distribution(
                token_id=original.token_id,
                terms=right_terms(original, **changes),
                actor=issuer_of(original.token),
                corrects=original.pk,
            )
        assert error.value.code == code

    refused(announced, "not_paid", amount=Decimal(3))
    other = make_holding()
    paid = make_distribution(other.token, "Paid")
    refused(paid, "corrects_nothing")
    refused(paid, "correction_differs", amount=Decimal(3), record_at=timezone.now())
    refused(paid, "notice_too_short", amount=Decimal(3), payment_date=timezone.now().date())
    refused(paid, "invalid_request", amount=Decimal(-1))
    with pytest.raises(DomainError) as missing:
        proposals.propose_distribution(
            token_id=held.token.pk,
            terms=right_terms(paid, amount=Decimal(3)),
            actor=issuer_of(held.token),
            corrects=paid.pk,
        )
    assert missing.value.code == "distribution_not_found"
    made = correct(paid, amount=Decimal(3))
    refused(paid, "correction_pending", amount=Decimal(4))
    refused(made, "not_correctable", amount=Decimal(4))


def test_principal_is_not_corrected():
    held = make_holding()
    complete_on(held.token, (timezone.now() + 5 * DAY).date() - relativedelta(months=1))
    paid = make_distribution(held.token, "Paid", principal_terms(held.token))
    with pytest.raises(DomainError) as error:
        correct(paid, amount=Decimal(30))
    assert error.value.code == "not_correctable"


def test_a_cancelled_correction_changes_nothing():
    held = make_holding()
    paid = make_distribution(held.token, "Paid")
    made = correct(paid, amount=Decimal(3))
    decide_step(made, DistributionAction.CANCEL)
    assert {row[-1] for row in rows(paid).values()} == {"Paid"}
    assert_books_hold()
    again = settle(correct(paid, amount=Decimal(2)))
    assert again.gross == -350


def test_holders_are_told():
    held = make_holding()
    paid = make_distribution(held.token, "Paid")
    made = settle(correct(paid, amount=Decimal(2)))
    told = Event.objects.filter(
        organisation_id=held.organisation.organisation.pk, subject_id=made.pk
    )
    assert set(told.values_list("type", flat=True)) == {
        "distribution.announced",
        "distribution.paid",
    }


def test_the_service_cannot_recover_more_or_for_itself():
    held = make_holding()
    made = correct(make_distribution(held.token, "Paid"), amount=Decimal(2))
    income = Income.objects.get(distribution=made, owner_id=held.member.owner_id)
    with pytest.raises(DatabaseError, match="was not recovered"), transaction.atomic():
        Income.objects.filter(pk=income.pk).update(recovered=5)
    with pytest.raises(DatabaseError, match="not corrected"), transaction.atomic():
        Income.objects.filter(distribution=made.corrects_id).update(status="Corrected")
