"""All loan operations at once, over few tokens, borrowers and offers."""

from collections import Counter
from datetime import timedelta
from decimal import Decimal
from functools import partial
from random import Random

import pytest
from django.utils import timezone

from credit.configurations.models import Access
from credit.loans.models import ClosureAction, Loan
from credit.loans.services import servicing
from credit.loans.services.closures import confirm_closure, propose_closure
from credit.loans.services.lending import create_loan
from credit.loans.services.pledging import add_collateral, release_collateral
from credit.loans.services.valuation import Pledge
from exchange.core.errors import DomainError
from exchange.tokens.services.quotes import Prices
from orders.book import services as placing
from orders.book.models import Order, OrderStatus
from tests.environment.concurrency import Callers, race_size
from tests.factories.api_clients import TESTER
from tests.factories.lending import Lending, make_lending
from tests.factories.loan_configurations import make_configuration
from tests.factories.loans import repay_loan
from tests.factories.quotes import set_effective_quote
from tests.factories.tokens import give_units
from tests.factories.wallets import assert_books_hold, make_member_wallet, make_staff, make_wallet
from tests.races.test_credit_races import change, codes, order, priced_token, sell

pytestmark = pytest.mark.django_db(transaction=True)

THREADS = 10


class Storm:
    """Operations of people, staff and workers, with varying arguments."""

    def __init__(self) -> None:
        lending = make_lending(units=1)
        lending.creditor.fund(100_000_000, "NGN")
        self.creditor = lending.creditor
        self.tokens = [lending.token, priced_token(), priced_token()]
        self.borrowers = [make_member_wallet(100_000, currency="NGN") for _ in range(4)]
        self.buyer = make_wallet(10_000_000, currency="NGN")
        for borrower in self.borrowers:
            for token in self.tokens:
                give_units(token, borrower, 100)
        other = make_configuration(lending.creditor.organisation, access=Access.PUBLIC)
        self.offers = [lending.offer, other]
        self.officers = [make_staff("close_loan") for _ in range(2)]
        self.deeds = [self.lend, self.lend, self.settle, self.settle, self.move, self.move]
        self.deeds += [self.trade, self.cancel, self.end, self.quote, self.serve]

    def one(self, random: Random) -> Loan:
        return random.choice(list(Loan.objects.order_by("-id")[:12]))

    def lend(self, random: Random) -> None:
        """Against one to three tokens in any order; some were made long ago."""
        chosen = random.sample(self.tokens, random.randint(1, 3))
        one = Lending(
            self.creditor, random.choice(self.borrowers), random.choice(self.offers), chosen[0]
        )
        pledges = tuple(Pledge(token.id, Decimal(random.randint(1, 3))) for token in chosen)
        create_loan(
            organisation_id=one.borrower.organisation.id,
            request=one.request(amount=5000, collaterals=pledges),
            actor=TESTER,
            made_at=timezone.now() - timedelta(days=random.choice([0, 95, 200])),
        )

    def settle(self, random: Random) -> None:
        loan = self.one(random)
        repay_loan(loan, random.choice([Decimal(1000), loan.repayment_amount]))

    def move(self, random: Random) -> None:
        some = random.sample(self.tokens, random.randint(1, 2))
        call = random.choice([add_collateral, release_collateral])
        change(self.one(random), call, *((token, 1) for token in some))

    def trade(self, random: Random) -> None:
        token = random.choice(self.tokens)
        sell(random.choice(self.borrowers), token, 2)
        order(self.buyer, token, "Buy", random.randint(1, 3), 100)

    def cancel(self, random: Random) -> None:
        found = Order.objects.filter(status=OrderStatus.ACTIVE).order_by("?").first()
        if found is not None:
            organisation = found.organisation_id
            placing.cancel_order(order_id=found.id, organisation_id=organisation, actor=TESTER)

    def end(self, random: Random) -> None:
        action = random.choice(list(ClosureAction))
        proposal = propose_closure(
            loan_id=self.one(random).id, action=action, note="why", user=self.officers[0]
        )
        confirm_closure(proposal_id=proposal.id, user=self.officers[1])

    def quote(self, random: Random) -> None:
        price = Decimal(random.randint(9000, 11_000))
        token = random.choice(self.tokens)
        set_effective_quote(token_id=token.id, prices=Prices(price, price), note="")

    def serve(self, random: Random) -> None:
        servicing.age_loans()
        servicing.revalue_loans(force=random.random() < 0.5)

    def live(self, number: int) -> Counter[str]:
        """Count the rejections of one participant; raise anything else."""
        random, found = Random(number), Counter[str]()
        for _ in range(race_size("CREDIT_STORM", 12)):
            deed = random.choice(self.deeds)
            try:
                deed(random)
            except DomainError as refusal:
                found[f"{deed.__name__}: {refusal.code}"] += 1
            else:
                found[deed.__name__] += 1
        return found


@pytest.mark.slow
def test_concurrent_operations_fail_only_with_domain_errors(caplog):
    storm = Storm()
    for number in range(6):
        storm.lend(Random(number))
    with Callers(THREADS) as callers:
        results = callers.at_once([partial(storm.live, number) for number in range(THREADS)])
    assert codes(results) == {"done": THREADS}
    done = sum(results, Counter[str]())
    assert min(done[name] for name in ("lend", "settle", "move", "trade", "serve")) > 0, done
    # A worker says so when it could not serve a loan, and goes on.
    assert "loan_servicing_failed" not in caplog.text
    assert_books_hold()
