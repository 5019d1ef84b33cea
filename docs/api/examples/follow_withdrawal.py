import os

import requests

response = requests.get(
    f"{os.environ['BASE_URL']}/v1/api/withdrawals/{os.environ['WITHDRAWAL_ID']}",
    headers={"Authorization": f"Bearer {os.environ['ACCESS_TOKEN']}"},
    timeout=30,
)
if not response.ok:
    raise SystemExit(f"{response.headers.get('X-Error-Code')}: {response.text}")
withdrawal = response.json()["data"]
print(withdrawal["status"], withdrawal["disburse_amount"], withdrawal["currency"])
