"""Remove the index of the words of members as they were typed."""

from django.contrib.postgres.operations import RemoveIndexConcurrently
from django.db import migrations


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("exchange", "0027_member_folded_words")]

    operations = [RemoveIndexConcurrently(model_name="member", name="member_words")]
