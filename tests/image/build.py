"""Builds the image by the Dockerfile, with Debian's buildah, on a base made by mmdebstrap.

Debian packages come from the sources that this machine's apt uses, Python packages from the index
that its pip uses. Nothing of either configuration gets into the image.
"""

import contextlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[2]
# Debian packages with the programs that build and run the image.
PACKAGES = {"buildah": "buildah", "mmdebstrap": "mmdebstrap"}
# The release with the Python of the lock file.
_RELEASE = "bookworm"
_PYTHON = "3.11"
_CONTENTS = ("ca-certificates", "python-is-python3", "python3", "python3-venv")
_LEFT_OUT = ("doc", "info", "locale", "man")
_BASE, _IMAGE = "localhost/exchange-base", "localhost/exchange"


class BuildError(Exception):
    """The image cannot be built; the message says why and what to do."""


def missing_packages() -> list[str]:
    """Return the Debian packages whose programs this machine lacks."""
    return sorted({PACKAGES[name] for name in PACKAGES if shutil.which(name) is None})


@dataclass(frozen=True)
class Image:
    """The built image: its name in buildah's storage, its base and its Python packages."""

    name: str
    base: Path
    wheels: Path
    _storage: Path

    @contextlib.contextmanager
    def mounted(self) -> Iterator[Path]:
        """Yield the root folder of a container of the image."""
        container = self.buildah("from", "--pull-never", self.name)
        try:
            yield Path(self.buildah("mount", container))
        finally:
            self.buildah("rm", container)

    def configuration(self) -> dict[str, Any]:
        """Return the image's configuration: user, environment, command, health check."""
        found: dict[str, Any] = json.loads(self.buildah("inspect", "--type", "image", self.name))
        return dict(found["Docker"]["config"])

    def archive(self, path: Path) -> None:
        """Write the image as an archive that every container engine loads."""
        path.unlink(missing_ok=True)
        self.buildah("push", "--quiet", self.name, f"docker-archive:{path}:{self.name}")

    def buildah(self, *arguments: str) -> str:
        """Run buildah with this storage and return its output. Raises BuildError."""
        return _run(
            "buildah",
            *("--storage-driver", "vfs", "--root", str(self._storage / "root")),
            *("--runroot", str(self._storage / "run"), *arguments),
        )


def build(folder: Path) -> Image:
    """Build the image below `folder` and return it. An existing base is used again."""
    if os.geteuid() != 0:
        raise BuildError("Building needs root: mmdebstrap and buildah change the owner of files.")
    if missing := missing_packages():
        raise BuildError(f"Install these Debian packages first: {' '.join(missing)}")
    folder = folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    base = _make_base(folder)
    wheels = _download_wheels(folder)
    storage = folder / "storage"
    shutil.rmtree(storage, ignore_errors=True)
    image = Image(_IMAGE, base, wheels, storage)
    container = image.buildah("from", "scratch")
    image.buildah("add", "--quiet", container, str(base), "/")
    image.buildah("commit", "--quiet", "--rm", container, _BASE)
    with tempfile.TemporaryDirectory() as pip:
        # Only the build sees this: a mount, no part of a layer.
        configuration = Path(pip, "pip.conf")
        configuration.write_text("[global]\nno-index = true\nfind-links = /wheels\n")
        image.buildah(
            *("build", "--isolation", "chroot", "--pull-never", "--format", "docker"),
            *("--build-arg", f"BASE={_BASE}", "--volume", f"{wheels}:/wheels:ro"),
            *("--volume", f"{configuration}:/etc/pip.conf:ro", "--tag", _IMAGE, str(CHECKOUT)),
        )
    return image


def _make_base(folder: Path) -> Path:
    """Make a minimal Debian with Python, as a tar archive, from this machine's apt sources."""
    base = folder / f"base-{_RELEASE}.tar"
    if base.exists():
        return base
    if platform.freedesktop_os_release().get("VERSION_CODENAME") != _RELEASE:
        raise BuildError(f"The base is made from the apt sources of Debian {_RELEASE}.")
    sources = [Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").glob("*.sources")]
    leave_out = (f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in _LEFT_OUT)
    unfinished = base.with_suffix(".part.tar")
    _run(
        *("mmdebstrap", "--mode=root", "--variant=minbase", "--quiet"),
        *(f"--include={','.join(_CONTENTS)}", *leave_out),
        *("--dpkgopt=path-include=/usr/share/doc/*/copyright", _RELEASE, str(unfinished)),
        *(str(source) for source in sources if source.exists()),
    )
    return unfinished.rename(base)


def _download_wheels(folder: Path) -> Path:
    """Download the locked packages with this machine's pip, and check their hashes.

    Whatever their conditions: pip would judge those by its own Python, not by that of the base.
    """
    wheels = folder / "wheels"
    wheels.mkdir(exist_ok=True)
    lock = folder / "requirements.lock"
    text = (CHECKOUT / "requirements.lock").read_text()
    lock.write_text(re.sub(r" ; .*(?= \\$)", "", text, flags=re.MULTILINE))
    _run(
        *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"),
        *("--require-hashes", "--no-deps", "--only-binary", ":all:", "--python-version", _PYTHON),
        *("--dest", str(wheels), "--requirement", str(lock)),
    )
    return wheels


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildError(f"{' '.join(command[:2])}: {done.stderr.strip()[-3000:]}")
    return done.stdout.strip()
