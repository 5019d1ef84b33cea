"""Node.js packages for tests, installed by npm into `build/` by name and version.

With REQUIRE_NODE=1 missing packages are installed and nothing is skipped; otherwise a test skips
where Node or a package is absent.
"""

import fcntl
import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

BUILD = Path(__file__).parents[2] / "build"
REQUIRED = os.environ.get("REQUIRE_NODE") == "1"
_FLAGS = ("--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--save-exact")


def node_modules(folder: str, packages: Mapping[str, str]) -> Path:
    """Return the `node_modules` of `build/<folder>` with `packages` (name → version) installed."""
    found = BUILD / folder / "node_modules"
    npm = shutil.which("npm")
    if shutil.which("node") is None or npm is None:
        skip_or_fail("Node.js")
    found.parent.mkdir(parents=True, exist_ok=True)
    # Another process of the run may install the same packages.
    with (found.parent / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _install(found, packages, str(npm))
    return found


def _install(found: Path, packages: Mapping[str, str], npm: str) -> None:
    missing = [
        f"{name}@{version}"
        for name, version in packages.items()
        if _version(found / name) != version
    ]
    if missing:
        if not REQUIRED:
            skip_or_fail(", ".join(missing))
        subprocess.run(
            [npm, "install", "--prefix", str(found.parent), *_FLAGS, *missing],
            check=True,
            timeout=300,
        )


def skip_or_fail(what: str) -> None:
    """Fail if REQUIRE_NODE=1 is set, skip otherwise."""
    if REQUIRED:
        pytest.fail(f"{what} is absent, and REQUIRE_NODE=1 requires it")
    pytest.skip(f"{what} is absent; REQUIRE_NODE=1 installs it")


def _version(package: Path) -> str | None:
    described = package / "package.json"
    return json.loads(described.read_text())["version"] if described.exists() else None
