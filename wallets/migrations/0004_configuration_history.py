"""Keeps every change of a configuration figure: a trigger writes, nobody rewrites."""

import django.db.models.deletion
import pghistory.utils
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('wallets', '0003_seed'),
    ]

    operations = [
        migrations.CreateModel(
            name='ConfigurationChange',
            fields=[
                ('pgh_id', models.AutoField(primary_key=True, serialize=False)),
                ('pgh_created_at', models.DateTimeField(auto_now_add=True)),
                ('pgh_label', models.TextField(help_text='The event label.')),
                ('pgh_context', pghistory.utils.JSONField(null=True)),
                ('pgh_context_id', models.UUIDField(null=True)),
                ('key', models.CharField(max_length=60, serialize=False)),
                ('value', models.DecimalField(decimal_places=8, max_digits=30)),
            ],
            options={
                'abstract': False,
            },
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='configuration',
            trigger=pgtrigger.compiler.Trigger(name='insert_insert', sql=pgtrigger.compiler.UpsertTriggerSql(func='INSERT INTO "wallets_configurationchange" ("key", "pgh_context", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "value") VALUES (NEW."key", COALESCE(NULLIF(CURRENT_SETTING(\'pghistory.context_metadata\', TRUE), \'\'), NULL)::JSONB, COALESCE(NULLIF(CURRENT_SETTING(\'pghistory.context_id\', TRUE), \'\'), NULL)::UUID, NOW(), \'insert\', NEW."key", NEW."value"); RETURN NULL;', hash='7d647498e8a649f6f5fc1c7ff61e73d98f1bb43d', operation='INSERT', pgid='pgtrigger_insert_insert_0331d', table='wallets_configuration', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='configuration',
            trigger=pgtrigger.compiler.Trigger(name='update_update', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD."key" IS DISTINCT FROM (NEW."key") OR OLD."value" IS DISTINCT FROM (NEW."value"))', func='INSERT INTO "wallets_configurationchange" ("key", "pgh_context", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "value") VALUES (NEW."key", COALESCE(NULLIF(CURRENT_SETTING(\'pghistory.context_metadata\', TRUE), \'\'), NULL)::JSONB, COALESCE(NULLIF(CURRENT_SETTING(\'pghistory.context_id\', TRUE), \'\'), NULL)::UUID, NOW(), \'update\', NEW."key", NEW."value"); RETURN NULL;', hash='aa2fa96fef0e1931548db8ebbae321981e6ffe28', operation='UPDATE', pgid='pgtrigger_update_update_7d5a6', table='wallets_configuration', when='AFTER')),
        ),
        migrations.AddField(
            model_name='configurationchange',
            name='pgh_obj',
            field=models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='changes', related_query_name='changes', to='wallets.configuration'),
        ),
        # What the figures were before anybody changed one, so that every change has a before.
        migrations.RunSQL(
            """
            INSERT INTO wallets_configurationchange
                (pgh_created_at, pgh_label, pgh_obj_id, key, value)
            SELECT now(), 'insert', key, key, value FROM wallets_configuration;
            SELECT make_append_only('wallets_configurationchange');
            """,
            reverse_sql=migrations.RunSQL.noop,
        ),
    ]
