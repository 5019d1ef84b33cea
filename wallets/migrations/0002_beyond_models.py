"""Composite keys, storage, the table of transfer rules, and rows that wallets begin with.

It stands for the migrations of databases that were made before it.
"""

from decimal import Decimal

from django.db import migrations
from django.utils import timezone

from exchange.core.ids import uuid7

# Minimum, fee, units per USD, amount from which two people must approve, internal fee (0: none).
FIGURES = {
    "NGN": (1000, 50, 1500, 5000000, 0),
    "KES": (100, 30, 129, 500000, 0),
    "GHS": (20, 5, 12, 50000, 0),
    "ZAR": (50, 10, 18, 75000, 0),
    "UGX": (5000, 1500, 3700, 15000000, 0),
    "TZS": (2500, 1000, 2500, 10000000, 0),
}
KEYS = (
    ("MINIMUM_WITHDRAWAL_{}", "Smallest withdrawal, in {}"),
    ("{}_WITHDRAWAL_FEE", "Flat fee of a withdrawal, in {}"),
    ("{}_USD_RATE", "{} for one USD, for the USD value shown on withdrawals"),
    ("SECOND_APPROVAL_ABOVE_{}", "From this amount in {} two different people must approve"),
    ("{}_INTERNAL_FEE", "Internal fee shown on an organisation's withdrawal, in {}"),
)
# So many times the amount from which two people must approve.
DAILY_KEYS = (
    (
        "SECOND_APPROVAL_DAILY_ABOVE_{}",
        20,
        "From this amount asked for by an organisation and its members in 24 hours, in {},"
        " two different people must approve",
    ),
    ("SOLE_APPROVALS_DAILY_{}", 10, "What one person may approve alone within 24 hours, in {}"),
)

COMPOSITE_KEYS = """
ALTER TABLE wallets_account
    ADD CONSTRAINT account_member_of_organisation
    FOREIGN KEY (member_id, organisation_id) REFERENCES exchange_member (id, organisation_id);
ALTER TABLE wallets_withdrawal
    -- The escrow account is of the same owner, organisation and currency. The account itself is
    -- held to its member, organisation and asset, so this stands for the plain keys of all three.
    ADD CONSTRAINT withdrawal_escrow_of_owner
    FOREIGN KEY (escrow_account_id, owner_id, organisation_id, currency_id)
        REFERENCES wallets_account (id, owner_id, organisation_id, asset_id),
    ADD CONSTRAINT withdrawal_bank_of_organisation
    FOREIGN KEY (bank_id, organisation_id) REFERENCES wallets_bankaccount (id, organisation_id);
ALTER TABLE wallets_deposit
    ADD CONSTRAINT deposit_member_of_organisation
    FOREIGN KEY (member_id, organisation_id) REFERENCES exchange_member (id, organisation_id);
"""
# Balances change all the time; room on the page keeps those updates out of the indexes.
STORAGE = "ALTER TABLE wallets_account SET (fillfactor = 60)"

# What may be posted (`sql/transfer_rules.sql` of each app fills it).
TRANSFER_RULES = """
CREATE TABLE wallets_transferrule (
    kind text PRIMARY KEY,
    -- Kinds of accounts.
    leaves text[] NOT NULL,
    enters text[] NOT NULL,
    -- What the reference is, as a LIKE pattern; `{id}` is the record's id. Where there is no `%` in
    -- it, one record has one transfer of this kind.
    reference text NOT NULL,
    -- The record that stands behind it, and its states (none: any state).
    record text NOT NULL,
    states text[] NOT NULL,
    -- Whether the service's own login posts it. Other kinds are posted by functions alone, which
    -- write the record in the same call.
    by_service boolean NOT NULL
)
"""

# Since when entries get their ids under the locks of their accounts. In databases that posted before
# that it returns the instant at which it began; in a new one all entries have.
IDS_ORDERED_SINCE = """
CREATE FUNCTION public.ids_ordered_since() RETURNS timestamptz LANGUAGE sql IMMUTABLE
RETURN '2020-01-01 00:00:00+00'::timestamptz
"""


def seed(apps, schema_editor):
    alias = schema_editor.connection.alias
    models = ("Asset", "Account", "Configuration", "PayoutCircuit")
    asset, account, configuration, circuit = (
        apps.get_model("wallets", name).objects.using(alias) for name in models
    )
    for row in apps.get_model("exchange", "Currency").objects.using(alias).order_by("position"):
        asset.create(id=row.code, currency=row, decimals=row.decimals)
        for kind in ("clearing", "fees", "expenses"):
            account.create(id=uuid7(), asset_id=row.code, kind=kind, balance=None)
        if row.code not in FIGURES:
            continue
        figures = FIGURES[row.code]
        second_approval = figures[3]
        values = [
            *((key, text, value) for (key, text), value in zip(KEYS, figures, strict=True)),
            *((key, text, times * second_approval) for key, times, text in DAILY_KEYS),
        ]
        for key, text, value in values:
            configuration.create(
                key=key.format(row.code), value=Decimal(value), description=text.format(row.code)
            )
    circuit.create(updated_at=timezone.now())


class Migration(migrations.Migration):
    replaces = [
        ("wallets", "0002_functions"),
        ("wallets", "0003_seed"),
        ("wallets", "0004_combined_requests"),
        ("wallets", "0005_token_units"),
        ("wallets", "0006_loans"),
        ("wallets", "0007_audit"),
        ("wallets", "0008_configuration_figures"),
        ("wallets", "0009_proof_totals"),
        ("wallets", "0010_reconciliation"),
        ("wallets", "0011_failed_withdrawals"),
        ("wallets", "0012_ended_withdrawals"),
        ("wallets", "0013_bank_words"),
        ("wallets", "0014_cheaper_checks"),
        ("wallets", "0015_deposits_entered_again"),
        ("wallets", "0016_keys_of_sets"),
        ("wallets", "0017_cheaper_guard"),
        ("wallets", "0018_one_posting_function"),
        ("wallets", "0019_what_may_be_posted"),
        ("wallets", "0020_two_person_approval"),
        ("wallets", "0021_payout_circuit"),
        ("wallets", "0022_return_approved"),
        ("wallets", "0023_approvals_of_a_day"),
        ("wallets", "0024_deposits_cancelled"),
        ("wallets", "0025_events_name_no_login"),
        ("wallets", "0026_flags_of_decisions"),
        ("wallets", "0027_reconciliation_breaks"),
    ]
    dependencies = [("exchange", "0002_beyond_models"), ("wallets", "0001_initial")]

    operations = [
        # Parameters None: the texts are sent as they are.
        migrations.RunSQL([(COMPOSITE_KEYS, None), (STORAGE, None)], migrations.RunSQL.noop),
        migrations.RunSQL([(TRANSFER_RULES, None)], "DROP TABLE wallets_transferrule"),
        migrations.RunSQL([(IDS_ORDERED_SINCE, None)], "DROP FUNCTION ids_ordered_since()"),
        migrations.RunPython(seed, migrations.RunPython.noop),
    ]
