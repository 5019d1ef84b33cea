import os
import time

import requests


def withdraw(idempotency_key: str, body: dict, attempts: int = 5) -> dict:
    """Request a withdrawal; retry what may succeed later with the same key."""
    for attempt in range(1, attempts + 1):
        response = requests.post(
            f"{os.environ['BASE_URL']}/v1/api/wallet/withdraw",
            headers={
                "Authorization": f"Bearer {os.environ['ACCESS_TOKEN']}",
                "Idempotency-Key": idempotency_key,
            },
            json=body,
            timeout=30,
        )
        if response.ok:
            return response.json()["data"]["withdrawalRequest"]
        code = response.headers.get("X-Error-Code", "unknown")
        retryable = response.status_code in {429, 500, 502, 503} or code == "request_in_progress"
        if not retryable or attempt == attempts:
            message = response.json()["message"]
            raise RuntimeError(f"{code}: {message} ({response.headers['X-Request-ID']})")
        time.sleep(int(response.headers.get("Retry-After", 2**attempt)))
    raise ValueError("attempts must be at least 1")


try:
    withdraw(
        "withdrawal-1843",
        {
            "amount": 900000000,
            "currency": "KES",
            "bank_name": "Equity Bank Kenya",
            "account_name": "Adaora Nwosu",
            "account_number": "0180290011",
        },
    )
except RuntimeError as error:
    print(error)
