"""Who takes part and what is traded: participants, access, events, tokens, audit, exports.

Tables as they are, and what is beyond models: keys, storage, sequences, the rows that are there from
the beginning. It stands for the migrations of databases that were made before it.
"""

import django.contrib.auth.models
import django.contrib.auth.validators
import django.contrib.postgres.fields
import django.contrib.postgres.functions
import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
import oauth2_provider.generators
import oauth2_provider.models
from django.conf import settings
from django.db import migrations, models

import exchange.core.models
import exchange.core.fields
import exchange.core.ids

# Code, name, decimals (ISO 4217), country of its bank list, order in which messages name it. Six of
# the seven can be paid out.
CURRENCIES = [
    ("NGN", "Nigerian naira", 2, "NG", 1),
    ("KES", "Kenyan shilling", 2, "KE", 2),
    ("GHS", "Ghanaian cedi", 2, "GH", 3),
    ("ZAR", "South African rand", 2, "ZA", 4),
    ("UGX", "Ugandan shilling", 0, "UG", 5),
    ("TZS", "Tanzanian shilling", 2, "TZ", 6),
    ("USD", "United States dollar", 2, "", 7),
]


def seed(apps, schema_editor):
    alias = schema_editor.connection.alias
    currency = apps.get_model("exchange", "Currency")
    currency.objects.using(alias).bulk_create(
        currency(code=code, name=name, decimals=decimals, country=country, position=position)
        for code, name, decimals, country, position in CURRENCIES
    )
    apps.get_model("exchange", "Catalogue").objects.using(alias).create(id=1, version=1)


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ('exchange', '0001_initial'),
        ('exchange', '0002_functions'),
        ('exchange', '0003_currencies'),
        ('exchange', '0004_event_body'),
        ('exchange', '0005_tokens'),
        ('exchange', '0006_token_changes'),
        ('exchange', '0007_catalogue'),
        ('exchange', '0008_words_in_lists'),
        ('exchange', '0009_staff_access'),
        ('exchange', '0010_audit'),
        ('exchange', '0011_token_terms'),
        ('exchange', '0012_events_not_told'),
        ('exchange', '0013_exports'),
        ('exchange', '0014_no_history_library'),
        ('exchange', '0015_sign_in_tries'),
        ('exchange', '0016_cheaper_trades'),
        ('exchange', '0017_keys_of_sets'),
        ('exchange', '0018_what_a_trade_pays_for'),
        ('exchange', '0019_one_function_for_events'),
        ('exchange', '0020_prices_and_superusers'),
        ('exchange', '0021_two_person_approval'),
        ('exchange', '0022_power_over_money'),
        ('exchange', '0023_sell_not_above_buy'),
        ('exchange', '0024_staff_public_id'),
        ('exchange', '0025_rotated_to'),
    ]

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='Organisation',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=200)),
                ('email', models.EmailField(blank=True, max_length=254)),
                ('active', models.BooleanField(default=True, help_text='Inactive: every key of the organisation stops working at once')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
            ],
            options={
                'ordering': ['name', 'id'],
            },
        ),
        migrations.CreateModel(
            name='Member',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=200)),
                ('email', models.EmailField(max_length=254)),
                ('external_id', models.CharField(blank=True, help_text="The organisation's own id of the person", max_length=100)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('document', models.TextField(default='', editable=False)),
                ('organisation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='members', to='exchange.organisation')),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'indexes': [models.Index(fields=['organisation', '-created_at', '-id'], name='member_listed')],
                'constraints': [models.UniqueConstraint(fields=('id', 'organisation'), name='member_organisation'), models.UniqueConstraint(models.F('organisation'), django.db.models.functions.text.Lower('email'), name='member_email_once_per_organisation'), models.UniqueConstraint(condition=models.Q(('external_id', ''), _negated=True), fields=('organisation', 'external_id'), name='member_external_id_once_per_organisation')],
            },
        ),
        migrations.CreateModel(
            name='Change',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('at', models.DateTimeField()),
                ('actor', models.CharField(help_text='staff:<id>, api_key:<id>, system:<job>, visitor:web, or database:<user> where nobody said', max_length=120)),
                ('actor_label', models.CharField(blank=True, help_text='Their name at the time', max_length=200)),
                ('via', models.CharField(blank=True, help_text='request:<id>, task:<name>:<id> or command:<name>', max_length=200)),
                ('database_user', models.CharField(max_length=140)),
                ('application', models.CharField(blank=True, max_length=64)),
                ('table', models.CharField(db_column='table_name', max_length=63)),
                ('record_id', models.CharField(max_length=64)),
                ('about_id', models.CharField(blank=True, help_text='A record in whose history it shows as well', max_length=64)),
                ('operation', models.CharField(choices=[('INSERT', 'Created'), ('UPDATE', 'Changed'), ('DELETE', 'Removed'), ('TRUNCATE', 'Table emptied')], max_length=8)),
                ('before', models.JSONField(decoder=exchange.core.models.ExactDecoder, null=True)),
                ('after', models.JSONField(decoder=exchange.core.models.ExactDecoder, null=True)),
            ],
            options={
                'ordering': ['-id'],
                'default_permissions': ('view',),
                'indexes': [models.Index(fields=['record_id', '-id'], name='change_of_record'), models.Index(fields=['about_id', '-id'], name='change_about_record'), models.Index(fields=['actor', '-id'], name='change_by_actor'), models.Index(fields=['table', '-id'], name='change_of_table'), models.Index(fields=['operation', '-id'], name='change_by_operation'), models.Index(fields=['via'], name='change_via')],
            },
        ),
        migrations.CreateModel(
            name='Currency',
            fields=[
                ('code', models.CharField(max_length=3, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=60)),
                ('decimals', models.PositiveSmallIntegerField(help_text='ISO 4217 number of decimals')),
                ('country', models.CharField(blank=True, help_text='ISO 3166 country whose banks are paid in it; empty where payouts are not made', max_length=2)),
                ('position', models.PositiveSmallIntegerField(help_text='Order in which messages name it')),
            ],
            options={
                'verbose_name_plural': 'currencies',
                'ordering': ['position'],
            },
        ),
        migrations.CreateModel(
            name='WebhookEndpoint',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('url', models.URLField(max_length=2000)),
                ('secret', exchange.core.fields.EncryptedTextField(help_text='whsec_ and base64 of 24 to 64 random bytes')),
                ('previous_secret', exchange.core.fields.EncryptedTextField(blank=True, default='')),
                ('previous_secret_until', models.DateTimeField(blank=True, null=True)),
                ('enabled', models.BooleanField(default=True)),
                ('disabled_reason', models.CharField(blank=True, max_length=200)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('organisation', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='webhook_endpoint', to='exchange.organisation')),
            ],
        ),
        migrations.CreateModel(
            name='Event',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('type', models.CharField(max_length=60)),
                ('subject_id', models.UUIDField(help_text='Id of the record the event is about')),
                ('body', models.TextField(help_text='Exactly what is signed and posted')),
                ('status', models.CharField(choices=[('Pending', 'Pending'), ('Delivered', 'Delivered'), ('Exhausted', 'Exhausted'), ('Unsent', 'Unsent')], db_default='Pending', max_length=10)),
                ('attempts', models.SmallIntegerField(db_default=0)),
                ('next_attempt_at', models.DateTimeField(blank=True, null=True)),
                ('leased_until', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField()),
                ('delivered_at', models.DateTimeField(blank=True, null=True)),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='events', to='exchange.organisation')),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'indexes': [models.Index(condition=models.Q(('status', 'Pending')), fields=['organisation', 'next_attempt_at'], name='event_due'), models.Index(fields=['organisation', '-created_at', '-id'], name='event_listed'), models.Index(fields=['subject_id'], name='event_subject'), models.Index(condition=models.Q(('status__in', ['Exhausted', 'Unsent'])), fields=['status', '-id'], name='event_not_told')],
            },
        ),
        migrations.CreateModel(
            name='DeliveryAttempt',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('number', models.PositiveSmallIntegerField()),
                ('url', models.URLField(max_length=2000)),
                ('attempted_at', models.DateTimeField()),
                ('milliseconds', models.PositiveIntegerField()),
                ('status_code', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('error', models.CharField(blank=True, max_length=300)),
                ('answer', models.CharField(blank=True, max_length=1024)),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='delivery_attempts', to='exchange.event')),
            ],
            options={
                'ordering': ['event', 'attempted_at', 'id'],
            },
        ),
        migrations.CreateModel(
            name='IdempotencyRecord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('method', models.CharField(max_length=10)),
                ('path', models.TextField()),
                ('key', models.CharField(max_length=255)),
                ('body_hash', models.CharField(help_text='SHA-256 of the canonical body, hex', max_length=64)),
                ('status_code', models.PositiveSmallIntegerField(null=True)),
                ('message', models.TextField(default='')),
                ('data', models.TextField(default='', help_text="JSON text of the answer's `data`")),
                ('created_at', models.DateTimeField()),
                ('organisation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to='exchange.organisation')),
            ],
            options={
                'indexes': [models.Index(fields=['created_at'], name='idempotency_age')],
                'constraints': [models.UniqueConstraint(fields=('organisation', 'method', 'path', 'key'), name='idempotency_key_once')],
            },
        ),
        migrations.CreateModel(
            name='Token',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=200)),
                ('symbol', models.CharField(max_length=20, unique=True)),
                ('reference', models.BigIntegerField(help_text='A running number', unique=True)),
                ('image', models.CharField(blank=True, help_text='URL, or a path of this service', max_length=500)),
                ('listing_reference', models.CharField(blank=True, help_text='The listing request it came from: `request`', max_length=60)),
                ('type', models.CharField(choices=[('Private', 'Private'), ('Public', 'Public')], default='Public', max_length=10)),
                ('deal_access', models.CharField(choices=[('Private', 'Private'), ('Public', 'Public')], default='Public', max_length=10)),
                ('investment_type', models.CharField(choices=[('the service', 'Equity (the service)'), ('SAFE', 'SAFE'), ('Debt', 'Debt'), ('Fixed Interest', 'Fixed Interest')], max_length=20)),
                ('investment_category', models.CharField(choices=[('ETF', 'ETF'), ('Bond', 'Bond'), ('Commercial Paper', 'Commercial Paper'), ('Debt Note', 'Debt Note'), ('Real Estate', 'Real Estate'), ('Private Business', 'Private Business'), ('Startup', 'Startup'), ('Commodities', 'Commodities'), ('Fund', 'Fund'), ('Art', 'Art'), ('Music', 'Music'), ('Movie', 'Movie'), ('Charity', 'Charity')], max_length=20)),
                ('payout_frequency', models.CharField(blank=True, choices=[('', 'None'), ('Monthly', 'Monthly'), ('Quarterly', 'Quarterly'), ('Semi-Annually', 'Semi-Annually'), ('Annually', 'Annually'), ('At Maturity', 'At Maturity')], default='', max_length=20)),
                ('price_buy', models.DecimalField(decimal_places=8, default=0, help_text='What a buyer pays for a unit; in a primary raise, the offer', max_digits=38)),
                ('price_sell', models.DecimalField(decimal_places=8, default=0, help_text='What a seller gets for a unit; lending values collateral by it', max_digits=38)),
                ('price_exchange', models.DecimalField(decimal_places=8, default=0, help_text='Units of the currency for one USD', max_digits=38)),
                ('prev_price_buy', models.DecimalField(decimal_places=8, default=0, max_digits=38)),
                ('prev_price_sell', models.DecimalField(decimal_places=8, default=0, max_digits=38)),
                ('prev_price_exchange', models.DecimalField(decimal_places=8, default=0, max_digits=38)),
                ('quoted_at', models.DateTimeField(blank=True, help_text='When the quotes were last approved', null=True)),
                ('min_buy', models.DecimalField(decimal_places=8, default=0, help_text='Lowest price of a buy order; 0: none', max_digits=38)),
                ('min_sell', models.DecimalField(decimal_places=8, default=0, help_text='Lowest price of a sell order; 0: none', max_digits=38)),
                ('max_buy', models.DecimalField(decimal_places=8, default=0, help_text='Highest price of a buy order; 0: none', max_digits=38)),
                ('max_sell', models.DecimalField(decimal_places=8, default=0, help_text='Highest price of a sell order; 0: none', max_digits=38)),
                ('min_trade_buy', models.DecimalField(decimal_places=8, default=0, help_text='Smallest value of a buy order; 0: none', max_digits=38)),
                ('min_trade_sell', models.DecimalField(decimal_places=8, default=0, help_text='Smallest value of a sell order; 0: none', max_digits=38)),
                ('max_trade_buy', models.DecimalField(decimal_places=8, default=0, help_text='Largest value of a buy order; 0: none', max_digits=38)),
                ('max_trade_sell', models.DecimalField(decimal_places=8, default=0, help_text='Largest value of a sell order; 0: none', max_digits=38)),
                ('vol_buy', models.DecimalField(decimal_places=8, default=0, help_text='Units bought so far', max_digits=38)),
                ('vol_sell', models.DecimalField(decimal_places=8, default=0, help_text='Units sold so far by holders', max_digits=38)),
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
                ('total_supply', models.DecimalField(decimal_places=8, default=0, help_text='All units there are', max_digits=38)),
                ('supply', models.DecimalField(decimal_places=8, default=0, help_text='Units that investors hold', max_digits=38)),
                ('total_allocated', models.DecimalField(decimal_places=8, default=0, help_text='Units allocated to investors by the raise', max_digits=38)),
                ('raise_amount', models.DecimalField(decimal_places=8, default=0, help_text='What the raise is to bring; 0: there is none', max_digits=38)),
                ('total_raised', models.DecimalField(decimal_places=8, default=0, help_text='What the raise has brought so far', max_digits=38)),
                ('completed_raise', models.BooleanField(default=False)),
                ('secondaries', models.BooleanField(default=False, help_text='Holders may trade it; opened by staff once the raise is complete')),
                ('closed', models.BooleanField(default=False, help_text='No new orders')),
                ('exited', models.BooleanField(default=False)),
                ('cancelled', models.BooleanField(default=False)),
                ('esop_token', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField()),
                ('updated_at', models.DateTimeField()),
                ('document', models.TextField(default='', editable=False)),
                ('words', django.contrib.postgres.search.SearchVectorField(editable=False, null=True)),
                ('issuer', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='issued_tokens', to='exchange.organisation')),
                ('creator', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.member')),
                ('currency', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'permissions': [('propose_quote', 'Can propose quotes'), ('decide_quote', 'Can approve and reject quotes'), ('end_token', 'Can close, exit and cancel tokens and their raises')],
                'indexes': [models.Index(fields=['-created_at', '-id'], include=('deal_access', 'issuer', 'closed', 'exited', 'cancelled', 'completed_raise', 'secondaries', 'type', 'investment_type', 'investment_category', 'currency', 'words'), name='token_listed_newest'), models.Index(fields=['name', 'id'], include=('deal_access', 'issuer', 'closed', 'exited', 'cancelled', 'completed_raise', 'secondaries', 'type', 'investment_type', 'investment_category', 'currency', 'words'), name='token_listed_by_name'), django.contrib.postgres.indexes.GinIndex(fastupdate=False, fields=['words'], name='token_words'), models.Index(django.contrib.postgres.indexes.OpClass(django.db.models.functions.text.Upper('symbol'), name='text_pattern_ops'), name='token_symbol_start'), models.Index(fields=['issuer'], name='token_issuer'), models.Index(condition=models.Q(('deal_access', 'Private')), fields=['issuer'], name='token_private_deals')],
            },
        ),
        migrations.CreateModel(
            name='Catalogue',
            fields=[
                ('id', models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                ('version', models.BigIntegerField(default=1)),
            ],
        ),
        migrations.CreateModel(
            name='StaffUser',
            fields=[
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('username', models.CharField(error_messages={'unique': 'A user with that username already exists.'}, help_text='Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.', max_length=150, unique=True, validators=[django.contrib.auth.validators.UnicodeUsernameValidator()], verbose_name='username')),
                ('first_name', models.CharField(blank=True, max_length=150, verbose_name='first name')),
                ('last_name', models.CharField(blank=True, max_length=150, verbose_name='last name')),
                ('email', models.EmailField(blank=True, max_length=254, verbose_name='email address')),
                ('is_staff', models.BooleanField(default=False, help_text='Designates whether the user can log into this admin site.', verbose_name='staff status')),
                ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('session_epoch', models.PositiveIntegerField(default=0, editable=False)),
                ('public_id', models.UUIDField(db_default=django.contrib.postgres.functions.RandomUUID(), editable=False, unique=True)),
                ('access_changed_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'verbose_name': 'staff user',
                'ordering': ['username'],
            },
            managers=[
                ('objects', django.contrib.auth.models.UserManager()),
            ],
        ),
        migrations.CreateModel(
            name='ApiKey',
            fields=[
                ('client_id', models.CharField(db_index=True, default=oauth2_provider.generators.generate_client_id, max_length=255, unique=True, verbose_name='client ID')),
                ('redirect_uris', models.TextField(blank=True, help_text='Allowed URIs list, space separated', verbose_name='redirect URIs')),
                ('post_logout_redirect_uris', models.TextField(blank=True, default='', help_text='Allowed Post Logout URIs list, space separated', verbose_name='post logout redirect URIs')),
                ('client_type', models.CharField(choices=[('confidential', 'Confidential'), ('public', 'Public')], max_length=32, verbose_name='client type')),
                ('authorization_grant_type', models.CharField(choices=[('authorization-code', 'Authorization code'), ('urn:ietf:params:oauth:grant-type:device_code', 'Device Code'), ('implicit', 'Implicit'), ('password', 'Resource owner password-based'), ('client-credentials', 'Client credentials'), ('openid-hybrid', 'OpenID connect hybrid')], max_length=44, verbose_name='authorization grant type')),
                ('client_secret', oauth2_provider.models.ClientSecretField(blank=True, db_index=True, default=oauth2_provider.generators.generate_client_secret, help_text='Client secret for authentication', max_length=255, verbose_name='client secret')),
                ('hash_client_secret', models.BooleanField(default=True, verbose_name='hash client secret')),
                ('name', models.CharField(blank=True, max_length=255, verbose_name='name')),
                ('skip_authorization', models.BooleanField(default=False, verbose_name='skip authorization')),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='created')),
                ('updated', models.DateTimeField(auto_now=True, verbose_name='updated')),
                ('algorithm', models.CharField(blank=True, choices=[('', 'No OIDC support'), ('RS256', 'RSA with SHA-2 256'), ('HS256', 'HMAC with SHA-2 256')], default='', max_length=5, verbose_name='algorithm')),
                ('allowed_origins', models.TextField(blank=True, default='', help_text='Allowed origins list to enable CORS, space separated', verbose_name='allowed origins')),
                ('registration_source', models.CharField(choices=[('manual', 'Manual'), ('dcr', 'Dynamic Client Registration'), ('cimd', 'Client ID Metadata Document')], default='manual', help_text='How this application was registered (manual, DCR per RFC 7591, or CIMD)', max_length=32, verbose_name='registration source')),
                ('cimd_expires_at', models.DateTimeField(blank=True, default=None, help_text='When the cached Client ID Metadata Document should be re-fetched', null=True, verbose_name='CIMD expires at')),
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=40), default=list, size=None)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('last_used_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='%(app_label)s_%(class)s', to=settings.AUTH_USER_MODEL, verbose_name='user')),
                ('organisation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='api_keys', to='exchange.organisation')),
                ('rotated_to', models.OneToOneField(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='rotated_from', to=settings.OAUTH2_PROVIDER_APPLICATION_MODEL)),
            ],
            options={
                'verbose_name': 'API key',
                'ordering': ['-created', '-id'],
                'abstract': False,
                'swappable': 'OAUTH2_PROVIDER_APPLICATION_MODEL',
                'constraints': [models.UniqueConstraint(fields=('id', 'organisation'), name='api_key_organisation')],
            },
        ),
        migrations.CreateModel(
            name='AccessProposal',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField()),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('reason', models.CharField(blank=True, help_text='Why it was rejected', max_length=300)),
                ('kind', models.CharField(choices=[('invite_person', 'Invite a person'), ('reset_password', 'Reset a password'), ('reset_second_factor', 'Reset a second factor'), ('change_role', 'Change a role'), ('activate_person', 'Activate a person'), ('issue_key', 'Issue an API key'), ('rotate_key', 'Rotate an API key'), ('issue_token', 'Issue an access token'), ('activate_organisation', 'Activate an organisation')], max_length=30)),
                ('payload', models.JSONField(default=dict)),
                ('note', models.CharField(blank=True, max_length=300)),
                ('status', models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected'), ('Withdrawn', 'Withdrawn')], default='Pending', max_length=10)),
                ('break_glass', models.BooleanField(default=False)),
                ('collected_at', models.DateTimeField(blank=True, null=True)),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('person', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('organisation', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.organisation')),
                ('key', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.OAUTH2_PROVIDER_APPLICATION_MODEL)),
                ('proposed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'permissions': [('decide_accessproposal', 'Can confirm and reject access proposals'), ('restore_administrator', 'Can propose to restore the access of administrators')],
                'abstract': False,
                'default_permissions': ('view',),
                'indexes': [models.Index(condition=models.Q(('status', 'Pending')), fields=['created_at'], name='access_proposal_pending')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('status', 'Approved'), _negated=True), ('break_glass', True), models.Q(('decided_by__isnull', False), ('proposed_by__isnull', False)), _connector='OR'), name='access_proposal_approved_by_two'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'Approved'), _negated=True), ('decided_by__isnull', True), ('person__isnull', True), models.Q(('decided_by', models.F('person')), _negated=True), _connector='OR'), name='access_proposal_not_about_oneself'), models.CheckConstraint(condition=models.Q(('collected_at__isnull', True), ('status', 'Approved'), _connector='OR'), name='access_proposal_collected_once_approved'), models.UniqueConstraint(condition=models.Q(('person__isnull', False), ('status', 'Pending')), fields=('kind', 'person'), name='access_proposal_pending_once')],
            },
        ),
        migrations.CreateModel(
            name='Export',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('source', models.CharField(max_length=60)),
                ('title', models.CharField(max_length=80)),
                ('query', models.TextField(blank=True, help_text="The list's own query string")),
                ('filter_words', models.TextField(blank=True)),
                ('first_day', models.DateField(null=True)),
                ('last_day', models.DateField(null=True)),
                ('form', models.CharField(choices=[('csv', 'CSV'), ('xlsx', 'XLSX')], max_length=4)),
                ('file_name', models.CharField(max_length=150)),
                ('status', models.CharField(choices=[('Waiting', 'Waiting'), ('Running', 'Running'), ('Ready', 'Ready'), ('Handed over', 'Handed Over'), ('Failed', 'Failed'), ('Removed', 'Removed')], default='Waiting', max_length=11)),
                ('direct', models.BooleanField(default=False, help_text='Handed over in the answer itself')),
                ('about_rows', models.PositiveIntegerField(help_text='How many there were when it was asked for')),
                ('rows_done', models.PositiveIntegerField(default=0)),
                ('size_bytes', models.PositiveBigIntegerField(default=0)),
                ('error', models.CharField(blank=True, max_length=300)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('claimed_by', models.CharField(blank=True, max_length=80)),
                ('leased_until', models.DateTimeField(null=True)),
                ('created_at', models.DateTimeField()),
                ('as_of', models.DateTimeField(help_text='The moment the file shows', null=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('requested_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='exports', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'permissions': [('read_every_export', "Can see and download everybody's exports")],
                'indexes': [models.Index(condition=models.Q(('status__in', ['Waiting', 'Running'])), fields=['created_at'], name='export_under_way'), models.Index(condition=models.Q(('status', 'Ready')), fields=['finished_at'], name='export_with_file')],
            },
        ),
        migrations.CreateModel(
            name='ExportChunk',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveIntegerField()),
                ('data', models.BinaryField()),
                ('export', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='chunks', to='exchange.export')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('export', 'position'), name='export_chunk_once')],
            },
        ),
        migrations.CreateModel(
            name='TokenAccess',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('token', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='grants', to='exchange.token')),
                ('organisation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='token_grants', to='exchange.organisation')),
                ('granted_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'access to a token',
                'verbose_name_plural': 'access to tokens',
                'constraints': [models.UniqueConstraint(fields=('organisation', 'token'), name='token_access_once')],
            },
        ),
        migrations.CreateModel(
            name='Quote',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('status', models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected')], default='Pending', max_length=10)),
                ('created_at', models.DateTimeField()),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('reason', models.CharField(blank=True, help_text='Why it was rejected', max_length=300)),
                ('buy', models.DecimalField(decimal_places=8, max_digits=38)),
                ('sell', models.DecimalField(decimal_places=8, max_digits=38)),
                ('exchange', models.DecimalField(decimal_places=8, default=0, max_digits=38)),
                ('note', models.CharField(blank=True, max_length=300)),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('token', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='quotes', to='exchange.token')),
                ('proposed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'abstract': False,
                'constraints': [models.CheckConstraint(condition=models.Q(('buy__gt', 0), ('exchange__gte', 0), ('sell__gt', 0)), name='quote_positive'), models.CheckConstraint(condition=models.Q(('sell__lte', models.F('buy')), ('status', 'Rejected'), _connector='OR'), name='quote_sell_not_above_buy'), models.UniqueConstraint(condition=models.Q(('status', 'Pending')), fields=('token',), name='quote_pending_once')],
            },
        ),
        migrations.CreateModel(
            name='SecondFactor',
            fields=[
                ('secret_encrypted', models.TextField()),
                ('last_step', models.BigIntegerField()),
                ('set_up_at', models.DateTimeField()),
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='second_factor', serialize=False, to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='RecoveryCode',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('code_hash', models.CharField(max_length=64)),
                ('used_at', models.DateTimeField(null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='recovery_codes', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'default_permissions': (),
                'constraints': [models.UniqueConstraint(fields=('user', 'code_hash'), name='recovery_code_once')],
            },
        ),
        migrations.CreateModel(
            name='SignInTries',
            fields=[
                ('key', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('tries', models.PositiveIntegerField()),
                ('ends_at', models.DateTimeField()),
                ('locked_until', models.DateTimeField(null=True)),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='AccessRecord',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('at', models.DateTimeField()),
                ('event', models.CharField(choices=[('signed_in', 'Signed in'), ('signed_out', 'Signed out'), ('refused', 'Refused'), ('locked_out', 'Locked out'), ('unlocked', 'Unlocked'), ('confirmed', 'Entered a code again'), ('second_factor_set_up', 'Set up a second factor'), ('second_factor_reset', 'Second factor reset'), ('recovery_code_used', 'Used a recovery code'), ('recovery_codes_renewed', 'Made new recovery codes'), ('password_changed', 'Password changed'), ('invited', 'Invited'), ('role_changed', 'Role changed'), ('details_changed', 'Details changed'), ('deactivated', 'Deactivated'), ('activated', 'Activated'), ('break_glass', 'Break-glass access')], max_length=30)),
                ('address', models.CharField(blank=True, max_length=60)),
                ('details', models.CharField(blank=True, max_length=300)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='access_records', to=settings.AUTH_USER_MODEL)),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-id'],
                'default_permissions': ('view',),
                'indexes': [models.Index(fields=['user', '-id'], name='access_record_user')],
            },
        ),
        migrations.RunSQL(
            [
                "CREATE SEQUENCE exchange_token_reference",
                # Volumes change with every trade; room on the page keeps those updates out of the
                # indexes.
                "ALTER TABLE exchange_token SET (fillfactor = 85)",
            ],
            reverse_sql=[
                "DROP SEQUENCE exchange_token_reference",
                "ALTER TABLE exchange_token RESET (fillfactor)",
            ],
        ),
        migrations.RunPython(seed, migrations.RunPython.noop),
    ]
