"""Deposits, proposals about payouts and figures are held to two persons by one trigger function."""

from django.conf import settings
from django.db import migrations, models

from exchange import sqlfiles


class Migration(migrations.Migration):
    dependencies = [
        ("exchange", "0021_two_person_approval"),
        ("wallets", "0019_what_may_be_posted"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="configurationfigure", name="figure_approved_by_another"
        ),
        migrations.RemoveConstraint(model_name="deposit", name="deposit_confirmed_by_another"),
        migrations.RemoveConstraint(model_name="proposal", name="proposal_confirmed_by_another"),
        migrations.AlterField(
            model_name="configurationfigure",
            name="decided_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AlterField(
            model_name="configurationfigure",
            name="decided_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        *sqlfiles.install("wallets", "two_person", "configuration_figures"),
    ]
