import os

import requests

page, pages = 1, 1
while page <= pages:
    response = requests.get(
        f"{os.environ['BASE_URL']}/v1/api/withdrawals",
        headers={"Authorization": f"Bearer {os.environ['ACCESS_TOKEN']}"},
        params={"status": "Pending", "sort": "createdAt", "limit": 100, "page": page},
        timeout=30,
    )
    response.raise_for_status()
    data = response.json()["data"]
    for withdrawal in data["withdrawals"]:
        print(withdrawal["reference"], withdrawal["amount"], withdrawal["currency"])
    page, pages = page + 1, data["pages"]
