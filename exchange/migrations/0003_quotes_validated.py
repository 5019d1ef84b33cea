"""The rule that a quote sells no higher than it buys is marked as valid for every row.

Databases that had quotes before the rule keep it for later quotes only where one of those breaks it.
"""

from django.db import migrations

_VALIDATE = """
DO $validate$ BEGIN
    IF NOT EXISTS (SELECT FROM exchange_quote WHERE sell > buy AND status <> 'Rejected') THEN
        ALTER TABLE exchange_quote VALIDATE CONSTRAINT quote_sell_not_above_buy;
    END IF;
END $validate$
"""


class Migration(migrations.Migration):
    dependencies = [("exchange", "0001_squashed")]

    operations = [migrations.RunSQL(_VALIDATE, migrations.RunSQL.noop)]
