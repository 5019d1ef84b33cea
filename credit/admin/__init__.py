"""The admin of lending. Pages call services; see `exchange.admin.base`."""

from credit.admin import configurations, loans, owner_facts

__all__ = ["configurations", "loans", "owner_facts"]
