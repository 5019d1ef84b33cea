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
if not response.ok:
    raise SystemExit(f"{response.headers.get('X-Error-Code')}: {response.text}")
print(response.json()["data"]["_id"])
