"""The peer as a contender of the loan benchmark: fills its tables, then makes loans.

Run as a program under its settings.
"""

from decimal import Decimal

import django

django.setup()

from tests.benchmarks import loan_mix  # noqa: E402 - Django must be set up before models are
from tests.benchmarks.peers.orm_loans import lending  # noqa: E402
from tests.benchmarks.peers.orm_loans.models import (  # noqa: E402
    Account,
    Limit,
    Member,
    Offer,
    Organisation,
    Token,
)

MONEY = "NGN"
firm, creditor = (Organisation.objects.create(name=name) for name in ("Firm", "Creditor"))
members = Member.objects.bulk_create(
    [
        Member(organisation=firm, name=f"Member {number}", email=f"m{number}@example.com")
        for number in range(loan_mix.BORROWERS)
    ]
)
tokens = Token.objects.bulk_create(
    [
        Token(name=f"Token {number}", currency=MONEY, category="Bond", price_sell=Decimal(100))
        for number in range(loan_mix.TOKENS)
    ]
)
offers = Offer.objects.bulk_create(
    [
        Offer(
            creditor=creditor,
            categories=["Private Business", "Bond"],
            collateral_ratio=Decimal("0.8"),
            interest_rate=Decimal("0.3"),
            duration=12,
            grace_period=7,
        )
        for _ in range(loan_mix.OFFERS)
    ]
)
Limit.objects.bulk_create(
    [
        Limit(
            offer=offer,
            currency=MONEY,
            max_amount=Decimal(2_000_000),
            max_outstanding=Decimal(loan_mix.MAX_OUTSTANDING),
        )
        for offer in offers
    ]
)
Account.objects.bulk_create(
    [
        Account(asset=MONEY, kind="loans"),
        Account(owner=creditor.id, asset=MONEY, kind="available", balance=Decimal(10**12)),
        Account(owner=creditor.id, asset=MONEY, kind="principal"),
        *(Account(owner=member.id, asset=MONEY, kind="available") for member in members),
        *(
            Account(owner=member.id, asset=str(token.id), kind=kind, balance=Decimal(units))
            for member in members
            for token in tokens
            for kind, units in (("available", 10**6), ("lien", 0))
        ),
    ]
)


def lend(wanted: loan_mix.LoanRequest) -> None:
    lending.lend(
        organisation_id=firm.id,
        member_id=members[wanted.borrower].id,
        offer_id=offers[wanted.offer].id,
        currency=MONEY,
        amount=Decimal(loan_mix.AMOUNT),
        repayment=Decimal(loan_mix.REPAYMENT),
        rate=Decimal("0.3"),
        months=3,
        pledges=[(tokens[number].id, Decimal(loan_mix.UNITS)) for number in wanted.tokens],
    )


loan_mix.serve(lend)
