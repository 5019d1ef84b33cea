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
        "core/audit",
        "core/idempotency",
        "core/replica",
        "partitions/partitions",
        "staff/superuser_guard",
        "staff/two_person",
        "staff/access_guards",
        "staff/passkeys",
        "staff/staff_mail",
        "comments/comments",
        "participants/participant_guards",
        "participants/member_json",
        "participants/member_refusal",
        "tokens/tokens",
        "tokens/token_guard",
        "tokens/token_terms",
        "tokens/token_words",
        "tokens/catalogue",
        "tokens/price_guard",
        "tokens/record_guard",
        "events/emit_event",
        "events/deliveries",
        "events/feed",
        "events/public_actor",
        "questions/questions",
        "requests/request_log",
        "exports/export_records",
    )
    stored_documents = ("participants.MEMBER", "tokens.TOKEN")
