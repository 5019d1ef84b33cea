"""Errors of distributions."""

from exchange.core.errors import Conflict, Forbidden, NotFound


class DistributionNotFound(NotFound):
    """No such distribution, or one the organisation cannot see."""

    code = "distribution_not_found"
    message = "Distribution not found"


class NotIssuer(Forbidden):
    """Only the issuer of the token may do this."""

    code = "not_issuer"
    message = "Only the issuer of the token can do this"


class PeriodTaken(Conflict):
    """Another distribution pays for the same day or period."""

    code = "period_taken"


class CorrectionPending(Conflict):
    """A distribution is corrected once at a time."""

    code = "correction_pending"
    message = "Another correction of this distribution is not paid yet"


class DistributionProposalPending(Conflict):
    """One step of a distribution is decided at a time."""

    code = "proposal_pending"
    message = "A proposal about this distribution is pending already"
