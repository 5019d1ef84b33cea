import os

import requests

response = requests.post(
    f"{os.environ['BASE_URL']}/v1/api/members/{os.environ['MEMBER_ID']}/virtual-accounts",
    headers={"Authorization": f"Bearer {os.environ['ACCESS_TOKEN']}"},
    json={"currency": "NGN", "bvn": "12345678901"},
    timeout=30,
)
if not response.ok:
    raise SystemExit(f"{response.headers.get('X-Error-Code')}: {response.text}")
account = response.json()["data"]
print("Pay to", account["account_number"], account["bank_name"], account["account_name"])
