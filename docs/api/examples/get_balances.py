import os

import requests

response = requests.get(
    f"{os.environ['BASE_URL']}/v1/api/wallet",
    headers={"Authorization": f"Bearer {os.environ['ACCESS_TOKEN']}"},
    timeout=30,
)
if not response.ok:
    raise SystemExit(f"{response.headers.get('X-Error-Code')}: {response.text}")
for balance in response.json()["data"]:
    print(balance["currency"], balance["available"])
