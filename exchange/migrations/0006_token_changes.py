"""Every change of what staff set about a token leaves a row."""

import django.db.models.deletion
import pghistory.utils
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

from exchange import sqlfiles


class Migration(migrations.Migration):

    dependencies = [
        ('exchange', '0005_tokens'),
    ]

    operations = [
        migrations.CreateModel(
            name='TokenChange',
            fields=[
                ('pgh_id', models.AutoField(primary_key=True, serialize=False)),
                ('pgh_created_at', models.DateTimeField(auto_now_add=True)),
                ('pgh_label', models.TextField(help_text='The event label.')),
                ('pgh_context', pghistory.utils.JSONField(null=True)),
                ('pgh_context_id', models.UUIDField(null=True)),
                ('name', models.CharField(max_length=200)),
                ('image', models.CharField(blank=True, help_text='URL, or a path of this service', max_length=500)),
                ('listing_reference', models.CharField(blank=True, help_text='The listing request it came from: `request`', max_length=60)),
                ('type', models.CharField(choices=[('Private', 'Private'), ('Public', 'Public')], default='Public', max_length=10)),
                ('deal_access', models.CharField(choices=[('Private', 'Private'), ('Public', 'Public')], default='Public', max_length=10)),
                ('investment_type', models.CharField(choices=[('the service', 'Equity (the service)'), ('SAFE', 'SAFE'), ('Debt', 'Debt'), ('Fixed Interest', 'Fixed Interest')], max_length=20)),
                ('investment_category', models.CharField(choices=[('ETF', 'ETF'), ('Bond', 'Bond'), ('Commercial Paper', 'Commercial Paper'), ('Debt Note', 'Debt Note'), ('Real Estate', 'Real Estate'), ('Private Business', 'Private Business'), ('Startup', 'Startup'), ('Commodities', 'Commodities'), ('Fund', 'Fund'), ('Art', 'Art'), ('Music', 'Music'), ('Movie', 'Movie'), ('Charity', 'Charity')], max_length=20)),
                ('payout_frequency', models.CharField(blank=True, choices=[('', 'None'), ('Monthly', 'Monthly'), ('Quarterly', 'Quarterly'), ('Semi-Annually', 'Semi-Annually'), ('Annually', 'Annually'), ('At Maturity', 'At Maturity')], default='', max_length=20)),
                ('min_buy', models.DecimalField(decimal_places=8, default=0, help_text='Lowest price of a buy order; 0: none', max_digits=38)),
                ('min_sell', models.DecimalField(decimal_places=8, default=0, help_text='Lowest price of a sell order; 0: none', max_digits=38)),
                ('max_buy', models.DecimalField(decimal_places=8, default=0, help_text='Highest price of a buy order; 0: none', max_digits=38)),
                ('max_sell', models.DecimalField(decimal_places=8, default=0, help_text='Highest price of a sell order; 0: none', max_digits=38)),
                ('min_trade_buy', models.DecimalField(decimal_places=8, default=0, help_text='Smallest value of a buy order; 0: none', max_digits=38)),
                ('min_trade_sell', models.DecimalField(decimal_places=8, default=0, help_text='Smallest value of a sell order; 0: none', max_digits=38)),
                ('max_trade_buy', models.DecimalField(decimal_places=8, default=0, help_text='Largest value of a buy order; 0: none', max_digits=38)),
                ('max_trade_sell', models.DecimalField(decimal_places=8, default=0, help_text='Largest value of a sell order; 0: none', max_digits=38)),
                ('buy_fee', models.DecimalField(decimal_places=4, default=0, help_text='percent of the value, paid by the buyer', max_digits=12)),
                ('sell_fee', models.DecimalField(decimal_places=4, default=0, help_text='percent of the value, paid by the seller', max_digits=12)),
                ('carry', models.DecimalField(decimal_places=4, default=0, help_text='percent', max_digits=12)),
                ('management_fee', models.DecimalField(decimal_places=4, default=0, help_text='percent', max_digits=12)),
                ('discount', models.DecimalField(decimal_places=4, default=0, help_text='percent', max_digits=12)),
                ('interest', models.DecimalField(decimal_places=4, default=0, help_text='percent', max_digits=12)),
                ('dividend', models.DecimalField(decimal_places=4, default=0, help_text='percent', max_digits=12)),
                ('tenor', models.PositiveIntegerField(default=0, help_text='days')),
                ('valuation', models.DecimalField(decimal_places=8, default=0, max_digits=38)),
                ('post_raise_valuation', models.DecimalField(decimal_places=8, default=0, max_digits=38)),
                ('esop_token', models.BooleanField(default=False)),
                ('completed_raise', models.BooleanField(default=False)),
                ('secondaries', models.BooleanField(default=False, help_text='Holders may trade it; opened by staff once the raise is complete')),
                ('closed', models.BooleanField(default=False, help_text='No new orders')),
                ('exited', models.BooleanField(default=False)),
                ('cancelled', models.BooleanField(default=False)),
            ],
            options={
                'abstract': False,
            },
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='token',
            trigger=pgtrigger.compiler.Trigger(name='insert_insert', sql=pgtrigger.compiler.UpsertTriggerSql(func='INSERT INTO "exchange_tokenchange" ("buy_fee", "cancelled", "carry", "closed", "completed_raise", "deal_access", "discount", "dividend", "esop_token", "exited", "image", "interest", "investment_category", "investment_type", "listing_reference", "management_fee", "max_buy", "max_sell", "max_trade_buy", "max_trade_sell", "min_buy", "min_sell", "min_trade_buy", "min_trade_sell", "name", "payout_frequency", "pgh_context", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "post_raise_valuation", "secondaries", "sell_fee", "tenor", "type", "valuation") VALUES (NEW."buy_fee", NEW."cancelled", NEW."carry", NEW."closed", NEW."completed_raise", NEW."deal_access", NEW."discount", NEW."dividend", NEW."esop_token", NEW."exited", NEW."image", NEW."interest", NEW."investment_category", NEW."investment_type", NEW."listing_reference", NEW."management_fee", NEW."max_buy", NEW."max_sell", NEW."max_trade_buy", NEW."max_trade_sell", NEW."min_buy", NEW."min_sell", NEW."min_trade_buy", NEW."min_trade_sell", NEW."name", NEW."payout_frequency", COALESCE(NULLIF(CURRENT_SETTING(\'pghistory.context_metadata\', TRUE), \'\'), NULL)::JSONB, COALESCE(NULLIF(CURRENT_SETTING(\'pghistory.context_id\', TRUE), \'\'), NULL)::UUID, NOW(), \'insert\', NEW."id", NEW."post_raise_valuation", NEW."secondaries", NEW."sell_fee", NEW."tenor", NEW."type", NEW."valuation"); RETURN NULL;', hash='be6f1fc0fd182752af4bff1f77043f36d53ac3d4', operation='INSERT', pgid='pgtrigger_insert_insert_33f23', table='exchange_token', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='token',
            trigger=pgtrigger.compiler.Trigger(name='update_update', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD."buy_fee" IS DISTINCT FROM (NEW."buy_fee") OR OLD."cancelled" IS DISTINCT FROM (NEW."cancelled") OR OLD."carry" IS DISTINCT FROM (NEW."carry") OR OLD."closed" IS DISTINCT FROM (NEW."closed") OR OLD."completed_raise" IS DISTINCT FROM (NEW."completed_raise") OR OLD."deal_access" IS DISTINCT FROM (NEW."deal_access") OR OLD."discount" IS DISTINCT FROM (NEW."discount") OR OLD."dividend" IS DISTINCT FROM (NEW."dividend") OR OLD."esop_token" IS DISTINCT FROM (NEW."esop_token") OR OLD."exited" IS DISTINCT FROM (NEW."exited") OR OLD."image" IS DISTINCT FROM (NEW."image") OR OLD."interest" IS DISTINCT FROM (NEW."interest") OR OLD."investment_category" IS DISTINCT FROM (NEW."investment_category") OR OLD."investment_type" IS DISTINCT FROM (NEW."investment_type") OR OLD."listing_reference" IS DISTINCT FROM (NEW."listing_reference") OR OLD."management_fee" IS DISTINCT FROM (NEW."management_fee") OR OLD."max_buy" IS DISTINCT FROM (NEW."max_buy") OR OLD."max_sell" IS DISTINCT FROM (NEW."max_sell") OR OLD."max_trade_buy" IS DISTINCT FROM (NEW."max_trade_buy") OR OLD."max_trade_sell" IS DISTINCT FROM (NEW."max_trade_sell") OR OLD."min_buy" IS DISTINCT FROM (NEW."min_buy") OR OLD."min_sell" IS DISTINCT FROM (NEW."min_sell") OR OLD."min_trade_buy" IS DISTINCT FROM (NEW."min_trade_buy") OR OLD."min_trade_sell" IS DISTINCT FROM (NEW."min_trade_sell") OR OLD."name" IS DISTINCT FROM (NEW."name") OR OLD."payout_frequency" IS DISTINCT FROM (NEW."payout_frequency") OR OLD."post_raise_valuation" IS DISTINCT FROM (NEW."post_raise_valuation") OR OLD."secondaries" IS DISTINCT FROM (NEW."secondaries") OR OLD."sell_fee" IS DISTINCT FROM (NEW."sell_fee") OR OLD."tenor" IS DISTINCT FROM (NEW."tenor") OR OLD."type" IS DISTINCT FROM (NEW."type") OR OLD."valuation" IS DISTINCT FROM (NEW."valuation"))', func='INSERT INTO "exchange_tokenchange" ("buy_fee", "cancelled", "carry", "closed", "completed_raise", "deal_access", "discount", "dividend", "esop_token", "exited", "image", "interest", "investment_category", "investment_type", "listing_reference", "management_fee", "max_buy", "max_sell", "max_trade_buy", "max_trade_sell", "min_buy", "min_sell", "min_trade_buy", "min_trade_sell", "name", "payout_frequency", "pgh_context", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "post_raise_valuation", "secondaries", "sell_fee", "tenor", "type", "valuation") VALUES (NEW."buy_fee", NEW."cancelled", NEW."carry", NEW."closed", NEW."completed_raise", NEW."deal_access", NEW."discount", NEW."dividend", NEW."esop_token", NEW."exited", NEW."image", NEW."interest", NEW."investment_category", NEW."investment_type", NEW."listing_reference", NEW."management_fee", NEW."max_buy", NEW."max_sell", NEW."max_trade_buy", NEW."max_trade_sell", NEW."min_buy", NEW."min_sell", NEW."min_trade_buy", NEW."min_trade_sell", NEW."name", NEW."payout_frequency", COALESCE(NULLIF(CURRENT_SETTING(\'pghistory.context_metadata\', TRUE), \'\'), NULL)::JSONB, COALESCE(NULLIF(CURRENT_SETTING(\'pghistory.context_id\', TRUE), \'\'), NULL)::UUID, NOW(), \'update\', NEW."id", NEW."post_raise_valuation", NEW."secondaries", NEW."sell_fee", NEW."tenor", NEW."type", NEW."valuation"); RETURN NULL;', hash='a5414f7c6e50558cbb7aa552d6d0c6f2bfbfde1d', operation='UPDATE', pgid='pgtrigger_update_update_b5ae8', table='exchange_token', when='AFTER')),
        ),
        migrations.AddField(
            model_name='tokenchange',
            name='pgh_obj',
            field=models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='changes', related_query_name='changes', to='exchange.token'),
        ),
        *sqlfiles.install('exchange', 'token_changes'),
    ]
