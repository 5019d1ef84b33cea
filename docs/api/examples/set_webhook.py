import os

import requests

response = requests.put(
    f"{os.environ['BASE_URL']}/v1/api/webhook",
    headers={"Authorization": f"Bearer {os.environ['ACCESS_TOKEN']}"},
    json={"url": os.environ["WEBHOOK_URL"]},
    timeout=30,
)
response.raise_for_status()
print(response.json()["data"].get("secret", "The secret was shown when the endpoint was created"))
