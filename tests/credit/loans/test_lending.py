"""Loan creation: the interface's worked example, every rejection, and what moves."""

from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError
from django.utils import timezone

from credit.configurations.models import Access
from credit.configurations.services.configurations import retire
from credit.loans.dates import add_months
from credit.loans.models import Loan, LoanStatus
from credit.loans.services.assessing import assess, max_repayment
from credit.loans.services.valuation import Pledge
from exchange.core.errors import DomainError
from exchange.core.timestamps import javascript_time
from exchange.events.models import Event
from exchange.tokens.models import Token
from orders.book.models import Trade
from tests.environment.owner import without_guards
from tests.factories.api_clients import make_member, make_organisation
from tests.factories.lending import Lending, make_lending
from tests.factories.loan_configurations import make_configuration
from tests.factories.tokens import give_units, make_token
from tests.factories.traders import Trader
from tests.factories.wallets import (
    Wallet,
    assert_books_hold,
    balance_of,
    make_member_wallet,
    make_staff,
    make_wallet,
)
from wallets.ledger.models import Transfer

pytestmark = pytest.mark.django_db


def code_of(lending: Lending, **changes: Any) -> str:
    """Return the code of the rejection; nothing may have moved."""
    transfers = Transfer.objects.count()
    with pytest.raises(DomainError) as refused:
        lending.lend(**changes)
    assert Transfer.objects.count() == transfers
    assert not Loan.objects.exists()
    return refused.value.code


def test_105_units_of_10000_at_a_ratio_of_08_carry_840000(lending):
    loan = lending.lend(units=105)
    assert loan.status == LoanStatus.ACTIVE
    assert (loan.amount, loan.repayment_amount) == (840_000, 1_596_000)
    borrower, creditor = lending.borrower.owner_id, lending.creditor.owner_id
    assert balance_of(borrower, "NGN") == 840_100
    assert balance_of(creditor, "NGN") == 4_160_000
    assert (
        balance_of(borrower, lending.token.id),
        balance_of(borrower, lending.token.id, "lien"),
    ) == (
        895,
        105,
    )
    assert balance_of(creditor, "NGN", "principal") == 840_000
    assert_books_hold()


def test_104_units_do_not(lending):
    assert code_of(lending, units=104) == "insufficient_collateral"


def test_at_most_1596000_can_be_repaid(lending):
    changed = {"repayment_amount": Decimal("1596000.01")}
    assert code_of(lending, **changed) == "repayment_above_maximum"


def test_the_record_shows_the_repayment_date_as_javascript_prints_it(lending):
    loan = lending.lend()
    assert f'"repayment_date":"{javascript_time(loan.repayment_date)}"' in loan.document
    assert loan.repayment_date == add_months(loan.created_at, 3)


def test_caller_and_creditor_receive_events(lending):
    loan = lending.lend()
    events = Event.objects.filter(subject_id=loan.id, type="loan.created")
    assert sorted(event.organisation_id for event in events) == sorted(
        [lending.borrower.organisation.id, lending.creditor.organisation.id]
    )


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"amount": "2000000.01"}, "amount_above_maximum"),
        ({"currency": "KES", "amount": 100}, "currency_not_offered"),
        ({"duration": 13}, "duration_not_offered"),
        ({"interest_rate": "0.2"}, "interest_rate_differs"),
        ({"repayment_amount": Decimal(839_999)}, "repayment_below_amount"),
        ({"repayment_amount": Decimal(1_595_999)}, "repayment_differs"),
        ({"units": 1001}, "insufficient_units"),
        ({"amount": "0.001"}, "invalid_request"),
        ({"user_id": None}, "user_not_found"),
        ({"configuration_id": None}, "loan_configuration_not_found"),
        ({"collaterals": ()}, "invalid_request"),
    ],
)
def test_each_rule_has_its_code_and_nothing_moves(lending, changes, code):
    assert code_of(lending, **changes) == code


def test_a_creditor_may_agree_on_less_with_its_own_member():
    creditor = make_wallet(5_000_000, currency="NGN")
    lending = make_lending()
    lending.offer = make_configuration(creditor.organisation, access=Access.OWN)
    lending.borrower = Wallet(creditor.organisation, make_member(creditor.organisation))
    give_units(lending.token, lending.borrower, 200)
    loan = lending.lend(repayment_amount=Decimal(900_000))
    assert loan.repayment_amount == 900_000
    assert_books_hold()


def test_units_that_are_not_visible_do_not_exist(lending):
    hidden = make_token(deal_access="Private", price_sell=Decimal(10_000))
    pledges = (Pledge(hidden.id, Decimal(105)),)
    assert code_of(lending, collaterals=pledges) == "token_not_found"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"exited": True}, "token_exited"),
        ({"cancelled": True}, "token_cancelled"),
        ({"investment_category": "Art"}, "category_not_allowed"),
        ({"quoted_at": None}, "price_unavailable"),
        ({"quoted_at": timezone.now() - timedelta(days=31)}, "price_unavailable"),
        ({"price_sell": 0}, "price_unavailable"),
    ],
)
@pytest.mark.one_in(3)
def test_a_token_that_cannot_be_pledged_says_why(lending, change, code):
    with without_guards():  # a price without a quote
        Token.objects.filter(id=lending.token.id).update(**change)
    assert code_of(lending) == code


def test_collateral_of_another_currency_is_refused(lending):
    token = make_token(currency="KES", price_sell=Decimal(10_000), price_buy=Decimal(10_000))
    give_units(token, lending.borrower, 200)
    pledges = (Pledge(token.id, Decimal(105)),)
    assert code_of(lending, collaterals=pledges) == "collateral_currency_differs"


