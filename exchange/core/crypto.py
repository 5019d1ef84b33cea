"""Encryption at rest of secrets that must be readable again: of webhooks and second factors.

Fernet (AES-128-CBC with HMAC-SHA256). The first of `FIELD_ENCRYPTION_KEYS` encrypts, all of them
decrypt. docs/operations/rotate.md has the order of steps that changes a key.
"""

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings


def _keys() -> MultiFernet:
    return MultiFernet([Fernet(key) for key in settings.FIELD_ENCRYPTION_KEYS])


def encrypt(text: str) -> str:
    """Encrypt `text` with the first key; return ASCII."""
    return _keys().encrypt(text.encode()).decode("ascii")


def decrypt(token: str) -> str:
    """Return the plain text. Raises `cryptography.fernet.InvalidToken` for another key."""
    return _keys().decrypt(token.encode("ascii")).decode()


def reencrypt(token: str) -> str:
    """Return `token` encrypted with the first key. Raises `InvalidToken` as `decrypt`."""
    return _keys().rotate(token.encode("ascii")).decode("ascii")


def key_position(token: str) -> int | None:
    """Return the position of the key that encrypted `token`, from 0; None for an unknown key."""
    for position, key in enumerate(settings.FIELD_ENCRYPTION_KEYS):
        try:
            Fernet(key).decrypt(token.encode("ascii"))
        except InvalidToken:
            continue
        return position
    return None
