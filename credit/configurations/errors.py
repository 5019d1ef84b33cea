"""Errors of loan configurations."""

from exchange.core.errors import NotFound


class ConfigurationNotFound(NotFound):
    """The configuration does not exist, or the caller may not use it."""

    code = "loan_configuration_not_found"
    message = "Loan configuration not found"
