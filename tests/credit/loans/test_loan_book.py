"""The loan book: open loans by how close they are to their margin call."""

from decimal import Decimal

import pytest
from django.utils import timezone

from config.back_office.roles import AUDITOR
from credit.loans.models import Valuation
from tests.environment.owner import as_owner
from tests.factories.back_office import signed_in_client
from tests.factories.lending import make_lending

pytestmark = pytest.mark.django_db


def test_loans_are_counted_by_their_share_of_the_maximum():
    lending = make_lending(units=1_000)
    loans = [lending.lend(amount=84_000, units=11) for _ in range(7)]
    most = loans[0].collateral_ratio
    # At the end of a share a loan is in the next one; at 100 % it has a margin call.
    shares = ("0.4999", "0.50", "0.6999", "0.80", "0.9999", "1.00", None)
    with as_owner():
        for loan, share in zip(loans, shares, strict=True):
            value = None if share is None else most * Decimal(share)
            Valuation.objects.update_or_create(
                loan=loan, defaults={"loan_to_value": value, "valued_at": timezone.now()}
            )
    [section] = signed_in_client(AUDITOR).get("/admin/credit/loan/book/").context["sections"]
    owed = loans[0].repayment_amount
    assert [(label, count) for label, count, _ in section.rows] == [
        ("Below 50 %", "1"),
        ("50 to 70 %", "2"),
        ("70 to 80 %", "0"),
        ("80 to 90 %", "1"),
        ("90 to 100 %", "1"),
        ("Margin call", "1"),
        ("Not valued", "1"),
    ]
    assert section.rows[1][2] == f"{owed * 2:,.2f} NGN"
    assert section.chart.description == "7 open loans, 1 with a margin call."
    assert sorted({bar.series for bar in section.chart.bars}) == [1, 2]


def test_an_empty_book_has_zeros():
    [section] = signed_in_client(AUDITOR).get("/admin/credit/loan/book/").context["sections"]
    assert {row[1:] for row in section.rows} == {("0", "-")}
