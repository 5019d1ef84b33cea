"""Every rule of loan creation at its limit: the complete message, and no other."""

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest
from django.db import transaction

from credit.configurations.models import Access
from credit.configurations.services.configurations import propose_change, retire
from credit.loans.models import Loan
from credit.loans.services.assessing import (
    Assessment,
    LoanRequest,
    assess,
    check_collateral,
    outstanding_principal,
    pledges_error,
    validate_amounts,
)
from credit.loans.services.facts import TokenFacts
from credit.loans.services.valuation import Pledge
from exchange.core.errors import DomainError
from exchange.core.ids import uuid7
from exchange.participants.models import Organisation
from exchange.tokens.errors import TokenNotFound
from tests.environment.database import session
from tests.factories.api_clients import TESTER, make_member, make_organisation
from tests.factories.lending import Lending, make_lending
from tests.factories.loan_configurations import approve_pending, make_configuration, make_terms
from tests.factories.tokens import give_units, make_token
from tests.factories.wallets import Wallet, make_staff, make_wallet

pytestmark = pytest.mark.django_db

MONTHS = "duration must be a whole number of months from 1 to 12"
NOT_FOUND = "Loan configuration not found"


def look(
    lending: Lending, *, by: Organisation | None = None, quote: bool = False, **changes: Any
) -> Assessment:
    """Assess `lending.request(**changes)` as the borrower's organisation or `by`."""
    organisation = by or lending.borrower.organisation
    return assess(lending.request(**changes), organisation_id=organisation.id, quote=quote)


def messages(lending: Lending, **changes: Any) -> list[str]:
    """Return all error messages in order."""
    return [refusal.message for refusal in look(lending, **changes).errors]


def own_lending(lending: Lending) -> Lending:
    """A lending to a member of the creditor itself."""
    own = Wallet(lending.creditor.organisation, make_member(lending.creditor.organisation))
    give_units(lending.token, own, 1000)
    return Lending(lending.creditor, own, lending.offer, lending.token)


def test_an_amount_is_taken_from_the_least_to_the_most_of_one_loan():
    lending = make_lending(min_amount={"NGN": Decimal(10_000)})
    cases: list[tuple[str, list[str]]] = [
        ("9999.99", ["amount must not be below 10000 NGN"]),
        ("10000", []),
        ("2000000", []),
        ("2000000.01", ["amount must not be above 2000000 NGN"]),
    ]
    for amount, refusals in cases:
        assert messages(lending, amount=amount, units=300) == refusals, amount
    give_units(make_token(currency="KES"), lending.borrower, 1)
    found = messages(lending, currency="KES", amount=100, units=300)
    assert found[0] == "The loan configuration does not offer loans in KES"


def test_the_remaining_limit_is_reported_and_never_negative():
    lending = make_lending(max_outstanding={"NGN": Decimal(2_500_000)})
    lending.lend()
    assert messages(lending, amount=1_660_000, units=300) == []
    left = "The loan configuration can lend at most {} NGN more"
    assert messages(lending, amount="1660000.01", units=300) == [left.format(1_660_000)]
    small = make_terms(
        access=Access.PUBLIC,
        max_amount={"NGN": Decimal(500_000)},
        max_outstanding={"NGN": Decimal(500_000)},
    )
    propose_change(configuration_id=lending.offer.id, terms=small, actor=TESTER)
    approve_pending(lending.offer)
    assert messages(lending, amount=1000) == [left.format(0)]


def test_the_amount_lent_out_is_by_configuration_and_currency(lending):
    other = make_lending()
    other.lend(amount=10_000, units=2)
    assert outstanding_principal(lending.offer.id, "NGN") == 0
    lending.lend()
    lending.lend(amount=1000, units=1)
    assert outstanding_principal(lending.offer.id, "NGN") == 841_000
    assert outstanding_principal(lending.offer.id, "KES") == 0
    assert outstanding_principal(other.offer.id, "NGN") == 10_000


def test_a_duration_is_of_whole_months_up_to_the_longest(lending):
    wrong: dict[str, Any] = {"repayment_amount": Decimal(99_000_000)}
    for longest in (1, 12):
        assert messages(lending, duration=longest) == []
    # 600 months have a repayment amount, although not offered here.
    above = [f"repayment_amount must {be} 152040000" for be in ("not be above", "be")]
    cases: list[tuple[str, list[str]]] = [
        ("0", [MONTHS]),
        ("-1", [MONTHS]),
        ("1.5", [MONTHS]),
        ("601", [MONTHS]),
        ("600", [MONTHS, above[1]]),
        ("13", [MONTHS, *(f"repayment_amount must {be} 4116000" for be in ("not be above", "be"))]),
        ("1", [f"repayment_amount must {be} 1092000" for be in ("not be above", "be")]),
    ]
    for months, refusals in cases:
        found = look(lending, duration=months, **wrong)
        assert [refusal.message for refusal in found.errors] == refusals, months
        offered = months == "1"
        assert (found.repayment_date is not None, found.max_repayment_amount is not None) == (
            offered,
        ) * 2
    more = {"repayment_amount": Decimal(200_000_000)}
    assert messages(lending, duration="600", **more) == [MONTHS, *above]


