"""Tokens as stored: the factory's defaults, and documents that equal the mapping."""

from __future__ import annotations

from decimal import Decimal

import pytest

from exchange.payloads import TOKEN
from tests.support.tokens import make_token

pytestmark = pytest.mark.django_db


def test_stored_documents_equal_the_mapping():
    make_token()
    make_token(raise_amount=Decimal(5000), offered=Decimal(50), closed=True)
    assert TOKEN.faults() == []
