"""Create tokens and an API key for the benchmark of lists by services.

Run as a program under the benchmark's settings. The arguments are the numbers of the first and last
token to add. Prints an access token of an organisation without private deals.
"""

from __future__ import annotations

import sys
from datetime import timedelta

import django

django.setup()

from exchange.core.actors import Actor  # noqa: E402 - Django must be set up before its models are
from exchange.participants.services.api_keys import issue_access_token, issue_api_key  # noqa: E402
from tests.factories.api_clients import make_organisation  # noqa: E402
from tests.factories.tokens import fill_tokens  # noqa: E402

_BATCH = 50_000


def main(first: int, last: int) -> None:
    for start in range(first, last + 1, _BATCH):
        fill_tokens(start, min(start + _BATCH - 1, last))
    actor = Actor.system("benchmark")
    key, _ = issue_api_key(
        organisation=make_organisation(), name="bench", scopes=["tokens:read"], actor=actor
    )
    print(issue_access_token(key=key, lifetime=timedelta(days=1), actor=actor))


main(int(sys.argv[1]), int(sys.argv[2]))
