"""What a member is searched by, as a function of an index."""

from django.db import migrations

# The words of the name and of the email before the "@". Query it by `name_words`. Names of functions
# are bound when this one is made: no search path.
MEMBER_WORDS = """
CREATE FUNCTION member_words(p_name text, p_email text)
RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN to_tsvector('pg_catalog.simple'::regconfig, regexp_replace(
    p_name || ' ' || split_part(p_email, '@', 1), '[^[:alnum:]]+', ' ', 'g'))
"""


class Migration(migrations.Migration):
    dependencies = [("exchange", "0016_comments")]

    operations = [
        migrations.RunSQL([(MEMBER_WORDS, None)], "DROP FUNCTION member_words(text, text)"),
    ]
