"""The steps of `test_loan_machine`, their weights and arguments."""

from collections.abc import Callable
from decimal import Decimal
from random import Random
from typing import Any

from credit.loans.models import ClosureAction
from tests.credit.loans.loan_model import PRICE, UNIT

Draw = Callable[[Random], Any]


def units_of(random: Random) -> Decimal:
    return random.choice([Decimal(random.randint(1, 60)) / 4] * 8 + [UNIT, Decimal(51)])


def step_of(seed: str) -> tuple[str, dict[str, Any]]:
    """Return a step and its arguments. (Hypothesis alone would make mostly rejected steps.)"""
    random = Random(seed)
    name = random.choices(list(STEPS), [weight for weight, _ in STEPS.values()])[0]
    return name, {argument: draw(random) for argument, draw in STEPS[name][1].items()}


def one_of(*values: Any) -> Draw:
    return lambda random: random.choice(values)


def up_to(most: int, least: int = 0) -> Draw:
    return lambda random: random.randint(least, most)


def some_units(random: Random) -> dict[int, Decimal]:
    return {token: units_of(random) for token in random.sample([0, 1, 2, 3], random.randint(1, 3))}


def percent(random: Random) -> Decimal:
    return random.choice(
        [Decimal(number) for number in (1, 20, 50, 99, 100, 100, 100, 101)]
        + [Decimal(random.randint(1, 9999)) / 100] * 4
    )


def share(random: Random) -> Decimal:
    """Draw a percentage of the maximum; odd ones give interest halfway between two units."""
    usual = [Decimal(number) for number in (100, 100, 101, 80, 55)]
    return random.choice([*usual, *(Decimal(random.randint(1, 10_000)) / 100 for _ in usual)])


def price(random: Random) -> Decimal:
    usual = [PRICE - 1, PRICE, PRICE, 2 * PRICE, 1]
    return Decimal(random.choice([*usual, *(random.randint(300, 3000) for _ in usual)]))


BORROWER, TOKEN, NUMBER, ACTION = up_to(2), up_to(3), up_to(9999), one_of(*ClosureAction)
# The weight of each step, and its arguments.
STEPS: dict[str, tuple[int, dict[str, Draw]]] = {
    "borrow": (
        12,
        {
            "borrower": BORROWER,
            "offer": one_of(0, 0, 1, 1, 2),
            "units": some_units,
            "share": share,
            "months": up_to(3, 1),
            "asked": one_of("most", "most", "most", "most", "amount", "above"),
        },
    ),
    "deposit": (3, {"borrower": BORROWER, "amount": up_to(20_000, 1)}),
    "repay_loan": (12, {"number": NUMBER, "percent": percent}),
    "deposit_and_repay": (6, {"number": NUMBER, "percent": one_of(50, 100)}),
    "pledge_more": (8, {"number": NUMBER, "token": TOKEN, "units": units_of}),
    "release_pledge": (
        10,
        {
            "number": NUMBER,
            "token": TOKEN,
            "part": one_of("all", "unit", "half", "spare", "spare", "spare+"),
        },
    ),
    "offer_units": (5, {"borrower": BORROWER, "token": TOKEN, "units": up_to(51, 1)}),
    "buy_units": (4, {"token": TOKEN, "units": up_to(40, 1)}),
    "cancel_offer": (2, {"number": NUMBER}),
    "change_quote": (12, {"token": TOKEN, "price": price}),
    "expire_quote": (1, {"token": TOKEN}),
    "exit_market": (1, {"token": one_of(1, 3)}),
    "revalue_all": (3, {}),
    "advance_due_date": (8, {"number": NUMBER, "days": one_of(0, 1, 3, 7, 30)}),
    "propose_loan_closure": (9, {"number": NUMBER, "action": ACTION}),
    "confirm_loan_closure": (9, {"number": NUMBER, "person": one_of(0, 1, 1, 1)}),
    "decline_or_expire_closure": (
        2,
        {"number": NUMBER, "old": lambda random: random.random() < 0.5},
    ),
}
