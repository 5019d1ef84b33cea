"""Secrets of a local installation, generated once and stored in DIR/secrets.json (mode 0600)."""

import contextlib
import json
import os
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path

from cryptography.fernet import Fernet

FILE_NAME = "secrets.json"


@dataclass(frozen=True)
class LocalSecrets:
    """The secrets that production reads from its environment."""

    secret_key: str
    field_encryption_key: str
    provider_secret_key: str
    provider_webhook_hash: str


def load(data_dir: Path) -> LocalSecrets:
    """Return the stored secrets, or temporary ones for this process.

    Does not write, since it runs on import of the settings; `store` writes.
    """
    try:
        return LocalSecrets(**json.loads((data_dir / FILE_NAME).read_text()))
    except FileNotFoundError:
        return _fresh()


def store(data_dir: Path) -> None:
    """Create the file (mode 0600) unless it exists; of two concurrent processes one wins."""
    path = data_dir / FILE_NAME
    if path.exists():
        return
    data_dir.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{FILE_NAME}.{os.getpid()}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            json.dump(asdict(_fresh()), file, indent=2)
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _fresh() -> LocalSecrets:
    return LocalSecrets(
        secret_key=secrets.token_urlsafe(50),
        field_encryption_key=Fernet.generate_key().decode("ascii"),
        provider_secret_key="FLWSECK_TEST-" + secrets.token_hex(16) + "-X",
        provider_webhook_hash=secrets.token_urlsafe(24),
    )
