"""Streams of orders for hypothesis to draw: steps and market settings."""

from dataclasses import dataclass
from decimal import Decimal
from random import Random

from hypothesis import strategies as st

from tests.environment.concurrency import race_size
from tests.orders.book.reference_orders import LIMIT, Kind

STEPS = race_size("ORACLE_STEPS", 30)
TRADERS = 6
UNIT = Decimal("0.00000001")

percents = st.sampled_from([Decimal(0), Decimal(50), Decimal("0.5"), Decimal("1.25")]) | (
    st.decimals(0, 50, places=4)
)


@dataclass(frozen=True)
class Place:
    """`units` absolute, or relative: to the best opposite order, or all the owner can afford.

    `spend` says that a market buy is for the value of the units, with its fee.
    """

    trader: int
    side: str
    step: int
    units: Decimal | str
    kind: Kind = LIMIT
    spend: bool = False


@dataclass(frozen=True)
class Cancel:
    number: int


@dataclass(frozen=True)
class Amend:
    """Another price (in steps), another total (a part of the old one) or both."""

    number: int
    step: int | None
    part: Decimal | None
    expects: bool


@dataclass(frozen=True)
class Halt:
    """Trading is halted, or resumes."""


@dataclass(frozen=True)
class ComeDue:
    """The time of an open GTD order has come."""

    number: int


@dataclass(frozen=True)
class Expire:
    """The sweep of due orders runs."""


@dataclass(frozen=True)
class NewFees:
    buy: Decimal
    sell: Decimal


_KINDS = [
    LIMIT,
    Kind(force="GTD"),
    Kind(force="IOC"),
    Kind(force="FOK"),
    Kind(post_only=True),
    Kind(force="GTD", post_only=True),
    Kind(market=True, force="IOC"),
]


Step = Place | Cancel | Amend | Halt | ComeDue | Expire | NewFees


def step_of(seed: int) -> Step:
    """Return one step. (Hypothesis alone would make mostly rejections and cancellations.)"""
    random = Random(seed)
    names = ["place", "amend", "cancel", "due", "expire", "fees", "halt"]
    step = random.choices(names, [64, 16, 9, 5, 2, 2, 2])[0]
    if step == "amend":
        return _amendment(random)
    if step == "halt":
        return Halt()
    if step == "cancel":
        return Cancel(random.randrange(1000))
    if step == "due":
        return ComeDue(random.randrange(1000))
    if step == "expire":
        return Expire()
    if step == "fees":
        buy, sell = (
            random.choice([Decimal(0), Decimal(50), Decimal(random.randrange(500_001)) / 10_000])
            for _ in range(2)
        )
        return NewFees(buy, sell)
    wanted: list[Decimal | str] = [
        Decimal(random.randint(1, 10)),
        Decimal(random.randint(1, 16)) / 4,
        UNIT * random.randint(1, 2 * 10**8),
        UNIT * random.randint(1, 20 * 10**8),
        random.choice(["best", "best+", "best-"]),
        "all",
        random.choice([UNIT, 3 * UNIT, Decimal("0.1")]),
    ]
    return Place(
        trader=random.randrange(TRADERS),
        side=random.choice(["Buy", "Sell"]),
        step=random.randint(1, 6),
        units=random.choices(wanted, [30, 20, 15, 10, 17, 5, 3])[0],
        kind=random.choices(_KINDS, [45, 13, 9, 9, 6, 3, 15])[0],
        spend=random.random() < 0.6,
    )


def _amendment(random: Random) -> Amend:
    part = random.choice([*("0.5", "0.9", "1", "1.5"), str(random.randint(1, 10**8) * UNIT * 2)])
    price, total = random.choice([(True, False), (False, True), (True, True)])
    return Amend(
        number=random.randrange(1000),
        step=random.randint(1, 6) if price else None,
        part=Decimal(part) if total else None,
        expects=random.random() < 0.3,
    )


steps = st.lists(st.integers(0, 2**32 - 1).map(step_of), min_size=STEPS, max_size=STEPS)


@dataclass(frozen=True)
class Setting:
    """A market setting: prices are multiples of `tick` minor units."""

    currency: str
    tick: int
    buy_fee: Decimal
    sell_fee: Decimal

    @property
    def decimals(self) -> int:
        return 0 if self.currency == "UGX" else 2

    @property
    def price(self) -> Decimal:
        """Return the price of one tick."""
        return Decimal(self.tick).scaleb(-self.decimals)


settings_of_streams = st.builds(
    Setting,
    currency=st.sampled_from(["KES", "UGX"]),
    tick=st.sampled_from([1, 1, 3, 100, 333, 1_234_567]),
    buy_fee=percents,
    sell_fee=percents,
)


@dataclass(frozen=True)
class RaiseSetting:
    """A raise of `offered` units at `at` ticks; it wants `share` of what they cost."""

    setting: Setting
    at: int
    offered: Decimal
    share: Decimal
    least: Decimal


raises = st.builds(
    RaiseSetting,
    setting=settings_of_streams
    # Where the last decimal of the units is worth more than the last one of the currency.
    | st.builds(
        Setting,
        currency=st.sampled_from(["KES", "UGX"]),
        tick=st.sampled_from([1_100_000_003, 10**13 + 1]),
        buy_fee=percents,
        sell_fee=percents,
    ),
    at=st.integers(1, 2),
    offered=st.sampled_from([Decimal(30), Decimal(7), Decimal("0.5"), 5 * UNIT])
    | st.decimals("0.00000001", "40", places=8),
    share=st.sampled_from([Decimal(1), Decimal(2), Decimal("0.5")])
    | st.decimals("0.01", "1", places=4),
    least=st.sampled_from([Decimal(0), Decimal(0), Decimal("0.5"), Decimal(1), Decimal("3.5")]),
)
