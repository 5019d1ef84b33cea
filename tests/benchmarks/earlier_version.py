"""A temporary checkout of an earlier version of the exchange.

The present benchmarks run code of that version: the modules `dataset`, `token_dataset`,
`order_program` and `loan_program`, and the command of its web server (`installation.py`). Their
names, arguments and output must stay compatible with the last release.
"""

import contextlib
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.installation import PRESENT, Version

# Stands for the commit that the changelog names below the last release.
RELEASE = "release"
_RELEASED = re.compile(r"^## \[\d[^\n]*\n+Commit `(\w+)`", re.MULTILINE)
_LOCKS = ("requirements.lock", "tests/requirements.lock")


def commit_of(revision: str, repository: Path = PRESENT.checkout) -> str:
    """Return the commit of a revision or of the last release. Raises RuntimeError without one."""
    if revision == RELEASE:
        named = _RELEASED.search((repository / "CHANGELOG.md").read_text())
        if named is None:
            raise RuntimeError("CHANGELOG.md names no commit of a release: name the revision.")
        revision = named[1]
    name = f"{revision}^{{commit}}"
    return _run(repository, "git", "rev-parse", "--verify", "--end-of-options", name)


@contextlib.contextmanager
def checked_out(commit: str, build: Path, repository: Path = PRESENT.checkout) -> Iterator[Version]:
    """Check out the commit in a worktree under `build`, which is removed afterwards.

    The present interpreter runs it if it depends on the same packages. Otherwise its own Makefile
    installs them into an environment under `build`, which is reused.
    """
    build = build.absolute()
    build.mkdir(parents=True, exist_ok=True)
    checkout = Path(tempfile.mkdtemp(prefix=f"version-{commit[:7]}-", dir=build))
    try:
        _run(repository, "git", "worktree", "add", "--detach", str(checkout), commit)
        yield Version(checkout, _interpreter(checkout, build, repository))
    finally:
        with contextlib.suppress(RuntimeError):  # adding it has failed
            _run(repository, "git", "worktree", "remove", "--force", str(checkout))
        shutil.rmtree(checkout, ignore_errors=True)


def _interpreter(checkout: Path, build: Path, present: Path) -> str:
    product = _LOCKS[0]
    if (checkout / product).read_bytes() == (present / product).read_bytes():
        return PRESENT.interpreter
    digest = hashlib.sha256(b"".join((checkout / lock).read_bytes() for lock in _LOCKS))
    environment = build / f"venv-{digest.hexdigest()[:12]}"
    sys.stderr.write(f"Installing the packages of the earlier version: {environment}\n")
    _run(checkout, "make", "tools", f"VENV={environment}", f"PYTHON={sys.executable}")
    return str(environment / "bin" / "python")


def _run(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()[-2000:]}")
    return done.stdout.strip()
