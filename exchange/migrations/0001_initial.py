"""Who takes part and what is traded: participants, access, events, tokens, audit, exports.

The tables, and what is beyond models: partitions, functions of indexes, storage, sequences, and the
rows that are there from the beginning.
"""

import django.contrib.auth.models
import django.contrib.auth.validators
import django.contrib.postgres.fields
import django.contrib.postgres.functions
import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
import oauth2_provider.generators
import oauth2_provider.models
from django.conf import settings
from django.db import migrations, models

from exchange.core.migration_operations import CreateTables
import exchange.core.fields
import exchange.core.ids
import exchange.core.models
import exchange.core.words

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

# How names are compared in searches. Compatible forms of a letter are one, and its marks are removed.
_FOLDED = (
    r"regexp_replace(normalize({text}, NFKD), '[\u0300-\u036f\u0483-\u0487\u064b-\u065f\u0670"
    r"\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+', '', 'g')"
)
# The acute accent alone is one: it would become a space with a mark.
_APOSTROPHES = r"[''`\u00b4\u2018\u2019\u201b\u02bb-\u02bf\ua78c\u2032]"
_WITHOUT = _FOLDED.format(text=f"regexp_replace(p_text, '{_APOSTROPHES}', '', 'g')")
_SPLIT = _FOLDED.format(text=f"regexp_replace(p_text, '{_APOSTROPHES}', ' ', 'g')")

# Most names are plain ASCII and need no work. Names of functions are bound when these are made: no
# search path. An index must use each of them itself: the installation of the SQL keeps only those.
FOLD_TEXT = f"""
CREATE FUNCTION fold_text(p_text text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN p_text ~ '[^ -&(-_a-~]' THEN {_WITHOUT} ELSE p_text END
"""
# What a text with apostrophes is also found by: "Ivoire" finds "Côte d'Ivoire".
APOSTROPHE_PARTS = f"""
CREATE FUNCTION apostrophe_parts(p_text text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN p_text ~ '{_APOSTROPHES}' THEN ' ' || {_SPLIT} ELSE '' END
"""

