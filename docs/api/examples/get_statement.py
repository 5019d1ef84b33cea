import os
from datetime import UTC, datetime

import requests

today = datetime.now(UTC).date()
response = requests.get(
    f"{os.environ['BASE_URL']}/v1/api/wallet/statement",
    params={"currency": "KES", "from": today.replace(day=1).isoformat(), "to": today.isoformat()},
    headers={"Authorization": f"Bearer {os.environ['ACCESS_TOKEN']}"},
    timeout=30,
)
if not response.ok:
    raise SystemExit(f"{response.headers.get('X-Error-Code')}: {response.text}")
statement = response.json()["data"]
print("Opening balance", statement["opening"]["total"])
for movement in statement["movements"]:
    print(movement["createdAt"], movement["description"], movement["amount"], movement["balance"])
print("Closing balance", statement["closing"]["total"])
