"""A hasher of client secrets that counts the hashes it makes."""

from typing import ClassVar

from exchange.participants.client_secrets import ClientSecretHasher


class CountingHasher(ClientSecretHasher):
    """The hasher of client secrets; `made` has one entry for each hash."""

    made: ClassVar[list[str]] = []

    def encode(self, password: str, salt: str) -> str:
        self.made.append(salt)
        return super().encode(password, salt)
