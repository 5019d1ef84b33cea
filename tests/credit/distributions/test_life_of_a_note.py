"""The life of a note: raised, traded, pledged, three coupons, a repayment, redeemed at maturity.

Everybody's money is worked out here, by fractions. Time passes by moving the completion of the
raise back: then the end of the wanted period is a few days away.
"""

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from fractions import Fraction
from math import floor

import pytest
from dateutil.relativedelta import relativedelta
from django.utils import timezone

from credit.configurations.models import Access
from credit.distributions.models import Distribution
from credit.distributions.services import drafting, funding, paying, recording
from credit.loans.models import Loan, LoanStatus, Shortfall
from credit.loans.services import servicing
from credit.loans.services.assessing import LoanRequest
from credit.loans.services.lending import create_loan
from credit.loans.services.valuation import Pledge
from exchange.tokens.models import Token
from tests.environment.owner import without_guards
from tests.factories.api_clients import TESTER, make_member
from tests.factories.distributions import (
    DAY,
    approve,
    at,
    held_for,
    issuer_of,
    make_due,
    make_terms,
    propose,
)
from tests.factories.lifecycle import open_secondaries
from tests.factories.loan_configurations import make_configuration
from tests.factories.loans import repay_loan
from tests.factories.tokens import make_token
from tests.factories.traders import Trader
from tests.factories.wallets import (
    Wallet,
    assert_books_hold,
    balance_of,
    make_member_wallet,
    make_staff,
    make_wallet,
)

# Each step commits, as in life: transfers are checked against the records of their time.
pytestmark = pytest.mark.django_db(transaction=True)

TENOR = 365
RATE = 12


def record_day() -> date:
    """Return a day from the fourth from today on that every month has."""
    days = ((timezone.now() + ahead * DAY).date() for ahead in range(4, 8))
    return next(day for day in days if day.day <= 28)


def end_of(completed: date, period: int) -> date:
    if period == 4:
        return completed + TENOR * DAY
    end: date = completed + relativedelta(months=3 * period)
    return end


@dataclass
class Note:
    """A note of 100 a unit, 12 percent a year, quarterly, for a year; and who holds it."""

    currency: str
    issuer: Wallet
    token: Token
    paid: list[tuple[int, Distribution]] = field(default_factory=list)
    completed: date = date.min

    def turn_to(self, period: int) -> None:
        """Let time pass until a period ends in a few days."""
        end = record_day()
        back = TENOR * DAY if period == 4 else relativedelta(months=3 * period)
        self.completed = end - back
        assert end_of(self.completed, period) == end
        with without_guards() as cursor:
            cursor.execute(
                "UPDATE exchange_token SET completed_at = %s WHERE id = %s",
                [at(self.completed), self.token.pk],
            )
            for number, earlier in self.paid:
                ended = end_of(self.completed, number)
                cursor.execute(
                    "UPDATE credit_distribution SET record_at = %s, payment_date = %s,"
                    " period_end = period_end + (%s - period_end) WHERE id = %s",
                    [at(ended), ended, ended, earlier.pk],
                )
        self.token.refresh_from_db()

    def days(self, period: int) -> int:
        """Return the days of a period."""
        before = end_of(self.completed, period - 1) if period > 1 else self.completed
        return (end_of(self.completed, period) - before).days

    def pay(self, period: int, made: Distribution) -> Distribution:
        """Announce, record, fund and pay a proposal; the issuer's wallet covers it exactly."""
        approve(made)
        assert recording.record(make_due(made).pk)
        made.refresh_from_db()
        self.issuer.fund(made.gross or 0, self.currency)
        assert funding.fund_due() == 1
        paying.pay(made.pk)
        made.refresh_from_db()
        assert made.status == "Paid"
        self.paid.append((period, made))
        self.turn_to(period)
        return made

    def pay_coupon(self, period: int) -> Distribution:
        """Pay the interest that the schedule drafts."""
        self.turn_to(period)
        assert drafting.draft_due() == 1
        made = Distribution.objects.get(token=self.token, status="Draft")
        assert made.basis is not None
        assert made.basis.days == self.days(period)
        return self.pay(period, made)

    def propose(self, period: int, **terms: object) -> Distribution:
        """Propose a distribution that is recorded when a period ends."""
        record_at = at(end_of(self.completed, period))
        made = make_terms(self.token, record_at=record_at, **terms)
        return propose(self.token, made, actor=issuer_of(self.token))


