"""A trade pays for what it can break: terms of tokens are checked where they are written."""

from django.db import migrations, models

from exchange import sqlfiles


class Migration(migrations.Migration):
    dependencies = [
        ("exchange", "0015_sign_in_tries"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="token",
            name="token_secondaries_after_raise",
        ),
        migrations.RemoveConstraint(
            model_name="token",
            name="token_raise_has_an_offer",
        ),
        migrations.RemoveConstraint(
            model_name="token",
            name="token_fees_within_half",
        ),
        migrations.RemoveConstraint(
            model_name="token",
            name="token_percent_within_100",
        ),
        migrations.RemoveConstraint(
            model_name="token",
            name="token_bounds_in_order",
        ),
        migrations.RemoveConstraint(
            model_name="token",
            name="token_amounts_not_negative",
        ),
        migrations.RemoveConstraint(
            model_name="token",
            name="token_image_is_an_address",
        ),
        migrations.RemoveConstraint(
            model_name="token",
            name="token_words_known",
        ),
        migrations.AddConstraint(
            model_name="token",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("total_allocated__gte", 0),
                    ("total_raised__gte", 0),
                    ("total_supply__gte", 0),
                    ("vol_buy__gte", 0),
                    ("vol_sell__gte", 0),
                ),
                name="token_totals_not_negative",
            ),
        ),
        *sqlfiles.install("exchange", "token_terms", "ids", "wire", "emit_event", "audit"),
    ]
