"""Programs of Debian packages. A test skips where one is absent; with REQUIRE_DEBIAN=1 it fails."""

import os
import shutil
from collections.abc import Mapping

import pytest

POSTGRESQL_PROGRAMS = "/usr/lib/postgresql/15/bin"
REQUIRED = os.environ.get("REQUIRE_DEBIAN") == "1"


def require_programs(packages: Mapping[str, str]) -> None:
    """Skip or fail unless all programs are here; `packages` names the package of each program."""
    missing = sorted({package for name, package in packages.items() if not shutil.which(name)})
    if not missing:
        return
    names = " ".join(missing)
    if REQUIRED:
        pytest.fail(f"Absent, and REQUIRE_DEBIAN=1 requires it: apt-get install {names}")
    pytest.skip(f"Needs Debian packages: apt-get install {names}")
