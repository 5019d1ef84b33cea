"""Valuation of loans: opening and curing shortfalls, and the stored amounts and texts."""

from decimal import Decimal

import pytest
from django.db import transaction

from credit.loans.models import Loan, Shortfall, Valuation
from credit.loans.services import servicing
from credit.loans.services.shortfalls import revalue_collateral
from credit.loans.services.valuation import Pledge
from exchange.events.models import Event
from exchange.tokens.models import Token
from tests.factories.lifecycle import set_flags
from tests.factories.loans import make_completed_loan, repay_loan
from tests.factories.tokens import give_units, make_token

pytestmark = pytest.mark.django_db(transaction=True)


def review(loan: Loan) -> Valuation:
    with transaction.atomic():
        return revalue_collateral(Loan.objects.select_related("borrower").get(id=loan.id))


def test_a_shortfall_opens_below_the_ratio_and_closes_at_it_for_its_own_loan(lending):
    tight, loose = lending.lend(), lending.lend(amount=1000, units=1)
    assert review(tight).loan_to_value == Decimal("0.8")
    assert not Shortfall.objects.exists()
    lending.set_price("9999.99")
    assert review(tight).loan_to_value == Decimal("0.8000008")
    assert review(loose).loan_to_value == Decimal("0.1000001")
    first = Shortfall.objects.get()
    assert (first.loan_id, first.cause) == (tight.id, "The price of the collateral fell")
    assert (first.value, first.required) == (Decimal("1049998.95"), Decimal(1_050_000))
    events = Event.objects.filter(subject_id=tight.id, type="loan.shortfall")
    for event in events:
        assert (
            f'"shortfall":{{"id":"{first.id}","collateral_value":1049998.95,'
            '"required_value":1050000}' in event.body
        )
    assert events.count() == 2
    review(tight)
    assert (Shortfall.objects.count(), events.count()) == (1, 2)
    lending.set_price(10_000)
    review(loose)
    assert Shortfall.objects.get().cured_at is None
    review(tight)
    cured = Shortfall.objects.get().cured_at
    assert cured is not None
    # A second fall is a second shortfall; the first one stays as it was.
    lending.set_price(9_000)
    assert review(tight).loan_to_value == Decimal("0.88888889")
    assert [each.cured_at for each in Shortfall.objects.order_by("opened_at")] == [cured, None]
    lending.set_price(100)
    review(loose)
    assert Shortfall.objects.filter(cured_at__isnull=True).count() == 2


def test_a_closed_loan_has_no_shortfall(lending):
    loan = lending.lend()
    lending.set_price(9_000)
    servicing.revalue_loans(force=True)
    assert Shortfall.objects.get().cured_at is None
    lending.borrower.fund(1_000_000, "NGN")
    repay_loan(loan, 1_596_000)
    assert Shortfall.objects.get().cured_at is not None
    lending.set_price(10_000)
    other = make_completed_loan(lending)
    lending.set_price(1)
    review(other)
    assert Shortfall.objects.count() == 1


def test_a_meaningless_ratio_is_null(lending):
    """Owed is 100,000 million times the value, then one unit more."""
    dust = make_token(price_sell=Decimal("0.01"))
    give_units(dust, lending.borrower, 2)
    pledges = (Pledge(lending.token.id, Decimal(200)), Pledge(dust.id, Decimal("0.001")))
    loan, more = (lending.lend(amount=1_000_000 + each, collaterals=pledges) for each in (0, 1))
    set_flags(lending.token, exited=True)
    found, beyond = review(loan), review(more)
    assert beyond.loan_to_value is None
    assert (found.value, found.loan_to_value) == (Decimal(0), Decimal(10) ** 11)
    assert Shortfall.objects.get(loan=loan).value == 0
    set_flags(dust, exited=True)
    assert review(loan).loan_to_value is None


def test_long_texts_are_truncated(lending):
    names = [f"{letter * 10}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZABCD"]
    tokens = [
        make_token(price_sell=Decimal(10), symbol=f"{name[:8]}{number:02}")
        for number, name in enumerate(names)
    ]
    for token in tokens:
        give_units(token, lending.borrower, 1)
    pledges = [
        Pledge(lending.token.id, Decimal(1)),
        *(Pledge(each.id, Decimal(1)) for each in tokens),
    ]
    loan = lending.lend(amount=8000, collaterals=tuple(pledges))
    everything = [token.id for token in tokens]
    Token.objects.filter(id__in=everything).update(quoted_at=None)
    problem = "; ".join(f"{token.symbol} has no price" for token in tokens)
    assert review(loan).problem == problem[:300]
    assert review(loan).value is None
    set_flags(*tokens, lending.token, exited=True)
    review(loan)
    ended = ", ".join([lending.token.symbol, *(token.symbol for token in tokens)])
    assert Shortfall.objects.get().cause == f"{ended} ended"[:300]
