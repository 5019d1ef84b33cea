import os

import requests

api = requests.Session()
api.headers["Authorization"] = f"Bearer {os.environ['ACCESS_TOKEN']}"
base = f"{os.environ['BASE_URL']}/v1/api/conversions"

quote = api.post(
    f"{base}/quote",
    json={"from_currency": "KES", "to_currency": "USD", "amount": 129},
    timeout=30,
)
if not quote.ok:
    raise SystemExit(f"{quote.headers.get('X-Error-Code')}: {quote.text}")
print("arrives:", quote.json()["data"]["converted_amount"])

response = api.post(base, json={"quote_id": quote.json()["data"]["quote_id"]}, timeout=30)
if not response.ok:
    raise SystemExit(f"{response.headers.get('X-Error-Code')}: {response.text}")
conversion = response.json()["data"]
print(conversion["_id"], conversion["status"])
