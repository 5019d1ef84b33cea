"""Fold the words of bank records that are added from now on.

Records are snapshots, which nothing rewrites: the search also looks for words as they were typed.
"""

from django.db import migrations

BANK_WORDS = """
CREATE OR REPLACE FUNCTION bank_words(p_account_name text, p_given_name text, p_number text)
RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN to_tsvector('pg_catalog.simple'::regconfig, regexp_replace(
    {names} || ' ' || p_number || ' r' || reverse(p_number),
    '[^[:alnum:]]+', ' ', 'g'))
"""
TYPED = "p_account_name || ' ' || p_given_name"
FOLDED = f"fold_text({TYPED}) || apostrophe_parts({TYPED})"


class Migration(migrations.Migration):
    dependencies = [("wallets", "0052_payment_payer_words_removed"), ("exchange", "0026_fold_text")]

    operations = [
        migrations.RunSQL(
            [(BANK_WORDS.format(names=FOLDED), None)],
            [(BANK_WORDS.format(names=TYPED), None)],
        ),
    ]
