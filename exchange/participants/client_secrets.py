"""The password hasher of client secrets: fast, since they are long and random.

A slow hash protects passwords that people choose. A client secret has more than 256 random bits and
cannot be recovered from a fast hash; a slow one would only let wrong secrets exhaust the CPU.
Passwords of people use the slow hash, the first of `PASSWORD_HASHERS`.
"""

import hashlib
import secrets
from typing import Any

from django.contrib.auth.hashers import BasePasswordHasher
from django.utils.crypto import constant_time_compare

ALGORITHM = "client_sha256"


class ClientSecretHasher(BasePasswordHasher):
    """Salted SHA-256: `client_sha256$<salt>$<hexadecimal digest>`."""

    algorithm = ALGORITHM

    def encode(self, password: str, salt: str) -> str:
        """Hash a client secret."""
        digest = hashlib.sha256(f"{salt}${password}".encode(errors="replace")).hexdigest()
        return f"{self.algorithm}${salt}${digest}"

    def decode(self, encoded: str) -> dict[str, Any]:
        """Split a stored hash into its parts."""
        algorithm, salt, digest = encoded.split("$", 2)
        return {"algorithm": algorithm, "salt": salt, "hash": digest}

    def verify(self, password: str, encoded: str) -> bool:
        """Compare in constant time."""
        return constant_time_compare(encoded, self.encode(password, self.decode(encoded)["salt"]))

    def safe_summary(self, encoded: str) -> dict[str | Any, Any]:
        """Describe a stored hash without revealing it."""
        return {"algorithm": self.algorithm, "salt": self.decode(encoded)["salt"][:6]}

    def harden_runtime(self, password: str, encoded: str) -> None:
        """Do nothing: every check costs one hash."""


_hasher = ClientSecretHasher()
# Client ids without a usable key are checked against this hash, so that they take as long.

UNMATCHABLE_HASH = _hasher.encode(secrets.token_urlsafe(32), _hasher.salt())
