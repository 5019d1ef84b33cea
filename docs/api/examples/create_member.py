import os

import requests

response = requests.post(
    f"{os.environ['BASE_URL']}/v1/api/members",
    headers={
        "Authorization": f"Bearer {os.environ['ACCESS_TOKEN']}",
        "Idempotency-Key": "member-20417",
    },
    json={
        "name": "Wanjiru Kamau",
        "email": "wanjiru.kamau@example.com",
        "external_id": "20417",
    },
    timeout=30,
)
response.raise_for_status()
print(response.json()["data"]["_id"])
