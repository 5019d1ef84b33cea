"""The field that chooses the member whom a deposit or a tax rate is for."""

from typing import Any

from django.contrib import admin

from exchange.admin.forms import ModelChoice, RecordSelect
from exchange.participants.models import Member
from wallets.deposits.models import Deposit


class MemberChoice(ModelChoice):
    """A member, searched by name or email."""

    def __init__(self, **kwargs: Any) -> None:
        relation = Deposit._meta.get_field("member")
        super().__init__(
            queryset=Member.objects.select_related("organisation"),
            widget=RecordSelect(relation, admin.site),
            **kwargs,
        )

    def label_from_instance(self, obj: Member) -> str:
        return f"{obj.name} <{obj.email}>, {obj.organisation}"
