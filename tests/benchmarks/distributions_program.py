"""Our contender of the distribution benchmark: a token with many holders, who are paid.

`python -m tests.benchmarks.distributions_program HOLDERS`, under the benchmark's settings. Each
line of standard input is answered with a line of JSON: `pay` pays all holders and returns the
seconds, `start` lets the worker pay them, `paid` tells whether it has, `memory` the most MB that
this process has had, `endpoint URL` sets where webhooks go.
"""

import json
import resource
import sys
from datetime import timedelta
from decimal import Decimal
from time import perf_counter

import django

django.setup()

from django.conf import settings  # noqa: E402 - Django must be set up before its models are
from django.db import connection  # noqa: E402
from django.utils import timezone  # noqa: E402

from config.celery import app  # noqa: E402
from credit.distributions.models import DistributionStatus  # noqa: E402
from credit.distributions.services import paying  # noqa: E402
from exchange.core.actors import Actor  # noqa: E402
from exchange.events.services.endpoints import set_endpoint  # noqa: E402
from exchange.participants.services.api_keys import (  # noqa: E402
    issue_access_token,
    issue_api_key,
)
from tests.benchmarks.withdrawals import BANK  # noqa: E402
from tests.environment.owner import without_guards  # noqa: E402
from tests.factories.api_clients import make_member, make_organisation  # noqa: E402
from tests.factories.distributions import make_distribution  # noqa: E402
from tests.factories.tokens import give_units, make_token  # noqa: E402
from tests.factories.wallets import Wallet  # noqa: E402
from wallets.banks.models import BankList  # noqa: E402

_ACTOR = Actor.system("benchmark")
_HOLDERS = """
    WITH firm AS (
        INSERT INTO exchange_organisation (id, name, email, active, created_at, updated_at)
        SELECT new_id(), 'Firm ' || n, '', true, now(), now() FROM generate_series(1, 20) n
        RETURNING id
    ), numbered AS (SELECT id, row_number() OVER () AS number FROM firm), member AS (
        INSERT INTO exchange_member
            (id, organisation_id, name, email, external_id, created_at, updated_at, document)
        SELECT new_id(), f.id, 'Member ' || n, 'm' || n || '@example.com', '', now(), now(), ''
        FROM generate_series(1, %s) n JOIN numbered f ON f.number = 1 + n %% 20
        RETURNING id, organisation_id
    )
    INSERT INTO wallets_account (id, asset_id, kind, organisation_id, member_id, balance)
    SELECT new_id(), %s, 'available', organisation_id, id, 10 FROM member
"""

token = make_token(total_supply=Decimal(10**9))
with without_guards() as cursor:
    cursor.execute(_HOLDERS, [int(sys.argv[1]), str(token.pk)])
    cursor.execute("ANALYZE")

# Who trades another token, and withdraws, meanwhile.
firm = make_organisation()
trader = Wallet(firm, make_member(firm)).fund(10**12, "NGN").fund(10**12, "KES")
traded = make_token(total_supply=Decimal(10**9))
give_units(traded, trader, 10**8)
BankList.objects.create(
    currency_id="KES", banks=[{"id": 1, "name": BANK, "code": "01"}], fetched_at=timezone.now()
)
key, _ = issue_api_key(organisation=firm, name="bench", scopes=list(settings.SCOPES), actor=_ACTOR)
print(
    json.dumps(
        {
            "token": issue_access_token(key=key, lifetime=timedelta(days=1), actor=_ACTOR),
            "member": str(trader.member_id),
            "order": {
                "token_id": str(traded.pk),
                "user_id": str(trader.member_id),
                "type": "Sell",
                "price": 100,
                "tokens": 1,
            },
            "withdrawal": {
                "amount": 100,
                "bank_name": BANK,
                "account_name": "Bench",
                "account_number": "0690000031",
                "currency": "KES",
            },
        }
    ),
    flush=True,
)


def answer(line: str) -> object:
    match line.split():
        case ["pay"]:
            made = make_distribution(token, "Funded")
            started = perf_counter()
            paid = paying.pay(made.pk)
            taken = perf_counter() - started
            assert paid == int(sys.argv[1]), paid
            return taken
        case ["start"]:
            make_distribution(token, "Funded")
            app.send_task("credit.tasks.pay_distributions")
        case ["memory"]:
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        case ["paid"]:
            unpaid = token.distributions.exclude(status=DistributionStatus.PAID)
            return not unpaid.exists()
        case ["endpoint", url]:
            set_endpoint(organisation_id=firm.pk, url=url, actor=_ACTOR)
        case _:
            raise ValueError(line)
    return None


for given in sys.stdin:
    print(json.dumps(answer(given)), flush=True)
connection.close()
