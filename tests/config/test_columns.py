"""The sizes of columns in the database are those of the models' fields."""

import pytest
from django.apps import apps
from django.db import connection, models

pytestmark = pytest.mark.django_db

_COLUMNS = """
SELECT table_name, column_name, numeric_precision, numeric_scale, character_maximum_length
FROM information_schema.columns WHERE table_schema = 'public'
"""


def test_every_number_and_text_has_the_size_of_its_field():
    with connection.cursor() as cursor:
        cursor.execute(_COLUMNS)
        columns = {(table, name): sizes for table, name, *sizes in cursor.fetchall()}
    checked = 0
    for model in apps.get_models():
        for field in model._meta.local_concrete_fields:
            found = columns.get((model._meta.db_table, field.column))
            if found is None:
                continue  # a proxy or a view
            precision, scale, length = found
            where = f"{model._meta.label}.{field.name}"
            if isinstance(field, models.DecimalField):
                assert (precision, scale) == (field.max_digits, field.decimal_places), where
            elif type(field) is models.CharField:
                assert length == field.max_length, where
            else:
                continue
            checked += 1
    assert checked > 300
