"""Example values of the API documentation, consistent across endpoints.

An organisation acts for a member who holds tokens, sells some, borrows against others and withdraws
to a bank account. The records are with their mappings (`Document.example`).
"""

ORGANISATION_ID = "0197d2a0-0c4e-7b1d-8f6a-3e2d1c0b9a87"


LENDER_ID = "0197d2a0-5d7f-7e20-9a41-6b8c7d9e0f12"


MEMBER_ID = "0197d2a4-1b07-7c9d-8a44-2e9c1f0b7d63"


TOKEN_ID = "0197d2a4-3c1f-7a52-9b1e-5d0f6f4c2a11"


EVENT_ID = "0197d36b-8e2a-7d04-b3c5-9f1e0d2c4b6a"


DEPOSIT_ID = "0197d35f-02c4-7b1e-9a60-4f8d7c6b5a41"


WITHDRAWAL_ID = "0197d36b-8c11-7f9b-a2d3-4c5b6a798801"


WITHDRAWAL_REFERENCE = "payout_01jz9pq30hfydt5mrc9dx5nj01"


WITHDRAWAL_REQUESTED_AT = "2025-07-04T10:15:02.338Z"


LISTED_AT = "2025-06-02T09:00:00.000Z"


JOINED_AT = "2025-07-01T08:30:12.481Z"
