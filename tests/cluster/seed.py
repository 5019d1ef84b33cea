"""The data of a cluster test: an organisation with an API key, funded members, token, approver.

Runs on a worker node and prints what clients need as JSON.
"""

import json
import sys

import django

_MEMBERS = 20
_FUNDS = 100_000_000


def seed() -> dict[str, object]:
    """Create the data and return the access token, the token traded, and member ids."""
    from config.back_office.roles import FINANCE_APPROVER
    from tests.factories.api_clients import make_caller, make_member
    from tests.factories.staff import create_staff
    from tests.factories.tokens import make_token
    from tests.factories.wallets import Wallet

    caller = make_caller()
    members = [make_member(caller.organisation) for _ in range(_MEMBERS)]
    for member in members:
        Wallet(caller.organisation, member).fund(_FUNDS, "NGN")
    Wallet(caller.organisation).fund(_FUNDS, "NGN")
    password = "a long enough password"
    create_staff("amina", password, FINANCE_APPROVER, skip_cooling_off=False)
    return {
        "token": caller.token,
        "traded": str(make_token().id),
        "members": [str(member.id) for member in members],
    }


if __name__ == "__main__":
    django.setup()
    json.dump(seed(), sys.stdout)