def test_only_an_approved_configuration_lends(lending):
    lending.offer = make_configuration(lending.creditor.organisation, approved=False)
    assert code_of(lending) == "loan_configuration_not_found"
    lending.offer = make_configuration(lending.borrower.organisation, approved=False)
    assert code_of(lending) == "configuration_not_approved"
    lending.offer = make_configuration(lending.borrower.organisation)
    retire(configuration_id=lending.offer.id, user=make_staff("decide_configuration"))
    assert code_of(lending) == "configuration_not_approved"


def test_only_those_named_may_use_an_offer_for_organisations(lending):
    creditor, mine = lending.creditor.organisation, lending.borrower.organisation
    others = [make_organisation().id]
    offer = partial(make_configuration, creditor, access=Access.ORGANISATIONS)
    lending.offer = offer(organisation_ids=others)
    assert code_of(lending) == "loan_configuration_not_found"
    lending.offer = offer(organisation_ids=[*others, mine.id])
    assert lending.lend().status == LoanStatus.ACTIVE


def test_outstanding_loans_stay_within_the_limit():
    lending = make_lending(
        max_amount={"NGN": Decimal(900_000)}, max_outstanding={"NGN": Decimal(1_500_000)}
    )
    lending.lend()
    with pytest.raises(DomainError) as refused:
        lending.lend()
    assert refused.value.code == "outstanding_above_maximum"
    assert "660000" in refused.value.message
    lending.lend(amount=660_000)


def test_the_outstanding_limit_is_per_currency():
    lending = make_lending(
        max_amount={"NGN": Decimal(900_000), "KES": Decimal(100_000)},
        max_outstanding={"KES": Decimal(100_000)},
    )
    assert lending.lend().amount == 840_000
    assert lending.lend(amount=120_000).amount == 120_000
    assert_books_hold()


@pytest.mark.parametrize(
    ("amount", "currency", "most"),
    [
        ("0.05", "NGN", "0.10"),  # 0.095: up to the even one
        ("0.15", "NGN", "0.28"),  # 0.285: down to the even one
        ("0.45", "NGN", "0.86"),  # 0.855: up
        ("0.55", "NGN", "1.04"),  # 1.045: down
        ("5", "UGX", "10"),  # 9.5: up
        ("15", "UGX", "28"),  # 28.5: down
    ],
)
def test_the_most_to_repay_is_rounded_half_even_to_the_currency(amount, currency, most):
    found = max_repayment(Decimal(amount), Decimal("0.3"), Decimal(3), currency)
    assert found == Decimal(most)


def test_a_loan_repays_at_most_the_half_even_sum_and_others_exactly_that(lending):
    tenth = {"amount": "0.15", "units": 1}
    assert code_of(lending, **tenth, repayment_amount=Decimal("0.29")) == "repayment_above_maximum"
    assert code_of(lending, **tenth, repayment_amount=Decimal("0.27")) == "repayment_differs"
    loan = lending.lend(**tenth, repayment_amount=Decimal("0.28"))
    assert loan.repayment_amount == Decimal("0.28")


def test_a_creditor_that_cannot_pay_lends_nothing(lending):
    poor = make_wallet(839_999, currency="NGN")
    lending.offer = make_configuration(poor.organisation, access=Access.PUBLIC)
    assert code_of(lending) == "not_funded"


def test_another_organisations_member_does_not_exist(lending):
    stranger: Wallet = make_member_wallet(0)
    assert code_of(lending, user_id=stranger.member_id) == "user_not_found"


def test_a_quote_names_every_rule_and_moves_nothing(lending):
    transfers = Transfer.objects.count()
    found = assess(
        lending.request(units=104, duration=13, interest_rate="0.2"),
        organisation_id=lending.borrower.organisation.id,
    )
    assert [refusal.code for refusal in found.errors] == [
        "duration_not_offered",
        "interest_rate_differs",
        "repayment_differs",
        "insufficient_collateral",
    ]
    found = assess(lending.request(), organisation_id=lending.borrower.organisation.id)
    assert found.errors == []
    assert found.collateral_value == 1_050_000
    assert found.max_amount == 840_000
    assert found.max_repayment_amount == 1_596_000
    assert Transfer.objects.count() == transfers


def test_two_members_who_trade_with_each_other_do_not_raise_what_can_be_borrowed(lending):
    """Trades never change quotes; lending looks at quotes only."""
    borrower = lending.borrower.fund(1_000_000, "NGN")
    accomplice = Wallet(borrower.organisation, make_member(borrower.organisation, "Bola"))
    accomplice.fund(10_000_000, "NGN")
    before = assess(lending.request(units=104), organisation_id=borrower.organisation.id)
    for price in (20_000, 50_000, 100_000):
        for wallet, side in ((borrower, "Sell"), (accomplice, "Buy")):
            Trader(wallet).submit_order(lending.token, side, price, 10)
    assert list(Trade.objects.order_by("seq").values_list("price", "tokens")) == [
        (Decimal(20_000), Decimal(10)),
        (Decimal(50_000), Decimal(10)),
        (Decimal(100_000), Decimal(10)),
    ]
    after = assess(lending.request(units=104), organisation_id=borrower.organisation.id)
    assert before.max_amount == after.max_amount == 832_000
    with pytest.raises(DomainError) as refused:
        lending.lend(units=104)
    assert refused.value.code == "insufficient_collateral"
    assert_books_hold()


@pytest.mark.parametrize(
    ("field", "value"), [("amount", 1), ("repayment_amount", 840_000), ("interest_rate", 0)]
)
def test_the_terms_of_a_loan_never_change_whoever_writes(lending, field, value):
    loan = lending.lend()
    with pytest.raises(IntegrityError, match="never change"):
        Loan.objects.filter(id=loan.id).update(**{field: value})
