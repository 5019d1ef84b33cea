"""Settings changes and reconciliation take the words that their pages use: models, columns, states
of rows, descriptions and permissions.

The table of settings changes keeps its name, by which the audit history refers to it.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import F, Q

from exchange.core.sqlfiles import Uninstalled

DESCRIPTIONS = (
    ("MINIMUM_WITHDRAWAL_{}", "Minimum withdrawal, in {}"),
    ("{}_WITHDRAWAL_FEE", "Flat withdrawal fee, in {}"),
    ("{}_USD_RATE", "{} per USD, for the USD value shown on withdrawals"),
    ("SECOND_APPROVAL_ABOVE_{}", "Withdrawals from this amount in {} require two approvers"),
    (
        "SECOND_APPROVAL_DAILY_ABOVE_{}",
        "Withdrawals of an organisation and its members within 24 hours that reach this total in {}"
        " require two approvers",
    ),
    ("SOLE_APPROVALS_DAILY_{}", "Maximum that one person may approve alone within 24 hours, in {}"),
)
PERMISSIONS = (
    ("view_configurationfigure", "view_settingchange", "Can view settings change"),
    ("view_configuration", "view_configuration", "Can view setting"),
    ("add_configuration", "add_configuration", "Can add setting"),
    ("change_configuration", "change_configuration", "Can change setting"),
    ("delete_configuration", "delete_configuration", "Can delete setting"),
    ("propose_configuration", "propose_configuration", "Can propose settings changes"),
    (
        "decide_configuration",
        "decide_configuration",
        "Can approve and reject settings changes of others",
    ),
    ("run_reconciliation", "run_reconciliation", "Can run reconciliation with the provider"),
    ("decide_break", "decide_break", "Can explain and close reconciliation breaks"),
)
LINE_KINDS = (
    ("Clearing at the start of the day", "Opening clearing balance"),
    ("Charges of the provider", "Provider charges"),
    ("Clearing at the end of the day", "Closing clearing balance"),
    ("Balance now", "Provider balance"),
    ("Expected gap", "In transit"),
    ("Gap nobody explains", "Variance"),
    ("Missing at the provider", "Missing at provider"),
    ("Unknown to us", "Not in our records"),
    ("Charge", "Provider charge"),
    ("Balance", "Unexplained variance"),
    ("No balance named", "Balance not provided"),
)
STATUSES = [
    ("Pending", "Pending"),
    ("Approved", "Approved"),
    ("Rejected", "Rejected"),
    ("Taken back", "Taken Back"),
    ("Cancelled", "Cancelled"),
]
KINDS = [('In flight', 'In Flight'), ('Completed', 'Completed'), ('Failed', 'Failed'), ('Charges', 'Charges'), ('Opening clearing balance', 'Opening'), ('Deposits', 'Deposits'), ('Payouts', 'Payouts'), ('Provider charges', 'Charged'), ('Reversals', 'Reversals'), ('Other movements', 'Other'), ('Closing clearing balance', 'Closing'), ('Provider balance', 'Balance'), ('In transit', 'In Transit'), ('Variance', 'Variance'), ('Missing at provider', 'Missing'), ('Not in our records', 'Unknown'), ('Amount', 'Amount'), ('Currency', 'Currency'), ('Account', 'Account'), ('Status', 'Status'), ('Provider charge', 'Fee'), ('Unexplained variance', 'Unexplained'), ('Balance not provided', 'No Balance')]


def rename_rows(apps, schema_editor):
    alias = schema_editor.connection.alias
    currencies = apps.get_model("exchange", "Currency").objects.using(alias)
    configuration = apps.get_model("wallets", "Configuration").objects.using(alias)
    for code in currencies.values_list("code", flat=True):
        for key, description in DESCRIPTIONS:
            configuration.filter(key=key.format(code)).update(description=description.format(code))
    permissions = apps.get_model("auth", "Permission").objects.using(alias)
    for before, after, name in PERMISSIONS:
        permissions.filter(content_type__app_label="wallets", codename=before).update(
            codename=after, name=name
        )
    changes = apps.get_model("wallets", "SettingChange").objects.using(alias)
    changes.filter(status="Withdrawn").update(status="Cancelled")
    for name in ("ReconciliationLine", "ReconciliationBreak"):
        rows = apps.get_model("wallets", name).objects.using(alias)
        for before, after in LINE_KINDS:
            rows.filter(kind=before).update(kind=after)


class Migration(migrations.Migration):
    dependencies = [
        ("wallets", "0002_payout_names"),
        # Roles get their permissions under the earlier names.
        ("config", "0003_roles"),
    ]

    operations = [
        Uninstalled(),
        migrations.RemoveConstraint("configurationfigure", "figure_not_negative"),
        migrations.RemoveConstraint("configurationfigure", "figure_withdrawn_by_two"),
        migrations.RemoveConstraint("configurationfigure", "figure_pending_once"),
        migrations.AlterModelTable("configurationfigure", "wallets_configurationfigure"),
        migrations.RenameModel("ConfigurationFigure", "SettingChange"),
        migrations.RenameField("settingchange", "in_force_from", "effective_at"),
        migrations.RenameField("settingchange", "withdrawal_asked_by", "cancellation_requested_by"),
        migrations.RenameField("settingchange", "withdrawal_reason", "cancellation_reason"),
        migrations.RenameField("settingchange", "withdrawn_by", "cancelled_by"),
        migrations.RenameField("settingchange", "withdrawn_at", "cancelled_at"),
        migrations.RemoveIndex("settingchange", "figure_in_force"),
        migrations.RenameIndex("settingchange", "setting_change_history", "figure_history"),
        migrations.RenameField("reconciliation", "asked_by", "requested_by"),
        migrations.RenameField("reconciliation", "asked_by_label", "requested_by_label"),
        migrations.RenameField("reconciliationline", "off", "is_difference"),
        migrations.RenameField("reconciliationbreak", "shown", "in_latest_report"),
        migrations.AlterField(
            "settingchange",
            "configuration",
            models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="changes",
                to="wallets.configuration",
            ),
        ),
        migrations.AlterField(
            "settingchange",
            "effective_at",
            models.DateTimeField(
                help_text="Of an approved change: as proposed, but not before its approval", null=True
            ),
        ),
        migrations.AlterField(
            "settingchange",
            "effective_from",
            models.DateTimeField(help_text="As proposed; null: on approval", null=True),
        ),
        migrations.AlterField(
            "settingchange",
            "decision_note",
            models.CharField(blank=True, help_text="Reason of a rejection", max_length=300),
        ),
        migrations.AlterField(
            "settingchange",
            "status",
            models.CharField(choices=STATUSES, default="Pending", max_length=10),
        ),
        migrations.AlterField(
            "reconciliation",
            "compared",
            models.PositiveIntegerField(
                default=0, help_text="Payouts compared with the provider's transfers"
            ),
        ),
        migrations.AlterField(
            "reconciliationbreak",
            "in_latest_report",
            models.BooleanField(default=True, help_text="Whether the latest report still has it"),
        ),
        migrations.AlterField(
            "reconciliationbreak", "kind", models.CharField(choices=KINDS, max_length=40)
        ),
        migrations.AlterField(
            "reconciliationbreak",
            "owner",
            models.ForeignKey(
                help_text="Person responsible",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AlterField(
            "reconciliationline", "kind", models.CharField(choices=KINDS, max_length=40)
        ),
        migrations.AlterModelOptions(
            "settingchange",
            {
                "default_permissions": ("view",),
                "ordering": ["-created_at", "-id"],
                "verbose_name": "settings change",
                "verbose_name_plural": "settings changes",
            },
        ),
        migrations.AlterModelOptions(
            "configuration",
            {
                "ordering": ["key"],
                "permissions": [
                    ("propose_configuration", "Can propose settings changes"),
                    ("decide_configuration", "Can approve and reject settings changes of others"),
                ],
                "verbose_name": "setting",
            },
        ),
        migrations.AlterModelOptions(
            "reconciliation",
            {
                "ordering": ["-created_at", "-id"],
                "permissions": [("run_reconciliation", "Can run reconciliation with the provider")],
            },
        ),
        migrations.AlterModelOptions(
            "reconciliationbreak",
            {
                "ordering": ["-id"],
                "permissions": [("decide_break", "Can explain and close reconciliation breaks")],
            },
        ),
        migrations.AlterField(
            "reconciliation",
            "reason",
            models.CharField(
                blank=True, help_text="Why the report is incomplete", max_length=500
            ),
        ),
        migrations.AlterField(
            "reconciliationbreak",
            "difference",
            models.DecimalField(
                decimal_places=8, help_text="Provider less ours", max_digits=38, null=True
            ),
        ),
        migrations.AlterField(
            "transfer",
            "reference",
            models.CharField(
                help_text="Unique name of the step, such as `withdrawal:<id>:close` (settle or"
                " release)",
                max_length=120,
            ),
        ),
        migrations.AlterField(
            "entry",
            "balance_after",
            models.DecimalField(
                decimal_places=8,
                help_text="Balance of the owner's account; null for system accounts",
                max_digits=38,
                null=True,
            ),
        ),
        migrations.RunPython(rename_rows, migrations.RunPython.noop),
        migrations.AddIndex(
            "settingchange",
            models.Index(
                F("configuration"),
                F("effective_at").desc(),
                F("decided_at").desc(),
                condition=Q(status="Approved"),
                include=["value"],
                name="setting_change_effective",
            ),
        ),
        migrations.AddConstraint(
            "settingchange",
            models.CheckConstraint(condition=Q(value__gte=0), name="setting_change_not_negative"),
        ),
        migrations.AddConstraint(
            "settingchange",
            models.CheckConstraint(
                condition=~Q(status="Cancelled")
                | Q(cancelled_by__isnull=False, cancellation_requested_by__isnull=False)
                & ~Q(cancelled_by=F("cancellation_requested_by")),
                name="setting_change_cancelled_by_two",
            ),
        ),
        migrations.AddConstraint(
            "settingchange",
            models.UniqueConstraint(
                fields=["configuration"],
                condition=Q(status="Pending"),
                name="setting_change_pending_once",
            ),
        ),
    ]
