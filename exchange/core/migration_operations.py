"""A migration operation that creates many tables at once."""

from collections.abc import Sequence
from typing import Any

from django.db.migrations.operations.base import Operation


class CreateTables(Operation):
    """Execute operations that create tables, with their models rendered once for all.

    Django would render each new model together with all related ones, most of a migration's time.
    """

    reversible = False

    def __init__(self, operations: Sequence[Operation]) -> None:
        self.operations = operations

    def state_forwards(self, app_label: str, state: Any) -> None:
        """Add all models."""
        # Without the property the state adds models without rendering; it is rendered when read.
        vars(state).pop("apps", None)
        for operation in self.operations:
            operation.state_forwards(app_label, state)

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        """Execute all operations; each finds all models."""
        for operation in self.operations:
            operation.database_forwards(app_label, schema_editor, from_state, to_state)

    def describe(self) -> str:
        """Return the description for `migrate --plan`."""
        return f"Create {len(self.operations)} tables and what belongs to them"
