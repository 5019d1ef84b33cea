import os

import requests

response = requests.get(
    f"{os.environ['BASE_URL']}/v1/api/token/search",
    headers={"Authorization": f"Bearer {os.environ['ACCESS_TOKEN']}"},
    params={"name": "resid kilim", "exited": "false"},
    timeout=30,
)
if not response.ok:
    raise SystemExit(f"{response.headers.get('X-Error-Code')}: {response.text}")
for token in response.json()["data"]["tokens"]:
    print(token["symbol"], token["name"])
