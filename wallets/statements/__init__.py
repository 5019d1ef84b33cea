"""Account statements: opening balance, every movement, closing balance; as JSON, CSV and PDF."""
