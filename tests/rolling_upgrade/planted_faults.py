"""Faults to plant into an upgrade: with each of them `make upgrade-test FAULT=…` must fail.

They show that the run would report a version that loses requests. Decision record 40 lists them.
"""

from dataclasses import dataclass

# Longer than a client waits for a response, so that those who wait for the table give up.
_LOCK_SECONDS = 40


@dataclass(frozen=True)
class PlantedFault:
    """What is wrong: options of the previous web server, or one more migration of the next version.

    `migration` is the SQL of a migration of the app `orders`; `traders` is the number of clients
    that place orders.
    """

    description: str
    web_options: tuple[str, ...] = ()
    migration: str = ""
    traders: int = 1


SOUND = PlantedFault("none")
FAULTS = {
    "no_drain": PlantedFault(
        "the web server ends on SIGTERM without telling the proxy first",
        web_options=("--drain-seconds", "0"),
        # The proxy repeats reads on the other node: writes that arrive in that moment are lost.
        traders=8,
    ),
    "long_lock": PlantedFault(
        f"a migration locks a table exclusively for {_LOCK_SECONDS} seconds",
        migration=(
            f"LOCK TABLE orders_order IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep({_LOCK_SECONDS});"
        ),
    ),
    "required_column": PlantedFault(
        "a migration adds a column without a default that running processes do not fill",
        migration=(
            "ALTER TABLE orders_order ADD COLUMN required text NOT NULL DEFAULT '';"
            " ALTER TABLE orders_order ALTER COLUMN required DROP DEFAULT;"
        ),
    ),
}
