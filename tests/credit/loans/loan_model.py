"""A model of loans in plain Python: the expected state and every prediction of `test_loan_machine`.

Balances are kept by owner, asset and kind. The model never reads recorded results, except rows of
closed loans as they were at closure, and never uses product code: rounding and comparison start
from exact fractions.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from typing import Any
from uuid import UUID

from credit.configurations.models import Access, LoanConfiguration
from credit.loans.models import ClosureAction, ClosureProposal, Loan
from exchange.tokens.models import Token
from tests.factories.api_clients import make_member
from tests.factories.lending import max_repayment, round_half_even
from tests.factories.loan_configurations import make_configuration
from tests.factories.tokens import give_units, make_token
from tests.factories.wallets import Wallet, make_member_wallet, make_staff, make_wallet

OPEN = {"ACTIVE", "OVERDUE", "DEFAULTED"}
UNIT_DECIMALS = 8
UNIT = Decimal(1).scaleb(-UNIT_DECIMALS)
ASKED = Decimal(50)  # the price of one unit in every Sell
PRICE = 1000
ZERO = Decimal(0)


@dataclass(frozen=True)
class Offer:
    """The terms of one configuration; `lender` by its number."""

    row: LoanConfiguration
    lender: int
    own: bool
    ratio: Decimal
    rate: Decimal
    grace: int
    categories: tuple[str, ...]
    least: Decimal
    most: Decimal
    outstanding: Decimal | None


@dataclass
class Quoted:
    """Expected state of one token."""

    row: Token
    category: str
    price: Decimal = Decimal(PRICE)
    stale: bool = False
    exited: bool = False

    @property
    def asset(self) -> str:
        return str(self.row.id)


@dataclass
class PendingClosure:
    """A pending closure proposal."""

    row: ClosureProposal
    passed: dict[int, Decimal]
    prices: dict[int, Decimal]
    old: bool = False

    @property
    def liquidates(self) -> bool:
        return self.row.action == ClosureAction.LIQUIDATE


@dataclass
class Modelled:
    """Expected state of one loan; `pledged` are units by token number."""

    row: Loan
    borrower: int
    offer: Offer
    amount: Decimal
    repayment: Decimal
    pledged: dict[int, Decimal]
    status: str = "ACTIVE"
    interest_paid: Decimal = ZERO
    principal_paid: Decimal = ZERO
    days_past: int | None = None
    short: bool = False
    closure: PendingClosure | None = None
    closed: dict[str, Any] | None = None

    @property
    def is_open(self) -> bool:
        return self.status in OPEN

    @property
    def principal_owed(self) -> Decimal:
        return self.amount - self.principal_paid

    @property
    def owed(self) -> Decimal:
        return self.repayment - self.interest_paid - self.principal_paid

    @property
    def held(self) -> dict[int, Decimal]:
        """Return the collateral that is not released."""
        return {token: units for token, units in self.pledged.items() if units}


@dataclass
class Sell:
    """A sell order of a borrower, at `ASKED`, and its remainder."""

    order_id: UUID
    borrower: int
    token: int
    left: Decimal


class LoanBook:
    """Two lenders, three borrowers (the third a member of the first lender), four tokens and a
    buyer. Methods named after events update the model's balances.
    """

    def __init__(self, currency: str) -> None:
        self.loans: list[Modelled] = []
        self.currency = currency
        self.decimals = 0 if currency == "UGX" else 2
        self.step = Decimal(1).scaleb(-self.decimals)
        self.lenders = [make_wallet(60_000, currency=currency) for _ in range(2)]
        firm = self.lenders[0].organisation
        self.borrowers = [
            make_member_wallet(),
            make_member_wallet(500, currency=currency),
            Wallet(firm, make_member(firm)),
        ]
        self.buyer = make_wallet(100_000, currency=currency)
        # The model's balances, by owner, asset and kind.
        self.balances: defaultdict[tuple[UUID, str, str], Decimal] = defaultdict(Decimal)
        for lender in self.lenders:
            self.add_money(lender, 60_000)
        self.add_money(self.borrowers[1], 500)
        self.add_money(self.buyer, 100_000)
        self.tokens = [self._token(category) for category in ("Bond", "Bond", "Art", "Bond")]
        self.offers = [
            self._offer(0, Access.PUBLIC, "0.8", "0.3", 7, ("Bond",), outstanding=30_000),
            self._offer(1, Access.PUBLIC, "0.5", "0", 0, ("Bond", "Art")),
            self._offer(0, Access.OWN, "1", "0.05", 3, ("Art", "Bond")),
        ]
        self.sells: list[Sell] = []
        self.staff = [make_staff("close_loan", "end_token") for _ in range(2)]

    def _token(self, category: str) -> Quoted:
        token = make_token(
            currency=self.currency,
            price_sell=Decimal(PRICE),
            price_buy=Decimal(PRICE),
            investment_category=category,
        )
        for borrower in self.borrowers:
            give_units(token, borrower, 50)
            self.balances[borrower.owner_id, str(token.id), "available"] += 50
        return Quoted(token, category)

    def _offer(
        self,
        lender: int,
        access: Access,
        ratio: str,
        rate: str,
        grace: int,
        categories: tuple[str, ...],
        outstanding: int | None = None,
    ) -> Offer:
        most = Decimal(20_000)
        row = make_configuration(
            self.lenders[lender].organisation,
            access=access,
            collateral_ratio=Decimal(ratio),
            interest_rate=Decimal(rate),
            grace_period=grace,
            investment_categories=list(categories),
            max_amount={self.currency: most},
            max_outstanding={self.currency: Decimal(outstanding)} if outstanding else {},
        )
        bound = Decimal(outstanding) if outstanding else None
        own = access == Access.OWN
        # A month's interest comes to one minor unit.
        least = self.step
        while least * Decimal(rate) < self.step and Decimal(rate):
            least += self.step
        return Offer(
            row, lender, own, Decimal(ratio), Decimal(rate), grace, categories, least, most, bound
        )

    # --- What is there ---------------------------------------------------------------------------

    def free(self, borrower: int, token: int) -> Decimal:
        return self.balances[self.borrowers[borrower].owner_id, self._asset(token), "available"]

    def cash(self, wallet: Wallet) -> Decimal:
        return self.balances[wallet.owner_id, self.currency, "available"]

    def most(self, terms: Offer, amount: Decimal, months: int) -> Decimal:
        """Return the total repayment for `amount`."""
        return max_repayment(amount, terms.rate, months, self.currency)

    def value(self, pledges: dict[int, Decimal]) -> Decimal | None:
        """Return the value; None while a price is missing."""
        tokens = [(self.tokens[number], units) for number, units in pledges.items() if units]
        if any(token.stale and not token.exited for token, _ in tokens):
            return None
        return sum((t.price * units for t, units in tokens if not t.exited), ZERO)

    def pledged(self, borrower: int, token: int) -> Decimal:
        """Return the units pledged for all open loans of the borrower."""
        mine = [loan for loan in self.loans if loan.borrower == borrower and loan.is_open]
        return sum((loan.pledged.get(token, ZERO) for loan in mine), ZERO)

    def accounts(self) -> dict[tuple[UUID, str, str], Decimal]:
        """Return all non-empty accounts, with the lenders' books derived from the loans."""
        wanted = dict(self.balances)
        for number, lender in enumerate(self.lenders):
            mine = [loan for loan in self.loans if loan.offer.lender == number]
            wanted[lender.owner_id, self.currency, "principal"] = sum(
                (loan.principal_owed for loan in mine if loan.is_open), ZERO
            )
            wanted[lender.owner_id, self.currency, "interest"] = sum(
                (loan.interest_paid for loan in mine), ZERO
            )
        for borrower, wallet in enumerate(self.borrowers):
            for token in range(len(self.tokens)):
                key = wallet.owner_id, self._asset(token), "lien"
                assert wanted.get(key, ZERO) == self.pledged(borrower, token)
        return {key: amount for key, amount in wanted.items() if amount}

    # --- What will be refused --------------------------------------------------------------------

    def pledge_refusal(
        self, borrower: int, pledges: dict[int, Decimal], categories: tuple[str, ...]
    ) -> str | None:
        for number, units in pledges.items():
            token = self.tokens[number]
            if token.exited:
                return "token_exited"
            if token.category not in categories:
                return "category_not_allowed"
            if token.stale:
                return "price_unavailable"
            if units > self.free(borrower, number):
                return "insufficient_units"
        return None

    def loan_refusal(
        self,
        borrower: int,
        terms: Offer,
        units: dict[int, Decimal],
        amount: Decimal,
        repayment: Decimal,
        most: Decimal,
    ) -> str | None:
        lender = self.lenders[terms.lender]
        own = self.borrowers[borrower].organisation == lender.organisation
        if terms.own and not own:
            return "loan_configuration_not_found"
        out = sum(
            loan.principal_owed for loan in self.loans if loan.is_open and loan.offer is terms
        )
        value = self.value(units)
        rules = {
            "amount_below_minimum": amount < terms.least,
            "amount_above_maximum": amount > terms.most,
            "outstanding_above_maximum": terms.outstanding is not None
            and out + amount > terms.outstanding,
            "repayment_above_maximum": repayment > most,
            "repayment_differs": not own and repayment != most,
        }
        for code, broken in rules.items():
            if broken:
                return code
        if refusal := self.pledge_refusal(borrower, units, terms.categories):
            return refusal
        if value is not None and value * terms.ratio < amount:
            return "insufficient_collateral"
        return "not_funded" if self.cash(lender) < amount else None

    def spare(self, loan: Modelled, token: int) -> Decimal:
        """Return the most units of the token that can be released, if prices are known."""
        held, quoted = loan.pledged.get(token, ZERO), self.tokens[token]
        value = self.value(loan.pledged)
        if value is None or quoted.exited:
            return held
        spare = Fraction(value) - Fraction(loan.principal_owed) / Fraction(loan.offer.ratio)
        units = floor(spare / Fraction(quoted.price) * 10**UNIT_DECIMALS)
        return min(held, Decimal(units).scaleb(-UNIT_DECIMALS))

    def plan(self, loan: Modelled) -> tuple[dict[int, Decimal], Decimal]:
        """Return the units of each token that would be transferred at current prices, and their
        value.
        """
        return self._passing(loan.held, self.prices(loan), loan.owed)

    def prices(self, loan: Modelled) -> dict[int, Decimal]:
        """Return current prices of its collateral; none for delisted tokens."""
        tokens = {number: self.tokens[number] for number in loan.held}
        return {number: ZERO if t.exited else t.price for number, t in tokens.items()}

    def _passing(
        self, most: dict[int, Decimal], prices: dict[int, Decimal], owed: Decimal
    ) -> tuple[dict[int, Decimal], Decimal]:
        passed, left = {}, owed
        for number, units in most.items():
            given, price = ZERO, prices[number]
            if price and left > 0:
                needed = ceil(Fraction(left) / Fraction(price) * 10**UNIT_DECIMALS)
                given = min(Decimal(needed).scaleb(-UNIT_DECIMALS), units)
            passed[number] = given
            left -= min(left, round_half_even(Fraction(given) * Fraction(price), self.decimals))
        return passed, owed - left

    # --- Changes ---------------------------------------------------------------------------------

    def add_money(self, wallet: Wallet, amount: Decimal | int) -> None:
        self.balances[wallet.owner_id, self.currency, "available"] += amount

    def record_loan(self, loan: Modelled) -> None:
        self.loans.append(loan)
        self._lien(loan.borrower, loan.pledged)
        self.add_money(self.lenders[loan.offer.lender], -loan.amount)
        self.add_money(self.borrowers[loan.borrower], loan.amount)

    def record_repayment(self, loan: Modelled, amount: Decimal) -> None:
        interest = min(amount, loan.repayment - loan.amount - loan.interest_paid)
        loan.interest_paid += interest
        loan.principal_paid += amount - interest
        self.add_money(self.borrowers[loan.borrower], -amount)
        self.add_money(self.lenders[loan.offer.lender], amount)
        if loan.owed:
            self.review(loan)
        else:
            self._lien(loan.borrower, loan.held, -1)
            loan.closure = None
            self._close(loan, "COMPLETED")

    def record_pledge(self, loan: Modelled, token: int, units: Decimal) -> None:
        """Add to the pledge, or reduce it if `units` is negative."""
        loan.pledged[token] = loan.pledged.get(token, ZERO) + units
        self._lien(loan.borrower, {token: units})
        self.review(loan)

    def record_offer(self, sell: Sell) -> None:
        self.sells.append(sell)
        self._units(sell.borrower, sell.token, -sell.left)
        self._units(sell.borrower, sell.token, sell.left, "reserved")

    def record_sale(self, token: int, units: Decimal) -> None:
        """Fill that many offered units, first come, first served."""
        for sell in self.sells:
            part = min(units, sell.left) if sell.token == token else ZERO
            units -= part
            sell.left -= part
            self._units(sell.borrower, token, -part, "reserved")
            self.add_money(self.borrowers[sell.borrower], part * ASKED)
            self.add_money(self.buyer, -part * ASKED)
            self.balances[self.buyer.owner_id, self._asset(token), "available"] += part

    def withdraw_offers(self, sells: Iterable[Sell]) -> None:
        for sell in sells:
            self._units(sell.borrower, sell.token, sell.left)
            self._units(sell.borrower, sell.token, -sell.left, "reserved")
            sell.left = ZERO

    def age_loans(self) -> None:
        """Apply a run of the workers over every loan."""
        for loan in self.loans:
            if loan.status == "ACTIVE" and loan.days_past is not None:
                loan.status = "OVERDUE"
            if loan.status == "OVERDUE" and (loan.days_past or 0) >= loan.offer.grace:
                loan.status = "DEFAULTED"

    def record_closure(self, loan: Modelled, closure: PendingClosure) -> None:
        lender = self.lenders[loan.offer.lender]
        self._lien(loan.borrower, loan.held, -1)
        # At most what was proposed, at its prices, for what is owed by now.
        passed, _ = self._passing(closure.passed, closure.prices, loan.owed)
        for token, units in passed.items():
            self._units(loan.borrower, token, -units)
            self.balances[lender.owner_id, self._asset(token), "available"] += units
        loan.closure = None
        self._close(loan, "LIQUIDATED" if closure.liquidates else "WRITTEN_OFF")

    def review(self, loan: Modelled) -> None:
        """Update the loan's shortfall after a valuation."""
        value = self.value(loan.pledged)
        if not loan.is_open:
            loan.short = False
        elif value is not None:
            loan.short = value * loan.offer.ratio < loan.principal_owed

    def _asset(self, token: int) -> str:
        return self.tokens[token].asset

    def _units(self, borrower: int, token: int, units: Decimal, kind: str = "available") -> None:
        self.balances[self.borrowers[borrower].owner_id, self._asset(token), kind] += units

    def _lien(self, borrower: int, pledges: dict[int, Decimal], sign: int = 1) -> None:
        for token, units in pledges.items():
            self._units(borrower, token, -sign * units)
            self._units(borrower, token, sign * units, "lien")

    def _close(self, loan: Modelled, status: str) -> None:
        loan.status = status
        loan.short = False
        loan.closed = dict(Loan.objects.values().get(id=loan.row.id))
