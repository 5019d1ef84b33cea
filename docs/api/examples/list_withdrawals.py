import os

import requests

query = {"status": "Pending", "sort": "createdAt", "limit": 100, "use_cursor": "true"}
while True:
    response = requests.get(
        f"{os.environ['BASE_URL']}/v1/api/withdrawals",
        headers={"Authorization": f"Bearer {os.environ['ACCESS_TOKEN']}"},
        params=query,
        timeout=30,
    )
    if not response.ok:
        raise SystemExit(f"{response.headers.get('X-Error-Code')}: {response.text}")
    data = response.json()["data"]
    for withdrawal in data["withdrawals"]:
        print(withdrawal["reference"], withdrawal["amount"], withdrawal["currency"])
    if data["next_cursor"] is None:
        break
    query["cursor"] = data["next_cursor"]
