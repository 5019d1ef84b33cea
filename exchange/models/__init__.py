"""Tables of who calls and what is traded. Nothing here knows a request, a task or a wallet."""

from exchange.models.access import ApiKey
from exchange.models.audit import Change, Operation
from exchange.models.currencies import Currency
from exchange.models.events import DeliveryAttempt, Event, WebhookEndpoint
from exchange.models.exports import Export, ExportChunk, ExportStatus
from exchange.models.idempotency import IdempotencyRecord
from exchange.models.participants import Member, Organisation
from exchange.models.quotes import Quote, QuoteStatus
from exchange.models.staff import (
    AccessEvent,
    AccessRecord,
    RecoveryCode,
    SecondFactor,
    SignInTries,
    StaffUser,
)
from exchange.models.tokens import (
    Catalogue,
    DealAccess,
    InvestmentCategory,
    InvestmentType,
    PayoutFrequency,
    Token,
    TokenAccess,
    TokenType,
)

__all__ = [
    "AccessEvent",
    "AccessRecord",
    "ApiKey",
    "Catalogue",
    "Change",
    "Currency",
    "DealAccess",
    "DeliveryAttempt",
    "Event",
    "Export",
    "ExportChunk",
    "ExportStatus",
    "IdempotencyRecord",
    "InvestmentCategory",
    "InvestmentType",
    "Member",
    "Operation",
    "Organisation",
    "PayoutFrequency",
    "Quote",
    "QuoteStatus",
    "RecoveryCode",
    "SecondFactor",
    "SignInTries",
    "StaffUser",
    "Token",
    "TokenAccess",
    "TokenType",
    "WebhookEndpoint",
]
