"""The `exchange` app and its SQL files."""

from exchange.core import sqlfiles


class ExchangeConfig(sqlfiles.SqlAppConfig):
    name = "exchange"
    verbose_name = "Exchange"
    read_first = ("oauth2_provider_accesstoken",)
    sql_parts = (
        "core/runtime_role",
        "core/ids",
        "core/wire",
        "core/append_only",
        "core/record_guards",
        "core/constructors",
        "audit/audit",
        "events/emit_event",
        "core/idempotency",
        "core/replica",
        "tokens/tokens",
        "tokens/token_guard",
        "tokens/token_terms",
        "tokens/token_words",
        "tokens/catalogue",
        "audit/audited",
        "comments/comments",
        "exports/export_records",
        "tokens/price_guard",
        "staff/superuser_guard",
        "staff/two_person",
        "events/public_actor",
        "staff/access_guards",
        "partitions/partitions",
        "participants/member_refusal",
        "participants/member_words",
    )
    stored_documents = ("participants.MEMBER", "tokens.TOKEN")
