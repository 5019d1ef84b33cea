"""What markets refuse."""

from __future__ import annotations

TOKEN_NOT_FOUND = {"token_not_found": "Token not found"}
