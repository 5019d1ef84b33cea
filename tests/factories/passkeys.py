"""Staff with passkeys, made by a software authenticator."""

from typing import Any

from exchange.staff.models import Passkey, StaffUser
from exchange.staff.services import passkeys
from tests.environment.authenticator import Authenticator


def add_passkey(
    user: StaffUser, name: str = "Laptop", key: Authenticator | None = None, **wrong: Any
) -> Authenticator:
    """Add a passkey to a user with a second factor; return its authenticator."""
    key = key or Authenticator()
    challenge = passkeys.new_challenge()
    options = passkeys.registration_options(user=user, challenge=challenge)
    credential = key.create(options, **wrong)
    passkeys.add(user=user, name=name, credential=credential, challenge=challenge)
    return key


def use_passkey(user: StaffUser, key: Authenticator, **wrong: Any) -> Passkey:
    """Sign a new challenge for the user with the key."""
    challenge = passkeys.new_challenge()
    options = passkeys.request_options(user=user, challenge=challenge)
    return passkeys.verify(user=user, credential=key.get(options, **wrong), challenge=challenge)
