"""A node: a network namespace, a folder, and the programs that run there."""

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

from tests.cluster import network

CONFIGURATION = Path(__file__).resolve().parents[2] / "docs" / "cluster"
CHECKOUT = CONFIGURATION.parents[1]


class ProgramEnded(Exception):
    """A program ended that should run; the message has the end of its log."""


@dataclass
class _Started:
    command: list[str]
    user: str
    environment: dict[str, str]
    process: subprocess.Popen[bytes]


@dataclass
class Node:
    """One machine of the cluster."""

    name: str
    address: str
    folder: Path
    _programs: dict[str, _Started] = field(default_factory=dict)

    def create(self) -> None:
        """Create the namespace and the folder."""
        network.add_namespace(self.name, self.address)
        self.folder.mkdir(parents=True)
        self.folder.chmod(0o755)

    def directory(self, program: str, user: str) -> Path:
        """Return the folder of `program`, owned by `user`."""
        folder = self.folder / program
        if not folder.exists():
            folder.mkdir(mode=0o700)
            shutil.chown(folder, user, pwd.getpwnam(user).pw_gid)
        return folder

    def configure(
        self, source: str, program: str, user: str, values: dict[str, str], *, name: str = ""
    ) -> Path:
        """Write the file `source` of docs/cluster for this node; return its path.

        Raises KeyError for a placeholder without a value.
        """
        folder = self.directory(program, user)
        own = {"NODE": self.name, "ADDRESS": self.address, "DIRECTORY": str(folder)}
        template = Template((CONFIGURATION / source).read_text())
        path = folder / (name or source)
        path.write_text(template.substitute({**values, **own}))
        path.chmod(0o600)
        shutil.chown(path, user, pwd.getpwnam(user).pw_gid)
        return path

    def start(
        self,
        program: str,
        command: list[str],
        *,
        user: str = "root",
        environment: dict[str, str] | None = None,
    ) -> None:
        """Start `command` in the node's namespace as `user`; its output goes to PROGRAM.log."""
        self._programs[program] = self._start(program, command, user, environment or {})

    def _start(
        self, program: str, command: list[str], user: str, environment: dict[str, str]
    ) -> _Started:
        with (self.folder / f"{program}.log").open("ab") as log:
            process = subprocess.Popen(
                self.within(command, user),
                cwd=CHECKOUT,
                env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", **environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        return _Started(command, user, environment, process)

    def within(self, command: list[str], user: str = "root") -> list[str]:
        """Return the command line that runs `command` in this node as `user`."""
        as_user = ["setpriv", f"--reuid={user}", f"--regid={pwd.getpwnam(user).pw_gid}"]
        prefix = [] if user == "root" else [*as_user, "--init-groups"]
        return ["ip", "netns", "exec", self.name, *prefix, *command]

    def run(
        self,
        command: list[str],
        *,
        user: str = "root",
        environment: dict[str, str] | None = None,
        timeout: float = 120.0,
    ) -> str:
        """Run `command` in this node and return its output. Raises RuntimeError when it fails."""
        done = subprocess.run(
            self.within(command, user),
            cwd=CHECKOUT,
            env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", **(environment or {})},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{self.name}: {' '.join(command[:4])}: {done.stderr[-2000:]}")
        return done.stdout

    def pid(self, program: str) -> int:
        """Return the process id of `program`."""
        return self._programs[program].process.pid

    def ended(self, program: str) -> bool:
        """Return whether `program` is no longer running."""
        return self._programs[program].process.poll() is not None

    def require(self, program: str) -> None:
        """Raise ProgramEnded if `program` has ended."""
        if self.ended(program):
            log = (self.folder / f"{program}.log").read_text(errors="replace")
            raise ProgramEnded(f"{program} on {self.name} ended:\n{log[-3000:]}")

    def kill(self) -> None:
        """Kill every process of the node with SIGKILL, as a power failure would."""
        for _ in range(3):  # a process may have started another one meanwhile
            for pid in network.pids(self.name):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        for started in self._programs.values():
            started.process.wait()

    def restart(self, *programs: str) -> None:
        """Start the programs (default: all) again as they were started."""
        for program in programs or tuple(self._programs):
            started = self._programs[program]
            if started.process.poll() is None:
                continue
            self._programs[program] = self._start(
                program, started.command, started.user, started.environment
            )

    def stop(self, program: str, timeout: float = 30.0) -> None:
        """Stop `program` with SIGTERM; raise TimeoutExpired if it does not end in time."""
        process = self._programs.pop(program).process
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(timeout)
