"""Settings of property tests: fixed examples in the suite, new ones in `make fuzz`.

`tests.fuzz` sets FUZZ and gives every turn of every test a seed of its own.
"""

import os
from typing import Any

from hypothesis import HealthCheck, Phase, settings

from tests.environment.concurrency import race_size

FUZZING = "FUZZ" in os.environ
# Shrinking is off by default: with a database behind every step it takes minutes.
_PHASES = [Phase.generate, *([Phase.shrink] if "FUZZ_SHRINK" in os.environ else [])]
# `make fuzz` runs a fraction of the examples at a time, so that all tests get a turn.
_PART = 8


def load_profile() -> None:
    """Register the default settings of property tests; must run before the tests are imported."""
    settings.register_profile(
        "exchange",
        deadline=None,
        database=None,
        derandomize=not FUZZING,
        suppress_health_check=list(HealthCheck),
    )
    settings.load_profile("exchange")


def examples(name: str, count: int, **more: Any) -> settings:
    """Return settings for `count` examples or `RACE_<NAME>_EXAMPLES`; fewer in a turn of a fuzz."""
    wanted = race_size(f"{name}_EXAMPLES", count)
    if FUZZING:
        # The first example is always the simplest one, whatever the seed.
        wanted = 1 + max(1, wanted // _PART)
    return settings(max_examples=wanted, phases=_PHASES, **more)
