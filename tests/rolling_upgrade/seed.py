"""The data of a rolling upgrade: an organisation with an API key, a token, members, an approver.

Runs as a script, with the previous version as working directory and import path; prints what
clients need as JSON.
"""

import json
import sys
from decimal import Decimal
from pathlib import Path

_MEMBERS = 12
_FUNDS = 100_000_000


def seed() -> dict[str, object]:
    """Create the data and return the access token, the members' ids and the token's id."""
    from config.back_office.roles import FINANCE_APPROVER
    from tests.factories.api_clients import make_caller, make_member
    from tests.factories.staff import create_staff
    from tests.factories.tokens import make_token
    from tests.factories.wallets import Wallet

    caller = make_caller()
    members = [make_member(caller.organisation) for _ in range(_MEMBERS)]
    for member in members:
        Wallet(caller.organisation, member).fund(_FUNDS, "NGN")
    token = make_token(caller.organisation, total_supply=Decimal(10_000_000))
    create_staff("amina", "a long enough password", FINANCE_APPROVER, skip_cooling_off=False)
    return {
        "access_token": caller.token,
        "members": [str(member.id) for member in members],
        "token": str(token.id),
    }


if __name__ == "__main__":
    sys.path.insert(0, str(Path.cwd()))  # instead of this script's folder
    import django

    django.setup()
    json.dump(seed(), sys.stdout)
