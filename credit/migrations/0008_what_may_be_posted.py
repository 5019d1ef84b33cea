"""What transfers of loans must be justified by; loans are made by the terms in force."""

from django.db import migrations

from exchange import sqlfiles


class Migration(migrations.Migration):
    dependencies = [
        ("credit", "0007_loans_by_the_posting_function"),
        ("wallets", "0019_what_may_be_posted"),
    ]

    operations = sqlfiles.install("credit", "transfer_rules", "loan_terms")
