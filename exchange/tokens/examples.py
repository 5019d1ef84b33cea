"""An example token."""

from __future__ import annotations

from typing import Any

from exchange.core.examples import LISTED_AT, TOKEN_ID

TOKEN: dict[str, Any] = {
    "_id": TOKEN_ID,
    "name": "Lekki Gardens Notes",
    "symbol": "LGN27",
    "reference": 41,
    "image": "https://images.example.com/lgn27.png",
    "currency": "NGN",
    "creator": None,
    "asset": TOKEN_ID,
    "request": "listing-2025-041",
    "price": {"buy": 108, "sell": 106, "exchange": 1530.25},
    "prev_price": {"buy": 107, "sell": 105, "exchange": 1528},
    "min": {"buy": 90, "sell": 90},
    "max": {"buy": 130, "sell": 130},
    "vol": {"buy": 18250, "sell": 6250},
    "min_trade": {"buy": 500, "sell": 0},
    "max_trade": {"buy": 5000000, "sell": 0},
    "type": "Public",
    "deal_access": "Public",
    "investment_type": "Fixed Interest",
    "investment_category": "Real Estate",
    "payout_frequency": "Monthly",
    "raise_amount": 50000000,
    "buy_fee": 1,
    "sell_fee": 0.5,
    "carry": 0,
    "management_fee": 1.5,
    "valuation": 75000000,
    "discount": 0,
    "interest": 14.5,
    "dividend": 0,
    "tenor": 730,
    "secondaries": True,
    "completed_raise": True,
    "supply": 500000,
    "total_supply": 500000,
    "total_raised": 50000000,
    "exited": False,
    "cancelled": False,
    "esop_token": False,
    "post_raise_valuation": 125000000,
    "milestone": "100",
    "total_allocated": 500000,
    "createdAt": LISTED_AT,
    "updatedAt": "2025-07-04T07:00:00.000Z",
}
