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
response.raise_for_status()
withdrawal = response.json()["data"]["withdrawalRequest"]
print(withdrawal["_id"], withdrawal["status"])
