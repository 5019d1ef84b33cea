"""Register `credit` with Django and declare the SQL it installs."""

from exchange.core import sqlfiles


class CreditConfig(sqlfiles.SqlAppConfig):
    name = "credit"
    verbose_name = "Credit"
    sql_parts = (
        "loans/loan_guard",
        "configurations/configuration_guard",
        "loans/closure_guard",
        "loans/outstanding",
        "loans/lending",
        "loans/transfer_rules",
        "configurations/loan_terms",
        "loans/two_person",
        "loans/audited",
    )
    stored_documents = ("loans.LOAN",)
