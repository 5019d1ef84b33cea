"""Upgrade an installation under load with the commands of docs/operations/upgrade.md.

Exits 1 if one request failed, an acknowledged record is missing, a payout was made twice, or the
books do not hold. With a planted fault it exits 0 only if the upgrade reported failed requests.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks.earlier_version import RELEASE, checked_out, commit_of
from tests.rolling_upgrade.planted_faults import FAULTS, SOUND
from tests.rolling_upgrade.run import upgrade_under_load

# Debian packages with the programs that are needed.
_PACKAGES = {"haproxy": "haproxy", "redis-server": "redis-server", "curl": "curl", "git": "git"}


def main() -> int:
    """Run the upgrade; return 1 if something failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.rolling_upgrade", description=__doc__)
    parser.add_argument("--base", default="", help="default: the last release")
    parser.add_argument("--seconds", type=float, default=3, help="of load before and after")
    parser.add_argument("--fault", default="", choices=["", *FAULTS], help="must be reported")
    options = parser.parse_args()
    if os.geteuid() != 0:
        parser.error("needs root: the proxy listens on port 443")
    if missing := {_PACKAGES[name] for name in _PACKAGES if shutil.which(name) is None}:
        parser.error(f"install these Debian packages first: {' '.join(sorted(missing))}")
    try:
        commit = commit_of(options.base or RELEASE)
    except RuntimeError as error:
        parser.error(f"--base: {error}")
    began = time.monotonic()
    fault = FAULTS.get(options.fault, SOUND)
    print(f"Previous version: {commit[:12]}; planted fault: {fault.description}", flush=True)
    with (
        checked_out(commit, Path("build")) as previous,
        tempfile.TemporaryDirectory(prefix="rolling-", ignore_cleanup_errors=True) as folder,
    ):
        failures, problems = upgrade_under_load(previous, Path(folder), options.seconds, fault)
    for problem in (*failures[:10], *problems):
        print(problem)
    # With a planted fault the run is what is tested: it must have reported failed requests.
    passed = bool(failures) if options.fault else not (failures or problems)
    print(f"{'passed' if passed else 'FAILED'} after {time.monotonic() - began:.0f} s")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
