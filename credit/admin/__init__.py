"""The admin of lending. Pages call services; see `exchange.admin.base`."""

from credit.admin import configurations

__all__ = ["configurations"]
