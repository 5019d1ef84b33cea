"""Index of the emails of members in any case, for searches; built while the service runs."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models.functions import Upper


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("exchange", "0021_member_words_index")]

    operations = [
        AddIndexConcurrently(
            model_name="member",
            index=models.Index(Upper("email"), name="member_email"),
        ),
    ]
