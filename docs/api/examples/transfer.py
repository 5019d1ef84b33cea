import os

import requests

response = requests.post(
    f"{os.environ['BASE_URL']}/v1/api/transfers",
    headers={
        "Authorization": f"Bearer {os.environ['ACCESS_TOKEN']}",
        "Idempotency-Key": "transfer-311",
    },
    json={
        "from": {"wallet": "organisation"},
        "to": {"user_id": os.environ["MEMBER_ID"]},
        "amount": 250.5,
        "currency": "KES",
    },
    timeout=30,
)
if not response.ok:
    raise SystemExit(f"{response.headers.get('X-Error-Code')}: {response.text}")
transfer = response.json()["data"]
print(transfer["_id"], transfer["status"])
