import os

import requests

response = requests.put(
    f"{os.environ['BASE_URL']}/v1/api/webhook",
    headers={"Authorization": f"Bearer {os.environ['ACCESS_TOKEN']}"},
    json={"url": os.environ["WEBHOOK_URL"]},
    timeout=30,
)
if not response.ok:
    raise SystemExit(f"{response.headers.get('X-Error-Code')}: {response.text}")
print(response.json()["data"].get("secret", "The secret was shown when the endpoint was created"))
