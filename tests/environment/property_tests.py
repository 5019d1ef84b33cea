"""How property tests draw: the same examples in every run of the suite, others in `make fuzz`.

`tests.fuzz` sets FUZZ, and gives every turn of every test a seed of its own.
"""

from __future__ import annotations

import os
from typing import Any

from hypothesis import HealthCheck, Phase, settings

from tests.environment.concurrency import race_size

FUZZING = "FUZZ" in os.environ
# A failing example is made smaller on request only: with a database behind every step that takes
# minutes.
_PHASES = [Phase.generate, *([Phase.shrink] if "FUZZ_SHRINK" in os.environ else [])]
# `make fuzz` takes a few at a time, so that all tests get their turn.
_PART = 8


def load_profile() -> None:
    """Settings of every property test that does not say otherwise. Called before they are read."""
    settings.register_profile(
        "exchange",
        deadline=None,
        database=None,
        derandomize=not FUZZING,
        suppress_health_check=list(HealthCheck),
    )
    settings.load_profile("exchange")


def examples(name: str, count: int, **more: Any) -> settings:
    """`count` examples in the suite, or `RACE_<NAME>_EXAMPLES`; fewer in one turn of a fuzz."""
    wanted = race_size(f"{name}_EXAMPLES", count)
    if FUZZING:
        # The first one is always the simplest there is, whatever the seed.
        wanted = 1 + max(1, wanted // _PART)
    return settings(max_examples=wanted, phases=_PHASES, **more)
