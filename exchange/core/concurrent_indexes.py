"""Migration operations that build unique indexes while the service runs."""

from __future__ import annotations

from typing import Any

from django.contrib.postgres.operations import NotInTransactionMixin
from django.db.migrations.operations import AddConstraint


class AddUniqueConcurrently(NotInTransactionMixin, AddConstraint):
    """Add a conditional `UniqueConstraint`, which is an index, with CREATE INDEX CONCURRENTLY.

    It may run again after an interruption, which leaves an invalid index.
    """

    atomic = False

    def database_forwards(
        self,
        app_label: str,
        schema_editor: Any,
        from_state: Any,  # noqa: ARG002 - Django's signature
        to_state: Any,
    ) -> None:
        """Build the index anew."""
        self._ensure_not_in_transaction(schema_editor)
        model = to_state.apps.get_model(app_label, self.model_name)
        name = schema_editor.quote_name(self.constraint.name)
        create = str(self.constraint.create_sql(model, schema_editor))
        schema_editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
        schema_editor.execute(create.replace("UNIQUE INDEX", "UNIQUE INDEX CONCURRENTLY", 1))
