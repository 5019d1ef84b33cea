"""Create the records of the withdrawal benchmark by services; print token and members as JSON.

Run as a program under the benchmark's settings. The arguments are the number of members and the
bank.
"""

from __future__ import annotations

import json
import sys
from datetime import timedelta
from decimal import Decimal

import django

django.setup()

from django.conf import settings  # noqa: E402 - Django must be set up before its models are
from django.utils import timezone  # noqa: E402

from exchange.core.actors import Actor  # noqa: E402
from exchange.core.ids import uuid7  # noqa: E402
from exchange.participants.models import Member, Organisation  # noqa: E402
from exchange.participants.services.api_keys import issue_access_token, issue_api_key  # noqa: E402
from wallets.banks.models import BankList  # noqa: E402
from wallets.deposits.services.manual import IncomingPayment, book_deposit  # noqa: E402

actor = Actor.system("benchmark")


def main(count: int, bank: str) -> None:
    organisation = Organisation.objects.create(name="Benchmark")
    key, _ = issue_api_key(
        organisation=organisation, name="bench", scopes=list(settings.SCOPES), actor=actor
    )
    token, other_token = (
        issue_access_token(key=key, lifetime=timedelta(days=1), actor=actor) for _ in range(2)
    )
    members = [
        Member(id=uuid7(), organisation=organisation, name=f"Member {n}", email=f"m{n}@example.com")
        for n in range(count)
    ]
    Member.objects.bulk_create(members)
    for member in members:
        book_deposit(
            payment=IncomingPayment(
                organisation_id=organisation.id,
                member_id=member.id,
                currency="KES",
                amount=Decimal(10**12),
                reference=f"bench-{member.id}",
            ),
            actor=actor,
        )
    BankList.objects.create(
        currency_id="KES",
        banks=[{"id": 1, "name": bank, "code": "01"}],
        fetched_at=timezone.now(),
    )
    print(
        json.dumps(
            {
                "organisation": str(organisation.id),
                "token": token,
                "other_token": other_token,
                "members": [str(member.id) for member in members],
            }
        )
    )


main(int(sys.argv[1]), sys.argv[2])
