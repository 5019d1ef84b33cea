"""Encryption at rest of secrets that must be readable again (webhook signing secrets).

Fernet (AES-128-CBC with HMAC-SHA256). The first of `FIELD_ENCRYPTION_KEYS` encrypts, all of them
decrypt: to rotate, put a new key in front.
"""

from __future__ import annotations

from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings


def _keys() -> MultiFernet:
    return MultiFernet([Fernet(key) for key in settings.FIELD_ENCRYPTION_KEYS])


def encrypt(text: str) -> str:
    """Encrypt `text` with the first key; return ASCII."""
    return _keys().encrypt(text.encode()).decode("ascii")


def decrypt(token: str) -> str:
    """Return the plain text. Raises `cryptography.fernet.InvalidToken` for another key."""
    return _keys().decrypt(token.encode("ascii")).decode()
