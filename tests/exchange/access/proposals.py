"""An installation with three privileged users, and the steps of an access proposal."""

from config.back_office.roles import ADMINISTRATOR, FINANCE_APPROVER, get_role
from exchange.access.services import decisions
from exchange.participants.services import proposals as participant_proposals
from exchange.staff.models import AccessProposal, StaffUser
from exchange.staff.services import proposals as staff_proposals
from tests.factories.api_clients import make_organisation
from tests.factories.staff import backdate_installation, create_staff

PASSWORD = "correct horse battery"
MONEY = ["wallets:read", "wallets:withdraw"]


class Team:
    """One administrator and two finance approvers, all tenured."""

    def __init__(self) -> None:
        self.admin = create_staff("admin", PASSWORD, ADMINISTRATOR)
        self.first = create_staff("first", PASSWORD, FINANCE_APPROVER)
        self.second = create_staff("second", PASSWORD, FINANCE_APPROVER)
        backdate_installation(days=60)

    def invite(self, by: StaffUser, role: str = FINANCE_APPROVER) -> AccessProposal:
        return staff_proposals.propose_invitation(username="newcomer", role=get_role(role), by=by)

    def key(self, by: StaffUser) -> AccessProposal:
        return participant_proposals.propose_key(
            organisation=make_organisation(), name="Payouts", scopes=MONEY, by=by
        )


def confirm(proposal: AccessProposal, by: StaffUser) -> AccessProposal:
    return decisions.confirm(proposal_id=proposal.pk, by=by)


def collect(proposal: AccessProposal, by: StaffUser) -> decisions.CollectedSecret:
    return decisions.collect(proposal_id=proposal.pk, by=by)
