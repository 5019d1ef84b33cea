"""The order in which processes take the modules of a run: long ones first, I/O mixed with CPU.

A run distributes whole modules (`--dist loadscope`), so module fixtures are built once. A long
module that starts late would keep one process busy after the others have finished. Modules that
wait for programs leave the processor free, so they alternate with those that compute. The seconds
are roughly those of a run on two cores; only the order matters.
"""

import random
from collections import Counter
from collections.abc import Iterable
from itertools import groupby, zip_longest
from pathlib import Path
from zlib import crc32

import pytest

WAITING = {
    "config/local/test_up.py": 105,
    "faults/test_exports.py": 100,
    "faults/test_kills.py": 79,
    "faults/test_deposit_kills.py": 45,
    "stories/test_tour.py": 70,
    "restore/test_rotation.py": 60,
    "restore/test_rotation_of_services.py": 60,
    "restore/test_restore.py": 50,
    "faults/test_outage.py": 45,
    "faults/test_missing_payouts.py": 28,
    "faults/test_transfer_faults.py": 26,
    "faults/test_unreachable_services.py": 47,
    "config/local/test_embedded.py": 40,
    "faults/test_database_kill.py": 40,
    "faults/test_status_check_faults.py": 37,
    "config/test_database_roles.py": 36,
    "faults/test_confirmations.py": 36,
    "cluster/test_front.py": 60,
    "races/test_decision_races.py": 34,
    "faults/test_replica_processes.py": 30,
    "faults/test_replica.py": 25,
    "faults/test_replica_faults.py": 20,
    "clients/test_guide_examples.py": 40,
    "clients/test_clients.py": 30,
    "config/metrics/test_prometheus.py": 23,
    "config/test_doctor.py": 40,
    "exchange/partitions/test_retention.py": 25,
    "config/test_doctor_replica.py": 30,
    "config/test_shared_rate_limits.py": 20,
    "exchange/core/test_task_notifier.py": 20,
    "stories/test_withdrawal.py": 20,
}
COMPUTING = {
    "config/back_office/test_permission_matrix.py": 40,
    "config/back_office/test_permission_links.py": 15,
    "browser/test_keyboard.py": 85,
    "browser/test_daily_work.py": 61,
    "contract/test_schemathesis.py": 60,
    "browser/test_privileged_access.py": 55,
    "browser/test_back_office.py": 52,
    "config/local/demo/test_demo_loading.py": 46,
    "fuzz/test_fuzz.py": 46,
    "config/local/demo/test_demo_catalogue.py": 41,
    "orders/book/test_matching_oracle.py": 41,
    "races/test_credit_races.py": 40,
    "browser/test_code_prompt.py": 36,
    "browser/test_api_docs.py": 30,
    "config/test_production.py": 25,
    "config/back_office/test_work_items.py": 29,
    "config/local/demo/test_demo.py": 27,
    "wallets/ledger/proof/test_proof_of_books.py": 26,
    "exchange/admin/test_preserved_filters.py": 24,
    "browser/test_accessibility.py": 22,
    "config/test_search.py": 22,
    "credit/loans/test_loan_closure_pages.py": 22,
    "exchange/admin/test_theme_pages.py": 21,
    "wallets/payouts/test_random_sequences.py": 22,
}


def position(module: Path) -> int:
    """Return the position of `module`, a path below `tests`; modules not listed come last."""
    return _POSITIONS.get(module.as_posix(), len(_POSITIONS))


def shuffled(items: Iterable[pytest.Item], seed: str) -> list[pytest.Item]:
    """Return the tests with modules, and the tests of each, in an order that follows from `seed`.

    The same in every process of a run, as pytest-xdist demands.
    """
    modules: dict[Path, list[pytest.Item]] = {}
    for item in items:
        modules.setdefault(item.path, []).append(item)
    chance = random.Random(seed)
    order = sorted(modules)
    chance.shuffle(order)
    for path in order:
        modules[path].sort(key=lambda item: item.nodeid)
        chance.shuffle(modules[path])
    return [item for path in order for item in modules[path]]


def mark_other_cases(items: Iterable[pytest.Item]) -> None:
    """Mark as slow all cases but one of every n of a test that is marked `one_in(n)`."""
    seen: Counter[str] = Counter()
    for item in items:
        if marker := item.get_closest_marker("one_in"):
            test = item.nodeid.partition("[")[0]
            if seen[test] % marker.args[0]:
                item.add_marker(pytest.mark.slow)
            seen[test] += 1


def keep_share(config: pytest.Config, items: list[pytest.Item], share: int, turn: int) -> None:
    """Keep one of every `share` tests of a module, another one in each turn.

    Where a module starts depends on its name, so that each turn has tests of short modules too.
    """
    kept: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for path, of_module in groupby(items, key=lambda item: item.path):
        for number, item in enumerate(of_module, crc32(path.name.encode()) + turn):
            (left_out if number % share else kept).append(item)
    config.hook.pytest_deselected(items=left_out)
    items[:] = kept


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
