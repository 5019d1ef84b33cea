import os

import requests

response = requests.get(
    f"{os.environ['BASE_URL']}/v1/api/banks",
    headers={"Authorization": f"Bearer {os.environ['ACCESS_TOKEN']}"},
    params={"currency": "KES"},
    timeout=30,
)
if not response.ok:
    raise SystemExit(f"{response.headers.get('X-Error-Code')}: {response.text}")
for bank in response.json()["data"]:
    print(bank["name"])
