import json
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
        "price": json.loads(os.environ["PRICE"]),
        "tokens": json.loads(os.environ["TOKENS"]),
        "client_order_id": "5209",
    },
    timeout=30,
)
if not response.ok:
    raise SystemExit(f"{response.headers.get('X-Error-Code')}: {response.text}")
order = response.json()["data"]
print(order["_id"], order["status"], order["meta"]["filled"])
