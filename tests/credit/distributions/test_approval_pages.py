"""May a distribution be paid? Its page, the calendar and the token's page, by exact figures."""

from decimal import Decimal

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from config.back_office.roles import FINANCE_APPROVER
from credit.distributions.admin import calendar
from credit.distributions.selectors import expected_gross, periods_between
from credit.distributions.services import proposals
from tests.environment.owner import without_guards
from tests.factories.back_office import page, signed_in_client, text_of
from tests.factories.distributions import (
    DAY,
    approve,
    correct,
    interest_terms,
    issuer_of,
    make_distribution,
    make_holding,
    make_scheduled,
    make_terms,
    pending,
    propose,
    proposer,
    right_terms,
)
from tests.factories.tokens import give_units
from tests.factories.wallets import Wallet, make_member_wallet

pytestmark = pytest.mark.django_db


@pytest.fixture
def ben() -> Client:
    return signed_in_client(FINANCE_APPROVER, "ben")


def read(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return " ".join(text_of(response).split())


@pytest.mark.parametrize(
    ("funds", "words"),
    [
        (2_000, "Available to the issuer 2,000.00 NGN"),
        (2_000, "Left to the issuer after it 250.00 NGN"),
        (1_749, "Missing in the issuer's wallet 1.00 NGN"),
        (1_750, "Left to the issuer after it 0.00 NGN"),
    ],
)
@pytest.mark.one_in(3)
def test_a_draft_says_what_it_takes_and_whether_the_issuer_has_it(ben, funds, words):
    held = make_holding()
    Wallet(held.token.issuer).fund(funds, "NGN")
    made = propose(held.token)
    shown = read(ben, page(made))
    assert "Holders now 3 Units now 700 units Due if recorded now 1,750.00 NGN" in shown
    assert words in shown
    confirmation = read(ben, page(made, "approve", pending(made).pk))
    assert "Due if recorded now 1,750.00 NGN" in confirmation
    assert f"Available to the issuer {funds:,}.00 NGN" in confirmation
    assert f"{held.member.member} 400 units 1,000.00 NGN" in shown


def test_what_is_recorded_is_set_against_the_wallet_until_it_is_funded(ben):
    held = make_holding()
    Wallet(held.token.issuer).fund(2_000, "NGN")
    made = make_distribution(held.token, "Recorded")
    shown = read(ben, page(made))
    assert "Income Due 3" in shown
    assert "Income Paid" not in shown
    assert "Left to the issuer after it 250.00 NGN" in shown
    assert "Largest incomes" in shown
    funded = make_distribution(make_holding().token, "Funded")
    assert "to the issuer after it" not in read(ben, page(funded))


def test_ten_largest_holders_are_shown(ben):
    held = make_holding()
    for units in range(1, 10):
        give_units(held.token, make_member_wallet(currency="NGN"), units)
    shown = read(ben, page(propose(held.token)))
    assert "3 units 7.50 NGN" in shown
    assert "2 units 5.00 NGN" not in shown


@pytest.mark.slow
def test_earlier_ones_of_the_token_are_shown_with_it(ben):
    held = make_holding()
    for amount in range(1, 8):
        make_distribution(held.token, "Paid", make_terms(held.token, amount=Decimal(amount)))
    other = make_distribution(make_holding().token, "Paid")
    made = propose(held.token, make_terms(held.token, amount=Decimal(9)))
    shown = read(ben, page(made))
    assert "This one Draft" in shown
    assert "9.00 NGN - -" in shown
    assert "7.00 NGN 3 4,900.00 NGN" in shown
    assert "3.00 NGN 3 2,100.00 NGN" in shown
    # Five of them, and none of another token.
    assert "2.00 NGN 3 1,400.00 NGN" not in shown
    assert str(other) not in shown


def test_earlier_ones_are_named_by_their_periods(ben):
    held = make_holding()
    for ended in ("2026-06-09", "2026-09-09"):
        made = make_distribution(held.token, "Paid", interest_terms(held.token))
        with without_guards() as cursor:
            cursor.execute(
                "UPDATE credit_distribution SET period_end = %s, record_at = %s WHERE id = %s",
                [ended, ended, made.pk],
            )
    made = propose(held.token)
    for address in (page(made), page(held.token)):
        shown = read(ben, address)
        for day in ("9 June 2026", "9 September 2026"):
            assert f"Interest of {held.token.symbol}, 92 days to {day} Paid" in shown


@pytest.mark.slow
def test_the_history_costs_the_same_for_one_row_as_for_many(ben):
    held = make_holding()
    made = propose(held.token, make_terms(held.token, record_at=timezone.now() + 9 * DAY))
    counts = []
    for amount in (1, 2, 3):
        make_distribution(held.token, "Paid", make_terms(held.token, amount=Decimal(amount)))
        read(ben, page(made))
        with CaptureQueriesContext(connection) as queries:
            read(ben, page(made))
        counts.append(len(queries))
    assert len(set(counts)) == 1


def test_changed_terms_are_shown_before_and_after(ben):
    held = make_holding()
    made = make_distribution(held.token)
    assert "The terms are as proposed." in read(ben, page(made))
    person = proposer()
    proposals.propose_change(
        distribution_id=made.pk,
        terms=make_terms(
            held.token,
            amount=Decimal(3),
            record_at=made.record_at,
            payment_date=made.payment_date + DAY,
        ),
        explanation="The board corrected",
        user=person,
    )
    before = made.payment_date
    approve(made)
    shown = read(ben, page(made))
    assert "Amount per unit 2.5 3" in shown
    assert f"Payment date {before} {made.payment_date}" in shown


def test_the_token_has_the_history_of_what_it_paid(ben):
    held = make_holding()
    assert "Paid so far" not in read(ben, page(held.token))
    for amount in (1, 2):
        make_distribution(held.token, "Paid", make_terms(held.token, amount=Decimal(amount)))
    propose(held.token)
    shown = read(ben, page(held.token))
    assert "2.00 NGN 3 1,400.00 NGN" in shown
    assert "Paid so far: 2,100.00 NGN by 2 distributions." in shown


def test_the_calendar_sets_all_that_is_due_against_each_issuers_wallet(ben):
    held, other = make_holding(), make_holding()
    Wallet(held.token.issuer).fund(2_000, "NGN")
    address = reverse("admin:credit_distribution_calendar")
    assert "Nothing is due." in read(ben, address)
    make_distribution(held.token, terms=make_terms(held.token))
    make_distribution(other.token, terms=make_terms(other.token, amount=Decimal(1)))
    later = make_terms(held.token, amount=Decimal(2), record_at=timezone.now() + 8 * DAY)
    propose(held.token, later)
    beyond = make_terms(held.token, amount=Decimal(7), record_at=timezone.now() + 16 * DAY)
    propose(held.token, beyond)
    shown = read(ben, address)
    assert "Announced 1,750.00 NGN 250.00 NGN" in shown
    # After both.
    assert "Draft 1,400.00 NGN -1,150.00 NGN" in shown
    assert "Announced 700.00 NGN -700.00 NGN" in shown
    assert "4,900.00 NGN" not in shown
    paid = make_distribution(make_holding().token, "Paid")
    funded = make_distribution(make_holding().token, "Funded")
    shown = read(ben, address)
    assert str(paid.token.issuer) not in shown
    assert f"{funded.token.issuer} Funded 1,750.00 NGN Funded" in shown


def test_the_calendar_does_not_count_on_what_is_to_be_recovered(ben):
    held = make_holding()
    paid = make_distribution(held.token, "Paid")
    Wallet(held.token.issuer).fund(2_000, "NGN")
    correct(paid, amount=Decimal(2))
    shown = read(ben, reverse("admin:credit_distribution_calendar"))
    assert "Recorded -350.00 NGN 2,000.00 NGN" in shown


def test_the_calendar_costs_the_same_for_one_row_as_for_many(ben):
    address = reverse("admin:credit_distribution_calendar")
    counts = []
    for count in (1, 3):
        for _ in range(count):
            propose(make_holding().token)
        read(ben, address)
        with CaptureQueriesContext(connection) as queries:
            read(ben, address)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_the_calendar_says_how_many_it_leaves_out(ben, monkeypatch):
    monkeypatch.setattr(calendar, "_SHOWN", 2)
    address = reverse("admin:credit_distribution_calendar")
    token = make_holding().token
    for days in (4, 5):
        propose(token, make_terms(token, record_at=timezone.now() + days * DAY))
    assert "The first" not in read(ben, address)
    propose(token, make_terms(token, record_at=timezone.now() + 6 * DAY))
    assert "The first 2 of 3." in read(ben, address)


def test_what_is_due_of_many_is_what_each_would_pay():
    held, other = make_holding(), make_holding(currency="UGX")
    found = [
        propose(held.token),
        propose(held.token, interest_terms(held.token)),
        propose(other.token, interest_terms(other.token)),
        make_distribution(make_holding().token, "Recorded"),
    ]
    due = expected_gross(found)
    # 700 units of 2.5; 400, 250 and 50 units of 100 * 18.5 % * 92 / 365, each rounded down.
    wanted = [Decimal(1_750), Decimal("3264.10"), Decimal(3_263), Decimal(1_750)]
    assert [due[each.pk] for each in found] == wanted
    # A correction of 2.5 to 3 pays each of 700 units 0.5 more.
    paid = make_distribution(make_holding().token, "Paid")
    more = proposals.propose_distribution(
        token_id=paid.token_id,
        terms=right_terms(paid, amount=Decimal(3)),
        actor=issuer_of(paid.token),
        corrects=paid.pk,
    )
    assert more.gross is None
    assert expected_gross([more, found[0]]) == {more.pk: 350, found[0].pk: 1_750}
    assert expected_gross([]) == {}


def test_repayments_are_read_only_where_a_period_ends():
    ends = (timezone.now() + 10 * DAY).date()
    token = make_scheduled(10).token
    with CaptureQueriesContext(connection) as queries:
        assert periods_between(token, ends - 9 * DAY, ends - DAY) == []
        assert len(queries) == 0
        assert [period.ends for period in periods_between(token, ends, ends)] == [ends]
        assert len(queries) == 1
