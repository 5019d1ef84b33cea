"""Close a member that has nothing left, and reopen it: `POST /v1/api/members/{id}/close|reopen`."""

from collections.abc import Callable

from rest_framework.decorators import action
from rest_framework.request import Request

from exchange.api.idempotency import respond_once
from exchange.api.operations import operation
from exchange.api.responses import RawJSON, SuccessResponse
from exchange.api.viewsets import ApiViewSet, parse_path_id
from exchange.participants.errors import MemberClosed, UserNotFound
from exchange.participants.models import Member
from wallets.closing.errors import MemberNotClosed, MoneyMoving
from wallets.closing.services import close_member, reopen_member
from wallets.freezes.errors import FROZEN_FAILURES
from wallets.owners.payloads import MEMBER
from wallets.owners.selectors import member_record

_FAILURES = {
    "409": {
        "member_not_empty": "This member still has 100.5 NGN, 12 BAO units pledged for loans,"
        " 1 pending deposit",
        MemberClosed.code: MemberClosed.message,
        **FROZEN_FAILURES,
        MoneyMoving.code: MoneyMoving.message,
    }
}


class MemberClosingViewSet(ApiViewSet):
    """Closing and reopening of members."""

    tag = "Members"
    lookup_url_kwarg = "member_id"

    @operation(
        "Member closed",
        scope="members:write",
        response=MEMBER,
        idempotent=True,
        failures=_FAILURES,
    )
    @action(detail=True, methods=["post"])
    def close(self, request: Request, member_id: str) -> SuccessResponse:
        """Close a member. Refused while anything is left: money in any currency, units, open
        orders, loans, withdrawals or deposits on their way. A closed member can be read; nothing
        can be credited to it, withdrawn, ordered, lent or transferred until it is reopened.
        """
        return self._respond(request, member_id, close_member)

    @operation(
        "Member reopened",
        scope="members:write",
        response=MEMBER,
        idempotent=True,
        failures={"409": {MemberNotClosed.code: MemberNotClosed.message}},
    )
    @action(detail=True, methods=["post"])
    def reopen(self, request: Request, member_id: str) -> SuccessResponse:
        """Open a closed member again, for example when its bank returned a payout: the money can
        only be credited to an active member.
        """
        return self._respond(request, member_id, reopen_member)

    def _respond(
        self, request: Request, member_id: str, change: Callable[..., Member]
    ) -> SuccessResponse:
        found = parse_path_id(member_id, UserNotFound)
        caller = self.caller

        def act() -> SuccessResponse:
            change(organisation_id=caller.organisation_id, member_id=found, actor=caller.actor)
            return self.respond(RawJSON(member_record(caller.organisation_id, found)))

        return respond_once(request, act)
