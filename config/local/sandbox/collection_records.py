"""Records of money in as the REST calls render them. Pure functions."""

import json
import zlib
from decimal import Decimal
from typing import Any

from config.local.sandbox.database import Row, moment_text, number

ACCOUNT_HOURS = 1
CHARGED_BACK = "Charged back by the cardholder's bank"
MERCHANT_ID = 118468


def account_record(row: Row) -> dict[str, Any]:
    """Return a virtual account as the REST calls render it; fields vary by bank."""
    permanent = row["amount"] is None
    expires_at = moment_text(row["created_at"] + ACCOUNT_HOURS * 3600)
    record = {
        "response_code": "02",
        "response_message": "Transaction in progress",
        "flw_ref": row["flw_ref"],
        "order_ref": row["order_ref"],
        "account_number": row["account_number"],
        "account_status": "active",
        "frequency": "N/A" if permanent else 1,
        "bank_name": row["bank_name"],
        "created_at": moment_text(row["created_at"]),
        "expiry_date": "N/A" if permanent else expires_at,
        "note": f"Please make a bank transfer to {row['holder']}",
        "amount": None if permanent else number(row["amount"]),
    }
    left_out = {"flw_ref", "frequency", "expiry_date"} if row["currency"] == "GHS" else set()
    return {key: value for key, value in record.items() if key not in left_out}


def chargeback_record(row: Row) -> dict[str, Any]:
    """Return a chargeback as the REST calls render it."""
    created_at = moment_text(row["created_at"])
    return {
        "id": row["id"],
        "amount": number(row["amount"]),
        "flw_ref": row["flw_ref"],
        "status": row["status"],
        "stage": "new",
        "comment": CHARGED_BACK,
        "meta": {"uploaded_proof": None, "history": []},
        "due_date": created_at,
        "settlement_id": "N/A",
        "created_at": created_at,
        "transaction_id": row["transaction_id"],
        "tx_ref": row["tx_ref"],
    }


def transaction_record(row: Row) -> dict[str, Any]:
    """Return a transaction as the REST calls render it."""
    settled = Decimal(row["amount"]) - Decimal(row["app_fee"])
    created_at = moment_text(row["created_at"])
    return {
        "id": row["id"],
        "tx_ref": row["tx_ref"],
        "flw_ref": row["flw_ref"],
        "amount": number(row["amount"]),
        "currency": row["currency"],
        "charged_amount": number(row["amount"]),
        "app_fee": number(row["app_fee"]),
        "merchant_fee": 0,
        "processor_response": row["processor_response"],
        "auth_model": "AUTH",
        "narration": row["narration"],
        "status": row["status"],
        "payment_type": row["payment_type"],
        "created_at": created_at,
        "account_id": MERCHANT_ID,
        "amount_settled": number(str(settled)),
        "meta": json.loads(row["meta"]) or None,
        "customer": {
            "id": zlib.crc32(row["email"].encode()),
            "name": row["holder"],
            "phone_number": row["phone"] or None,
            "email": row["email"],
            "created_at": created_at,
        },
    }
