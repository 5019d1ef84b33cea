"""Quotes on the pages of the back office."""

from typing import Any

from django.test import Client
from django.urls import reverse

from exchange.tokens.models import Quote, Token
from tests.factories.back_office import submit_confirmation


def propose_prices(client: Client, token: Token, **changes: str) -> Any:
    """Propose prices for the token on its page; `changes` replace fields of the form."""
    fields = {"buy": "118", "sell": "115.5", "exchange": "1600", "note": "Annual report", **changes}
    return submit_confirmation(
        client, reverse("admin:exchange_token_quote", args=[token.pk]), **fields
    )


def quote_address(quote: Quote, name: str) -> str:
    """Return the address of the quote's page `name`."""
    return reverse(f"admin:exchange_quote_{name}", args=[quote.pk])


def token_address(token: Token) -> str:
    """Return the address of the token's page."""
    return reverse("admin:exchange_token_change", args=[token.pk])
