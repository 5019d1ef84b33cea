import os

import requests

response = requests.get(
    f"{os.environ['BASE_URL']}/v1/api/banks",
    headers={"Authorization": f"Bearer {os.environ['ACCESS_TOKEN']}"},
    params={"currency": "KES"},
    timeout=30,
)
response.raise_for_status()
for bank in response.json()["data"]:
    print(bank["name"])
