"""Prints the statement of `credit.portfolio.selectors`, with its placeholders."""

import django

django.setup()

from credit.portfolio.selectors import PORTFOLIO  # noqa: E402 - Django must be set up before

print(PORTFOLIO)
