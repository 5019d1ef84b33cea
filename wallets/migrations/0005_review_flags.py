"""Name the account name that a client provides, and review flags, in the words of the glossary.

Flags stored with decisions follow; the text that the approver read stays.
"""

import json

from django.contrib.postgres.search import SearchVectorField
from django.db import migrations, models
from django.db.models import Func, Q

from exchange.core.sqlfiles import Uninstalled

CODES = {
    "name_not_told": "name_not_returned",
    "names_differ": "name_mismatch",
    "account_of_other_organisations": "account_shared_across_organisations",
    "account_of_other_owners": "account_shared_within_organisation",
    "payouts_came_back": "earlier_payouts_failed",
    "account_first_used": "account_first_use",
    "much_larger": "unusual_amount",
    "many_a_day": "daily_count",
    "loans_late": "loans_overdue",
    "loans_short": "loans_in_shortfall",
}
LEVELS = {"Stop": "Critical", "Look": "Review"}
PERMISSION = ("Can decide about lost and returned payouts", "Can decide about unresolved and returned payouts")
_REWRITE = """
UPDATE wallets_decision SET flags = (
    SELECT jsonb_agg(
        flag || jsonb_build_object(
            'code', coalesce(%(codes)s::jsonb ->> (flag ->> 'code'), flag ->> 'code'),
            'level', coalesce(%(levels)s::jsonb ->> (flag ->> 'level'), flag ->> 'level'))
        ORDER BY place)
    FROM jsonb_array_elements(flags) WITH ORDINALITY AS stored (flag, place))
WHERE jsonb_typeof(flags) = 'array' AND flags <> '[]'"""


def _apply(schema_editor, apps, codes, levels, permission):
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(_REWRITE, {"codes": json.dumps(codes), "levels": json.dumps(levels)})
    permissions = apps.get_model("auth", "Permission").objects
    permissions.using(schema_editor.connection.alias).filter(
        content_type__app_label="wallets", codename="resolve_payout"
    ).update(name=permission)


def apply(apps, schema_editor):
    _apply(schema_editor, apps, CODES, LEVELS, PERMISSION[1])


def revert(apps, schema_editor):
    codes, levels = ({new: old for old, new in names.items()} for names in (CODES, LEVELS))
    _apply(schema_editor, apps, codes, levels, PERMISSION[0])


class Migration(migrations.Migration):
    dependencies = [
        ("wallets", "0004_field_descriptions"),
        ("auth", "0012_alter_user_first_name_max_length"),
        # Creates the permission under its former name.
        ("config", "0003_roles"),
    ]

    operations = [
        Uninstalled(),
        migrations.RemoveConstraint("decision", "decision_stop_overridden_in_writing"),
        migrations.RunPython(apply, revert),
        migrations.AddConstraint(
            "decision",
            models.CheckConstraint(
                condition=~Q(verdict="Approve", flags__contains=[{"level": "Critical"}])
                | Q(override__regex=r"\S"),
                name="decision_critical_flag_overridden",
            ),
        ),
        # PostgreSQL renames the column in the expression of `words` too.
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RenameField("bankaccount", "given_name", "provided_name")
            ],
            state_operations=[
                migrations.RenameField("bankaccount", "given_name", "provided_name"),
                migrations.AlterField(
                    "bankaccount",
                    "words",
                    models.GeneratedField(
                        db_persist=True,
                        expression=Func(
                            "account_name",
                            "provided_name",
                            "account_number",
                            function="bank_words",
                        ),
                        output_field=SearchVectorField(),
                    ),
                ),
            ],
        ),
        migrations.AlterModelOptions(
            "withdrawal",
            {
                "ordering": ["-created_at", "-id"],
                "permissions": [
                    ("decide_withdrawal", "Can approve and reject withdrawals"),
                    ("resolve_payout", PERMISSION[1]),
                ],
            },
        ),
    ]
