"""`/v1/api/members`, the people an organisation acts for; balances of its wallet and of theirs."""

from functools import partial
from typing import Any, ClassVar
from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiExample
from rest_framework.request import Request
from rest_framework.response import Response

from exchange.api.fields import CountryField, EmailField, EnumField, OwnIdField, TextField
from exchange.api.idempotency import respond_once
from exchange.api.operations import RecordPage, operation
from exchange.api.responses import RawJSON, SuccessResponse
from exchange.api.serializers import ChangesSerializer, LeanSerializer
from exchange.api.viewsets import ApiViewSet, parse_path_id
from exchange.participants.errors import UserNotFound
from exchange.participants.filters import MemberFilters
from exchange.participants.models import HolderKind, Verification
from exchange.participants.services.members import change_member, create_member
from wallets.ledger.api import OwnerViewSet
from wallets.ledger.models import Account
from wallets.ledger.selectors.owners import balances_of, read_balances
from wallets.owners import shapes
from wallets.owners.filters import BalanceFilters
from wallets.owners.payloads import BALANCE, MEMBER
from wallets.owners.selectors import member_record, member_records, wallet_of

_KIND_HELP = "What the member is for tax"
_RESIDENCE_HELP = "ISO code of the country where the member pays tax; empty: not known"
_TAX_ID_HELP = "Number at the tax authority; empty for none"


class MemberInput(LeanSerializer):
    """A new member."""

    name = TextField(max_length=200, help_text="Full name")
    email = EmailField(help_text="Unique within the organisation, case-insensitive")
    external_id = OwnIdField(
        max_length=100, required=False, default="", allow_blank=True, help_text="Your own ID"
    )
    holder_kind = EnumField(
        allowed=HolderKind.values,
        required=False,
        default=HolderKind.PERSON.value,
        help_text=_KIND_HELP,
    )
    tax_residence = CountryField(required=False, default="", help_text=_RESIDENCE_HELP)
    tax_id = TextField(
        max_length=50, required=False, default="", allow_blank=True, help_text=_TAX_ID_HELP
    )


class MemberChanges(ChangesSerializer):
    """Changes of a member; what is not sent stays."""

    name = TextField(max_length=200, required=False, help_text="Full name")
    email = EmailField(required=False, help_text="Unique within the organisation, case-insensitive")
    external_id = OwnIdField(
        max_length=100, required=False, allow_blank=True, help_text="Your own ID; empty for none"
    )
    verification = EnumField(
        allowed=Verification.values,
        required=False,
        help_text="What you say of the member's identity",
    )
    holder_kind = EnumField(allowed=HolderKind.values, required=False, help_text=_KIND_HELP)
    tax_residence = CountryField(required=False, help_text=_RESIDENCE_HELP)
    tax_id = TextField(max_length=50, required=False, allow_blank=True, help_text=_TAX_ID_HELP)


_EXAMPLE = OpenApiExample(
    "A member",
    value={"name": "Ada Obi", "email": "ada@example.com", "external_id": "customer-17"},
    request_only=True,
)
_CHANGES_EXAMPLE = OpenApiExample(
    "A new email address of a verified member",
    value={"email": "ada.obi@example.com", "verification": "verified"},
    request_only=True,
)
_CONFLICTS = {
    "email_taken": "A member with this email exists already",
    "external_id_taken": "A member with this external_id exists already",
}


class MemberViewSet(ApiViewSet):
    """The organisation's members."""

    tag = "Members"
    lookup_url_kwarg = "member_id"
    filterset_class = MemberFilters
    sort_fields: ClassVar = {
        "createdAt": "created_at",
        "updatedAt": "updated_at",
        "name": "name",
        "email": "email",
    }
    changing_sorts = frozenset({"updatedAt", "name", "email"})
    default_sort = "-createdAt"

    def get_queryset(self) -> QuerySet[Any]:
        """Return the caller's members."""
        return member_records(self.caller.organisation_id)

    @operation("Members retrieved", scope="members:read", response=RecordPage(MEMBER, "members"))
    def list(self, _request: Request) -> Response:
        """List members. Filter by email, by your own ID, by status and verification."""
        members = self.filter_queryset(self.get_queryset())
        return self.paginated_response(members, column="record")

    @operation("Member retrieved", scope="members:read", response=MEMBER)
    def retrieve(self, _request: Request, member_id: str) -> SuccessResponse:
        """Fetch a member."""
        record_id = parse_path_id(member_id, UserNotFound)
        return self.respond(RawJSON(member_record(self.caller.organisation_id, record_id)))

    @operation(
        "Member created",
        scope="members:write",
        body=MemberInput,
        response=MEMBER,
        status=201,
        idempotent=True,
        failures={"409": _CONFLICTS},
        examples=[_EXAMPLE],
    )
    def create(self, request: Request) -> SuccessResponse:
        """Create a member. Its ID is the `user_id` of other endpoints."""
        values = self.body()
        return respond_once(request, lambda: self._create(values))

    def _create(self, values: dict[str, str]) -> SuccessResponse:
        caller = self.caller
        member = create_member(organisation_id=caller.organisation_id, actor=caller.actor, **values)
        return self.respond(RawJSON(member_record(caller.organisation_id, member.id)))

    @operation(
        "Member updated",
        scope="members:write",
        body=MemberChanges,
        response=MEMBER,
        idempotent=True,
        failures={"409": _CONFLICTS},
        examples=[_CHANGES_EXAMPLE],
        id="members_update",
    )
    def partial_update(self, request: Request, member_id: str) -> SuccessResponse:
        """Change a member. What is not sent stays as it is. Records that name the member, and past
        events, are unchanged.
        """
        record_id = parse_path_id(member_id, UserNotFound)
        values = self.body()
        return respond_once(request, lambda: self._change(record_id, values))

    def _change(self, member_id: UUID, values: dict[str, str]) -> SuccessResponse:
        caller = self.caller
        change_member(
            member_id=member_id,
            organisation_id=caller.organisation_id,
            actor=caller.actor,
            **values,
        )
        return self.respond(RawJSON(member_record(caller.organisation_id, member_id)))


class WalletViewSet(OwnerViewSet):
    """Balances."""

    tag = "Wallets"
    singleton = True

    @operation("Wallet retrieved", scope="wallets:read", response=shapes.BALANCES)
    def retrieve(self, _request: Request, **_path: str) -> SuccessResponse:
        """Fetch {owner}'s wallet. One record for each currency."""
        return self.respond(wallet_of(self.owner_id()))


class BalanceViewSet(ApiViewSet):
    """The balances of all wallets of the caller."""

    tag = "Wallets"
    filterset_class = BalanceFilters
    sort_fields: ClassVar = {"owner": "owner_id"}
    default_sort = "owner"

    def get_queryset(self) -> QuerySet[Account]:
        """Return an account of each balance of the caller and its members."""
        return balances_of(self.caller.organisation_id)

    @operation("Balances retrieved", scope="wallets:read", response=RecordPage(BALANCE, "balances"))
    def list(self, _request: Request) -> Response:
        """List the balances of every wallet, your organisation's and its members'. One record for
        each owner and currency that the owner ever had; other balances are 0.
        """
        found = self.filter_queryset(self.get_queryset())
        return self.paginated_response(found, partial(read_balances, BALANCE))