def test_a_loan_is_due_so_many_months_after_it_was_made(lending):
    made = dt.datetime(2026, 1, 31, 12, 30, tzinfo=dt.UTC)
    found = assess(lending.request(), organisation_id=lending.borrower.organisation.id, at=made)
    assert (found.at, found.repayment_date) == (made, made.replace(month=4, day=30))


def test_the_rate_and_the_repayment_follow_from_the_terms(lending):
    assert messages(lending, interest_rate="0.2") == [
        "interest_rate must be 0.3",
        "repayment_amount must be 1596000",
    ]
    amounts: list[tuple[str, list[str]]] = [
        ("839999.99", ["must not be below amount", "must be 1596000"]),
        ("840000", ["must be 1596000"]),
        ("1595999.99", ["must be 1596000"]),
        ("1596000", []),
        ("1596000.01", ["must not be above 1596000", "must be 1596000"]),
    ]
    mine = own_lending(lending)
    for amount, refusals in amounts:
        asked: dict[str, Any] = {"repayment_amount": Decimal(amount)}
        assert messages(lending, **asked) == [f"repayment_amount {each}" for each in refusals], (
            amount
        )
        # The creditor itself may ask for less.
        limits = [f"repayment_amount {each}" for each in refusals if each != "must be 1596000"]
        assert messages(mine, **asked) == limits, amount


def test_only_the_creditor_learns_that_its_balance_is_insufficient(lending):
    poor = make_wallet(840_000, currency="NGN")
    lending.offer = make_configuration(poor.organisation, access=Access.PUBLIC)
    own = Lending(poor, Wallet(poor.organisation, make_member(poor.organisation)), lending.offer,
                  lending.token)  # fmt: skip
    give_units(lending.token, own.borrower, 1000)
    more: dict[str, Any] = {"amount": "840000.01", "units": 300}
    for each in (lending, own):
        assert messages(each) == []
        assert messages(each, quote=True) == []
    why = "The creditor's NGN wallet does not cover the amount"
    assert messages(own, **more) == messages(own, quote=True, **more) == [why]
    assert messages(lending, **more) == ["The loan cannot be funded"]
    assert messages(lending, quote=True, **more) == []


def test_an_inaccessible_offer_does_not_exist(lending):
    creditor, mine = lending.creditor.organisation, lending.borrower.organisation
    units: dict[str, Any] = {"units": 300}
    offers = {
        "own": make_configuration(creditor, access=Access.OWN),
        "others": make_configuration(
            creditor, access=Access.ORGANISATIONS, organisation_ids=[make_organisation().id]
        ),
        "waiting": make_configuration(creditor, access=Access.PUBLIC, approved=False),
        "retired": make_configuration(creditor, access=Access.PUBLIC),
    }
    retire(configuration_id=offers["retired"].id, user=make_staff("decide_configuration"))
    for name, offer in offers.items():
        lending.offer = offer
        assert messages(lending, **units) == [NOT_FOUND], name
        assert messages(lending, by=creditor, quote=True, **units)[:1] == ["User not found"]
    assert messages(lending, configuration_id=None, quote=True) == [NOT_FOUND]
    assert messages(lending, configuration_id=None) == [NOT_FOUND]
    lending.offer = make_configuration(
        creditor, access=Access.ORGANISATIONS, organisation_ids=[mine.id]
    )
    assert messages(lending, **units) == []


def test_the_creditor_sees_the_status_of_its_configuration(lending):
    mine = own_lending(lending)
    state = "The loan configuration is {}: only Approved ones make loans"
    retire(configuration_id=lending.offer.id, user=make_staff("decide_configuration"))
    assert messages(mine)[0] == state.format("Retired")
    mine.offer = make_configuration(lending.creditor.organisation, approved=False)
    assert messages(mine) == [state.format("Pending")]


def test_collateral_must_cover_the_amount(lending):
    found = look(lending, units="104.99999999")
    assert [refusal.message for refusal in found.errors] == [
        "The collateral is worth 1050000 NGN, enough for a loan of at most 839999.99 NGN"
    ]
    assert found.collateral_value == 1_050_000
    assert found.max_amount == Decimal("839999.99")
    assert messages(lending, units=105) == []
    # Without an offer only the collateral value is known.
    unknown = look(lending, configuration_id=None)
    assert unknown.collateral_value == 1_050_000
    assert unknown.max_amount is None


def facts(**changes: Any) -> TokenFacts:
    """Return a token that can be pledged, with ten units available."""
    fine: dict[str, Any] = {
        "id": uuid7(), "name": "Token", "symbol": "ABC", "currency_id": "NGN",
        "investment_category": "Bond", "price_sell": Decimal(1),
        "quoted_at": dt.datetime.now(dt.UTC), "exited": False, "cancelled": False,
        "completed_raise": True, "available": Decimal(10), "deductions": [],
        "record_wait": None,
    }  # fmt: skip
    return TokenFacts(**{**fine, **changes})


