"""A run that ends, even by SIGKILL, leaves no process."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.environment.processes import CHECKOUT, wait_until
from tests.environment.reaper import marked

RUN = """
import os, subprocess, sys
from pathlib import Path
from tests.environment.reaper import reaping
os.environ["NAME_OF_RUN"] = sys.argv[1]
with reaping("NAME_OF_RUN", Path(sys.argv[2])):
    subprocess.Popen(["sleep", "600"], start_new_session=True)
    print("started", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("killed", [True, False])
def test_what_a_run_started_ends_with_it(tmp_path: Path, killed: bool) -> None:
    folder = tmp_path / "of the run"
    folder.mkdir()
    (folder / "file").touch()
    name = f"reaped {os.getpid()}"
    run = subprocess.Popen(
        [sys.executable, "-c", RUN, name, str(folder)],
        cwd=CHECKOUT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert run.stdout is not None
    assert run.stdout.readline() == b"started\n"
    assert len(marked(f"NAME_OF_RUN={name}")) == 1
    if killed:
        run.send_signal(signal.SIGKILL)
    run.communicate()
    wait_until(lambda: marked(f"NAME_OF_RUN={name}") == [], "the sleeping process is gone")
    wait_until(lambda: not folder.exists(), "its folder is removed")
