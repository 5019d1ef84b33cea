import os

import requests

response = requests.post(
    f"{os.environ['BASE_URL']}/v1/oauth/token",
    auth=(os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"]),
    data={"grant_type": "client_credentials"},
    timeout=30,
)
if not response.ok:
    raise SystemExit(response.text)
print(response.json()["access_token"])
