import os

import requests

response = requests.get(
    f"{os.environ['BASE_URL']}/v1/api/tokens",
    headers={"Authorization": f"Bearer {os.environ['ACCESS_TOKEN']}"},
    params={"currency": "NGN", "primary_raise": "false", "sort": "name"},
    timeout=30,
)
if not response.ok:
    raise SystemExit(f"{response.headers.get('X-Error-Code')}: {response.text}")
for token in response.json()["data"]["tokens"]:
    price, least = token["price"]["buy"], token["min_trade"]["buy"]
    print(token["_id"], token["symbol"], price, token["currency"], "at least", least)
