"""Registers `exchange` with Django, and says what SQL it installs."""

from exchange.core import sqlfiles


class ExchangeConfig(sqlfiles.SqlAppConfig):
    name = "exchange"
    verbose_name = "Exchange"
    sql_parts = (
        "runtime_role",
        "ids",
        "wire",
        "append_only",
        "audit",
        "emit_event",
        "idempotency",
        "idempotency_sets",
        "tokens",
        "token_guard",
        "token_terms",
        "token_words",
        "catalogue",
        "audited",
        "export_records",
        "price_guard",
        "superuser_guard",
        "two_person",
        "told_actor",
        "access_guards",
    )
    stored_documents = ("MEMBER", "TOKEN")
