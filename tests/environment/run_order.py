"""In which order processes take the modules of a run: long ones first, waiting beside computing.

A run hands out whole modules (`--dist loadscope`), so what a module prepares is prepared once. What
begins late and takes long would leave one process at work while the others are done. Programs that
start, are killed or answer late leave the processor to others meanwhile, so they are mixed with
what computes. Seconds are roughly those of a run on two cores: what counts is the order.
"""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path

WAITING = {
    "faults/test_exports.py": 110,
    "faults/test_outage.py": 99,
    "stories/test_tour.py": 90,
    "config/test_up.py": 85,
    "clients/test_clients.py": 82,
    "faults/test_kills.py": 68,
    "faults/test_database_kill.py": 50,
    "faults/test_look_up_faults.py": 42,
    "faults/test_slow_clients.py": 39,
    "faults/test_out_of_reach.py": 36,
    "faults/test_transfer_faults.py": 35,
    "races/test_decision_races.py": 30,
    "browser/test_daily_work.py": 30,
    "browser/test_keyboard.py": 30,
    "browser/test_power_over_money.py": 30,
    "browser/test_code_prompt.py": 30,
    "config/test_embedded.py": 25,
    "stories/test_withdrawal.py": 20,
    "config/test_limits_of_processes.py": 20,
    "exchange/test_wake.py": 20,
}
COMPUTING = {
    "config/test_permission_matrix.py": 103,
    "contract/test_schemathesis.py": 100,
    "config/test_links_of_roles.py": 75,
    "fuzz/test_fuzz.py": 64,
    "wallets/services/test_model.py": 58,
    "browser/test_accessibility.py": 50,
    "contract/test_own_wording.py": 45,
    "contract/test_withdrawal_refusals.py": 40,
    "browser/test_back_office.py": 40,
    "browser/test_breaks.py": 30,
    "credit/test_loan_machine.py": 30,
    "orders/test_matching_oracle.py": 30,
    "exchange/test_tokens.py": 28,
    "races/test_trading_races.py": 25,
    "config/test_demo.py": 20,
    "config/test_demo_beginnings.py": 20,
    "config/test_demo_catalogue.py": 20,
}


def position(module: Path) -> int:
    """Where `module`, a path from `tests`, comes; those not named share the last place."""
    return _POSITIONS.get(module.as_posix(), len(_POSITIONS))


def _longest_first(seconds: dict[str, int]) -> list[str]:
    return sorted(seconds, key=lambda name: -seconds[name])


_POSITIONS = {
    name: place
    for place, name in enumerate(
        name
        for pair in zip_longest(_longest_first(WAITING), _longest_first(COMPUTING))
        for name in pair
        if name
    )
}
