"""Steps in processes that are killed with SIGKILL at each of their points in turn."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.environment.processes import CHECKOUT

# More points than any step has: the loop over them ends before.
_MANY = 200


class StepServer:
    """The program `tests.environment.step_server`; each step is a process of its own."""

    def __init__(self, environment: dict[str, str], output: Path) -> None:
        self._output = output
        with output.open("ab") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.environment.step_server"],
                cwd=CHECKOUT,
                env={**os.environ, **environment},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n", output.read_text()

    def run(self, step: str, **arguments: Any) -> None:
        """Run a step to its end."""
        assert not self.order(step, arguments), step

    def killed_runs(self, step: str, stride: int = 1) -> Iterator[KilledRun]:
        """Yield runs that are killed at the first point, the next …; the caller starts each.

        `stride` is the distance of the points. The last run is not killed, since it has no more.
        """
        for point in range(1, _MANY, stride):
            run = KilledRun(self, step, point)
            yield run
            if not run.killed:
                return
        raise AssertionError(f"{step} has more than {_MANY} points")

    def stop(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)

    def order(self, step: str, arguments: dict[str, Any], kill: int | None = None) -> bool:
        """Run a step; return whether it was killed at the point."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        order = {"step": step, "arguments": arguments, "kill": kill}
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        found = json.loads(self._process.stdout.readline())
        assert not found["failed"], self._output.read_text()[-4000:]
        killed: bool = found["killed"]
        return killed


class KilledRun:
    """A run of a step that is killed at a point."""

    def __init__(self, server: StepServer, step: str, point: int) -> None:
        self._server, self._step = server, step
        self.point = point
        self.killed = False

    def start(self, **arguments: Any) -> bool:
        """Run the step; return whether it was killed."""
        self.killed = self._server.order(self._step, arguments, self.point)
        return self.killed
