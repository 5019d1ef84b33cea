"""Rename `SignInTries` to `SignInAttempts`. The table keeps its name, its counters their rows."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("exchange", "0005_field_descriptions")]

    operations = [
        migrations.AlterModelTable("SignInTries", "exchange_signintries"),
        migrations.RenameModel("SignInTries", "SignInAttempts"),
        migrations.RenameField("SignInAttempts", "tries", "attempts"),
    ]
