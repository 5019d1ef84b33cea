import os

import requests

response = requests.get(
    f"{os.environ['BASE_URL']}/v1/api/token/search",
    headers={"Authorization": f"Bearer {os.environ['ACCESS_TOKEN']}"},
    params={"name": "resid kilim", "exited": "false"},
    timeout=30,
)
response.raise_for_status()
for token in response.json()["data"]["tokens"]:
    print(token["symbol"], token["name"])
