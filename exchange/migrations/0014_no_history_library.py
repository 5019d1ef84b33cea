"""Functions of the libraries that kept histories before the audit took these over.

A database that was made without them has none.
"""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("exchange", "0013_exports"),
        # Whose triggers called them.
        ("wallets", "0007_audit"),
    ]

    operations = [
        migrations.RunSQL(
            """
            DROP FUNCTION IF EXISTS _pgh_attach_context();
            DROP FUNCTION IF EXISTS _pgtrigger_should_ignore(name);
            """,
            migrations.RunSQL.noop,
        )
    ]
