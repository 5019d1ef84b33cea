"""What must be true after a fault: nothing acknowledged is lost, nothing paid twice, books hold."""

from collections import Counter
from dataclasses import dataclass

import requests

from tests.cluster.cluster import WORKER_NODES, WORKER_THREADS, Cluster, wait_until

_DRAIN_SECONDS = 120.0
# When a commit's answer is lost before a payout is posted, it must not be sent, and the provider
# does not know it: two people decide, after half an hour. Such payouts are counted, and each is
# compared with the provider's list.
_UNSETTLED = """
SELECT count(*) FROM wallets_withdrawal w LEFT JOIN wallets_payout p ON p.withdrawal_id = w.id
WHERE w.status NOT IN ('Completed', 'Rejected', 'Cancelled', 'Failed', 'Reversed')
    AND NOT (w.status = 'Unknown' AND p.not_found_count > 0)
"""


@dataclass(frozen=True)
class Result:
    """The counts after a fault."""

    acknowledged: int
    lost: int
    duplicated: int
    paid: int
    paid_twice: int
    undecided: int
    books_hold: bool

    @property
    def passed(self) -> bool:
        """Whether nothing was lost or doubled, the books hold and few payouts wait for people."""
        wrong = self.lost or self.duplicated or self.paid_twice
        in_flight = WORKER_THREADS * len(WORKER_NODES)
        return self.books_hold and not wrong and self.undecided <= in_flight


def verify(cluster: Cluster, withdrawals: dict[str, str]) -> Result:
    """Wait until every withdrawal is settled, then compare clients, ledger and provider.

    `withdrawals` are the acknowledged ids, by idempotency key.
    """
    primary = wait_until(cluster.primary, "a primary")
    with cluster.connect(primary) as connection:
        wait_until(
            lambda: connection.execute(_UNSETTLED).fetchone() == (0,),
            "every withdrawal is settled",
            _DRAIN_SECONDS,
        )
        rows = connection.execute(
            "SELECT id::text, reference, status FROM wallets_withdrawal"
        ).fetchall()
    stored = {row[0] for row in rows}
    completed = {row[1] for row in rows if row[2] == "Completed"}
    undecided = {row[1] for row in rows if row[2] == "Unknown"}
    sent = _provider_transfers(cluster)
    paid = Counter(each["reference"] for each in sent if each["status"] == "SUCCESSFUL")
    unknown = set(paid) - completed
    unpaid = completed - set(paid)
    # A transfer that the provider has is no decision of people: its status check found it.
    unpaid |= undecided & {each["reference"] for each in sent}
    return Result(
        acknowledged=len(withdrawals),
        lost=len(set(withdrawals.values()) - stored) + len(unpaid),
        duplicated=len(stored) - len(set(withdrawals.values())),
        paid=len(paid),
        paid_twice=sum(count - 1 for count in paid.values()) + len(unknown),
        undecided=len(undecided),
        books_hold="The books hold" in cluster.manage("prove_books"),
    )


def _provider_transfers(cluster: Cluster) -> list[dict[str, str]]:
    headers = {"Authorization": f"Bearer {cluster.values['FLUTTERWAVE_SECRET_KEY']}"}
    found: list[dict[str, str]] = []
    page = pages = 1
    while page <= pages:
        response = requests.get(
            f"{cluster.provider_url}/v3/transfers",
            params={"page": str(page)},
            headers=headers,
            timeout=10,
        )
        body = response.json()
        found += body["data"]
        pages = body["meta"]["page_info"]["total_pages"]
        page += 1
    return found
