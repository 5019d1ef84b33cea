"""Income of a closed member: two people assign it to another owner of the same organisation.

Or to the member itself, which is reopened. The worker pays it then. Until it is assigned it stays
Due, and its money on the account of distributions.
"""

from uuid import UUID

from django.db.models import F, QuerySet
from django.db.models.functions import Coalesce

from credit.distributions.errors import DistributionNotFound
from credit.distributions.models import Distribution, DistributionProposal, Income, IncomeStatus
from exchange.core.actors import Actor
from exchange.core.errors import Rejected, StateConflict
from exchange.core.querysets import get_or_raise
from exchange.participants.models import Member
from wallets.closing.services import reopen_member


def unpaid_of_closed(distribution: Distribution) -> QuerySet[Income]:
    """Return the income that is Due to closed members, not what is Due from them."""
    return Income.objects.filter(
        distribution=distribution,
        status=IncomeStatus.DUE,
        gross__gte=0,
        member__closed_at__isnull=False,
    ).select_related("member", "organisation")


def check_assignment(distribution: Distribution, income_id: UUID, owner_id: UUID) -> Income:
    """Return the income, locked, if it can be paid to the owner.

    Raises `DistributionNotFound`, `StateConflict` unless it is Due to a closed member, `Rejected`
    (`owner_differs`) for an owner of another organisation, or another closed member.
    """
    rows = Income.objects.filter(pk=income_id, distribution=distribution)
    income = get_or_raise(rows.select_for_update(no_key=True), DistributionNotFound)
    if not unpaid_of_closed(distribution).filter(pk=income_id).exists():
        raise StateConflict("Only income that is due to a closed member is assigned")
    own = Member.objects.filter(organisation=income.organisation_id, closed_at=None)
    wanted = {income.organisation_id, income.member_id}
    if owner_id not in wanted and not own.filter(pk=owner_id).exists():
        raise Rejected(
            "Choose the member itself, its organisation, or another open member of it",
            code="owner_differs",
        )
    return income


def assign(distribution: Distribution, proposal: DistributionProposal, actor: Actor) -> None:
    """Give the income to the owner of an approved proposal, or reopen the member if it is its own.

    The caller has locked the distribution. Raises as `check_assignment` and `reopen_member`.
    """
    terms = proposal.terms or {}
    owner_id = UUID(terms["owner"])
    income = check_assignment(distribution, UUID(terms["income"]), owner_id)
    if income.member_id == owner_id:
        reopen_member(organisation_id=income.organisation_id, member_id=owner_id, actor=actor)
        return
    Income.objects.filter(pk=income.pk).update(
        assigned_from_id=Coalesce("assigned_from_id", F("member_id")),
        member_id=None if owner_id == income.organisation_id else owner_id,
    )
