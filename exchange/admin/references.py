"""A client's own references on the pages and in the exports of the back office."""

from collections.abc import Mapping

from exchange.core.references import ReferencedModel


def format_metadata(metadata: Mapping[str, str] | None) -> str:
    """Format metadata as `invoice: 17; note: paid`; empty where none was sent."""
    return "; ".join(f"{key}: {value}" for key, value in (metadata or {}).items())


def reference_facts(record: ReferencedModel) -> tuple[tuple[str, str], ...]:
    """Return the references that were sent, with their labels."""
    facts = (
        ("Client reference", record.client_reference),
        ("Metadata", format_metadata(record.metadata)),
    )
    return tuple((label, value) for label, value in facts if value)
