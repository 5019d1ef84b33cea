"""Fold the words of tokens, in batches while the service runs. It may run twice."""

from django.db import migrations

_BATCH = 500
_FOLDED = """to_tsvector('simple', regexp_replace(
    fold_text(name) || apostrophe_parts(name), '[^[:alnum:]]+', ' ', 'g'))"""
# The trigger of the previous version would set the words as they were typed.
_TRIGGER = f"""
CREATE OR REPLACE FUNCTION token_words() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    name text := NEW.name;
BEGIN
    NEW.words := coalesce({_FOLDED}, '');
    RETURN NEW;
END $$
"""


def fold_words(apps, schema_editor):
    connection = schema_editor.connection
    with connection.cursor() as cursor:
        cursor.execute(_TRIGGER)
        cursor.execute(
            f"SELECT id FROM exchange_token WHERE words IS DISTINCT FROM {_FOLDED} ORDER BY id"
        )
        changed = [row[0] for row in cursor.fetchall()]
        for start in range(0, len(changed), _BATCH):
            cursor.execute(
                f"UPDATE exchange_token SET words = {_FOLDED} WHERE id = ANY (%s)",
                [changed[start : start + _BATCH]],
            )


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("exchange", "0028_member_words_removed")]

    operations = [migrations.RunPython(fold_words, migrations.RunPython.noop, elidable=True)]
