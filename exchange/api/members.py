"""`/v1/api/members`: the people an organisation acts for."""

from __future__ import annotations

from typing import ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from exchange.api.answers import Answer, RawJSON
from exchange.api.fields import EmailField, TextField
from exchange.api.idempotency import answer_once
from exchange.api.pagination import EnvelopePagination
from exchange.api.schema import Created, Operation, PageOf, Record
from exchange.api.views import ApiView, path_id
from exchange.errors import UserNotFound
from exchange.filtersets import MemberFilters
from exchange.models import Member
from exchange.payloads import MEMBER
from exchange.selectors.participants import member_document, members_of
from exchange.services.members import create_member


class MemberInput(serializers.Serializer[Member]):
    """A new member."""

    name = TextField(max_length=200, help_text="Full name")
    email = EmailField(help_text="Unique within the organisation, in any case")
    external_id = TextField(
        max_length=100, required=False, default="", allow_blank=True, help_text="Your own id"
    )


_EXAMPLE = OpenApiExample(
    "A member",
    value={"name": "Ada Obi", "email": "ada@example.com", "external_id": "customer-17"},
    request_only=True,
)
_TAKEN = {
    "email_taken": "A member with this email exists already",
    "external_id_taken": "A member with this external_id exists already",
}


class MembersView(ApiView):
    """The organisation's members."""

    operations: ClassVar = {
        "GET": Operation("members", "list", "Members retrieved"),
        "POST": Operation("members", "create", "Member created"),
    }
    required_scopes: ClassVar = {"GET": "members:read", "POST": "members:write"}
    takes_idempotency_key = True
    serializer_class = MemberInput
    filterset_class = MemberFilters
    plural = "members"
    sort_fields: ClassVar = {
        "createdAt": "created_at",
        "updatedAt": "updated_at",
        "name": "name",
        "email": "email",
    }
    default_sort = "-createdAt"
    answers: ClassVar = {"GET": PageOf(MEMBER, "members"), "POST": Created(Record(MEMBER))}

    @property
    def failures(self) -> dict[str, dict[str, str]]:
        """Making a member may be refused for another one."""
        return {"409": _TAKEN} if self.request.method == "POST" else {}

    def get_queryset(self) -> QuerySet[Member]:
        """The caller's members."""
        return members_of(self.caller.organisation_id)

    def get(self, request: Request) -> Answer:
        """List members. Filter by email or by your own id."""
        found = self.filter_queryset(self.get_queryset())
        page = EnvelopePagination()
        page.paginate_queryset(found.values_list("document", flat=True), request, self)
        return page.answer(self, "Members retrieved")

    @extend_schema(examples=[_EXAMPLE])
    def post(self, request: Request) -> Answer:
        """Create a member. Its id is the `user_id` of other endpoints."""
        values = self.body()
        return answer_once(request, lambda: self._create(values))

    def _create(self, values: dict[str, str]) -> Answer:
        caller = self.caller
        member = create_member(organisation_id=caller.organisation_id, actor=caller.actor, **values)
        text = member_document(caller.organisation_id, member.id)
        return Answer(RawJSON(text), "Member created", status=201)


class MemberView(ApiView):
    """One member."""

    operations: ClassVar = {"GET": Operation("members", "retrieve", "Member retrieved")}
    required_scopes: ClassVar = {"GET": "members:read"}
    answers: ClassVar = {"GET": Record(MEMBER)}

    def get(self, _request: Request, member_id: str) -> Answer:
        """Fetch a member."""
        found = path_id(member_id, UserNotFound())
        text = member_document(self.caller.organisation_id, found)
        return Answer(RawJSON(text), "Member retrieved")
