import os

import requests

response = requests.post(
    f"{os.environ['BASE_URL']}/v1/api/members/{os.environ['MEMBER_ID']}/deposits/checkout",
    headers={
        "Authorization": f"Bearer {os.environ['ACCESS_TOKEN']}",
        "Idempotency-Key": "invoice-1042",
    },
    json={
        "amount": 250000,
        "currency": "NGN",
        "redirect_url": "https://baobridge.example/paid",
        "client_reference": "invoice-1042",
    },
    timeout=30,
)
if not response.ok:
    raise SystemExit(f"{response.headers.get('X-Error-Code')}: {response.text}")
checkout = response.json()["data"]
print("Deposit", checkout["deposit"]["_id"], checkout["deposit"]["status"])
print("Send the person to", checkout["url"])
