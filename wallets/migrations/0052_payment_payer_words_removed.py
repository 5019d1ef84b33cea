"""Remove the index of the words of payers as they were typed."""

from django.contrib.postgres.operations import RemoveIndexConcurrently
from django.db import migrations


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("wallets", "0051_payment_payer_folded")]

    operations = [RemoveIndexConcurrently(model_name="payment", name="payment_payer_words")]
