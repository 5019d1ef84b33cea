import os

import requests

response = requests.get(
    f"{os.environ['BASE_URL']}/v1/api/deposits",
    params={"client_reference": "invoice-1042"},
    headers={"Authorization": f"Bearer {os.environ['ACCESS_TOKEN']}"},
    timeout=30,
)
if not response.ok:
    raise SystemExit(f"{response.headers.get('X-Error-Code')}: {response.text}")
for deposit in response.json()["data"]["deposits"]:
    print(deposit["_id"], deposit["status"], deposit["net_amount"], deposit["currency"])
