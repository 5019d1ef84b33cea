"""Refusals of loan configurations."""

from __future__ import annotations

from exchange.core.errors import NotFound


class ConfigurationNotFound(NotFound):
    """No such configuration, or not one the caller may use or owns."""

    code = "loan_configuration_not_found"
    message = "Loan configuration not found"
