import os

import requests

response = requests.post(
    f"{os.environ['BASE_URL']}/v1/api/credit/loan/quote",
    headers={"Authorization": f"Bearer {os.environ['ACCESS_TOKEN']}"},
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
quote = response.json()["data"]
print(quote["acceptable"], quote["max_amount"], quote["repayment_date"])
for refusal in quote["refusals"]:
    print(refusal["code"], refusal["message"])
