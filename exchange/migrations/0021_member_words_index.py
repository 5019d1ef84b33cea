"""Index of the words of members, for searches; built while the service runs."""

import django.contrib.postgres.indexes
import django.contrib.postgres.search
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("exchange", "0020_member_words")]

    operations = [
        AddIndexConcurrently(
            model_name="member",
            index=django.contrib.postgres.indexes.GinIndex(
                models.Func(
                    "name",
                    "email",
                    function="member_words",
                    output_field=django.contrib.postgres.search.SearchVectorField(),
                ),
                name="member_words",
            ),
        ),
    ]
