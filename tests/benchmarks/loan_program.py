"""Our contender of the loan benchmark: makes its records by services, then calls the service.

Run as a program under the benchmark's settings.
"""

from decimal import Decimal

import django

django.setup()

from credit.configurations.models import Access  # noqa: E402 - Django must be set up before its models are
from credit.loans.services.assessing import LoanRequest  # noqa: E402
from credit.loans.services.lending import create_loan  # noqa: E402
from credit.loans.services.valuation import Pledge  # noqa: E402
from exchange.core.actors import Actor  # noqa: E402
from tests.benchmarks import loan_mix  # noqa: E402
from tests.factories.api_clients import make_member, make_organisation  # noqa: E402
from tests.factories.loan_configurations import make_configuration  # noqa: E402
from tests.factories.tokens import give_units, make_token  # noqa: E402
from tests.factories.wallets import Wallet, make_wallet  # noqa: E402

ACTOR = Actor.system("benchmark")

creditor = make_wallet(10**12, currency="NGN").organisation
firm = make_organisation()
borrowers = [Wallet(firm, make_member(firm)) for _ in range(loan_mix.BORROWERS)]
tokens = [make_token(total_supply=Decimal(10**9)) for _ in range(loan_mix.TOKENS)]
for token in tokens:
    for borrower in borrowers:
        give_units(token, borrower, 10**6)
offers = [
    make_configuration(
        creditor,
        access=Access.PUBLIC,
        max_outstanding={"NGN": Decimal(loan_mix.MAX_OUTSTANDING)},
    )
    for _ in range(loan_mix.OFFERS)
]


def lend(wanted: loan_mix.LoanRequest) -> None:
    create_loan(
        organisation_id=firm.id,
        request=LoanRequest(
            user_id=borrowers[wanted.borrower].member_id,
            configuration_id=offers[wanted.offer].id,
            currency="NGN",
            amount=Decimal(loan_mix.AMOUNT),
            repayment_amount=Decimal(loan_mix.REPAYMENT),
            interest_rate=Decimal("0.3"),
            duration=Decimal(3),
            collaterals=tuple(
                Pledge(tokens[number].id, Decimal(loan_mix.UNITS)) for number in wanted.tokens
            ),
        ),
        actor=ACTOR,
    )


loan_mix.serve(lend)
