"""The peer as a contender of the order benchmark.

Run as a program under its settings. `world <tokens>` fills its tables and prints them as JSON;
`trade <first token> <file>` reads that and measures.
"""

import json
import sys
from decimal import Decimal
from pathlib import Path
from uuid import UUID

import django

django.setup()

from exchange.core.ids import uuid7  # noqa: E402 - Django must be set up before its models are
from tests.benchmarks import order_mix  # noqa: E402
from tests.benchmarks.peers.orm_orders import placing  # noqa: E402
from tests.benchmarks.peers.orm_orders.models import Account, Member, Token  # noqa: E402

ORGANISATIONS = [uuid7() for _ in range(20)]


def make_dataset(tokens: int) -> None:
    members = [
        Member(organisation=ORGANISATIONS[n % len(ORGANISATIONS)], name=f"Member {n}")
        for n in range(order_mix.OWNERS)
    ]
    Member.objects.bulk_create(members)
    made = [
        Token(currency="KES", buy_fee=Decimal(1), sell_fee=Decimal("0.5")) for _ in range(tokens)
    ]
    Token.objects.bulk_create(made)
    assets = [("KES", Decimal(10**12)), *((str(t.id), Decimal(5 * 10**6)) for t in made)]
    Account.objects.create(asset="KES", kind="fees")
    Account.objects.bulk_create(
        [
            Account(owner=member.id, asset=asset, kind=kind, balance=balance)
            for member in members
            for asset, amount in assets
            for kind, balance in (("available", amount), ("reserved", 0))
        ]
    )
    dataset = {"tokens": [str(t.id) for t in made], "owners": [str(m.id) for m in members]}
    place = placer(dataset)
    for number in range(tokens):
        for order in order_mix.resting_orders():
            place(number, order)
    print(json.dumps(dataset))


def placer(dataset: dict[str, list[str]]) -> order_mix.Place:
    tokens, owners = ([UUID(one) for one in dataset[name]] for name in ("tokens", "owners"))

    def place(token: int, order: order_mix.OrderRequest) -> None:
        placing.place(
            member_id=owners[order.owner],
            token_id=tokens[token],
            side=order.side,
            price=Decimal(order.price),
            tokens=Decimal(order.tokens),
        )

    return place


if sys.argv[1] == "world":
    make_dataset(int(sys.argv[2]))
else:
    order_mix.serve(placer(json.loads(Path(sys.argv[3]).read_text())), int(sys.argv[2]))
