"""Our contender of the order benchmark: makes its records, then calls the service.

Run as a program under the benchmark's settings. `world <tokens>` makes the records and prints them
as JSON; `trade <first token>` reads them from the file named next and measures.
"""

from __future__ import annotations

import json
import sys
from decimal import Decimal
from pathlib import Path
from uuid import UUID

import django

django.setup()

from django.db import connections  # noqa: E402 - Django must be set up before its models are

from exchange.core.actors import Actor  # noqa: E402
from exchange.core.ids import uuid7  # noqa: E402
from exchange.participants.models import Member, Organisation  # noqa: E402
from orders.book import services as placing  # noqa: E402
from orders.book.commands import PlaceOrder  # noqa: E402
from orders.listings.services.listing import Listing, list_token  # noqa: E402
from tests.benchmarks import order_mix  # noqa: E402
from tests.factories.unjustified_transfers import post_unjustified  # noqa: E402
from wallets.deposits.services.manual import IncomingPayment, book_deposit  # noqa: E402
from wallets.ledger.models import AccountKind, TransferKind  # noqa: E402
from wallets.ledger.posting import Leg, open_account  # noqa: E402

ORGANISATIONS = 20
UNITS = Decimal(10**9)
actor = Actor.system("benchmark")


def make_dataset(tokens: int) -> None:
    organisations = [Organisation.objects.create(name=f"Firm {n}") for n in range(ORGANISATIONS)]
    members = [
        Member(
            id=uuid7(),
            organisation=organisations[n % ORGANISATIONS],
            name=f"Member {n}",
            email=f"m{n}@example.com",
        )
        for n in range(order_mix.OWNERS)
    ]
    Member.objects.bulk_create(members)
    for member in members:
        book_deposit(
            payment=IncomingPayment(
                organisation_id=member.organisation_id,
                member_id=member.id,
                currency="KES",
                amount=Decimal(10**12),
                reference=f"bench-{member.id}",
            ),
            actor=actor,
        )
    made = [list_with_units(number, organisations[0], members) for number in range(tokens)]
    owners = [(str(member.organisation_id), str(member.id)) for member in members]
    place = placer(made, owners)
    for number in range(tokens):
        for order in order_mix.resting_orders():
            place(number, order)
    print(json.dumps({"tokens": made, "owners": owners}))


def list_with_units(number: int, issuer: Organisation, members: list[Member]) -> str:
    """List a token and spread its units evenly over the members."""
    listing = Listing(
        name=f"Bench {number}",
        symbol=f"B{number}",
        currency="KES",
        investment_type="Debt",
        investment_category="Debt Note",
        total_supply=UNITS,
        price_buy=Decimal(100),
        price_sell=Decimal(100),
        buy_fee=Decimal(1),
        sell_fee=Decimal("0.5"),
        secondaries=True,
    )
    token = list_token(issuer_id=issuer.id, listing=listing, actor=actor)
    share = UNITS / len(members)
    issued = open_account(str(token.id), AccountKind.AVAILABLE, organisation_id=issuer.id)
    # As with the peer, every account exists before trading starts.
    held = open_accounts(members, str(token.id), AccountKind.AVAILABLE)
    open_accounts(members, str(token.id), AccountKind.RESERVED)
    open_accounts(members, "KES", AccountKind.RESERVED)
    post_unjustified(
        kind=TransferKind.UNITS_ISSUE,
        reference=f"bench:{token.id}",
        subject_id=token.id,
        actor=actor,
        legs=[Leg(issued, -UNITS), *(Leg(account, share) for account in held)],
    )
    return str(token.id)


def open_accounts(members: list[Member], asset: str, kind: AccountKind) -> list[UUID]:
    """Return every member's account of that kind, opening missing ones."""
    return [
        open_account(asset, kind, organisation_id=member.organisation_id, member_id=member.id)
        for member in members
    ]


def placer(tokens: list[str], owners: list[tuple[str, str]]) -> order_mix.Place:
    token_ids = [UUID(token) for token in tokens]
    owner_ids = [(UUID(organisation), UUID(member)) for organisation, member in owners]

    def place(token: int, order: order_mix.OrderRequest) -> None:
        organisation, member = owner_ids[order.owner]
        placing.place_order(
            PlaceOrder(
                organisation=organisation,
                member=member,
                actor=str(actor),
                token=token_ids[token],
                type=order.side,
                price=Decimal(order.price),
                tokens=Decimal(order.tokens),
            )
        )

    return place


if sys.argv[1] == "world":
    make_dataset(int(sys.argv[2]))
    connections.close_all()
else:
    dataset = json.loads(Path(sys.argv[3]).read_text())
    order_mix.serve(placer(dataset["tokens"], dataset["owners"]), int(sys.argv[2]))
