"""Orders, trades and proposals about tokens: tables, and what is beyond models."""

import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.comparison
import django.db.models.lookups
from django.conf import settings
from django.db import migrations, models

from exchange.core.migration_operations import CreateTables
import exchange.core.ids

_KEY = """
ALTER TABLE orders_order
    ADD CONSTRAINT order_key_of_organisation
    FOREIGN KEY (api_key_id, organisation_id) REFERENCES exchange_apikey (id, organisation_id)
"""


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('exchange', '0001_initial'),
    ]

    operations = [
        CreateTables([
            migrations.CreateModel(
                name='Order',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('seq', models.BigIntegerField(help_text='Time priority within the book', unique=True)),
                    ('token', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='orders', to='exchange.token')),
                    ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='orders', to='exchange.organisation')),
                    ('member', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='orders', to='exchange.member')),
                    ('api_key', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.OAUTH2_PROVIDER_APPLICATION_MODEL)),
                    ('owner_id', models.GeneratedField(db_persist=True, expression=django.db.models.functions.comparison.Coalesce('member_id', 'organisation_id'), output_field=models.UUIDField())),
                    ('owner_model', models.CharField(choices=[('api_key', 'Api Key'), ('user', 'User'), ('organisation', 'Organisation')], max_length=12)),
                    ('type', models.CharField(choices=[('Buy', 'Buy'), ('Sell', 'Sell')], max_length=4)),
                    ('price', models.DecimalField(decimal_places=8, help_text='Limit for one unit', max_digits=38)),
                    ('tokens', models.DecimalField(decimal_places=8, help_text='Units', max_digits=38)),
                    ('amount', models.DecimalField(decimal_places=8, help_text='price * tokens, rounded to the currency', max_digits=38)),
                    ('fee_percent', models.DecimalField(decimal_places=4, help_text="The token's fee when the order was placed", max_digits=12)),
                    ('status', models.CharField(choices=[('Active', 'Active'), ('Fulfilled', 'Fulfilled'), ('Cancelled', 'Cancelled')], default='Active', max_length=10)),
                    ('filled', models.DecimalField(decimal_places=8, default=0, help_text='Units filled so far', max_digits=38)),
                    ('filled_value', models.DecimalField(decimal_places=16, default=0, help_text='Sum of price * units of its fills, not rounded', max_digits=54)),
                    ('charged', models.DecimalField(decimal_places=8, default=0, help_text='filled_value, rounded up for a Buy and down for a Sell', max_digits=38)),
                    ('charged_fee', models.DecimalField(decimal_places=8, default=0, help_text='Fee: paid on top of charged (Buy), or deducted from it (Sell)', max_digits=38)),
                    ('reserved', models.DecimalField(decimal_places=8, default=0, help_text='Still reserved for the open remainder: money of a Buy, units of a Sell', max_digits=38)),
                    ('customer_name', models.CharField(blank=True, max_length=200)),
                    ('customer_email', models.CharField(blank=True, max_length=254)),
                    ('client_order_id', models.CharField(blank=True, help_text="The organisation's own ID for the order", max_length=64)),
                    ('placed_by', models.CharField(help_text='The actor', max_length=80)),
                    ('reason', models.CharField(blank=True, help_text='Why the remainder was cancelled', max_length=100)),
                    ('created_at', models.DateTimeField()),
                    ('updated_at', models.DateTimeField()),
                    ('closed_at', models.DateTimeField(null=True)),
                    ('document', models.TextField(default='', editable=False)),
                    ('client_reference', models.CharField(blank=True, help_text="The organisation's own reference", max_length=64, null=True)),
                    ('metadata', models.JSONField(blank=True, help_text="The organisation's own data", null=True)),
                ],
                options={
                    'ordering': ['-created_at', '-id'],
                    'indexes': [
                        models.Index(condition=models.Q(('status', 'Active'), ('type', 'Sell')), fields=['token', 'price', 'seq'], name='order_asks'),
                        models.Index(condition=models.Q(('status', 'Active'), ('type', 'Buy')), fields=['token', '-price', 'seq'], name='order_bids'),
                        models.Index(condition=models.Q(('status', 'Active')), fields=['token', '-created_at', '-id'], include=('type', 'price', 'amount'), name='order_open'),
                        models.Index(fields=['organisation', 'token', '-created_at', '-id'], include=('type', 'status', 'price', 'amount'), name='order_of_owner_on_token'),
                        models.Index(fields=['organisation', '-created_at', '-id'], include=('token', 'type', 'status', 'owner_model', 'member', 'price', 'amount'), name='order_of_owner'),
                        models.Index(fields=['token', '-created_at', '-id'], name='order_of_token'),
                        models.Index(condition=models.Q(('member__isnull', False)), fields=['member', '-created_at', '-id'], name='order_of_member'),
                        models.Index(condition=models.Q(('status', 'Active')), fields=['organisation', '-created_at', '-id'], name='order_open_of_owner'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(condition=models.Q(('client_order_id', ''), _negated=True), fields=('organisation', 'client_order_id'), name='order_client_id_once'),
                        models.UniqueConstraint(condition=models.Q(('client_reference__isnull', False)), fields=('client_reference', 'organisation'), name='order_client_reference_once'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Trade',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('seq', models.BigIntegerField(unique=True)),
                    ('token', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='trades', to='exchange.token')),
                    ('buy_order', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='orders.order')),
                    ('sell_order', models.ForeignKey(db_constraint=False, help_text='NULL: sold by the issuer', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='orders.order')),
                    ('taker', models.CharField(choices=[('Buy', 'Buy'), ('Sell', 'Sell')], help_text='Side of the incoming order', max_length=4)),
                    ('price', models.DecimalField(decimal_places=8, max_digits=38)),
                    ('tokens', models.DecimalField(decimal_places=8, max_digits=38)),
                    ('buyer_value', models.DecimalField(decimal_places=8, max_digits=38)),
                    ('buyer_fee', models.DecimalField(decimal_places=8, max_digits=38)),
                    ('seller_value', models.DecimalField(decimal_places=8, max_digits=38)),
                    ('seller_fee', models.DecimalField(decimal_places=8, max_digits=38)),
                    ('created_at', models.DateTimeField()),
                    ('document', models.TextField(default='', editable=False)),
                ],
                options={
                    'ordering': ['-seq'],
                    'indexes': [
                        models.Index(fields=['token', '-seq'], include=('id', 'taker', 'price', 'tokens', 'created_at'), name='trade_of_token'),
                    ],
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(django.db.models.lookups.GreaterThan(django.db.models.functions.comparison.Least('tokens', 'price'), 0), django.db.models.lookups.GreaterThanOrEqual(django.db.models.functions.comparison.Least('buyer_value', 'seller_value', django.db.models.expressions.CombinedExpression(models.F('buyer_value'), '+', models.F('buyer_fee')), django.db.models.expressions.CombinedExpression(models.F('seller_value'), '-', models.F('seller_fee'))), 0)), name='trade_positive'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='TokenProposal',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('status', models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected')], default='Pending', max_length=10)),
                    ('proposed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('created_at', models.DateTimeField()),
                    ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('decided_at', models.DateTimeField(blank=True, null=True)),
                    ('reason', models.CharField(blank=True, help_text='Reason of the rejection', max_length=300)),
                    ('token', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.token')),
                    ('action', models.CharField(choices=[('complete', 'Complete raise'), ('secondaries', 'Open secondary trading'), ('exit', 'Exit'), ('cancel', 'Cancel')], max_length=20)),
                    ('explanation', models.CharField(max_length=300)),
                    ('version', models.CharField(max_length=80)),
                ],
                options={
                    'ordering': ['-created_at', '-id'],
                    'default_permissions': ('view',),
                    'indexes': [models.Index(fields=['token', 'action'], name='token_proposal_of_token')],
                    'constraints': [
                        models.UniqueConstraint(condition=models.Q(('status', 'Pending')), fields=('token',), name='token_proposal_pending_once'),
                    ],
                },
            ),
        ]),
        migrations.RunSQL(
            [
                "CREATE SEQUENCE orders_seq",
                # Fills change the row; room on the page keeps those updates out of the indexes.
                "ALTER TABLE orders_order SET (fillfactor = 80)",
                _KEY,
            ],
            "DROP SEQUENCE orders_seq",
        ),
    ]
