"""The runtime role, and the functions and triggers of participants, events and idempotency."""

from django.db import migrations

from exchange import payloads, sqlfiles


class Migration(migrations.Migration):
    dependencies = [("exchange", "0001_initial")]

    operations = [
        *sqlfiles.install(
            "exchange",
            "runtime_role",
            "wire",
            "append_only",
            "emit_event",
            "idempotency",
            "idempotency_sets",
        ),
        payloads.MEMBER.install(),
    ]
