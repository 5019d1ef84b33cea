import os

import requests

response = requests.post(
    f"{os.environ['BASE_URL']}/v1/orders",
    headers={
        "Authorization": f"Bearer {os.environ['ACCESS_TOKEN']}",
        "Idempotency-Key": "order-5209",
    },
    json={
        "token_id": os.environ["TOKEN_ID"],
        "user_id": os.environ["MEMBER_ID"],
        "type": "Buy",
        "price": 100,
        "tokens": 2,
        "client_order_id": "5209",
    },
    timeout=30,
)
response.raise_for_status()
order = response.json()["data"]
print(order["_id"], order["status"], order["meta"]["filled"])
