"""How names are compared in searches, as functions of indexes."""

from django.db import migrations

# Compatible forms of a letter are one, and its marks are removed.
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


class Migration(migrations.Migration):
    dependencies = [("exchange", "0025_approval_reasons")]

    operations = [
        migrations.RunSQL([(FOLD_TEXT, None)], "DROP FUNCTION fold_text(text)"),
        migrations.RunSQL([(APOSTROPHE_PARTS, None)], "DROP FUNCTION apostrophe_parts(text)"),
    ]
