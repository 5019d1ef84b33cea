"""The user of PostgreSQL's programs, which do not run as root.

Started by root, they run as `nobody` with CAP_DAC_OVERRIDE, so that a virtual environment in a
private home directory is accessible. Without capabilities they run in a user namespace, where our
uid appears as another one. The namespace also serves a uid without an account (in a container),
which `initdb` rejects. No account is added to the system.
"""

import contextlib
import ctypes
import os
import pwd
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from config.local.embedded.layout import EmbeddedError

_PR_SET_PDEATHSIG = 1
_PR_SET_KEEPCAPS = 8
_PR_CAP_AMBIENT = 47
_PR_CAP_AMBIENT_RAISE = 2
_CAP_VERSION_3 = 0x20080522
_CAP_DAC_OVERRIDE = 1
_CLONE_NEWUSER = 0x10000000

Method = Literal["plain", "capability", "namespace"]


@dataclass(frozen=True)
class Identity:
    """The user of a PostgreSQL program and how to become it; `file_uid` owns its data directory."""

    method: Method
    uid: int
    gid: int

    @property
    def file_uid(self) -> int:
        """The uid of the data directory, outside of the namespace."""
        return self.uid if self.method == "capability" else os.geteuid()

    @property
    def file_gid(self) -> int:
        """The gid of the data directory, outside of the namespace."""
        return self.gid if self.method == "capability" else os.getegid()

    def make_preexec(self, parent: int) -> Callable[[], None]:
        """Return the function that a forked child runs before it executes a PostgreSQL program.

        The child gets SIGINT (fast shutdown) when `parent` dies, where the platform supports it;
        set after the change of user, which would clear it.
        """

        def prepare() -> None:
            if self.method == "capability":
                _become_with_capability(self.uid, self.gid)
            elif self.method == "namespace":
                _become_in_namespace(self.uid, self.gid)
            die_with_parent(parent, signal.SIGINT)

        return prepare


def die_with_parent(parent: int, with_signal: signal.Signals) -> None:
    """Let Linux send `with_signal` to this process when its parent dies; no effect elsewhere."""
    if sys.platform != "linux":
        return
    _prctl(_PR_SET_PDEATHSIG, int(with_signal))
    if os.getppid() != parent:  # it died between the fork and the request
        os.kill(os.getpid(), with_signal)


def server_identity(probe: Path) -> Identity:
    """Return the first identity under which `probe` (a PostgreSQL program) runs.

    Raises EmbeddedError when root can use neither method.
    """
    if os.geteuid() != 0:
        return Identity("plain", os.geteuid(), os.getegid())
    uid, gid = _unprivileged_account()
    for identity in (Identity("capability", uid, gid), Identity("namespace", uid, gid)):
        if _works(identity, probe):
            return identity
    raise EmbeddedError(
        "The embedded PostgreSQL cannot run as root here (neither capabilities nor user "
        "namespaces are allowed): start as an ordinary user, or set DATABASE_URL."
    )


def initdb_identity(server: Identity, probe: Path) -> Identity:
    """Return the identity for `initdb`, which needs an account: the server's, or a namespace."""
    if server.method != "plain":
        return server
    with contextlib.suppress(KeyError):
        pwd.getpwuid(server.uid)
        return server
    identity = Identity("namespace", *_unprivileged_account())
    if _works(identity, probe):
        return identity
    raise EmbeddedError(
        f"The embedded PostgreSQL needs an account for uid {server.uid}, or user namespaces: "
        "add one to /etc/passwd, or set DATABASE_URL."
    )


def _unprivileged_account() -> tuple[int, int]:
    try:
        entry = pwd.getpwnam("nobody")
    except KeyError:
        raise EmbeddedError(
            "The embedded PostgreSQL needs the account `nobody`: set DATABASE_URL instead."
        ) from None
    return entry.pw_uid, entry.pw_gid


def _works(identity: Identity, probe: Path) -> bool:
    try:
        done = subprocess.run(  # noqa: S603 - our own wheel's program
            [str(probe), "--version"],
            preexec_fn=identity.make_preexec(os.getpid()),
            capture_output=True,
            cwd="/",
            timeout=20,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


class _CapHeader(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


class _CapData(ctypes.Structure):
    _fields_ = [
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    ]


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _check(result: int) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def _prctl(option: int, argument: int, third: int = 0) -> None:
    libc = _libc()
    libc.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
    _check(libc.prctl(option, argument, third, 0, 0))


def _become_with_capability(uid: int, gid: int) -> None:
    if sys.platform != "linux":
        raise OSError("capabilities are Linux's")
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    _prctl(_PR_SET_KEEPCAPS, 1)
    os.setresuid(uid, uid, uid)
    bit = 1 << _CAP_DAC_OVERRIDE
    data = (_CapData * 2)()
    data[0] = _CapData(bit, bit, bit)
    _check(_libc().capset(ctypes.byref(_CapHeader(_CAP_VERSION_3, 0)), data))
    _prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE, _CAP_DAC_OVERRIDE)


def _become_in_namespace(uid: int, gid: int) -> None:
    if sys.platform != "linux":
        raise OSError("user namespaces are Linux's")
    outer_uid, outer_gid = os.geteuid(), os.getegid()
    _check(_libc().unshare(_CLONE_NEWUSER))
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} {outer_uid} 1")
    Path("/proc/self/gid_map").write_text(f"{gid} {outer_gid} 1")
