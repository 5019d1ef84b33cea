"""Index of payments by the words of the payer's name; built while the service runs."""

import django.contrib.postgres.indexes
import django.contrib.postgres.search
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("wallets", "0045_payment_reference"), ("exchange", "0020_member_words")]

    operations = [
        AddIndexConcurrently(
            model_name="payment",
            index=django.contrib.postgres.indexes.GinIndex(
                models.Func(
                    "payer_name",
                    models.Value(""),
                    function="member_words",
                    output_field=django.contrib.postgres.search.SearchVectorField(),
                ),
                name="payment_payer_words",
            ),
        ),
    ]
