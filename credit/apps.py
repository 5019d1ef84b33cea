"""Register `credit` with Django and declare the SQL it installs."""

from exchange.core import sqlfiles


class CreditConfig(sqlfiles.SqlAppConfig):
    name = "credit"
    verbose_name = "Credit"
    sql_parts = (
        "configurations/configuration_guard",
        "tax_rates/tax_rate",
        "loans/loan_guard",
        "loans/cash_collateral",
        "loans/loan_terms",
        "loans/closure_guard",
        "loans/outstanding",
        "loans/lending",
        "loans/transfer_rules",
        "distributions/distribution_guard",
        "distributions/record_distribution",
        "distributions/start_paying",
        "distributions/income_of_loans",
        "distributions/claims",
        "distributions/transfer_rules",
        "distributions/correction",
    )
    stored_documents = ("loans.LOAN",)