def of_pledges(
    *pledged: tuple[TokenFacts, str],
    seen: bool = True,
    member_known: bool = True,
    categories: list[str] | None = None,
) -> list[str]:
    """Return the errors of pledging so many units of each."""
    found = check_collateral(
        tuple(Pledge(token.id, Decimal(units)) for token, units in pledged),
        {token.id: token for token, _units in pledged} if seen else {},
        member_known=member_known,
        currency="NGN",
        categories=categories,
    )
    return [refusal.message for refusal in found]


def test_each_token_lists_all_its_errors():
    open_raise = "ABC is in its primary raise: its units can be pledged once it is complete"
    art = "ABC is Bond: the investment category of collateral must be one of [Art, Fund]"
    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({}, []),
        ({"cancelled": True, "exited": True}, ["ABC is cancelled"]),
        ({"exited": True, "completed_raise": False}, ["ABC has exited"]),
        ({"completed_raise": False}, [open_raise]),
        ({"currency_id": "KES"}, ["ABC is priced in KES: collateral of this loan must be in NGN"]),
        ({"price_sell": Decimal(0)}, ["ABC has no price"]),
    ]
    for changes, refusals in cases:
        assert of_pledges((facts(**changes), "10")) == refusals, changes
    assert of_pledges((facts(), "1"), categories=["Art", "Bond"]) == []
    assert of_pledges((facts(), "1"), categories=["Art", "Fund"]) == [art]


def test_pledges_are_limited_by_available_units():
    most = "Insufficient ABC units. Available: 10, requested: 10.00000001"
    assert of_pledges((facts(), "10")) == []
    assert of_pledges((facts(), "10.00000001")) == [most]
    assert of_pledges((facts(), "11"), member_known=False) == []
    assert of_pledges((facts(), "1"), member_known=False) == []


def test_an_invisible_token_does_not_stop_the_other_checks():
    hidden, exited = facts(), facts(exited=True)
    found = check_collateral(
        (Pledge(hidden.id, Decimal(1)), Pledge(exited.id, Decimal(1))),
        {exited.id: exited},
        member_known=True, currency="NGN", categories=None,
    )  # fmt: skip
    first, second = found
    assert isinstance(first, TokenNotFound)
    assert second.message == "ABC has exited"


def test_one_to_fifty_tokens_are_pledged_each_once():
    number, twice = "collaterals must have 1 to 50 items", "collaterals must not name a token twice"
    pledges = tuple(Pledge(uuid7(), Decimal(1)) for _ in range(51))
    assert pledges_error(pledges[:1]) is None
    assert pledges_error(pledges[:50]) is None
    for wrong, message in (((), number), (pledges, number), (pledges[:1] * 2, twice)):
        problem = pledges_error(wrong)
        assert problem is not None
        assert problem.message == message
    token = facts()
    assert of_pledges((token, "1"), (token, "1")) == [twice]


def test_amounts_have_the_decimals_of_their_currency():
    def asked(currency: str, amount: str, repaid: str) -> LoanRequest:
        return LoanRequest(
            user_id=None, configuration_id=None, currency=currency, amount=Decimal(amount),
            repayment_amount=Decimal(repaid), interest_rate=Decimal(0), duration=Decimal(1),
            collaterals=(),
        )  # fmt: skip

    for fine in (("NGN", "0.01", "0.01"), ("UGX", "1", "1"), ("NGN", "5.50", "6.000")):
        validate_amounts(asked(*fine))
    two, none = "must not have more than 2 decimals", "must not have decimals"
    wrong = {
        ("NGN", "0.001", "0.01"): f"amount {two}",
        ("NGN", "0.01", "0.001"): f"repayment_amount {two}",
        ("UGX", "1.5", "1.5"): f"amount {none}; repayment_amount {none}",
        ("NGN", "0", "1"): "amount must be above 0",
        ("NGN", "-0.01", "1.001"): f"repayment_amount {two}; amount must be above 0",
        ("EUR", "1", "1"): "Currency must be one of [NGN, KES, GHS, ZAR, UGX, TZS, USD]",
    }
    for case, message in wrong.items():
        with pytest.raises(DomainError) as refused:
            validate_amounts(asked(*case))
        assert refused.value.message == message, case


def test_the_first_refusal_is_raised_and_the_form_before_all(lending):
    for changes, message in (
        ({"duration": 13, "units": 1}, MONTHS),
        ({"user_id": None, "units": 1001}, "User not found"),
        ({"amount": "840000.001", "user_id": None}, "amount must not have more than 2 decimals"),
    ):
        with pytest.raises(DomainError) as refused:
            lending.lend(**changes)
        assert refused.value.message == message
    assert not Loan.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_an_assessment_locks_only_on_request(lending):
    def free(**how: Any) -> tuple[int, int]:
        """Return how many tokens and configurations another transaction can lock meanwhile."""
        with transaction.atomic(), session("owner") as other:
            assess(lending.request(), organisation_id=lending.borrower.organisation.id, **how)
            found = [
                len(other.execute(f"SELECT id FROM {table} FOR UPDATE SKIP LOCKED").fetchall())
                for table in ("exchange_token", "credit_loanconfiguration")
            ]
            return found[0], found[1]

    assert free() == (1, 1)
    assert free(lock=True) == (0, 0)
