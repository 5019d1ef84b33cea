"""`POST /v1/api/members/{id}/close`: close a member that has nothing left."""

from __future__ import annotations

from uuid import UUID

from rest_framework.decorators import action
from rest_framework.request import Request

from exchange.api.idempotency import respond_once
from exchange.api.operations import operation
from exchange.api.responses import RawJSON, SuccessResponse
from exchange.api.viewsets import ApiViewSet, parse_path_id
from exchange.participants.errors import MemberClosed, UserNotFound
from exchange.participants.payloads import MEMBER
from exchange.participants.selectors import member_document
from wallets.closing.errors import MoneyMoving
from wallets.closing.services import close_member
from wallets.holds.errors import FROZEN_FAILURES

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
    """Closing of members."""

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
        """Close a member for good. Refused while anything is left: money in any currency, units,
        open orders, loans, withdrawals or deposits on their way. A closed member can be read;
        nothing can be credited to it, withdrawn, ordered, lent or transferred.
        """
        found = parse_path_id(member_id, UserNotFound())
        return respond_once(request, lambda: self._close(found))

    def _close(self, member_id: UUID) -> SuccessResponse:
        caller = self.caller
        close_member(
            organisation_id=caller.organisation_id, member_id=member_id, actor=caller.actor
        )
        return self.respond(RawJSON(member_document(caller.organisation_id, member_id)))
