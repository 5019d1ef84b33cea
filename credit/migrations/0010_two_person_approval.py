"""Versions of loan configurations and endings of loans are held to two persons by one function."""

from django.db import migrations

from exchange import sqlfiles


class Migration(migrations.Migration):
    dependencies = [
        ("credit", "0009_least_of_a_loan"),
        ("exchange", "0021_two_person_approval"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="endingproposal", name="ending_confirmed_by_another"
        ),
        *sqlfiles.install("credit", "two_person", "configuration_guard", "ending_guard"),
    ]
