import os
from collections import defaultdict
from decimal import Decimal

import requests

# Every account of the day from its first movement to its last, then fills and events against them.
day = {"created_from": os.environ["DAY_FROM"], "created_to": os.environ["DAY_TO"]}


def read(path, plural, **query):
    query = {"use_cursor": "true", "limit": 200, **query}
    while True:
        response = requests.get(
            f"{os.environ['BASE_URL']}{path}",
            headers={"Authorization": f"Bearer {os.environ['ACCESS_TOKEN']}"},
            params=query,
            timeout=30,
        )
        if not response.ok:
            raise SystemExit(f"{response.headers.get('X-Error-Code')}: {response.text}")
        # Decimal, since binary floating point is not exact.
        data = response.json(parse_float=Decimal)["data"]
        yield from data[plural]
        if data["next_cursor"] is None:
            return
        query["cursor"] = data["next_cursor"]


differences = []
balances, traded, moved = {}, defaultdict(Decimal), defaultdict(set)
for movement in read("/v1/api/movements", "movements", **day):
    account = movement["owner"], movement["currency"], movement["account"]
    before = movement["balance_after"] - movement["amount"]
    if balances.setdefault(account, before) != before:
        differences.append(f"{account}: {balances[account]} before {movement['_id']}")
    balances[account] = movement["balance_after"]
    if movement["record"] == "trade":
        traded[movement["order"]] += movement["amount"]
    moved[movement["type"]].add(movement["subject"])

for wallet in read("/v1/api/balances", "balances"):
    for (owner, currency, part), balance in balances.items():
        if (owner, currency) != (wallet["owner"], wallet["currency"]):
            continue
        if abs(balance) != wallet[part]:
            differences.append(f"{owner} {currency} {part}: {balance}, not {wallet[part]}")

filled = defaultdict(Decimal)
for fill in read("/v1/orders/fills", "fills", **day):
    sign = -1 if fill["type"] == "Buy" else 1
    filled[fill["order"]] += sign * fill["value"] - fill["fee"]
for order in traded.keys() | filled.keys():
    if traded[order] != filled[order]:
        differences.append(f"order {order}: moved {traded[order]}, filled {filled[order]}")

for event, kind in (
    ("withdrawal.completed", "withdrawal_settle"),
    ("deposit.completed", "deposit"),
    ("transfer.completed", "wallet_transfer"),
):
    reported = {each["subject_id"] for each in read("/v1/api/events", "events", type=event, **day)}
    for subject in reported ^ moved[kind]:
        differences.append(f"{event}: {subject} has only one of event and movement")

print(*differences or [f"{len(balances)} accounts tie out"], sep="\n")
