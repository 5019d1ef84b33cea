"""Constructors of composite types: values by name."""

import pytest

from tests.environment.database import session

pytestmark = pytest.mark.django_db


def test_a_constructor_takes_values_by_name_and_costs_no_call():
    with session("owner") as connection:
        connection.execute(
            'CREATE TYPE parcel AS ("order" integer, name varchar(4), weight numeric(6, 2))'
        )
        connection.execute("SELECT make_constructor('parcel')")
        [[made]] = connection.execute(
            """SELECT to_jsonb(parcel(weight => 1.255, "order" => 7))::text"""
        ).fetchall()
        assert made == '{"name": null, "order": 7, "weight": 1.26}'
        plan = connection.execute(
            "EXPLAIN (VERBOSE, COSTS OFF) SELECT parcel(name => code) FROM exchange_currency"
        ).fetchall()
        assert "ROW(NULL::integer, " in str(plan)
        assert "parcel(" not in str(plan)
        connection.rollback()
