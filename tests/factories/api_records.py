"""An organisation with a record in every list of the API, for tests of all endpoints."""

from dataclasses import dataclass
from typing import Any

from exchange.events.models import Event
from exchange.events.services.endpoints import set_endpoint
from orders.book.models import Trade
from tests.assertions.endpoints import Endpoint
from tests.factories.api_clients import TESTER, ApiCaller, make_caller
from tests.factories.conversions import convert, set_rates
from tests.factories.deposits import Owner, make_virtual_account
from tests.factories.distributions import make_distribution
from tests.factories.lending import make_lending
from tests.factories.market import ApiTrader, Market
from tests.factories.request_log import log_requests
from tests.factories.tokens import give_units, make_token
from tests.factories.transfers import transfer
from tests.factories.wallets import Wallet
from tests.factories.withdrawals import WithdrawalApi


@dataclass(frozen=True)
class ApiRecords:
    """The caller and the ids of its records, by their names in paths and bodies."""

    caller: ApiCaller
    ids: dict[str, str]

    def address(self, route: str) -> str:
        """Fill a route (`<str:member_id>` or `{member_id}`) with these ids."""
        for name, value in self.ids.items():
            route = route.replace(f"<str:{name}>", value).replace(f"{{{name}}}", value)
        return route

    def records(self, found_at: Endpoint, **query: str) -> list[dict[str, Any]]:
        """Return the records of a list."""
        response = self.caller.get(self.address(found_at.path), query)
        assert response.status_code == 200, (found_at, query, response.content)
        data = response.json()["data"]
        found: list[dict[str, Any]] = data[str(found_at.plural)]
        assert data["count"] == len(found)
        return found


def make_api_records() -> ApiRecords:
    """Make the records; needs stored bank lists."""
    lending = make_lending()
    organisation = lending.borrower.organisation
    organisation.email = "money@baobridge.example"
    organisation.redirect_origins = ["https://baobridge.example"]
    organisation.save()
    caller = make_caller(organisation=organisation)
    loan = lending.lend()
    market = Market(currency="KES", issuer=organisation)
    buyer = ApiTrader(caller).fund(10_000, "KES")
    market.sell(tokens=3)
    resting = buyer.place(market.token, tokens=5)
    buyer.place(market.token, tokens=1, price=99)
    trade = Trade.objects.get(buy_order_id=resting["_id"])
    withdrawal_api = WithdrawalApi(caller)
    withdrawal_api.fund("organisation", "KES", "1000")
    withdrawal = withdrawal_api.create_withdrawal()
    own = Wallet(caller.organisation)
    moved = transfer(own, Wallet(caller.organisation, withdrawal_api.member), 200)
    listed = make_token(organisation)
    give_units(listed, Wallet(organisation, withdrawal_api.member), 10)
    distribution = make_distribution(listed, "Recorded")
    set_rates()
    converted = convert(own, 129, "KES", "USD")
    set_endpoint(
        organisation_id=caller.organisation.id, url="http://127.0.0.1:9/hook", actor=TESTER
    )
    make_virtual_account(Owner(organisation, withdrawal_api.member))
    log_requests(caller.key)
    event = Event.objects.filter(organisation=caller.organisation).latest("created_at", "id")
    return ApiRecords(
        caller,
        {
            "member_id": str(lending.borrower.member_id),
            "user_id": str(lending.borrower.member_id),
            "token_id": str(market.token.id),
            "order_id": resting["_id"],
            "trade_id": str(trade.id),
            "transfer_id": str(moved.id),
            "conversion_id": str(converted.id),
            "withdrawal_id": withdrawal["_id"],
            "loan_id": str(loan.id),
            "configuration_id": str(lending.offer.id),
            "loan_configuration_id": str(lending.offer.id),
            "event_id": str(event.id),
            "distribution_id": str(distribution.id),
        },
    )
