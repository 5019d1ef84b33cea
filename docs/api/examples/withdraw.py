import os

import requests

response = requests.post(
    f"{os.environ['BASE_URL']}/v1/api/wallet/withdraw",
    headers={
        "Authorization": f"Bearer {os.environ['ACCESS_TOKEN']}",
        "Idempotency-Key": "withdrawal-1842",
    },
    json={
        "amount": 1250.5,
        "currency": "KES",
        "bank_name": "Equity Bank Kenya",
        "account_name": "Adaora Nwosu",
        "account_number": "0180290011",
    },
    timeout=30,
)
if not response.ok:
    raise SystemExit(f"{response.headers.get('X-Error-Code')}: {response.text}")
withdrawal = response.json()["data"]["withdrawalRequest"]
print(withdrawal["_id"], withdrawal["status"])
