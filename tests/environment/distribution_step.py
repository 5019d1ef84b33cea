"""Run one step of a distribution in a process of its own.

`python -m tests.environment.distribution_step STEP [ID]`; with `prepare SECONDS` the record of a
second distribution is due then.

For tests that kill their database and so cannot use the test process's own. Prints JSON.
"""

import json
import sys
from datetime import timedelta
from typing import Any
from uuid import UUID

import django

HOLDERS = 60


def main() -> None:
    django.setup()
    # Models can be imported only now.
    from config.books import CHECKS
    from credit.distributions.models import Distribution, Income
    from credit.distributions.services import paying, recording
    from tests.factories import distributions as made
    from tests.factories.tokens import give_units, make_token
    from tests.factories.wallets import balance_of, make_member_wallet
    from wallets.ledger import proof as books

    def prepare(status: str) -> Distribution:
        """Make a token of as many holders, and a distribution of 25 to each."""
        token = make_token()
        for _ in range(HOLDERS):
            give_units(token, make_member_wallet(1, currency="NGN"), 10)
        return made.make_distribution(token, status)

    def state(distribution: Distribution) -> dict[str, Any]:
        distribution.refresh_from_db()
        rows = Income.objects.filter(distribution=distribution)
        return {
            "id": str(distribution.pk),
            "status": distribution.status,
            "rows": rows.count(),
            "paid": rows.filter(status="Paid").count(),
            # Each wallet started with 1.
            "received": sorted({int(balance_of(row.owner_id, "NGN")) - 1 for row in rows}),
            "findings": [str(finding) for finding in books.prove(CHECKS).findings],
        }

    step, *arguments = sys.argv[1:]
    more = {}
    if step == "prepare":
        distribution = prepare("Funded")
        if arguments:
            second = prepare("Announced")
            made.make_due(second, ago=-timedelta(seconds=int(arguments[0])))
            more["second"] = str(second.pk)
    else:
        distribution = Distribution.objects.select_related("token").get(id=UUID(arguments[0]))
        if step == "pay":
            # One holder a transaction, so that a kill meets many states.
            paying.pay(distribution.pk, batch=1)
        elif step == "record":
            recording.record(distribution.pk)
    print(json.dumps(state(distribution) | more))


if __name__ == "__main__":
    main()
