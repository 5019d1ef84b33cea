import os

import requests

response = requests.get(
    f"{os.environ['BASE_URL']}/v1/api/tokens",
    headers={"Authorization": f"Bearer {os.environ['ACCESS_TOKEN']}"},
    params={"currency": "NGN", "primary_raise": "false", "sort": "name"},
    timeout=30,
)
response.raise_for_status()
for token in response.json()["data"]["tokens"]:
    print(token["_id"], token["symbol"], token["price"]["buy"], token["currency"])
