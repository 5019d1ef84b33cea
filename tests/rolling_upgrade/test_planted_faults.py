"""The planted faults of `make upgrade-test FAULT=…` are those that decision record 40 lists."""

import re

from tests.environment.processes import CHECKOUT
from tests.rolling_upgrade.planted_faults import FAULTS

_RECORD = CHECKOUT / "docs/decisions/0040-upgrade-without-downtime.md"


def test_every_planted_fault_is_documented() -> None:
    listed = dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|", _RECORD.read_text(), re.MULTILINE))
    assert listed == {name: fault.description for name, fault in FAULTS.items()}


def test_every_planted_fault_is_one_mistake() -> None:
    faulty = {
        name for name, each in FAULTS.items() if bool(each.web_options) ^ bool(each.migration)
    }
    assert faulty == set(FAULTS)
