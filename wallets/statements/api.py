"""Endpoint for the account statement of the organisation and of its members."""

from django.http import HttpResponse
from django.utils import timezone
from rest_framework.request import Request

from exchange.api.files import CSV, PDF
from exchange.api.operations import operation
from exchange.api.responses import SuccessResponse
from exchange.api.viewsets import ApiViewSet, parse_path_id
from exchange.core import replica
from exchange.participants.errors import UserNotFound
from wallets.statements import shapes
from wallets.statements.files import make_file, to_wire
from wallets.statements.query import StatementQuery, read_query
from wallets.statements.selectors import Statement, get_statement_owner, read_statement


class AccountStatementViewSet(ApiViewSet):
    """Statements of one currency and period."""

    tag = "Wallets"
    singleton = True

    @operation(
        "Statement retrieved",
        scope="wallets:read",
        query=shapes.PARAMETERS,
        response=shapes.STATEMENT,
        files=[CSV, PDF],
        failures=shapes.FAILURES,
    )
    def retrieve(
        self, request: Request, member_id: str | None = None
    ) -> SuccessResponse | HttpResponse:
        """Fetch the statement of {owner}'s account in a currency. Opening balance, every movement
        in words, closing balance: as JSON, or with `format` as a CSV or PDF file.
        """
        query = read_query(request.query_params)
        if query.form == "json":
            return self.respond(to_wire(self._read(query, member_id)))
        return make_file(query.form, lambda: self._read(query, member_id))

    def _read(self, query: StatementQuery, member_id: str | None) -> Statement:
        # Printing takes a while: only the reading happens on the replica.
        return replica.read(lambda: self._find(query, member_id), self.caller.position)

    def _find(self, query: StatementQuery, member_id: str | None) -> Statement:
        member = None if member_id is None else parse_path_id(member_id, UserNotFound)
        owner = get_statement_owner(self.caller.organisation_id, member)
        return read_statement(owner, query.currency, query.period, timezone.now())
