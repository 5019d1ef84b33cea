import os

import requests

response = requests.post(
    f"{os.environ['BASE_URL']}/v1/api/credit/loan",
    headers={
        "Authorization": f"Bearer {os.environ['ACCESS_TOKEN']}",
        "Idempotency-Key": "loan-731",
    },
    json={
        "loan_configuration_id": os.environ["LOAN_CONFIGURATION_ID"],
        "user_id": os.environ["MEMBER_ID"],
        "currency": "NGN",
        "amount": "8400",
        "interest_rate": 0.025,
        "duration": 3,
        "repayment_amount": "9030",
        "collaterals": [{"token_id": os.environ["TOKEN_ID"], "quantity": 150}],
    },
    timeout=30,
)
if not response.ok:
    raise SystemExit(f"{response.headers.get('X-Error-Code')}: {response.text}")
loan = response.json()["data"]
print(loan["id"], loan["status"], loan["repayment_date"])
