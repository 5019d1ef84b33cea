"""Review flags about the owner's loans on the page of a withdrawal."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from credit.loans.models import Loan, Shortfall
from tests.environment.owner import without_guards
from tests.factories.lending import make_lending
from tests.factories.wallets import store_bank_list
from wallets.withdrawals.models import Withdrawal

pytestmark = pytest.mark.django_db


def test_overdue_loans_are_critical_and_margin_calls_need_review(finance):
    lending = make_lending()
    store_bank_list()
    withdrawal = lending.borrower.fund(5000).request(1000)
    own = lending.borrower.organisation

    def shown(of: Withdrawal) -> list[tuple[str, str]]:
        page = finance.get(reverse("admin:wallets_withdrawal_change", args=[of.pk]))
        return [(one.level.label, one.text) for one in page.context["flags"] if "loan" in one.text]

    loan = lending.lend(amount=1000, units=100)
    assert shown(withdrawal) == []
    short = Shortfall.objects.create(
        loan=loan, cause="a fall", required=2, value=1, opened_at=timezone.now()
    )
    assert shown(withdrawal) == [("Review", "The owner has 1 loan with a margin call.")]
    Shortfall.objects.filter(pk=short.pk).update(cured_at=timezone.now() + timedelta(seconds=1))
    assert shown(withdrawal) == []
    with without_guards() as cursor:
        cursor.execute("UPDATE credit_loan SET status = 'OVERDUE' WHERE id = %s", [loan.pk])
    assert Loan.objects.get().status == "OVERDUE"
    assert shown(withdrawal) == [("Critical", "The owner has 1 loan overdue or in default.")]
    # The organisation's own wallet has no loans.
    firm = type(lending.borrower)(own).fund(5000).request(1000)
    assert shown(firm) == []