# Tables that grow with time are partitioned by month (decision 35), which Django cannot declare.
CHANGE = """
CREATE TABLE exchange_change (
    id uuid NOT NULL PRIMARY KEY,
    at timestamptz NOT NULL,
    actor varchar(120) NOT NULL,
    actor_label varchar(200) NOT NULL,
    via varchar(200) NOT NULL,
    database_user varchar(140) NOT NULL,
    application varchar(64) NOT NULL,
    table_name varchar(63) NOT NULL,
    record_id varchar(64) NOT NULL,
    about_id varchar(64) NOT NULL,
    operation varchar(8) NOT NULL,
    before jsonb,
    after jsonb
) PARTITION BY RANGE (id);
CREATE INDEX change_of_record ON exchange_change (record_id, id DESC);
CREATE INDEX change_about_record ON exchange_change (about_id, id DESC);
CREATE INDEX change_by_actor ON exchange_change (actor, id DESC);
CREATE INDEX change_of_table ON exchange_change (table_name, id DESC);
CREATE INDEX change_by_operation ON exchange_change (operation, id DESC);
CREATE INDEX change_via ON exchange_change (via)
"""
EVENT = """
CREATE TABLE exchange_event (
    id uuid NOT NULL PRIMARY KEY,
    organisation_id uuid NOT NULL,
    type varchar(60) NOT NULL,
    subject_id uuid NOT NULL,
    body text NOT NULL,
    status varchar(10) NOT NULL DEFAULT 'Pending',
    attempts smallint NOT NULL DEFAULT 0,
    next_attempt_at timestamptz,
    leased_until timestamptz,
    created_at timestamptz NOT NULL,
    delivered_at timestamptz
) PARTITION BY RANGE (id);
CREATE INDEX event_due ON exchange_event (organisation_id, next_attempt_at) WHERE status = 'Pending';
CREATE INDEX event_listed ON exchange_event (organisation_id, created_at DESC, id DESC);
CREATE INDEX event_subject ON exchange_event (subject_id);
CREATE INDEX event_undelivered ON exchange_event (status, id DESC)
    WHERE status IN ('Exhausted', 'Unsent')
"""
DELIVERY_ATTEMPT = """
CREATE TABLE exchange_deliveryattempt (
    id uuid NOT NULL PRIMARY KEY,
    event_id uuid NOT NULL,
    number smallint NOT NULL CHECK (number >= 0),
    url varchar(2000) NOT NULL,
    attempted_at timestamptz NOT NULL,
    milliseconds integer NOT NULL CHECK (milliseconds >= 0),
    status_code smallint CHECK (status_code >= 0),
    error varchar(300) NOT NULL,
    answer varchar(1024) NOT NULL
) PARTITION BY RANGE (id);
CREATE INDEX exchange_deliveryattempt_event_id_47aaad0f ON exchange_deliveryattempt (event_id)
"""
# A sequence, since partitions cannot have an identity before PostgreSQL 17.
IDEMPOTENCY_RECORD = """
CREATE SEQUENCE exchange_idempotencyrecord_id_seq;
CREATE TABLE exchange_idempotencyrecord (
    id bigint NOT NULL DEFAULT nextval('exchange_idempotencyrecord_id_seq'),
    organisation_id uuid NOT NULL
        CONSTRAINT exchange_idempotency_organisation_id_72445e89_fk_exchange_
        REFERENCES exchange_organisation (id) DEFERRABLE INITIALLY DEFERRED,
    method varchar(10) NOT NULL,
    path text NOT NULL,
    key varchar(255) NOT NULL,
    month date NOT NULL,
    body_hash varchar(64) NOT NULL,
    status_code smallint CHECK (status_code >= 0),
    message text NOT NULL,
    data text NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (id, month),
    CONSTRAINT idempotency_key_once UNIQUE (organisation_id, method, path, key, month)
) PARTITION BY RANGE (month);
ALTER SEQUENCE exchange_idempotencyrecord_id_seq OWNED BY exchange_idempotencyrecord.id;
CREATE INDEX exchange_idempotencyrecord_organisation_id_72445e89
    ON exchange_idempotencyrecord (organisation_id);
CREATE INDEX idempotency_age ON exchange_idempotencyrecord (created_at)
"""
# The first partition ends with this month, the other takes everything later: `migrate` splits the
# coming months off it. The smallest UUIDv7 of a moment begins with its milliseconds.
FIRST_PARTITIONS = """
DO $$
DECLARE
    v_end date := date_trunc('month', now() AT TIME ZONE 'UTC') + interval '1 month';
    v_id text := rpad(lpad(to_hex((v_end - date '1970-01-01') * 86400000::bigint), 12, '0'), 32, '0');
    v_table text;
    v_bound text;
BEGIN
    -- An administrator may have created it, where the owner of the tables must not.
    IF to_regnamespace('partitions') IS NULL THEN
        CREATE SCHEMA partitions;
    END IF;
    FOR v_table, v_bound IN VALUES
        ('exchange_event', v_id), ('exchange_deliveryattempt', v_id), ('exchange_change', v_id),
        ('exchange_idempotencyrecord', v_end::text)
    LOOP
        EXECUTE format('CREATE TABLE partitions.%I PARTITION OF public.%1$I
                        FOR VALUES FROM (MINVALUE) TO (%L)', v_table, v_bound);
        EXECUTE format('CREATE TABLE partitions.%I PARTITION OF public.%I
                        FOR VALUES FROM (%L) TO (MAXVALUE)', v_table || '_later', v_table, v_bound);
    END LOOP;
END $$
"""
# Empty after a crash, as positions of another history would be wrong, and without write-ahead log of
# its own.
WRITE_POSITION = """
CREATE UNLOGGED TABLE exchange_writeposition
    (writer uuid NOT NULL PRIMARY KEY, position bigint NOT NULL)
"""


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

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        # Indexes of names use them.
        migrations.RunSQL([(FOLD_TEXT, None)], "DROP FUNCTION fold_text(text)"),
        migrations.RunSQL([(APOSTROPHE_PARTS, None)], "DROP FUNCTION apostrophe_parts(text)"),
        CreateTables([
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
                name='ScheduledRun',
                fields=[
                    ('task', models.CharField(max_length=100, primary_key=True, serialize=False)),
                    ('published_at', models.DateTimeField()),
                ],
            ),
            migrations.RunSQL(
                [(WRITE_POSITION, None)],
                "DROP TABLE exchange_writeposition",
                state_operations=[
                    migrations.CreateModel(
                        name='WritePosition',
                        fields=[
                            ('writer', models.UUIDField(primary_key=True, serialize=False)),
                            ('position', models.BigIntegerField()),
                        ],
                    ),
                ],
            ),
            migrations.RunSQL(
                [(CHANGE, None)],
                "DROP TABLE exchange_change",
                state_operations=[
                    migrations.CreateModel(
                        name='Change',
                        fields=[
                            ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                            ('at', models.DateTimeField()),
                            ('actor', models.CharField(help_text='staff:<id>, api_key:<id>, system:<job>, visitor:web, or database:<user> if no actor is set', max_length=120)),
                            ('actor_label', models.CharField(blank=True, help_text='Name of the actor at the time', max_length=200)),
                            ('via', models.CharField(blank=True, help_text='request:<id>, task:<name>:<id> or command:<name>', max_length=200)),
                            ('database_user', models.CharField(max_length=140)),
                            ('application', models.CharField(blank=True, max_length=64)),
                            ('table', models.CharField(db_column='table_name', max_length=63)),
                            ('record_id', models.CharField(max_length=64)),
                            ('about_id', models.CharField(blank=True, help_text='A record whose history includes this change', max_length=64)),
                            ('operation', models.CharField(choices=[('INSERT', 'Created'), ('UPDATE', 'Changed'), ('DELETE', 'Removed'), ('TRUNCATE', 'Table emptied')], max_length=8)),
                            ('before', models.JSONField(decoder=exchange.core.models.ExactDecoder, null=True)),
                            ('after', models.JSONField(decoder=exchange.core.models.ExactDecoder, null=True)),
                        ],
                        options={
                            'ordering': ['-id'],
                            'default_permissions': ('view',),
                            'indexes': [
                                models.Index(fields=['record_id', '-id'], name='change_of_record'),
                                models.Index(fields=['about_id', '-id'], name='change_about_record'),
                                models.Index(fields=['actor', '-id'], name='change_by_actor'),
                                models.Index(fields=['table', '-id'], name='change_of_table'),
                                models.Index(fields=['operation', '-id'], name='change_by_operation'),
                                models.Index(fields=['via'], name='change_via'),
                            ],
                        },
                    ),
                ],
            ),
            migrations.CreateModel(
                name='Organisation',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('name', models.CharField(max_length=200)),
                    ('email', models.EmailField(blank=True, max_length=254)),
                    ('active', models.BooleanField(default=True, help_text='Inactive: every API key of the organisation stops working immediately')),
                    ('redirect_origins', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=200, validators=[django.core.validators.RegexValidator('https://[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?\\Z', 'Enter addresses such as https://example.com, without a path, one on each line')]), blank=True, db_default=[], default=list, help_text='Where a payer may return after a checkout, such as https://example.com', size=20)),
                    ('verification_required_for_deposits', models.BooleanField(db_default=False, default=False, help_text='Members that are not verified can open no virtual account or checkout')),
                    ('verification_required_for_withdrawals', models.BooleanField(db_default=False, default=False, help_text='Members that are not verified cannot withdraw')),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                ],
                options={
                    'ordering': ['name', 'id'],
                },
            ),
            migrations.RunSQL(
                [(IDEMPOTENCY_RECORD, None)],
                "DROP TABLE exchange_idempotencyrecord",
                state_operations=[
                    migrations.CreateModel(
                        name='IdempotencyRecord',
                        fields=[
                            ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                            ('organisation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to='exchange.organisation')),
                            ('method', models.CharField(max_length=10)),
                            ('path', models.TextField()),
                            ('key', models.CharField(max_length=255)),
                            ('month', models.DateField(default=exchange.core.models.current_month)),
                            ('body_hash', models.CharField(help_text='SHA-256 of the canonical body, hex', max_length=64)),
                            ('status_code', models.PositiveSmallIntegerField(null=True)),
                            ('message', models.TextField(default='')),
                            ('data', models.TextField(default='', help_text="JSON text of the response's `data`")),
                            ('created_at', models.DateTimeField()),
                        ],
                        options={
                            'indexes': [models.Index(fields=['created_at'], name='idempotency_age')],
                            'constraints': [
                                models.UniqueConstraint(fields=('organisation', 'method', 'path', 'key', 'month'), name='idempotency_key_once'),
                            ],
                        },
                    ),
                ],
            ),
            migrations.CreateModel(
                name='Member',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('organisation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='members', to='exchange.organisation')),
                    ('name', models.CharField(max_length=200)),
                    ('email', models.EmailField(max_length=254)),
                    ('external_id', models.CharField(blank=True, help_text="The organisation's own ID for the member", max_length=100)),
                    ('verification', models.CharField(choices=[('unverified', 'Unverified'), ('verified', 'Verified')], db_default='unverified', default='unverified', help_text='Set by the organisation', max_length=10)),
                    ('closed_at', models.DateTimeField(blank=True, editable=False, null=True)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('document', models.TextField(default='', editable=False)),
                ],
                options={
                    'ordering': ['-created_at', '-id'],
                    'indexes': [
                        models.Index(fields=['organisation', '-created_at', '-id'], name='member_listed'),
                        django.contrib.postgres.indexes.GinIndex(exchange.core.words.FoldedWords('name', exchange.core.words.BeforeAt('email')), name='member_folded_words'),
                        models.Index(django.db.models.functions.text.Upper('email'), name='member_email'),
                        models.Index(condition=models.Q(('external_id', ''), _negated=True), fields=['external_id'], name='member_external'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(fields=('id', 'organisation'), name='member_organisation'),
                        models.UniqueConstraint(models.F('organisation'), django.db.models.functions.text.Lower('email'), name='member_email_once_per_organisation'),
                        models.UniqueConstraint(condition=models.Q(('external_id', ''), _negated=True), fields=('organisation', 'external_id'), name='member_external_id_once_per_organisation'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='WebhookEndpoint',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('organisation', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='webhook_endpoint', to='exchange.organisation')),
                    ('url', models.URLField(max_length=2000)),
                    ('secret', exchange.core.fields.EncryptedTextField(help_text='whsec_ and base64 of 24 to 64 random bytes')),
                    ('previous_secret', exchange.core.fields.EncryptedTextField(blank=True, default='')),
                    ('previous_secret_until', models.DateTimeField(blank=True, null=True)),
                    ('enabled', models.BooleanField(default=True)),
                    ('disabled_reason', models.CharField(blank=True, max_length=200)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                ],
            ),
            migrations.RunSQL(
                [(EVENT, None)],
                "DROP TABLE exchange_event",
                state_operations=[
                    migrations.CreateModel(
                        name='Event',
                        fields=[
                            ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                            ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='events', to='exchange.organisation')),
                            ('type', models.CharField(max_length=60)),
                            ('subject_id', models.UUIDField(help_text='ID of the record the event is about')),
                            ('body', models.TextField(help_text='The signed and posted text')),
                            ('status', models.CharField(choices=[('Pending', 'Pending'), ('Delivered', 'Delivered'), ('Exhausted', 'Exhausted'), ('Unsent', 'Unsent')], db_default='Pending', max_length=10)),
                            ('attempts', models.SmallIntegerField(db_default=0)),
                            ('next_attempt_at', models.DateTimeField(blank=True, null=True)),
                            ('leased_until', models.DateTimeField(blank=True, null=True)),
                            ('created_at', models.DateTimeField()),
                            ('delivered_at', models.DateTimeField(blank=True, null=True)),
                        ],
                        options={
                            'ordering': ['-created_at', '-id'],
                            'indexes': [
                                models.Index(condition=models.Q(('status', 'Pending')), fields=['organisation', 'next_attempt_at'], name='event_due'),
                                models.Index(fields=['organisation', '-created_at', '-id'], name='event_listed'),
                                models.Index(fields=['subject_id'], name='event_subject'),
                                models.Index(condition=models.Q(('status__in', ['Exhausted', 'Unsent'])), fields=['status', '-id'], name='event_undelivered'),
                            ],
                        },
                    ),
                ],
            ),
            migrations.RunSQL(
                [(DELIVERY_ATTEMPT, None)],
                "DROP TABLE exchange_deliveryattempt",
                state_operations=[
                    migrations.CreateModel(
                        name='DeliveryAttempt',
                        fields=[
                            ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                            ('event', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, related_name='delivery_attempts', to='exchange.event')),
                            ('number', models.PositiveSmallIntegerField()),
                            ('url', models.URLField(max_length=2000)),
                            ('attempted_at', models.DateTimeField()),
                            ('milliseconds', models.PositiveIntegerField()),
                            ('status_code', models.PositiveSmallIntegerField(blank=True, null=True)),
                            ('error', models.CharField(blank=True, max_length=300)),
                            ('answer', models.CharField(blank=True, max_length=1024)),
                        ],
                        options={
                            'ordering': ['event', 'attempted_at', 'id'],
                        },
                    ),
                ],
            ),
            migrations.CreateModel(
                name='StaffUser',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
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
                name='Comment',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('subject_type', models.CharField(help_text='`app.model` of the subject', max_length=60)),
                    ('subject_id', models.UUIDField()),
                    ('text', models.CharField(max_length=2000)),
                    ('author', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('created_at', models.DateTimeField()),
                ],
                options={
                    'ordering': ['-id'],
                    'default_permissions': ('add', 'view'),
                    'indexes': [models.Index(fields=['subject_id', '-id'], name='comment_of_subject')],
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('text__regex', '\\S')), name='comment_not_empty'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='ApiKey',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('client_id', models.CharField(db_index=True, default=oauth2_provider.generators.generate_client_id, max_length=255, unique=True, verbose_name='client ID')),
                    ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='%(app_label)s_%(class)s', to=settings.AUTH_USER_MODEL, verbose_name='user')),
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
                    ('organisation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='api_keys', to='exchange.organisation')),
                    ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=40), default=list, size=None)),
                    ('expires_at', models.DateTimeField(blank=True, null=True)),
                    ('revoked_at', models.DateTimeField(blank=True, editable=False, null=True)),
                    ('last_used_at', models.DateTimeField(blank=True, editable=False, null=True)),
                    ('rotated_to', models.OneToOneField(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='rotated_from', to=settings.OAUTH2_PROVIDER_APPLICATION_MODEL)),
                ],
                options={
                    'verbose_name': 'API key',
                    'ordering': ['-created', '-id'],
                    'swappable': 'OAUTH2_PROVIDER_APPLICATION_MODEL',
                    'constraints': [models.UniqueConstraint(fields=('id', 'organisation'), name='api_key_organisation')],
                },
            ),
            migrations.CreateModel(
                name='Export',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('source', models.CharField(max_length=60)),
                    ('title', models.CharField(max_length=80)),
                    ('query', models.TextField(blank=True, help_text='Query string of the list')),
                    ('filter_words', models.TextField(blank=True)),
                    ('first_day', models.DateField(null=True)),
                    ('last_day', models.DateField(null=True)),
                    ('form', models.CharField(choices=[('csv', 'CSV'), ('xlsx', 'XLSX')], max_length=4)),
                    ('file_name', models.CharField(max_length=150)),
                    ('requested_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='exports', to=settings.AUTH_USER_MODEL)),
                    ('status', models.CharField(choices=[('Waiting', 'Waiting'), ('Running', 'Running'), ('Ready', 'Ready'), ('Downloaded', 'Downloaded'), ('Failed', 'Failed'), ('Removed', 'Removed')], default='Waiting', max_length=11)),
                    ('direct', models.BooleanField(default=False, help_text='Sent in the response to the request')),
                    ('about_rows', models.PositiveIntegerField(help_text='Number of rows when it was requested')),
                    ('rows_done', models.PositiveIntegerField(default=0)),
                    ('size_bytes', models.PositiveBigIntegerField(default=0)),
                    ('error', models.CharField(blank=True, max_length=300)),
                    ('attempts', models.PositiveSmallIntegerField(default=0)),
                    ('claimed_by', models.CharField(blank=True, max_length=80)),
                    ('leased_until', models.DateTimeField(null=True)),
                    ('created_at', models.DateTimeField()),
                    ('as_of', models.DateTimeField(help_text='Time of the snapshot', null=True)),
                    ('finished_at', models.DateTimeField(null=True)),
                ],
                options={
                    'ordering': ['-created_at', '-id'],
                    'permissions': [('read_every_export', "Can see and download everybody's exports")],
                    'indexes': [
                        models.Index(condition=models.Q(('status__in', ['Waiting', 'Running'])), fields=['created_at'], name='export_under_way'),
                        models.Index(condition=models.Q(('status', 'Ready')), fields=['finished_at'], name='export_with_file'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='ExportChunk',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('export', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='chunks', to='exchange.export')),
                    ('position', models.PositiveIntegerField()),
                    ('data', models.BinaryField()),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('export', 'position'), name='export_chunk_once')],
                },
            ),
            migrations.CreateModel(
                name='SecondFactor',
                fields=[
                    ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='second_factor', serialize=False, to=settings.AUTH_USER_MODEL)),
                    ('secret', exchange.core.fields.EncryptedTextField(db_column='secret_encrypted')),
                    ('last_step', models.BigIntegerField()),
                    ('set_up_at', models.DateTimeField()),
                ],
                options={
                    'default_permissions': (),
                },
            ),
            migrations.CreateModel(
                name='RecoveryCode',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='recovery_codes', to=settings.AUTH_USER_MODEL)),
                    ('code_hash', models.CharField(max_length=64)),
                    ('used_at', models.DateTimeField(null=True)),
                ],
                options={
                    'default_permissions': (),
                    'constraints': [models.UniqueConstraint(fields=('user', 'code_hash'), name='recovery_code_once')],
                },
            ),
            migrations.CreateModel(
                name='SignInAttempts',
                fields=[
                    ('key', models.CharField(max_length=64, primary_key=True, serialize=False)),
                    ('attempts', models.PositiveIntegerField()),
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
                    ('event', models.CharField(choices=[('signed_in', 'Signed in'), ('signed_out', 'Signed out'), ('refused', 'Failed attempt'), ('locked_out', 'Locked out'), ('unlocked', 'Unlocked'), ('confirmed', 'Confirmed with a code'), ('second_factor_set_up', 'Set up a second factor'), ('second_factor_reset', 'Second factor reset'), ('recovery_code_used', 'Used a recovery code'), ('recovery_codes_renewed', 'Generated new recovery codes'), ('password_changed', 'Password changed'), ('invited', 'Invited'), ('role_changed', 'Role changed'), ('details_changed', 'Details changed'), ('deactivated', 'Deactivated'), ('activated', 'Activated'), ('break_glass', 'Break-glass access')], max_length=30)),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='access_records', to=settings.AUTH_USER_MODEL)),
                    ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('address', models.CharField(blank=True, max_length=60)),
                    ('details', models.CharField(blank=True, max_length=300)),
                ],
                options={
                    'ordering': ['-id'],
                    'default_permissions': ('view',),
                    'indexes': [models.Index(fields=['user', '-id'], name='access_record_user')],
                },
            ),
            migrations.CreateModel(
                name='AccessProposal',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField()),
                    ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('decided_at', models.DateTimeField(blank=True, null=True)),
                    ('reason', models.CharField(blank=True, help_text='Reason of the rejection', max_length=300)),
                    ('kind', models.CharField(choices=[('invite_person', 'Invite a person'), ('reset_password', 'Reset a password'), ('reset_second_factor', 'Reset a second factor'), ('change_role', 'Change a role'), ('activate_person', 'Activate a person'), ('issue_key', 'Issue an API key'), ('rotate_key', 'Rotate an API key'), ('issue_token', 'Issue an access token'), ('activate_organisation', 'Activate an organisation')], max_length=30)),
                    ('person', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('organisation', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.organisation')),
                    ('key', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.OAUTH2_PROVIDER_APPLICATION_MODEL)),
                    ('payload', models.JSONField(default=dict)),
                    ('note', models.CharField(blank=True, max_length=300)),
                    ('status', models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected'), ('Withdrawn', 'Cancelled by proposer')], default='Pending', max_length=10)),
                    ('break_glass', models.BooleanField(default=False)),
                    ('proposed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('collected_at', models.DateTimeField(blank=True, null=True)),
                ],
                options={
                    'ordering': ['-created_at', '-id'],
                    'permissions': [
                        ('decide_accessproposal', 'Can confirm and reject access proposals'),
                        ('restore_administrator', 'Can propose to restore the access of administrators'),
                    ],
                    'default_permissions': ('view',),
                    'indexes': [
                        models.Index(condition=models.Q(('status', 'Pending')), fields=['created_at'], name='access_proposal_pending'),
                    ],
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(models.Q(('status', 'Approved'), _negated=True), ('break_glass', True), models.Q(('decided_by__isnull', False), ('proposed_by__isnull', False)), _connector='OR'), name='access_proposal_approved_by_two'),
                        models.CheckConstraint(condition=models.Q(models.Q(('status', 'Approved'), _negated=True), ('decided_by__isnull', True), ('person__isnull', True), models.Q(('decided_by', models.F('person')), _negated=True), _connector='OR'), name='access_proposal_not_about_oneself'),
                        models.CheckConstraint(condition=models.Q(('collected_at__isnull', True), ('status', 'Approved'), _connector='OR'), name='access_proposal_collected_once_approved'),
                        models.UniqueConstraint(condition=models.Q(('person__isnull', False), ('status', 'Pending')), fields=('kind', 'person'), name='access_proposal_pending_once'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Token',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('issuer', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='issued_tokens', to='exchange.organisation')),
                    ('creator', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.member')),
                    ('name', models.CharField(max_length=200)),
                    ('symbol', models.CharField(max_length=20, unique=True)),
                    ('reference', models.BigIntegerField(help_text='A running number', unique=True)),
                    ('image', models.CharField(blank=True, help_text='URL, or a path of this service', max_length=500)),
                    ('listing_reference', models.CharField(blank=True, help_text='The listing request it came from: `request`', max_length=60)),
                    ('currency', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
                    ('type', models.CharField(choices=[('Private', 'Private'), ('Public', 'Public')], default='Public', max_length=10)),
                    ('deal_access', models.CharField(choices=[('Private', 'Private'), ('Public', 'Public')], default='Public', max_length=10)),
                    ('investment_type', models.CharField(choices=[('the service', 'Equity'), ('SAFE', 'SAFE'), ('Debt', 'Debt'), ('Fixed Interest', 'Fixed Interest')], max_length=20)),
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
                ],
                options={
                    'ordering': ['-created_at', '-id'],
                    'permissions': [
                        ('propose_quote', 'Can propose quotes'),
                        ('decide_quote', 'Can approve and reject quotes'),
                        ('end_token', 'Can close, exit and cancel tokens and their raises'),
                    ],
                    'indexes': [
                        models.Index(fields=['-created_at', '-id'], include=('deal_access', 'issuer', 'closed', 'exited', 'cancelled', 'completed_raise', 'secondaries', 'type', 'investment_type', 'investment_category', 'currency', 'words'), name='token_listed_newest'),
                        models.Index(fields=['name', 'id'], include=('deal_access', 'issuer', 'closed', 'exited', 'cancelled', 'completed_raise', 'secondaries', 'type', 'investment_type', 'investment_category', 'currency', 'words'), name='token_listed_by_name'),
                        django.contrib.postgres.indexes.GinIndex(fastupdate=False, fields=['words'], name='token_words'),
                        models.Index(django.contrib.postgres.indexes.OpClass(django.db.models.functions.text.Upper('symbol'), name='text_pattern_ops'), name='token_symbol_start'),
                        models.Index(fields=['issuer'], name='token_issuer'),
                        models.Index(condition=models.Q(('deal_access', 'Private')), fields=['issuer'], name='token_private_deals'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='TokenAccess',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('token', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='grants', to='exchange.token')),
                    ('organisation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='token_grants', to='exchange.organisation')),
                    ('granted_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                ],
                options={
                    'verbose_name': 'access to a token',
                    'verbose_name_plural': 'access to tokens',
                    'constraints': [models.UniqueConstraint(fields=('organisation', 'token'), name='token_access_once')],
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
                name='Quote',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('status', models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected')], default='Pending', max_length=10)),
                    ('created_at', models.DateTimeField()),
                    ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('decided_at', models.DateTimeField(blank=True, null=True)),
                    ('reason', models.CharField(blank=True, help_text='Reason of the rejection', max_length=300)),
                    ('approval_reason', models.CharField(blank=True, db_default='', default='', help_text='Why it was approved although it is beyond what is usual', max_length=300)),
                    ('token', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='quotes', to='exchange.token')),
                    ('buy', models.DecimalField(decimal_places=8, max_digits=38)),
                    ('sell', models.DecimalField(decimal_places=8, max_digits=38)),
                    ('exchange', models.DecimalField(decimal_places=8, default=0, max_digits=38)),
                    ('note', models.CharField(blank=True, max_length=300)),
                    ('proposed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'ordering': ['-created_at', '-id'],
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('buy__gt', 0), ('exchange__gte', 0), ('sell__gt', 0)), name='quote_positive'),
                        models.CheckConstraint(condition=models.Q(('sell__lte', models.F('buy')), ('status', 'Rejected'), _connector='OR'), name='quote_sell_not_above_buy'),
                        models.UniqueConstraint(condition=models.Q(('status', 'Pending')), fields=('token',), name='quote_pending_once'),
                    ],
                },
            ),
        ]),
        migrations.RunSQL([(FIRST_PARTITIONS, None)], "DROP SCHEMA partitions CASCADE"),
        migrations.RunSQL(
            [
                "CREATE SEQUENCE exchange_token_reference",
                # Volumes change with every trade; room on the page keeps those updates out of the
                # indexes.
                "ALTER TABLE exchange_token SET (fillfactor = 85)",
            ],
            "DROP SEQUENCE exchange_token_reference",
        ),
        migrations.RunPython(seed, migrations.RunPython.noop),
    ]
