"""The sequence of priorities, storage, and the key of an order beyond its model.

It stands for the migrations of databases that were made before it.
"""

from django.db import migrations

_KEY = """
ALTER TABLE orders_order
    ADD CONSTRAINT order_key_of_organisation
    FOREIGN KEY (api_key_id, organisation_id) REFERENCES exchange_apikey (id, organisation_id)
"""


class Migration(migrations.Migration):
    replaces = [
        ("orders", "0002_functions"),
        ("orders", "0003_lists_without_the_table"),
        ("orders", "0004_audit"),
        ("orders", "0005_cheaper_ids"),
        ("orders", "0006_fewer_statements"),
        ("orders", "0007_one_order_by_itself"),
        ("orders", "0008_one_path"),
        ("orders", "0009_rounding"),
        ("orders", "0010_what_may_be_posted"),
    ]
    dependencies = [("orders", "0001_initial")]

    operations = [
        migrations.RunSQL(
            [
                "CREATE SEQUENCE orders_seq",
                # Fills change the row; room on the page keeps those updates out of the indexes.
                "ALTER TABLE orders_order SET (fillfactor = 80)",
                _KEY,
            ],
            reverse_sql=["DROP SEQUENCE orders_seq"],
        )
    ]
