"""Accounts of closed members stay empty.

The next migration checks the rows that exist, without a lock.
"""

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("exchange", "0015_member_status"),
        ("wallets", "0019_deposits"),
    ]

    operations = [
        migrations.AddField(
            model_name="account",
            name="closed",
            field=models.BooleanField(
                db_default=False, default=False, help_text="Of a closed member: stays empty"
            ),
        ),
        AddConstraintNotValid(
            model_name="account",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("closed", False), ("balance", 0), ("kind", "receivable"), _connector="OR"
                ),
                name="account_of_closed_member",
            ),
        ),
    ]
