"""Add the setting that holds payouts, which a command may set without a proposer."""

from django.conf import settings
from django.db import migrations, models

ADD_SETTING = """
INSERT INTO wallets_configuration (key, value, description, updated_at)
VALUES ('PAYOUTS_ON_HOLD', 0, 'Payouts on hold: 1 stops sending them, 0 sends them', now())
"""
# Django would also create the foreign key again, which reads the table.
WITHOUT_PROPOSER = "ALTER TABLE wallets_configurationfigure ALTER COLUMN proposed_by_id DROP NOT NULL"


class Migration(migrations.Migration):

    dependencies = [
        ('wallets', '0008_proposal_labels'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            [migrations.RunSQL(WITHOUT_PROPOSER, migrations.RunSQL.noop)],
            [
                migrations.AlterField(
                    model_name='settingchange',
                    name='proposed_by',
                    field=models.ForeignKey(null=True, on_delete=models.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
                ),
            ],
        ),
        migrations.RunSQL(ADD_SETTING, migrations.RunSQL.noop),
    ]
