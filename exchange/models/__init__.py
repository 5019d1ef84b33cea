"""Tables of who calls and what is traded. Nothing here knows a request, a task or a wallet."""

from exchange.models.access import ApiKey
from exchange.models.access_proposals import AccessKind, AccessProposal, AccessProposalStatus
from exchange.models.approvals import ApprovalStatus, ProposalModel
from exchange.models.audit import Change, Operation
from exchange.models.currencies import Currency
from exchange.models.events import DeliveryAttempt, Event, WebhookEndpoint
from exchange.models.exports import Export, ExportChunk, ExportStatus
from exchange.models.idempotency import IdempotencyRecord
from exchange.models.participants import Member, Organisation
from exchange.models.quotes import Quote
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
    "AccessKind",
    "AccessProposal",
    "AccessProposalStatus",
    "AccessRecord",
    "ApiKey",
    "ApprovalStatus",
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
    "ProposalModel",
    "Quote",
    "RecoveryCode",
    "SecondFactor",
    "SignInTries",
    "StaffUser",
    "Token",
    "TokenAccess",
    "TokenType",
    "WebhookEndpoint",
]