@pytest.mark.parametrize(("currency", "decimals"), [("NGN", 2), ("UGX", 0)])
@pytest.mark.one_in(2)
def test_every_holder_of_a_note_has_what_it_is_owed_to_the_last_unit(currency, decimals):
    def coupon(units: int, principal: int, days: int) -> Decimal:
        exact = Fraction(units * principal * RATE * days, 100 * 365)
        return Decimal(floor(exact * 10**decimals)).scaleb(-decimals)

    issuer = make_wallet(1, currency=currency)
    token = make_token(
        issuer.organisation,
        currency=currency,
        investment_category="Bond",
        total_supply=Decimal(1000),
        raise_amount=Decimal(100_000),
        interest=Decimal(RATE),
        tenor=TENOR,
        payout_frequency="Quarterly",
    )
    note = Note(currency, issuer, token)
    ada, ben = (make_member_wallet(100_000, currency=currency) for _ in range(2))
    fund = make_wallet(100_000, currency=currency)
    own = Wallet(issuer.organisation, make_member(issuer.organisation)).fund(100_000, currency)
    everybody = [ada, ben, fund, own]

    # Raised: 1,000 units at 100 each, all sold.
    for buyer, units in zip(everybody, (433, 250, 300, 17), strict=True):
        Trader(buyer).place(token, "Buy", 100, units)
    token.refresh_from_db()
    assert token.completed_raise
    money = {
        buyer.owner_id: Decimal(100_000 - 100 * units)
        for buyer, units in zip(everybody, (433, 250, 300, 17), strict=True)
    }
    raised = balance_of(issuer.owner_id, currency)
    assert raised == 100_001

    def check(**units: int) -> None:
        assert {each.owner_id: balance_of(each.owner_id, currency) for each in everybody} == money
        # The issuer has paid exactly what was funded for it.
        assert balance_of(issuer.owner_id, currency) == raised
        assert held_for(currency) == 0
        for name, held in units.items():
            owner = {"ada": ada, "ben": ben, "fund": fund, "own": own}[name].owner_id
            kinds = ("available", "reserved", "lien")
            assert sum(balance_of(owner, token, kind) for kind in kinds) == held
        assert_books_hold()

    def receive(units: dict[Wallet, int], principal: int, days: int) -> Decimal:
        total = Decimal(0)
        for wallet, held in units.items():
            money[wallet.owner_id] += coupon(held, principal, days)
            total += coupon(held, principal, days)
        return total

    # The first coupon, on the full principal.
    made = note.pay_coupon(1)
    total = receive({ada: 433, ben: 250, fund: 300, own: 17}, 100, note.days(1))
    assert made.holders == 4
    assert made.units == 1000
    assert made.gross == made.net == total
    check(ada=433, ben=250, fund=300, own=17)

    # It trades: Ada sells 33 to Ben at 99, 100 more are in an order. Ben pledges 200 for 10,000.
    open_secondaries(token_id=token.pk, user=make_staff("end_token"))
    Trader(ada).place(token, "Sell", 99, 33)
    Trader(ben).place(token, "Buy", 99, 33)
    money[ada.owner_id] += 33 * 99
    money[ben.owner_id] -= 33 * 99
    Trader(ada).place(token, "Sell", 130, 100)
    creditor = make_wallet(50_000, currency=currency)
    offer = make_configuration(
        creditor.organisation, access=Access.PUBLIC, max_amount={currency: Decimal(50_000)}
    )
    loan = create_loan(
        organisation_id=ben.organisation.pk,
        request=LoanRequest(
            user_id=ben.member_id,
            configuration_id=offer.pk,
            currency=currency,
            amount=Decimal(10_000),
            repayment_amount=Decimal(13_000),
            interest_rate=Decimal("0.3"),
            duration=Decimal(1),
            collaterals=(Pledge(token.pk, Decimal(200)),),
        ),
        actor=TESTER,
    )
    money[ben.owner_id] += 10_000
    check(ada=400, ben=283, fund=300, own=17)

    # The second coupon goes to wallets. With it 40 of principal a unit are repaid: of pledged units
    # to the loan, which stays covered.
    made = note.pay_coupon(2)
    total = receive({ada: 400, ben: 283, fund: 300, own: 17}, 100, note.days(2))
    assert made.gross == total
    check(ada=400, ben=283, fund=300, own=17)
    made = note.pay(2, note.propose(2, type="Principal", amount=Decimal(40)))
    assert made.gross == 40_000
    for wallet, units in {ada: 400, ben: 83, fund: 300, own: 17}.items():
        money[wallet.owner_id] += 40 * units
    loan.refresh_from_db()
    assert loan.cash_collateral == balance_of(ben.owner_id, currency, "lien") == 8_000
    servicing.revalue_loan(loan.pk)
    assert not Shortfall.objects.exists()
    check(ada=400, ben=283, fund=300, own=17)

    # The third coupon, on the 60 that are outstanding.
    made = note.pay_coupon(3)
    total = receive({ada: 400, ben: 283, fund: 300, own: 17}, 60, note.days(3))
    assert made.gross == total
    check(ada=400, ben=283, fund=300, own=17)

    # Redeemed at maturity, after the last coupon: 60 for every unit, of which those of 200 units,
    # 12,000, go to the loan. The last repayment returns its cash.
    made = note.pay_coupon(4)
    receive({ada: 400, ben: 283, fund: 300, own: 17}, 60, note.days(4))
    redeemed = note.pay(4, note.propose(4, type="Redemption", amount=Decimal(60), final=True))
    assert redeemed.holders == 4
    assert redeemed.gross == 60_000
    for wallet, units in {ada: 400, ben: 83, fund: 300, own: 17}.items():
        money[wallet.owner_id] += 60 * units
    check(ada=0, ben=0, fund=0, own=0)
    token.refresh_from_db()
    assert token.exited
    loan.refresh_from_db()
    assert loan.status == LoanStatus.ACTIVE
    assert loan.cash_collateral == 20_000
    repay_loan(loan, 13_000)
    money[ben.owner_id] += 20_000 - 13_000
    assert Loan.objects.get().status == LoanStatus.COMPLETED
    assert balance_of(creditor.owner_id, currency) == 53_000
    check(ada=0, ben=0, fund=0, own=0)
