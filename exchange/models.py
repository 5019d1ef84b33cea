"""Models of participants, tokens, staff, audit, events and exports."""

from exchange.comments.models import Comment
from exchange.core.models import (
    Change,
    Currency,
    IdempotencyRecord,
    ScheduledRun,
    WritePosition,
)
from exchange.events.models import DeliveryAttempt, Event, WebhookEndpoint
from exchange.exports.models import Export, ExportChunk, ExportStatus
from exchange.participants.models import ApiKey, Member, Organisation
from exchange.staff.models import (
    AccessEvent,
    AccessKind,
    AccessProposal,
    AccessProposalStatus,
    AccessRecord,
    ApprovalStatus,
    ProposalModel,
    RecoveryCode,
    SecondFactor,
    SignInAttempts,
    StaffUser,
)
from exchange.tokens.models import (
    Catalogue,
    DealAccess,
    InvestmentCategory,
    InvestmentType,
    PayoutFrequency,
    Quote,
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
    "Comment",
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
    "Organisation",
    "PayoutFrequency",
    "ProposalModel",
    "Quote",
    "RecoveryCode",
    "ScheduledRun",
    "SecondFactor",
    "SignInAttempts",
    "StaffUser",
    "Token",
    "TokenAccess",
    "TokenType",
    "WebhookEndpoint",
    "WritePosition",
]
