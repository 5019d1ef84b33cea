"""What a token's terms may be, also in the database: bounds in order, percent, image, words."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("exchange", "0010_audit"),
    ]

    operations = [
        migrations.AddConstraint(
            model_name="token",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("carry__range", (0, 100)),
                    ("discount__range", (0, 100)),
                    ("dividend__range", (0, 100)),
                    ("interest__range", (0, 100)),
                    ("management_fee__range", (0, 100)),
                ),
                name="token_percent_within_100",
            ),
        ),
        migrations.AddConstraint(
            model_name="token",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("min_buy__gte", 0),
                    models.Q(
                        ("max_buy", 0), ("max_buy__gte", models.F("min_buy")), _connector="OR"
                    ),
                    ("min_sell__gte", 0),
                    models.Q(
                        ("max_sell", 0), ("max_sell__gte", models.F("min_sell")), _connector="OR"
                    ),
                    ("min_trade_buy__gte", 0),
                    models.Q(
                        ("max_trade_buy", 0),
                        ("max_trade_buy__gte", models.F("min_trade_buy")),
                        _connector="OR",
                    ),
                    ("min_trade_sell__gte", 0),
                    models.Q(
                        ("max_trade_sell", 0),
                        ("max_trade_sell__gte", models.F("min_trade_sell")),
                        _connector="OR",
                    ),
                ),
                name="token_bounds_in_order",
            ),
        ),
        migrations.AddConstraint(
            model_name="token",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("post_raise_valuation__gte", 0),
                    ("prev_price_buy__gte", 0),
                    ("prev_price_exchange__gte", 0),
                    ("prev_price_sell__gte", 0),
                    ("price_buy__gte", 0),
                    ("price_exchange__gte", 0),
                    ("price_sell__gte", 0),
                    ("raise_amount__gte", 0),
                    ("total_allocated__gte", 0),
                    ("total_raised__gte", 0),
                    ("total_supply__gte", 0),
                    ("valuation__gte", 0),
                    ("vol_buy__gte", 0),
                    ("vol_sell__gte", 0),
                ),
                name="token_amounts_not_negative",
            ),
        ),
        migrations.AddConstraint(
            model_name="token",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("image", ""),
                    (
                        "image__iregex",
                        "^(https?://[^/\\\\\\s<>\\\"'][^\\\\\\s<>\\\"']*|/([^/\\\\\\s<>\\\"'][^\\\\\\s<>\\\"']*)?)$",
                    ),
                    _connector="OR",
                ),
                name="token_image_is_an_address",
            ),
        ),
        migrations.AddConstraint(
            model_name="token",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("deal_access__in", ["Private", "Public"]),
                    (
                        "investment_category__in",
                        [
                            "ETF",
                            "Bond",
                            "Commercial Paper",
                            "Debt Note",
                            "Real Estate",
                            "Private Business",
                            "Startup",
                            "Commodities",
                            "Fund",
                            "Art",
                            "Music",
                            "Movie",
                            "Charity",
                        ],
                    ),
                    ("investment_type__in", ["the service", "SAFE", "Debt", "Fixed Interest"]),
                    (
                        "payout_frequency__in",
                        ["", "Monthly", "Quarterly", "Semi-Annually", "Annually", "At Maturity"],
                    ),
                    ("type__in", ["Private", "Public"]),
                ),
                name="token_words_known",
            ),
        ),
    ]
