"""Prints the statement of `credit.selectors.portfolio`, with its placeholders."""

from __future__ import annotations

import django

django.setup()

from credit.selectors.portfolio import PORTFOLIO  # noqa: E402 - Django must be set up before

print(PORTFOLIO)
