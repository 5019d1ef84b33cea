"""Runs the image's programs as an orchestrator does: its user, a read-only root, no privileges.

The host's network is shared. Container runtimes need control groups, which a container of a build
machine often has not; util-linux does the same without them.
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Within a mount namespace of its own; "$0" is the root folder, the arguments are the command.
_ENTER = """
set -e
mount --bind "$0" "$0"
mount --bind /proc "$0/proc"
mount --rbind /dev "$0/dev"
mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs "$0/tmp"
mount -o remount,bind,ro "$0"
exec chroot "$0" "$@"
"""


@dataclass(frozen=True)
class Container:
    """A root folder with the image's content, and the image's configuration."""

    root: Path
    configuration: dict[str, Any]

    @property
    def default_command(self) -> list[str]:
        """The command of the image."""
        command: list[str] = self.configuration["Cmd"]
        return command

    def command(self, command: list[str], environment: dict[str, str]) -> list[str]:
        """Return the command line that runs `command` in the container.

        The process that starts it becomes the program, so that signals reach it.
        """
        user = self.configuration["User"]
        variables = [*self.configuration["Env"], *(f"{k}={v}" for k, v in environment.items())]
        return [
            *("unshare", "--mount", "sh", "-c", _ENTER, str(self.root)),
            *("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"),
            *("--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"),
            *("env", "--ignore-environment", f"--chdir={self.configuration['WorkingDir']}"),
            *variables,
            *command,
        ]

    def run(
        self, command: list[str], environment: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run `command` in the container to its end."""
        return subprocess.run(
            self.command(command, environment or {}),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
