"""Decisions keep the flags they were made under; returned payouts are found by an index."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("wallets", "0025_events_name_no_login"),
    ]

    operations = [
        migrations.AddField(
            model_name='decision',
            name='flags',
            field=models.JSONField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='decision',
            name='override',
            field=models.CharField(blank=True, db_default='', help_text='Why it was approved although flagged; internal', max_length=500),
        ),
        migrations.AddIndex(
            model_name='payout',
            index=models.Index(condition=models.Q(('provider_status', 'FAILED'), ('settled_at__isnull', False)), fields=['withdrawal'], name='payout_returned'),
        ),
        migrations.AddConstraint(
            model_name='decision',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('flags__contains', [{'level': 'Stop'}]), ('verdict', 'Approve'), _negated=True), ('override__regex', '\\S'), _connector='OR'), name='decision_stop_overridden_in_writing'),
        ),
    ]
