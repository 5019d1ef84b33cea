"""Tables of an owner's records on the page of an organisation or a member.

Each subject declares its table as an `OwnerRecords`; `config.back_office.panels` lists them. The
page of an organisation also shows the records of its members, and whose they are.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import urlencode

from django.db.models import F, Model, Q, QuerySet
from django.db.models.expressions import Combinable
from django.http import HttpRequest
from django.urls import reverse

from exchange.admin.base import SafeAdmin, Section, Tool
from exchange.admin.branches import NEWEST, newest_matching
from exchange.admin.display import record_link
from exchange.admin.panels import Panel
from exchange.participants.models import Member, Organisation

Owner = Organisation | Member
# Rows of a table.
ROWS = 10


@dataclass(frozen=True, slots=True)
class TimelineColumns:
    """What the timeline shows of a record: columns or expressions; None where it has none."""

    label: str
    text: str | Combinable | None = None
    amount: str | None = None
    # The currency of `amount`.
    currency: str | None = None
    state: str | None = None
    at: str = "created_at"


class OwnerRecords(Panel):
    """The newest records of an owner in one table, for those who may view their list."""

    model: ClassVar[type[Model]]
    title: ClassVar[str]
    headings: ClassVar[Sequence[str]]
    right: ClassVar[Sequence[int]] = ()
    related: ClassVar[Sequence[str]] = ()
    # Records of other states are left to the timeline and the list.
    shown: ClassVar[Q] = Q()
    order: ClassVar[Sequence[str]] = NEWEST
    # Whether records belong to a member or to the organisation itself, in `member`.
    has_member: ClassVar[bool] = True
    # The column that names the owner of the records of a member's page.
    owner_column: ClassVar[str] = "owner_id"
    note: ClassVar[str] = ""
    timeline: ClassVar[TimelineColumns | None] = None
    # Whether these records only report what others say, so that the timeline leaves them out.
    reports: ClassVar[bool] = False

    def branches(self, owner: Owner) -> Sequence[Q]:
        """Return the conditions of the records of `owner`, each served by an index; none: no table.

        An organisation's include those of its members.
        """
        if isinstance(owner, Member):
            return (Q(**{self.owner_column: owner.pk}),)
        return (Q(organisation=owner.pk),)

    @abstractmethod
    def cells(self, record: Any, owner: Owner) -> tuple[object, ...]:
        """Return the cells of `record` on the page of `owner`."""

    def list_query(self, owner: Owner) -> Mapping[str, str]:
        """Return the query of the list that shows the same records."""
        key = self.owner_column if isinstance(owner, Member) else "q"
        return {key: str(owner.pk)}

    def list_label(self, owner: Owner) -> str:
        """Return the label of the link to that list."""
        return f"All {self.model._meta.verbose_name_plural}"

    # --- for pages ---

    @property
    def permission(self) -> str:
        """The permission to view these records."""
        meta = self.model._meta
        return f"{meta.app_label}.view_{meta.model_name}"

    def rows(self) -> QuerySet[Any]:
        """Return the records of all owners."""
        return self.model._default_manager.order_by()

    def newest_ids(self, branch: Q, limit: int) -> QuerySet[Any, Any]:
        """Return the ids of the newest records of one of `branches`, in whatever state."""
        return self.rows().filter(branch).order_by(*self.order).values("pk")[:limit]

    def newest(self, owner: Owner, limit: int) -> QuerySet[Any]:
        """Return the newest records of `owner` that the table shows."""
        rows = self.rows().select_related(*self.related)
        if self.has_member and isinstance(owner, Organisation):
            rows = rows.select_related(*self.related, "member")
        branches = [branch & self.shown for branch in self.branches(owner)]
        return newest_matching(rows, branches, limit, self.order)

    def sections(self, page: SafeAdmin, request: HttpRequest, record: Any) -> Sequence[Section]:
        """Return the table of the records of `record`, the owner."""
        if not page.may(request, self.permission) or not self.branches(record):
            return ()
        found = list(self.newest(record, ROWS + 1))
        headings, with_owner = self.headings, self.has_member and isinstance(record, Organisation)
        rows = [self.cells(row, record) for row in found[:ROWS]]
        if with_owner:
            headings = (*headings, "Owner")
            rows = [
                (*cells, owner_cell(row)) for cells, row in zip(rows, found[:ROWS], strict=True)
            ]
        newest = f"The newest {ROWS}." if len(found) > ROWS else ""
        return (
            Section(
                self.title,
                headings,
                rows,
                right=self.right,
                empty="None.",
                more=self._list_link(record) if found else None,
                note=" ".join(filter(None, (newest, self.note))),
            ),
        )

    def _list_link(self, owner: Owner) -> Tool:
        meta = self.model._meta
        address = reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist")
        query = urlencode(self.list_query(owner))
        return Tool(self.list_label(owner), f"{address}?{query}")


def owner_id_of(record: Any) -> Any:
    """Return the id of an owner, or of the owner of an account."""
    return record.pk if isinstance(record, Member | Organisation) else record.owner_id


def owner_cell(record: Any) -> object:
    """Return whose record it is on the page of its organisation."""
    member: Member | None = record.member
    return record_link(member) if member else "The organisation"


def column(name: str | Combinable | None) -> Combinable | None:
    """Return a column named by a string as an expression."""
    return F(name) if isinstance(name, str) else name
