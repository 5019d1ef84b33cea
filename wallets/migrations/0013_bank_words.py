"""Bank records are found by words of names and by numbers, without reading them all."""

import django.contrib.postgres.indexes
import django.contrib.postgres.search
from django.db import migrations, models

from exchange import sqlfiles


class Migration(migrations.Migration):

    dependencies = [
        ('exchange', '0015_sign_in_tries'),
        ('wallets', '0012_ended_withdrawals'),
    ]

    operations = [
        *sqlfiles.install("wallets", "bank_words"),
        migrations.AddField(
            model_name='bankaccount',
            name='words',
            field=models.GeneratedField(db_persist=True, expression=models.Func('account_name', 'given_name', 'account_number', function='bank_words'), output_field=django.contrib.postgres.search.SearchVectorField()),
        ),
        migrations.AddIndex(
            model_name='bankaccount',
            index=django.contrib.postgres.indexes.GinIndex(fields=['words'], name='bank_words'),
        ),
        *sqlfiles.install("wallets", "bank_words_audited"),
    ]
