"""A configuration has a least amount of one loan, and keeps ids of organisations unexamined."""

from django.db import migrations, models
from django.db.models import F, Q

from exchange import sqlfiles

# What `default_least_amount` gives where none is set.
_FILL = """
ALTER TABLE credit_loanlimit DISABLE TRIGGER version_part_guard;
UPDATE credit_loanlimit l
SET min_amount = least(
    l.max_amount,
    CASE WHEN v.interest_rate = 0 THEN 1 ELSE ceil(1 / v.interest_rate) END
        * power(10::numeric, -c.decimals))
FROM credit_configurationversion v, exchange_currency c
WHERE v.id = l.version_id AND c.code = l.currency_id;
ALTER TABLE credit_loanlimit ENABLE TRIGGER version_part_guard;
"""
# The foreign key to organisations alone; that to the version stays.
_FORGET = """
DO $$
DECLARE
    v_name text;
BEGIN
    FOR v_name IN
        SELECT conname FROM pg_constraint
        WHERE conrelid = 'credit_configurationversion_organisations'::regclass
            AND confrelid = 'exchange_organisation'::regclass AND contype = 'f'
    LOOP
        EXECUTE format(
            'ALTER TABLE credit_configurationversion_organisations DROP CONSTRAINT %I', v_name);
    END LOOP;
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("credit", "0008_what_may_be_posted"),
        ("exchange", "0018_what_a_trade_pays_for"),
    ]

    operations = [
        migrations.AddField(
            "loanlimit",
            "min_amount",
            models.DecimalField(
                max_digits=38, decimal_places=8, help_text="Of one loan", null=True
            ),
        ),
        migrations.RunSQL([(_FILL, None)], reverse_sql=migrations.RunSQL.noop),
        migrations.AlterField(
            "loanlimit",
            "min_amount",
            models.DecimalField(max_digits=38, decimal_places=8, help_text="Of one loan"),
        ),
        migrations.AddConstraint(
            "loanlimit",
            models.CheckConstraint(
                condition=Q(min_amount__gt=0, min_amount__lte=F("max_amount")),
                name="limit_minimum",
            ),
        ),
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL([(_FORGET, None)], reverse_sql=migrations.RunSQL.noop)
            ],
            state_operations=[
                migrations.AlterField(
                    "configurationversion",
                    "organisations",
                    models.ManyToManyField(
                        blank=True,
                        related_name="+",
                        db_constraint=False,
                        help_text="Who may borrow, where access is `organisations`",
                        to="exchange.organisation",
                    ),
                )
            ],
        ),
        *sqlfiles.install("credit", "lending", "outstanding", "audited"),
    ]
