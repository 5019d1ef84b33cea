"""Encryption at rest of secrets we must be able to read again (webhook signing secrets).

Fernet (AES-128-CBC with HMAC-SHA256); `FIELD_ENCRYPTION_KEYS` lists the keys, the first encrypts
and all of them decrypt, so a key is rotated by putting a new one in front.
"""

from __future__ import annotations

from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings


def _keys() -> MultiFernet:
    return MultiFernet([Fernet(key) for key in settings.FIELD_ENCRYPTION_KEYS])


def encrypt(text: str) -> str:
    """`text` encrypted under the first key, as ASCII."""
    return _keys().encrypt(text.encode()).decode("ascii")


def decrypt(token: str) -> str:
    """What `encrypt` was given. Raises `cryptography.fernet.InvalidToken` under foreign keys."""
    return _keys().decrypt(token.encode("ascii")).decode()
