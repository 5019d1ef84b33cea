"""SQL rounds half-even, like Python."""

from decimal import ROUND_HALF_EVEN, Decimal

import pytest
from django.db import connection

pytestmark = pytest.mark.django_db


def test_sql_rounds_ties_to_even_and_the_rest_to_the_nearest():
    """Cover every eighth from -3 to 3, and of a hundredth from -0.03 to 0.03."""
    values = [
        Decimal(n) * Decimal("0.125") * Decimal(10) ** -decimals
        for decimals in (0, 2)
        for n in range(-24, 25)
    ]
    cases = [(value, decimals) for value in values for decimals in (0, 1, 2)]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT round_half_even(v, d) FROM unnest(%s::numeric[], %s::int[])"
            " WITH ORDINALITY u (v, d, n) ORDER BY n",
            [[value for value, _ in cases], [decimals for _, decimals in cases]],
        )
        found = [row[0] for row in cursor.fetchall()]
    expected = [
        value.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN) for value, decimals in cases
    ]
    wrong = [
        (*case, got, right)
        for case, got, right in zip(cases, found, expected, strict=True)
        if got != right
    ]
    assert wrong == []
