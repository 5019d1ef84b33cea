"""Registers `credit` with Django, and says what SQL it installs."""

from exchange.core import sqlfiles


class CreditConfig(sqlfiles.SqlAppConfig):
    name = "credit"
    verbose_name = "Credit"
    sql_parts = (
        "loan_guard",
        "configuration_guard",
        "ending_guard",
        "outstanding",
        "lending",
        "transfer_rules",
        "loan_terms",
        "two_person",
        "audited",
    )
    stored_documents = ("LOAN",)
